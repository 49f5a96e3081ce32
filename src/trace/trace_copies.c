// SPDX-License-Identifier: MIT
#include "trace/trace_copies.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/trace_word.h"
#include "trace/ctf/ctf_source.h"
#include "trace/trace_window.h"

enum { PART_SIZE = 64 << 10 };

static bool is_one_inode(const char *one, const char *other)
{
	struct stat a, b;
	return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static enum histree_status compare_bytes(struct trace_window windows[2], uint64_t size, bool *are_same,
					 struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	*are_same = true;
	for (uint64_t at = 0; *are_same && at < size; at += PART_SIZE) {
		size_t part = size - at < PART_SIZE ? (size_t)(size - at) : PART_SIZE;
		for (size_t i = 0; i < 2 && status == HISTREE_OK; i++)
			status = trace_window_move(&windows[i], at, part, error);
		if (status == HISTREE_ERR_MEMORY)
			return status;
		*are_same = status == HISTREE_OK && windows[0].count == part && windows[1].count == part &&
			    memcmp(windows[0].bytes, windows[1].bytes, part) == 0;
	}
	return HISTREE_OK;
}

/* The same file, read by the same map. */
static enum histree_status compare(const struct trace_source *one, const struct trace_source *other, bool *are_same,
				   struct histree_error *error)
{
	const char *path = trace_word_path(one->path), *other_path = trace_word_path(other->path);
	size_t map = (size_t)(path - one->path);
	*are_same = false;
	if (one->kind != other->kind || one->bytes != other->bytes || one->bytes == 0 ||
	    map != (size_t)(other_path - other->path) || memcmp(one->path, other->path, map) != 0)
		return HISTREE_OK;
	*are_same = is_one_inode(path, other_path);
	if (*are_same)
		return HISTREE_OK;
	struct trace_window windows[2];
	trace_window_init(&windows[0], one->io, path, true);
	trace_window_init(&windows[1], other->io, other_path, true);
	enum histree_status status = compare_bytes(windows, one->bytes, are_same, error);
	trace_window_release(&windows[0]);
	trace_window_release(&windows[1]);
	return status;
}

enum histree_status trace_copies_find(struct trace_source *const *sources, size_t count, struct trace_notes *notes,
				      struct histree_error *error)
{
	for (size_t i = 1; i < count; i++) {
		struct trace_source *source = sources[i];
		for (size_t k = 0; k < i && source->kind != &ctf_format && !source->is_copy; k++) {
			if (sources[k]->is_copy)
				continue;
			enum histree_status status = compare(sources[k], source, &source->is_copy, error);
			if (status != HISTREE_OK)
				return status;
			if (source->is_copy)
				trace_notes_warn(notes, "%s: all of it is in %s too; it is taken once",
						 source->path, sources[k]->path);
		}
	}
	return HISTREE_OK;
}
