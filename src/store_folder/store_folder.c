// SPDX-License-Identifier: MIT
/*
 * store_folder.c - the folder of a store while it is made, and how one is removed.
 */
#include "store_folder/store_folder.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "event_index/event_index.h"
#include "histree/store.h"
#include "store/block_file.h"

/* ---- store folder -------------------------------------------------------------------------------------------- */

#define LOCK_FILE "lock"
/* ---- folder removal ------------------------------------------------------------------------------------------ */

static bool ends_with(const char *name, const char *suffix)
{
	size_t length = strlen(name), suffix_length = strlen(suffix);
	return length > suffix_length && strcmp(name + length - suffix_length, suffix) == 0;
}

/* Nobody reads them: what replaces another file once it is whole. */
static bool is_unfinished(const char *name)
{
	return strcmp(name, MANIFEST_FILE ".new") == 0 || ends_with(name, ".sht.new") ||
	       ends_with(name, ".sht.tail.new") || ends_with(name, ".sht.new.tail.new") ||
	       ends_with(name, ".order.new");
}

/*
 * KERNEL.sht.overview1, CALLS.seg.overview1, which has another name until it is whole; stores of older versions
 * have digests, which are the same.
 */
static bool is_overview(const char *name)
{
	static const char *const marks[] = { ".sht.overview", ".seg.overview", ".sht.digest" };
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *found = strstr(name, marks[i]);
		const char *number = found != NULL ? found + strlen(marks[i]) : "";
		size_t digits = strspn(number, "0123456789");
		if (digits > 0 && (number[digits] == '\0' || strcmp(number + digits, ".new") == 0))
			return true;
	}
	return false;
}

/*
 * What a build makes: histories with their tails, segment stores with side tables, overviews of both, the index of
 * events, the manifest, the lock.
 */
static bool is_ours(const char *name)
{
	return strcmp(name, MANIFEST_FILE) == 0 || strcmp(name, EVENT_INDEX_FILE) == 0 ||
	       strcmp(name, LOCK_FILE) == 0 || is_unfinished(name) || ends_with(name, ".sht") ||
	       ends_with(name, ".sht.tail") || ends_with(name, ".sht.numbers") || ends_with(name, ".sht.sums") ||
	       ends_with(name, ".sht.cube") || ends_with(name, ".sht.names") || ends_with(name, ".seg") ||
	       ends_with(name, ".order") || is_overview(name);
}

static char *folder_removal_join(const char *folder, const char *name)
{
	char *path;
	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

void folder_remove_file(const struct io *io, const char *folder, const char *name)
{
	char *path = folder_removal_join(folder, name);
	if (path != NULL)
		io->unlink(io->context, path);
	free(path);
}

/* Opens a folder that is one itself, and no link to one. */
static DIR *open_folder(const char *path)
{
	struct stat facts;
	return path != NULL && lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode) ? opendir(path) : NULL;
}

/* Remove what the store of a host, or of all, has by itself. */
static void remove_store(const struct io *io, const char *folder)
{
	DIR *entries = open_folder(folder);
	if (entries == NULL)
		return;
	folder_remove_file(io, folder, MANIFEST_FILE);
	for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
		if (is_ours(entry->d_name))
			folder_remove_file(io, folder, entry->d_name);
	closedir(entries);
	io->rmdir(io->context, folder);
}

/* Whether a name in the folder of hosts is that of a listed host, or of its unfinished store. */
static bool is_listed(const char *name, const char *const *hosts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *host = hosts[i] + sizeof(HOSTS_FOLDER);
		size_t size = strlen(host);
		if (strncmp(name, host, size) == 0 &&
		    (name[size] == '\0' || strcmp(name + size, ".building") == 0 ||
		     strcmp(name + size, ".building.old") == 0))
			return true;
	}
	return false;
}

void folder_remove_other_hosts(const struct io *io, const char *folder, const char *const *hosts, size_t count)
{
	char *inside = folder_removal_join(folder, HOSTS_FOLDER);
	DIR *entries = open_folder(inside);
	for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
		bool is_host = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
		char *store = is_host && !is_listed(entry->d_name, hosts, count)
				      ? folder_removal_join(inside, entry->d_name)
				      : NULL;
		if (store != NULL)
			remove_store(io, store);
		free(store);
	}
	if (entries != NULL) {
		closedir(entries);
		io->rmdir(io->context, inside);
	}
	free(inside);
}

/*
 * Remove our files, the stores of hosts inside, and the folder; anything else in it stays, and with it the folder.
 * The manifest goes first: what is left of a store that lacks some of its files must not be taken for one.
 */
static void folder_remove(const struct io *io, const char *folder)
{
	DIR *entries = open_folder(folder);
	if (entries == NULL)
		return;
	closedir(entries);
	folder_remove_file(io, folder, MANIFEST_FILE);
	folder_remove_other_hosts(io, folder, NULL, 0);
	remove_store(io, folder);
}

/* Remove the files that a killed build left: `all` but the lock, or only those that no reader needs. */
static void folder_clear(const struct io *io, const char *folder, bool all)
{
	DIR *entries = open_folder(folder);
	if (entries == NULL)
		return;
	for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
		bool left = all ? is_ours(entry->d_name) && strcmp(entry->d_name, LOCK_FILE) != 0
				: is_unfinished(entry->d_name);
		if (left)
			folder_remove_file(io, folder, entry->d_name);
	}
	closedir(entries);
	if (all)
		folder_remove_other_hosts(io, folder, NULL, 0);
}

/* ---- host folder --------------------------------------------------------------------------------------------- */

static bool has_to_be_escaped(const char *host, const char *at)
{
	if (*at == '.')
		return at == host || strcmp(at, ".building") == 0;
	return *at == '/' || *at == '%' || (unsigned char)*at < ' ' || *at == 0x7f;
}

bool host_folder_name(const char *host, char out[HOST_FOLDER_SIZE])
{
	size_t size = (size_t)snprintf(out, HOST_FOLDER_SIZE, HOSTS_FOLDER "/");
	for (const char *at = host; *at != '\0'; at++) {
		if (HOST_FOLDER_SIZE - size <= 3)
			return false;
		if (has_to_be_escaped(host, at))
			size += (size_t)snprintf(out + size, HOST_FOLDER_SIZE - size, "%%%02X", (unsigned char)*at);
		else
			out[size++] = *at;
	}
	out[size] = '\0';
	return host[0] != '\0';
}

bool host_folder_is_inside(const char *path)
{
	struct stat facts;
	char *above = NULL;
	char *real = realpath(path, NULL);
	char *slash = real != NULL ? strrchr(real, '/') : NULL;
	if (slash != NULL)
		*slash = '\0';
	char *hosts = slash != NULL ? strrchr(real, '/') : NULL;
	bool is_inside = hosts != NULL && strcmp(hosts + 1, HOSTS_FOLDER) == 0 &&
			 asprintf(&above, "%.*s/" MANIFEST_FILE, (int)(hosts - real), real) >= 0 &&
			 stat(above, &facts) == 0;
	free(above);
	free(real);
	return is_inside;
}

/*
 * The finalizer of MurmurHash3, over what was before and the next number: one bit more or less changes all.  The
 * store of several hosts has the result in a file, so that it can become no other one, such as hash_mix().
 */
static uint64_t mix(uint64_t hash, uint64_t number)
{
	hash = (hash ^ number) + 0x9e3779b97f4a7c15;
	hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
	hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
	return hash ^ (hash >> 33);
}

uint64_t host_folder_identity(const struct histree_store_info *info)
{
	uint64_t hash = mix(info->history_count, info->segments_count);
	for (size_t i = 0; i < info->history_count; i++)
		hash = mix(hash, info->histories[i].identity);
	for (size_t i = 0; i < info->segments_count; i++)
		hash = mix(hash, info->segments[i].identity);
	hash = mix(hash, info->index_identity);
	return hash != 0 ? hash : 1;
}

/* ---- store folder -------------------------------------------------------------------------------------------- */

static char *store_folder_join(const char *folder, const char *name)
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
	char *path = store_folder_join(folder, MANIFEST_FILE);
	bool found = path != NULL && exists(path);
	free(path);
	return found;
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
	char *path = store_folder_join(building, LOCK_FILE);
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

/*
 * Returns whether STORE.building is the store that STORE replaced, by a build that was cut off while it removed
 * it. A build has its lock until the names are exchanged, and the replaced store has no lock.
 */
static bool was_replaced(const struct store_folder *folder)
{
	char *lock = store_folder_path(folder, LOCK_FILE);
	bool replaced =
		lock != NULL && !exists(lock) && has_manifest(folder->final) && has_manifest(folder->building);
	free(lock);
	return replaced;
}

/* A build that was cut off between two renames left no STORE, but the one that it was about to replace. */
static void bring_back(const struct store_folder *folder)
{
	const struct io *io = folder->io;
	if (!exists(folder->final) && has_manifest(folder->aside))
		io->rename(io->context, folder->aside, folder->final);
	else if (has_manifest(folder->final))
		folder_remove(io, folder->aside);
}

/* What is in a folder of that name is removed: a link would have that happen somewhere else. */
static bool is_link(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

/* Take hold of STORE.building, and keep or clear what is in it.  `made`: it is ours alone. */
static enum histree_status make_building(struct store_folder *folder, bool resume, bool *made,
					 struct histree_error *error)
{
	const struct io *io = folder->io;
	*made = io->mkdir(io->context, folder->building, 0777) == 0;
	if (!*made && errno != EEXIST)
		return error_set(error, HISTREE_ERR_IO, "cannot make '%s': %s", folder->building, strerror(errno));
	if (!*made && is_link(folder->building))
		return error_set(error, HISTREE_ERR_EXISTS,
				 "'%s' is a link, where a folder is to be made; remove it, or choose another name",
				 folder->building);
	bool replaced = !*made && was_replaced(folder);
	if (replaced) /* before the lock is there, by which it would be taken for a build */
		folder_remove_file(io, folder->building, MANIFEST_FILE);
	enum histree_status status = take_lock(folder, error);
	if (status != HISTREE_OK)
		return status;
	*made = *made || replaced;
	bring_back(folder);
	bool is_store = has_manifest(folder->building);
	if (is_store && !resume && !folder->replace)
		return error_set(
			error, HISTREE_ERR_EXISTS,
			"'%s' was left by a build that was cut off; --resume goes on with it, --force begins again",
			folder->building);
	folder->keep = is_store && resume;
	folder->replace = folder->replace || folder->keep;
	folder_clear(io, folder->building, !folder->keep);
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

enum histree_status store_folder_check_source(const char *store, const char *source, struct histree_error *error)
{
	struct stat one, other;
	char *building = store_folder_building(store);
	if (building == NULL)
		return error_memory(error, "a path");
	bool is_same = stat(building, &one) == 0 && stat(source, &other) == 0 && one.st_dev == other.st_dev &&
		       one.st_ino == other.st_ino;
	free(building);
	if (!is_same)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_EXISTS,
			 "'%s' would be made in '%s', which it is made of: choose another name with '--output'",
			 store, source);
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
	if (folder->building == NULL || asprintf(&folder->aside, "%s.old", folder->building) < 0)
		folder->aside = NULL;
	if (folder->final == NULL || folder->aside == NULL) {
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
	return store_folder_join(folder->building, name);
}

enum histree_status store_file_identify(const struct io *io, const char *folder, const char *name,
					uint64_t *identity, struct histree_error *error)
{
	struct block_file *file = NULL;
	char *path = store_folder_join(folder, name);
	enum histree_status status =
		path != NULL ? block_file_open(io, path, &file, error) : error_memory(error, "a path");
	*identity = status == HISTREE_OK ? block_file_identity(file) : 0;
	block_file_close(file);
	free(path);
	return status;
}

enum histree_status store_folder_identify(const struct store_folder *folder, const char *name, uint64_t *identity,
					  struct histree_error *error)
{
	return store_file_identify(folder->io, folder->building, name, identity, error);
}

/* On a file system that cannot exchange two names, set the old store aside for a while. */
static enum histree_status set_aside(struct store_folder *folder, struct histree_error *error)
{
	const struct io *io = folder->io;
	if (io->rename(io->context, folder->final, folder->aside) != 0)
		return error_set(error, HISTREE_ERR_IO, "cannot set '%s' aside: %s", folder->final,
				 strerror(errno));
	if (io->rename(io->context, folder->building, folder->final) != 0) {
		enum histree_status status = error_set(error, HISTREE_ERR_IO, "cannot rename '%s': %s",
						       folder->building, strerror(errno));
		io->rename(io->context, folder->aside, folder->final);
		return status;
	}
	folder_remove_file(io, folder->final, LOCK_FILE);
	folder_remove(io, folder->aside);
	return HISTREE_OK;
}

/*
 * Exchange the two names; the old store then has the building name.  The new one keeps its lock until then, so that
 * a process that finds both can tell which is which.
 */
static enum histree_status exchange(struct store_folder *folder, struct histree_error *error)
{
	const struct io *io = folder->io;
	folder_remove_file(io, folder->final, LOCK_FILE); /* of a build that was cut off right here */
	if (io->exchange(io->context, folder->building, folder->final) != 0) {
		if (errno == EINVAL || errno == ENOSYS)
			return set_aside(folder, error);
		return error_set(error, HISTREE_ERR_IO, "cannot replace '%s': %s", folder->final, strerror(errno));
	}
	folder_remove_file(io, folder->final, LOCK_FILE);
	folder_remove(io, folder->building);
	return HISTREE_OK;
}

/* Give the folder a name that nothing has. */
static enum histree_status take_name(struct store_folder *folder, struct histree_error *error)
{
	const struct io *io = folder->io;
	folder_remove_file(io, folder->building, LOCK_FILE);
	if (io->rename(io->context, folder->building, folder->final) == 0)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_IO, "cannot rename '%s': %s", folder->building, strerror(errno));
}

enum histree_status store_folder_publish(struct store_folder *folder, struct histree_error *error)
{
	assert(folder->lock >= 0 && folder->building != NULL); /* ours, and not published before */
	char *inside = store_folder_path(folder, MANIFEST_FILE);
	if (inside == NULL)
		return error_memory(error, "a path");
	/* The names of new files are on disk only when their folder is. */
	enum histree_status status = io_sync_folder_of(folder->io, inside, error);
	free(inside);
	if (status == HISTREE_OK)
		status = check_target(folder->final, folder->replace, error);
	if (status == HISTREE_OK)
		status = exists(folder->final) ? exchange(folder, error) : take_name(folder, error);
	if (status == HISTREE_OK) {
		free(folder->building);
		folder->building = NULL;
	}
	return status;
}

void store_folder_release(struct store_folder *folder)
{
	if (folder->building != NULL && !folder->keep)
		folder_remove(folder->io, folder->building);
	if (folder->lock >= 0)
		folder->io->close(folder->io->context, folder->lock);
	free(folder->building);
	free(folder->aside);
	free(folder->final);
	*folder = (struct store_folder){ .lock = -1 };
}
