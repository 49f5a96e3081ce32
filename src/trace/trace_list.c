// SPDX-License-Identifier: MIT
/*
 * trace_list.c - finds the traces at and below a path: a folder that is a trace is one, other folders are
 * searched.
 */
#include "trace/trace_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/io.h"
#include "base/trace_word.h"
#include "trace/ctf/ctf_source.h"
#include "trace/lines/line_source.h"
#include "trace/perf/perf_source.h"
#include "trace/text/event_text.h"
#include "trace/trace_format.h"
#include "trace/uftrace/uftrace_source.h"

/* Deeper than anyone keeps traces, and an end for folders that are mounted into themselves. */
enum { DEPTH_MAX = 32, FORMATS_SIZE = 400 };

static enum histree_status find_below(struct trace_list *list, const char *path, unsigned depth,
				      struct histree_error *error);

/* 1, 0, or -1 when memory is out. */
static int has_metadata(const char *path)
{
	struct stat facts;
	char *metadata;
	if (asprintf(&metadata, "%s/metadata", path) < 0)
		return -1;
	bool is = stat(metadata, &facts) == 0 && S_ISREG(facts.st_mode);
	free(metadata);
	return is ? 1 : 0;
}

static enum histree_status add(struct trace_list *list, const char *path, const struct trace_format_kind *kind,
			       struct histree_error *error)
{
	char *copy = strdup(path);
	if (copy == NULL || !array_reserve(&list->entries, &list->capacity, list->count + 1)) {
		free(copy);
		return error_memory(error, "the list of traces");
	}
	list->entries[list->count++] = (struct trace_entry){ .path = copy, .kind = kind };
	return HISTREE_OK;
}

static enum histree_status find_in_entry(struct trace_list *list, const char *path, const struct dirent *entry,
					 unsigned depth, struct histree_error *error)
{
	struct stat facts;
	char *inner;
	if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
		return HISTREE_OK;
	if (asprintf(&inner, "%s/%s", path, entry->d_name) < 0)
		return error_memory(error, "a path");
	enum histree_status status = HISTREE_OK;
	if (lstat(inner, &facts) == 0 && S_ISDIR(facts.st_mode))
		status = find_below(list, inner, depth + 1, error);
	free(inner);
	return status;
}

/* What was named is no folder, or cannot be listed. */
static enum histree_status find_file(struct trace_list *list, const char *path, struct histree_error *error)
{
	int cause = errno;
	struct stat facts;
	char formats[FORMATS_SIZE];
	if (cause == ENOTDIR && stat(path, &facts) == 0 && !S_ISREG(facts.st_mode))
		return error_set(error, HISTREE_ERR_TRACE,
				 "\"%s\" is no regular file, and a trace is read more than once: write it into a "
				 "file and name that",
				 path);
	const struct trace_format *format = cause == ENOTDIR ? trace_format_of_path(path) : NULL;
	if (cause == ENOTDIR && event_text_is(&io_posix, path))
		return add(list, path, &event_text_format, error);
	const char *packed = cause == ENOTDIR ? trace_format_packed(path) : NULL;
	if (packed != NULL)
		return error_set(error, HISTREE_ERR_TRACE, "\"%s\" is gzip of %s; %s", path, packed,
				 format->advice);
	if (format != NULL && format->advice != NULL)
		return error_set(error, HISTREE_ERR_TRACE, "\"%s\" is %s; %s", path, format->name, format->advice);
	trace_format_list(formats, sizeof(formats));
	if (format != NULL)
		return error_set(error, HISTREE_ERR_TRACE, "\"%s\" is %s, and no trace; histree reads %s", path,
				 format->name, formats);
	if (cause == ENOTDIR)
		return error_set(error, HISTREE_ERR_TRACE, "\"%s\" %s; histree reads %s", path,
				 trace_format_describe(path), formats);
	return error_set(error, HISTREE_ERR_TRACE, "cannot open \"%s\": %s", path, strerror(cause));
}

static enum histree_status find_below(struct trace_list *list, const char *path, unsigned depth,
				      struct histree_error *error)
{
	int is_trace = has_metadata(path);
	if (is_trace < 0)
		return error_memory(error, "a path");
	if (is_trace > 0)
		return add(list, path, &ctf_format, error);
	if (uftrace_source_is(path))
		return add(list, path, &uftrace_format, error);
	if (depth == DEPTH_MAX)
		return HISTREE_OK;

	struct dirent **entries = NULL;
	int count = scandir(path, &entries, NULL, alphasort);
	if (count < 0)
		return depth > 0 ? HISTREE_OK : find_file(list, path, error);
	enum histree_status status = HISTREE_OK;
	for (int index = 0; index < count; index++) {
		if (status == HISTREE_OK)
			status = find_in_entry(list, path, entries[index], depth, error);
		free(entries[index]);
	}
	free(entries);
	return status;
}

/* Returns the kind of a file that is a trace by itself, or NULL. */
static const struct trace_format_kind *kind_of_file(const char *path)
{
	const struct trace_format *format = trace_format_of_path(path);
	return format != NULL ? format->kind : NULL;
}

/* perf keeps a recording of several threads in a folder, and in its file "data" what it says of itself. */
static enum histree_status find_recording_in(struct trace_list *list, const char *folder,
					     struct histree_error *error)
{
	char *path;
	if (asprintf(&path, "%s/data", folder) < 0)
		return error_memory(error, "a path");
	const struct trace_format_kind *kind = kind_of_file(path);
	enum histree_status status = kind == &perf_format ? add(list, path, kind, error) : HISTREE_OK;
	free(path);
	return status;
}

/* Returns HISTREE_ERR_TRACE if a folder would be a trace, but that its metadata are compressed. */
static enum histree_status check_packed(const char *path, struct histree_error *error)
{
	static const char *const endings[] = { "gz", "zst", "xz", "bz2" };
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		char *name;
		if (asprintf(&name, "%s/metadata.%s", path, endings[i]) < 0)
			return error_memory(error, "a path");
		bool is_there = access(name, F_OK) == 0;
		free(name);
		if (is_there)
			return error_set(
				error, HISTREE_ERR_TRACE,
				"\"%s\" is a trace whose files are compressed: unpack 'metadata.%s' and the "
				"others, and name the folder again",
				path, endings[i]);
	}
	return HISTREE_OK;
}

enum histree_status trace_list_find(struct trace_list *list, const char *path, struct histree_error *error)
{
	size_t before = list->count;
	const struct trace_format_kind *kind = kind_of_file(path);
	if (kind == NULL && line_source_is(path))
		kind = &line_format;
	enum histree_status status = HISTREE_OK;
	for (; kind != NULL && status == HISTREE_OK; kind = kind->beside)
		status = add(list, path, kind, error);
	if (list->count > before || status != HISTREE_OK)
		return status;
	size_t size = strlen(path);
	if (trace_word_path(path) != path)
		return add(list, path, &event_text_format, error);
	while (size > 1 && path[size - 1] == '/')
		size--;
	char *trimmed = strndup(path, size);
	if (trimmed == NULL)
		return error_memory(error, "a path");
	status = find_below(list, trimmed, 0, error);
	if (status == HISTREE_OK && list->count == before)
		status = find_recording_in(list, trimmed, error);
	free(trimmed);
	if (status == HISTREE_OK && list->count == before)
		status = check_packed(path, error);
	char formats[FORMATS_SIZE];
	trace_format_list(formats, sizeof(formats));
	if (status == HISTREE_OK && list->count == before)
		status = error_set(error, HISTREE_ERR_TRACE, "\"%s\" holds no trace; histree reads %s", path,
				   formats);
	return status;
}

void trace_list_release(struct trace_list *list)
{
	for (size_t index = 0; index < list->count; index++)
		free(list->entries[index].path);
	free(list->entries);
	*list = (struct trace_list){ 0 };
}
