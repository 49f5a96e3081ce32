// SPDX-License-Identifier: MIT
/*
 * allowed_paths.c - which paths a client may name: a path is compared once all links in it are resolved.
 */
#include "server/catalogue/allowed_paths.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/table.h"
#include "base/error.h"
#include "base/trace_word.h"
#include "histree/build.h"
#include "histree/store.h"

enum { FOLDERS_DEEP_MAX = 8, FOLDERS_SEEN_MAX = 10000 };

/* The path without links; of a store that is not there yet, that of what its build has published. */
static char *resolve(const char *path)
{
	struct histree_store *store;
	char *resolved = realpath(path, NULL);
	if (resolved != NULL || errno != ENOENT)
		return resolved;
	if (histree_store_open(path, &store, NULL) == HISTREE_OK) {
		resolved = realpath(histree_store_info(store)->path, NULL);
		histree_store_close(store);
	}
	errno = ENOENT;
	return resolved;
}

enum histree_status allowed_paths_add(struct allowed_paths *allowed, const char *path, struct histree_error *error)
{
	if (!array_reserve(&allowed->paths, &allowed->capacity, allowed->count + 1))
		return error_memory(error, "a path");
	char *resolved = resolve(path);
	if (resolved == NULL)
		return error_set(error, HISTREE_ERR_IO, "'%s': %s", path, strerror(errno));
	allowed->paths[allowed->count++] = resolved;
	return HISTREE_OK;
}

bool allowed_paths_contain(const struct allowed_paths *allowed, const char *resolved)
{
	for (size_t i = 0; i < allowed->count; i++) {
		size_t size = strlen(allowed->paths[i]);
		bool is_root = size == 1;
		if (strncmp(resolved, allowed->paths[i], size) == 0 &&
		    (is_root || resolved[size] == '\0' || resolved[size] == '/'))
			return true;
	}
	return false;
}

bool allowed_paths_allow(const struct allowed_paths *allowed, const char *path)
{
	if (strstr(path, "://") != NULL)
		return false;
	char *resolved = realpath(trace_word_path(path), NULL);
	bool is_allowed = resolved != NULL && allowed_paths_contain(allowed, resolved);
	free(resolved);
	return is_allowed;
}

void allowed_paths_release(struct allowed_paths *allowed)
{
	for (size_t i = 0; i < allowed->count; i++)
		free(allowed->paths[i]);
	free(allowed->paths);
	*allowed = (struct allowed_paths){ 0 };
}

static bool is_file_in(const char *folder, const char *name)
{
	char path[PATH_MAX];
	struct stat facts;
	int length = snprintf(path, sizeof(path), "%s/%s", folder, name);
	return length < (int)sizeof(path) && stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

/* `seen` counts down. */
static bool has_trace(const char *folder, unsigned depth, unsigned *seen)
{
	if (histree_is_trace(folder))
		return true;
	DIR *entries = depth < FOLDERS_DEEP_MAX && *seen > 0 ? opendir(folder) : NULL;
	if (entries == NULL)
		return false;
	--*seen;
	bool found = false;
	for (const struct dirent *entry; !found && (entry = readdir(entries)) != NULL;) {
		char path[PATH_MAX];
		if (entry->d_name[0] == '.' ||
		    snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) >= (int)sizeof(path))
			continue;
		if (entry->d_type == DT_DIR)
			found = has_trace(path, depth + 1, seen);
		else if (entry->d_type == DT_REG && *seen > 0 && --*seen > 0)
			found = histree_is_trace(path);
	}
	closedir(entries);
	return found;
}

enum path_kind path_kind_of(const char *path)
{
	struct stat facts;
	if (stat(path, &facts) != 0)
		return PATH_NOTHING;
	if (!S_ISDIR(facts.st_mode))
		return histree_is_trace(path) ? PATH_TRACE : PATH_FILE;
	if (is_file_in(path, "manifest.json"))
		return PATH_STORE;
	unsigned seen = FOLDERS_SEEN_MAX;
	return has_trace(path, 0, &seen) ? PATH_TRACE : PATH_FOLDER;
}

const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}
