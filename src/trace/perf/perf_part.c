// SPDX-License-Identifier: MIT
#include "trace/perf/perf_part.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* There is a part a CPU, and Linux has fewer CPUs. */
enum { PARTS_MAX = 16384 };

/* So many windows need no more open files than a process may have. */
enum { OPEN_PARTS_MAX = 256 };

/* Returns the number behind "data.", SIZE_MAX if it is none. */
static size_t number_of(const char *name)
{
	static const char begin[] = "data.";
	if (strncmp(name, begin, sizeof(begin) - 1) != 0)
		return SIZE_MAX;
	const char *digits = name + sizeof(begin) - 1;
	size_t length = strlen(digits);
	bool is_number = length > 0 && length < 6 && strspn(digits, "0123456789") == length &&
			 (digits[0] != '0' || length == 1);
	return is_number ? strtoul(digits, NULL, 10) : SIZE_MAX;
}

/* Count them up to the greatest number. */
static enum histree_status count_parts(const char *folder, size_t *count, struct histree_error *error)
{
	DIR *directory = opendir(folder);
	if (directory == NULL)
		return error_set(error, HISTREE_ERR_IO, "cannot list the folder: %s", strerror(errno));
	for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
		size_t number = number_of(entry->d_name);
		if (number < PARTS_MAX && number >= *count)
			*count = number + 1;
	}
	closedir(directory);
	return *count > 0 ? HISTREE_OK
			  : error_set(error, HISTREE_ERR_TRACE,
				      "it was recorded by several threads (perf record --threads), and the files "
				      "with their events, data.0 and so on, are not beside it; copy the whole "
				      "folder, and name that");
}

static enum histree_status open_part(struct perf_part *part, const struct io *io, bool stays_open,
				     struct histree_error *error)
{
	trace_window_init(&part->window, io, part->path, stays_open);
	enum histree_status status = trace_window_size(&part->window, &part->size, error);
	part->end = part->size;
	if (status != HISTREE_OK)
		error_prefix(error, "its part \"%s\"", strrchr(part->path, '/') + 1);
	return status;
}

enum histree_status perf_parts_find(struct perf_parts *parts, const struct io *io, const char *data, bool is_big,
				    struct histree_error *error)
{
	const char *slash = strrchr(data, '/');
	int length = slash == NULL ? 1 : (int)(slash - data);
	char *folder;
	size_t count = 0;
	if (asprintf(&folder, "%.*s", length, slash == NULL ? "." : data) < 0)
		return error_memory(error, "a path");
	enum histree_status status = count_parts(folder, &count, error);
	if (status == HISTREE_OK && (parts->parts = calloc(count, sizeof(*parts->parts))) == NULL)
		status = error_memory(error, "the files of a trace");
	for (; status == HISTREE_OK && parts->count < count; parts->count++) {
		struct perf_part *part = &parts->parts[parts->count];
		part->is_big = is_big;
		if (asprintf(&part->path, "%s/data.%zu", folder, parts->count) < 0) {
			part->path = NULL;
			status = error_memory(error, "a path");
			break;
		}
		status = open_part(part, io, count <= OPEN_PARTS_MAX, error);
	}
	free(folder);
	return status;
}

void perf_parts_release(struct perf_parts *parts)
{
	for (size_t i = 0; i < parts->count; i++) {
		trace_window_release(&parts->parts[i].window);
		free(parts->parts[i].path);
	}
	free(parts->parts);
	*parts = (struct perf_parts){ 0 };
}
