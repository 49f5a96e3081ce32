// SPDX-License-Identifier: MIT
#include "store_folder/folder_removal.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "event_index/event_index.h"
#include "store_folder/host_folder.h"
#include "store_folder/manifest.h"

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
	       ends_with(name, ".sht.cube") || ends_with(name, ".seg") || ends_with(name, ".order") ||
	       is_overview(name);
}

static char *join(const char *folder, const char *name)
{
	char *path;
	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

void folder_remove_file(const struct io *io, const char *folder, const char *name)
{
	char *path = join(folder, name);
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

/* Whether a name in the folder of hosts is that of a host on the list, or of what is being built of it. */
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
	char *inside = join(folder, HOSTS_FOLDER);
	DIR *entries = open_folder(inside);
	for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
		bool is_host = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
		char *store =
			is_host && !is_listed(entry->d_name, hosts, count) ? join(inside, entry->d_name) : NULL;
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

void folder_remove(const struct io *io, const char *folder)
{
	DIR *entries = open_folder(folder);
	if (entries == NULL)
		return;
	closedir(entries);
	folder_remove_file(io, folder, MANIFEST_FILE);
	folder_remove_other_hosts(io, folder, NULL, 0);
	remove_store(io, folder);
}

void folder_clear(const struct io *io, const char *folder, bool all)
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
