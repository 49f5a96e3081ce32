// SPDX-License-Identifier: MIT
#include "support/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((format(printf, 1, 2), noreturn)) static void give_up(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(1);
}

/* ---- remove ------------------------------------------------------------------------------------------------- */

static int open_folder(const char *path, const struct stat *facts, int kind, struct FTW *at)
{
	(void)facts;
	(void)at;
	return kind == FTW_D || kind == FTW_DNR ? chmod(path, S_IRWXU) : 0;
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *at)
{
	(void)facts;
	(void)kind;
	(void)at;
	return remove(path);
}

void remove_all(const char *format, ...)
{
	char pattern[PATH_MAX];
	va_list arguments;
	glob_t found;
	va_start(arguments, format);
	int length = vsnprintf(pattern, sizeof(pattern), format, arguments);
	va_end(arguments);
	int failed = length < (int)sizeof(pattern) ? glob(pattern, 0, NULL, &found) : GLOB_ABORTED;
	if (failed != 0 && failed != GLOB_NOMATCH)
		give_up("cannot remove '%s'", pattern);
	for (size_t i = 0; failed == 0 && i < found.gl_pathc; i++)
		if (nftw(found.gl_pathv[i], open_folder, 8, FTW_PHYS) != 0 ||
		    nftw(found.gl_pathv[i], remove_one, 8, FTW_DEPTH | FTW_PHYS) != 0)
			give_up("cannot remove '%s'", found.gl_pathv[i]);
	globfree(&found);
}

/* ---- walk --------------------------------------------------------------------------------------------------- */

static int is_entry(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int is_entry_but_lock(const struct dirent *entry)
{
	return is_entry(entry) && strcmp(entry->d_name, "lock") != 0;
}

/* The names in a folder, in order. */
static struct dirent **names_in(const char *folder, int (*is_wanted)(const struct dirent *), int *count)
{
	struct dirent **names;
	*count = scandir(folder, &names, is_wanted, alphasort);
	if (*count < 0)
		give_up("cannot read '%s'", folder);
	return names;
}

static void free_names(struct dirent **names, int count)
{
	for (int i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

static void join(char path[static PATH_MAX], const char *folder, const char *name)
{
	if (snprintf(path, PATH_MAX, "%s/%s", folder, name) >= PATH_MAX)
		give_up("the path of '%s' in '%s' is too long", name, folder);
}

static bool is_folder(const char *path)
{
	struct stat facts;
	return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* ---- copy --------------------------------------------------------------------------------------------------- */

static void copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	ssize_t sent = in < 0 || out < 0 ? -1 : 1;
	while (sent > 0)
		sent = sendfile(out, in, NULL, 1 << 30);
	if (sent < 0 || close(in) != 0 || close(out) != 0)
		give_up("cannot copy '%s' to '%s'", from, to);
}

void copy_all(const char *from, const char *to)
{
	if (!is_folder(from)) {
		copy_file(from, to);
		return;
	}
	int count;
	struct dirent **names = names_in(from, is_entry, &count);
	if (mkdir(to, 0755) != 0)
		give_up("cannot make '%s'", to);
	for (int i = 0; i < count; i++) {
		char path[PATH_MAX], copy[PATH_MAX];
		join(path, from, names[i]->d_name);
		join(copy, to, names[i]->d_name);
		copy_all(path, copy);
	}
	free_names(names, count);
}

/* ---- compare ------------------------------------------------------------------------------------------------ */

static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	if (file == NULL || fseek(file, 0, SEEK_END) != 0)
		give_up("cannot read '%s'", path);
	*size = (size_t)ftell(file);
	char *bytes = calloc(*size + 1, 1);
	rewind(file);
	if (bytes == NULL || fread(bytes, 1, *size, file) != *size)
		give_up("cannot read '%s'", path);
	fclose(file);
	return bytes;
}

const char *const own_of_builds[] = { "\"build_ns\"", "\"checksum\"", NULL };

/* Each member of a manifest stands on a line of its own. */
static void cut_member(char *manifest, const char *name)
{
	char *at = strstr(manifest, name);
	size_t end = at == NULL ? 0 : strcspn(at, "\n");
	if (at != NULL)
		memmove(at, at + end, strlen(at + end) + 1);
}

static bool is_manifest(const char *path)
{
	const char *name = strrchr(path, '/');
	return name != NULL && strcmp(name, "/manifest.json") == 0;
}

static bool same_bytes(const char *one, const char *other, const char *const *own)
{
	size_t size, other_size;
	char *bytes = read_file(one, &size), *other_bytes = read_file(other, &other_size);
	for (size_t i = 0; own != NULL && own[i] != NULL && is_manifest(one); i++) {
		cut_member(bytes, own[i]);
		cut_member(other_bytes, own[i]);
		size = strlen(bytes);
		other_size = strlen(other_bytes);
	}
	bool are_same = size == other_size && memcmp(bytes, other_bytes, size) == 0;
	free(bytes);
	free(other_bytes);
	return are_same;
}

static bool same_folders(const char *one, const char *other, const char *const *own, char *why, size_t why_size)
{
	int count, others;
	bool are_same = true;
	struct dirent **names = names_in(one, is_entry_but_lock, &count);
	struct dirent **other_names = names_in(other, is_entry_but_lock, &others);
	for (int i = 0; are_same && (i < count || i < others); i++) {
		const char *name = (i < count ? names[i] : other_names[i])->d_name;
		if (i >= count || i >= others || strcmp(names[i]->d_name, other_names[i]->d_name) != 0) {
			snprintf(why, why_size, "'%s' is in one of '%s' and '%s'", name, one, other);
			are_same = false;
		} else {
			char path[PATH_MAX], other_path[PATH_MAX];
			join(path, one, name);
			join(other_path, other, name);
			are_same = same_files(path, other_path, own, why, why_size);
		}
	}
	free_names(names, count);
	free_names(other_names, others);
	return are_same;
}

bool same_files(const char *one, const char *other, const char *const *own, char *why, size_t why_size)
{
	bool are_folders = is_folder(one);
	if (are_folders && is_folder(other))
		return same_folders(one, other, own, why, why_size);
	if (are_folders == is_folder(other) && same_bytes(one, other, own))
		return true;
	snprintf(why, why_size, "'%s' differs from '%s'", one, other);
	return false;
}
