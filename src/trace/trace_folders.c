// SPDX-License-Identifier: MIT
#include "trace/trace_folders.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/error.h"
#include "trace/trace_format.h"

/* Deeper than anyone keeps traces, and an end for folders that are mounted into themselves. */
enum { DEPTH_MAX = 32 };

static enum histree_status find_below(struct trace_folders *folders, const char *path, unsigned depth,
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

static enum histree_status add_folder(struct trace_folders *folders, const char *path, struct histree_error *error)
{
	char *copy = strdup(path);
	if (copy == NULL || !array_reserve(&folders->paths, &folders->capacity, folders->count + 1)) {
		free(copy);
		return error_memory(error, "the list of traces");
	}
	folders->paths[folders->count++] = copy;
	return HISTREE_OK;
}

static enum histree_status find_in_entry(struct trace_folders *folders, const char *path,
					 const struct dirent *entry, unsigned depth, struct histree_error *error)
{
	struct stat facts;
	char *inner;
	if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
		return HISTREE_OK;
	if (asprintf(&inner, "%s/%s", path, entry->d_name) < 0)
		return error_memory(error, "a path");
	enum histree_status status = HISTREE_OK;
	if (lstat(inner, &facts) == 0 && S_ISDIR(facts.st_mode))
		status = find_below(folders, inner, depth + 1, error);
	free(inner);
	return status;
}

/* What was named is no folder, or cannot be listed. */
static enum histree_status not_a_folder(const char *path, struct histree_error *error)
{
	int cause = errno;
	const struct trace_format *format = cause == ENOTDIR ? trace_format_of_path(path) : NULL;
	if (format != NULL)
		return error_set(error, HISTREE_ERR_TRACE, "\"%s\" is %s; %s", path, format->name, format->advice);
	if (cause == ENOTDIR)
		return error_set(error, HISTREE_ERR_TRACE,
				 "\"%s\" is a file; a CTF trace is a folder with a file \"metadata\"", path);
	return error_set(error, HISTREE_ERR_TRACE, "cannot open \"%s\": %s", path, strerror(cause));
}

static enum histree_status find_below(struct trace_folders *folders, const char *path, unsigned depth,
				      struct histree_error *error)
{
	int is_trace = has_metadata(path);
	if (is_trace < 0)
		return error_memory(error, "a path");
	if (is_trace > 0)
		return add_folder(folders, path, error);
	if (depth == DEPTH_MAX)
		return HISTREE_OK;

	struct dirent **entries = NULL;
	int count = scandir(path, &entries, NULL, alphasort);
	if (count < 0)
		return depth > 0 ? HISTREE_OK : not_a_folder(path, error);
	enum histree_status status = HISTREE_OK;
	for (int index = 0; index < count; index++) {
		if (status == HISTREE_OK)
			status = find_in_entry(folders, path, entries[index], depth, error);
		free(entries[index]);
	}
	free(entries);
	return status;
}

enum histree_status trace_folders_find(struct trace_folders *folders, const char *path, struct histree_error *error)
{
	size_t before = folders->count;
	size_t size = strlen(path);
	while (size > 1 && path[size - 1] == '/')
		size--;
	char *trimmed = strndup(path, size);
	if (trimmed == NULL)
		return error_memory(error, "a path");
	enum histree_status status = find_below(folders, trimmed, 0, error);
	free(trimmed);
	if (status == HISTREE_OK && folders->count == before)
		status = error_set(error, HISTREE_ERR_TRACE,
				   "\"%s\" holds no trace: a CTF trace is a folder with a file \"metadata\"", path);
	return status;
}

void trace_folders_release(struct trace_folders *folders)
{
	for (size_t index = 0; index < folders->count; index++)
		free(folders->paths[index]);
	free((void *)folders->paths);
	*folders = (struct trace_folders){ 0 };
}
