// SPDX-License-Identifier: MIT
#include "store_folder/store_folder.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "event_index/event_index.h"
#include "store_folder/manifest.h"

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

static bool ends_with(const char *name, const char *suffix)
{
	size_t length = strlen(name), suffix_length = strlen(suffix);
	return length > suffix_length && strcmp(name + length - suffix_length, suffix) == 0;
}

/* Nobody reads them: what replaces another file once it is whole. */
static bool is_unfinished(const char *name)
{
	return strcmp(name, MANIFEST_FILE ".new") == 0 || ends_with(name, ".sht.new") ||
	       ends_with(name, ".sht.tail.new") || ends_with(name, ".order.new");
}

/* KERNEL.sht.overview1; stores of older versions have digests, which are the same. */
static bool is_overview(const char *name)
{
	static const char *const marks[] = { ".sht.overview", ".sht.digest" };
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *found = strstr(name, marks[i]);
		const char *number = found != NULL ? found + strlen(marks[i]) : "";
		if (*number != '\0' && strspn(number, "0123456789") == strlen(number))
			return true;
	}
	return false;
}

/*
 * What a build makes: histories, their tails and overviews, segment stores with side tables, the index of events,
 * the manifest, the lock.
 */
static bool is_ours(const char *name)
{
	return strcmp(name, MANIFEST_FILE) == 0 || strcmp(name, EVENT_INDEX_FILE) == 0 ||
	       strcmp(name, LOCK_FILE) == 0 || is_unfinished(name) || ends_with(name, ".sht") ||
	       ends_with(name, ".sht.tail") || ends_with(name, ".seg") || ends_with(name, ".order") ||
	       is_overview(name);
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

static struct flock whole_file(void)
{
	return (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET };
}

bool store_folder_is_held(const char *building)
{
	char *path = join(building, LOCK_FILE);
	int file = path != NULL ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	struct flock lock = whole_file();
	/* Asked, not taken: a build that begins must not find it held by who only looks. */
	bool held = file >= 0 && fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
	if (file >= 0)
		close(file);
	free(path);
	return held;
}

/* The lock says whose the folder is; it goes with the process that has it. */
static enum histree_status take_lock(struct store_folder *folder, struct histree_error *error)
{
	const struct io *io = folder->io;
	char *path = store_folder_path(folder, LOCK_FILE);
	if (path == NULL)
		return error_memory(error, "a path");
	folder->lock = io->open(io->context, path, O_RDWR | O_CREAT, 0666);
	struct flock lock = whole_file();
	enum histree_status status = HISTREE_OK;
	if (folder->lock < 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot make '%s': %s", path, strerror(errno));
	else if (fcntl(folder->lock, F_OFD_SETLK, &lock) != 0)
		status = error_set(error, HISTREE_ERR_EXISTS, "'%s': another build of this store is running",
				   folder->building);
	free(path);
	return status;
}

/* Files that a killed build left; `all`, or only those that nobody reads. */
static void clear_leftovers(const struct store_folder *folder, bool all)
{
	DIR *entries = opendir(folder->building);
	if (entries == NULL)
		return;
	for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
		bool left = all ? is_ours(entry->d_name) && strcmp(entry->d_name, LOCK_FILE) != 0
				: is_unfinished(entry->d_name);
		char *path = left ? store_folder_path(folder, entry->d_name) : NULL;
		if (path != NULL)
			folder->io->unlink(folder->io->context, path);
		free(path);
	}
	closedir(entries);
}

/* Take hold of STORE.building, and keep or clear what is in it.  `made`: it was not there before. */
static enum histree_status make_building(struct store_folder *folder, bool resume, bool *made,
					 struct histree_error *error)
{
	const struct io *io = folder->io;
	*made = io->mkdir(io->context, folder->building, 0777) == 0;
	if (!*made && errno != EEXIST)
		return error_set(error, HISTREE_ERR_IO, "cannot make '%s': %s", folder->building, strerror(errno));
	enum histree_status status = take_lock(folder, error);
	if (status != HISTREE_OK)
		return status;
	bool is_store = has_manifest(folder->building);
	if (is_store && !resume && !folder->replace)
		return error_set(
			error, HISTREE_ERR_EXISTS,
			"'%s' was left by a build that was cut off; --resume goes on with it, --force begins again",
			folder->building);
	folder->keep = is_store && resume;
	folder->replace = folder->replace || folder->keep;
	clear_leftovers(folder, !folder->keep);
	return HISTREE_OK;
}

char *store_folder_building(const char *store)
{
	size_t length = strlen(store);
	char *path;
	while (length > 1 && store[length - 1] == '/')
		length--;
	return asprintf(&path, "%.*s.building", (int)length, store) < 0 ? NULL : path;
}

enum histree_status store_folder_begin(struct store_folder *folder, const struct io *io, const char *store,
				       bool replace, bool resume, struct histree_error *error)
{
	*folder = (struct store_folder){ .io = io, .lock = -1, .replace = replace };
	size_t length = strlen(store);
	while (length > 1 && store[length - 1] == '/')
		length--;
	folder->final = strndup(store, length);
	folder->building = store_folder_building(store);
	if (folder->final == NULL || folder->building == NULL) {
		folder->keep = true;
		store_folder_release(folder);
		return error_memory(error, "a path");
	}
	bool made = false;
	enum histree_status status = check_target(folder->final, true, error);
	if (status == HISTREE_OK)
		status = make_building(folder, resume, &made, error);
	if (status == HISTREE_OK)
		status = check_target(folder->final, folder->replace, error);
	if (status == HISTREE_OK)
		return HISTREE_OK;
	folder->keep = !made; /* not ours to remove */
	store_folder_release(folder);
	return status;
}

char *store_folder_path(const struct store_folder *folder, const char *name)
{
	return join(folder->building, name);
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

	/* A file system that cannot exchange: set the old one aside for a while. */
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

enum histree_status store_folder_publish(struct store_folder *folder, struct histree_error *error)
{
	assert(folder->lock >= 0 && folder->building != NULL); /* ours, and not published before */
	const struct io *io = folder->io;
	char *lock = store_folder_path(folder, LOCK_FILE);
	if (lock == NULL)
		return error_memory(error, "a path");
	io->unlink(io->context, lock);
	/* The names of new files are on disk only when their folder is. */
	enum histree_status status = io_sync_folder_of(io, lock, error);
	free(lock);
	if (status == HISTREE_OK)
		status = check_target(folder->final, folder->replace, error);
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
	if (folder->building != NULL && !folder->keep)
		remove_folder(folder->io, folder->building);
	if (folder->lock >= 0)
		folder->io->close(folder->io->context, folder->lock);
	free(folder->building);
	free(folder->final);
	*folder = (struct store_folder){ .lock = -1 };
}
