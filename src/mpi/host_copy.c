// SPDX-License-Identifier: MIT
#include "mpi/host_copy.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io_copy.h"

#define MANIFEST "manifest.json"

/* Calls `visit` with the path of each file of a folder, which has no folders.  Stops at what fails. */
static enum histree_status each_file(const char *folder,
				     enum histree_status (*visit)(void *context, const char *path, const char *name,
								  struct histree_error *error),
				     void *context, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	DIR *files = opendir(folder);
	if (files == NULL)
		return error_set(error, HISTREE_ERR_IO, "cannot read '%s': %s", folder, strerror(errno));
	for (struct dirent *entry; status == HISTREE_OK && (entry = readdir(files)) != NULL;) {
		char *path = NULL;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
			status = error_memory(error, "a path");
		else
			status = visit(context, path, entry->d_name, error);
		free(path);
	}
	closedir(files);
	return status;
}

static enum histree_status remove_file(void *context, const char *path, const char *name,
				       struct histree_error *error)
{
	(void)context;
	(void)name;
	return unlink(path) == 0
		       ? HISTREE_OK
		       : error_set(error, HISTREE_ERR_IO, "cannot remove '%s': %s", path, strerror(errno));
}

/* There need not be such a folder. */
static enum histree_status remove_folder(const char *folder, struct histree_error *error)
{
	if (access(folder, F_OK) != 0)
		return HISTREE_OK;
	enum histree_status status = each_file(folder, remove_file, NULL, error);
	if (status == HISTREE_OK && rmdir(folder) != 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot remove '%s': %s", folder, strerror(errno));
	return status;
}

static enum histree_status copy_to(const char *path, const char *folder, const char *name,
				   struct histree_error *error)
{
	char *out = NULL;
	if (asprintf(&out, "%s/%s", folder, name) < 0)
		return error_memory(error, "a path");
	enum histree_status status = io_copy(&io_posix, path, out, error);
	if (status == HISTREE_NOT_FOUND)
		status = error_set(error, HISTREE_ERR_IO, "'%s' was there, and is gone", path);
	free(out);
	return status;
}

static enum histree_status copy_file(void *context, const char *path, const char *name, struct histree_error *error)
{
	return strcmp(name, MANIFEST) == 0 ? HISTREE_OK : copy_to(path, context, name, error);
}

static enum histree_status copy_manifest(void *context, const char *path, const char *name,
					 struct histree_error *error)
{
	return strcmp(name, MANIFEST) != 0 ? HISTREE_OK : copy_to(path, context, name, error);
}

static enum histree_status copy_folder(char *from, char *to, const char *name, struct histree_error *error)
{
	enum histree_status status = remove_folder(to, error);
	if (status == HISTREE_OK && mkdir(to, 0777) != 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot make '%s': %s", to, strerror(errno));
	if (status == HISTREE_OK)
		status = each_file(from, copy_file, to, error);
	if (status == HISTREE_OK)
		status = each_file(from, copy_manifest, to, error);
	if (status == HISTREE_OK)
		status = remove_folder(name, error);
	if (status == HISTREE_OK && rename(to, name) != 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot rename '%s': %s", to, strerror(errno));
	return status == HISTREE_OK ? io_sync_folder_of(&io_posix, name, error) : status;
}

/* Makes all folders above a path. */
static enum histree_status make_above(const char *path, struct histree_error *error)
{
	char *copy = strdup(path);
	enum histree_status status = copy != NULL ? HISTREE_OK : error_memory(error, "a path");
	for (char *slash = copy; status == HISTREE_OK && (slash = strchr(slash + 1, '/')) != NULL;) {
		*slash = '\0';
		if (mkdir(copy, 0777) != 0 && errno != EEXIST)
			status = error_set(error, HISTREE_ERR_IO, "cannot make '%s': %s", copy, strerror(errno));
		*slash = '/';
	}
	free(copy);
	return status;
}

enum histree_status host_copy_begin(const char *local, struct histree_error *error)
{
	char *path = NULL;
	enum histree_status status = asprintf(&path, "%s.building/hosts", local) < 0 ? error_memory(error, "a path")
										     : make_above(path, error);
	free(path);
	return status;
}

enum histree_status host_copy(const char *local, const char *store, const char *folder, struct histree_error *error)
{
	char *from = NULL, *to = NULL, *name = NULL, *kept = NULL;
	enum histree_status status = HISTREE_OK;
	if (asprintf(&from, "%s.building/%s", local, folder) < 0 ||
	    asprintf(&to, "%s.building/%s.building", store, folder) < 0 ||
	    asprintf(&name, "%s.building/%s", store, folder) < 0 || asprintf(&kept, "%s/%s", local, folder) < 0)
		status = error_memory(error, "a path");
	if (status == HISTREE_OK)
		status = make_above(to, error);
	if (status == HISTREE_OK)
		status = copy_folder(from, to, name, error);
	if (status == HISTREE_OK)
		status = make_above(kept, error);
	if (status == HISTREE_OK)
		status = remove_folder(kept, error);
	if (status == HISTREE_OK && rename(from, kept) != 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot rename '%s': %s", from, strerror(errno));
	free(from);
	free(to);
	free(name);
	free(kept);
	return status;
}

static enum histree_status add_size(void *context, const char *path, const char *name, struct histree_error *error)
{
	struct stat status;
	(void)name;
	(void)error;
	if (stat(path, &status) == 0)
		*(uint64_t *)context += (uint64_t)status.st_size;
	return HISTREE_OK;
}

uint64_t host_copy_size(const char *store, const char *folder)
{
	char *path = NULL;
	uint64_t size = 0;
	if (asprintf(&path, "%s.building/%s", store, folder) < 0)
		return 0;
	if (each_file(path, add_size, &size, NULL) != HISTREE_OK)
		size = 0;
	free(path);
	return size;
}
