// SPDX-License-Identifier: MIT
#include "pipeline/store_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/error.h"
#include "pipeline/event_index.h"
#include "pipeline/manifest.h"

#define LOCK_FILE "lock"

static char *join(const char *folder, const char *name)
{
	char *path;
	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

static bool exists(const char *path)
{
	struct stat facts;
	return lstat(path, &facts) == 0;
}

static bool has_manifest(const char *folder)
{
	char *path = join(folder, MANIFEST_FILE);
	bool found = path != NULL && exists(path);
	free(path);
	return found;
}

/* What a build makes: histories, the index of events, the manifest, the lock. */
static bool is_ours(const char *name)
{
	size_t length = strlen(name);
	return strcmp(name, MANIFEST_FILE) == 0 || strcmp(name, EVENT_INDEX_FILE) == 0 ||
	       strcmp(name, LOCK_FILE) == 0 || (length > 4 && strcmp(name + length - 4, ".sht") == 0);
}

/* Remove our files and the folder; anything else in it stays, and with it the folder. */
static void remove_folder(const struct io *io, const char *folder)
{
	DIR *entries = opendir(folder);
	if (entries == NULL)
		return;
	for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
		char *path = is_ours(entry->d_name) ? join(folder, entry->d_name) : NULL;
		if (path != NULL)
			io->unlink(io->context, path);
		free(path);
	}
	closedir(entries);
	io->rmdir(io->context, folder);
}

static enum histree_status check_target(const char *store, bool replace, struct histree_error *error)
{
	if (!exists(store))
		return HISTREE_OK;
	if (!has_manifest(store))
		return error_set(error, HISTREE_ERR_EXISTS, "'%s' exists and is no store: choose another name",
				 store);
	if (!replace)
		return error_set(error, HISTREE_ERR_EXISTS, "'%s' exists already; use --force to replace it",
				 store);
	return HISTREE_OK;
}

/* The lock says whose the folder is; it goes with the process that has it. */
static enum histree_status take_lock(struct store_folder *folder, struct histree_error *error)
{
	const struct io *io = folder->io;
	char *path = store_folder_path(folder, LOCK_FILE);
	if (path == NULL)
		return error_memory(error, "a path");
	folder->lock = io->open(io->context, path, O_RDWR | O_CREAT, 0666);
	enum histree_status status = HISTREE_OK;
	if (folder->lock < 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot make '%s': %s", path, strerror(errno));
	else if (flock(folder->lock, LOCK_EX | LOCK_NB) != 0)
		status = error_set(error, HISTREE_ERR_EXISTS, "'%s': another build of this store is running",
				   folder->building);
	free(path);
	return status;
}

/* Files that a killed build left behind. */
static void clear_leftovers(const struct store_folder *folder)
{
	DIR *entries = opendir(folder->building);
	if (entries == NULL)
		return;
	for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
		bool left = is_ours(entry->d_name) && strcmp(entry->d_name, LOCK_FILE) != 0;
		char *path = left ? store_folder_path(folder, entry->d_name) : NULL;
		if (path != NULL)
			folder->io->unlink(folder->io->context, path);
		free(path);
	}
	closedir(entries);
}

/* `made`: the folder was not there before. */
static enum histree_status make_building(struct store_folder *folder, bool *made, struct histree_error *error)
{
	const struct io *io = folder->io;
	*made = io->mkdir(io->context, folder->building, 0777) == 0;
	if (!*made && errno != EEXIST)
		return error_set(error, HISTREE_ERR_IO, "cannot make '%s': %s", folder->building, strerror(errno));
	enum histree_status status = take_lock(folder, error);
	if (status == HISTREE_OK)
		clear_leftovers(folder);
	return status;
}

enum histree_status store_folder_begin(struct store_folder *folder, const struct io *io, const char *store,
				       bool replace, struct histree_error *error)
{
	*folder = (struct store_folder){ .io = io, .lock = -1 };
	size_t length = strlen(store);
	while (length > 1 && store[length - 1] == '/')
		length--;
	folder->final = strndup(store, length);
	if (folder->final == NULL || asprintf(&folder->building, "%s.building", folder->final) < 0) {
		folder->building = NULL;
		store_folder_release(folder);
		return error_memory(error, "a path");
	}
	bool made = false;
	enum histree_status status = check_target(folder->final, replace, error);
	if (status == HISTREE_OK)
		status = make_building(folder, &made, error);
	if (status == HISTREE_OK)
		return HISTREE_OK;
	if (!made || status == HISTREE_ERR_EXISTS) { /* not ours to remove */
		free(folder->building);
		folder->building = NULL;
	}
	store_folder_release(folder);
	return status;
}

char *store_folder_path(const struct store_folder *folder, const char *name)
{
	return join(folder->building, name);
}

/* The names of new files are on disk only when their folder is. */
static enum histree_status sync_folder(const struct io *io, const char *path, struct histree_error *error)
{
	int file = io->open(io->context, path, O_RDONLY | O_DIRECTORY, 0);
	if (file < 0 || io->sync(io->context, file) != 0) {
		int cause = errno;
		if (file >= 0)
			io->close(io->context, file);
		return error_set(error, HISTREE_ERR_IO, "'%s': cannot sync: %s", path, strerror(cause));
	}
	io->close(io->context, file);
	return HISTREE_OK;
}

/* Exchange the two names; the old store then lies under the building name. */
static enum histree_status exchange(struct store_folder *folder, struct histree_error *error)
{
	const struct io *io = folder->io;
	if (io->exchange(io->context, folder->building, folder->final) == 0) {
		remove_folder(io, folder->building);
		return HISTREE_OK;
	}
	if (errno != EINVAL && errno != ENOSYS)
		return error_set(error, HISTREE_ERR_IO, "cannot replace '%s': %s", folder->final, strerror(errno));

	/* A file system that cannot exchange: set the old one aside for a moment. */
	char *aside;
	if (asprintf(&aside, "%s.old", folder->final) < 0)
		return error_memory(error, "a path");
	enum histree_status status = HISTREE_OK;
	if (io->rename(io->context, folder->final, aside) != 0) {
		status = error_set(error, HISTREE_ERR_IO, "cannot set '%s' aside: %s", folder->final,
				   strerror(errno));
	} else if (io->rename(io->context, folder->building, folder->final) != 0) {
		status = error_set(error, HISTREE_ERR_IO, "cannot rename '%s': %s", folder->building,
				   strerror(errno));
		io->rename(io->context, aside, folder->final);
	} else {
		remove_folder(io, aside);
	}
	free(aside);
	return status;
}

enum histree_status store_folder_publish(struct store_folder *folder, bool replace, struct histree_error *error)
{
	const struct io *io = folder->io;
	char *lock = store_folder_path(folder, LOCK_FILE);
	if (lock == NULL)
		return error_memory(error, "a path");
	io->unlink(io->context, lock);
	free(lock);

	enum histree_status status = sync_folder(io, folder->building, error);
	if (status == HISTREE_OK)
		status = check_target(folder->final, replace, error);
	if (status != HISTREE_OK)
		return status;
	if (exists(folder->final))
		status = exchange(folder, error);
	else if (io->rename(io->context, folder->building, folder->final) != 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot rename '%s': %s", folder->building,
				   strerror(errno));
	if (status == HISTREE_OK) {
		free(folder->building);
		folder->building = NULL;
	}
	return status;
}

void store_folder_release(struct store_folder *folder)
{
	if (folder->building != NULL)
		remove_folder(folder->io, folder->building);
	if (folder->lock >= 0)
		folder->io->close(folder->io->context, folder->lock);
	free(folder->building);
	free(folder->final);
	*folder = (struct store_folder){ .lock = -1 };
}
