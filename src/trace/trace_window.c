// SPDX-License-Identifier: MIT
/*
 * trace_window.c - the part of a stream file that is in memory: one buffer, which moves with the reader.
 */
#include "trace/trace_window.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/io.h"

void trace_window_init(struct trace_window *window, const struct io *io, const char *path, bool stays_open)
{
	*window = (struct trace_window){ .io = io, .path = path, .stays_open = stays_open };
}

static void close_file(struct trace_window *window)
{
	if (window->is_open)
		window->io->close(window->io->context, window->file);
	window->is_open = false;
}

void trace_window_release(struct trace_window *window)
{
	close_file(window);
	free(window->bytes);
	*window = (struct trace_window){ 0 };
}

static enum histree_status open_file(struct trace_window *window, struct histree_error *error)
{
	if (window->is_open || window->source != NULL)
		return HISTREE_OK;
	window->file = window->io->open(window->io->context, window->path, O_RDONLY, 0);
	window->is_open = window->file >= 0;
	return window->is_open ? HISTREE_OK : error_set(error, HISTREE_ERR_IO, "cannot open: %s", strerror(errno));
}

static enum histree_status fill_from_source(struct trace_window *window, size_t size, struct histree_error *error)
{
	const struct trace_window_source *source = window->source;
	uint64_t at = window->offset + window->count, left = source->end > at ? source->end - at : 0;
	size_t wanted = size - window->count < left ? size - window->count : (size_t)left;
	enum histree_status status = HISTREE_OK;
	if (wanted > 0)
		status = source->read(source->context, at, window->bytes + window->count, wanted, error);
	if (status == HISTREE_OK)
		window->count += wanted;
	return status;
}

enum histree_status trace_window_size(struct trace_window *window, uint64_t *out, struct histree_error *error)
{
	off_t size;
	enum histree_status status = open_file(window, error);
	if (status == HISTREE_OK && window->io->size(window->io->context, window->file, &size) != 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot read: %s", strerror(errno));
	*out = status == HISTREE_OK ? (uint64_t)size : 0;
	if (!window->stays_open)
		close_file(window);
	return status;
}

/* Read on behind what is there, until there are `size` bytes in all or the file ends. */
static enum histree_status fill(struct trace_window *window, size_t size, struct histree_error *error)
{
	while (window->count < size) {
		ssize_t got = window->io->pread(window->io->context, window->file, window->bytes + window->count,
						size - window->count, (off_t)(window->offset + window->count));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_set(error, HISTREE_ERR_IO, "cannot read: %s", strerror(errno));
		if (got == 0)
			break;
		window->count += (size_t)got;
	}
	return HISTREE_OK;
}

enum histree_status trace_window_move(struct trace_window *window, uint64_t offset, size_t size,
				      struct histree_error *error)
{
	bool overlaps = offset >= window->offset && offset - window->offset < window->count;
	size_t kept = overlaps ? window->count - (size_t)(offset - window->offset) : 0;
	if (kept > size)
		kept = size;
	if (size > window->capacity) {
		uint8_t *larger = realloc(window->bytes, size);
		if (larger == NULL)
			return error_memory(error, "a part of a stream");
		window->bytes = larger;
		window->capacity = size;
	}
	if (kept > 0)
		memmove(window->bytes, window->bytes + (offset - window->offset), kept);
	window->offset = offset;
	window->count = kept;
	if (kept == size)
		return HISTREE_OK;
	enum histree_status status = open_file(window, error);
	if (status == HISTREE_OK)
		status = window->source != NULL ? fill_from_source(window, size, error) : fill(window, size, error);
	if (!window->stays_open)
		close_file(window);
	return status;
}
