// SPDX-License-Identifier: MIT
/*
 * kill_bytes.c - whether two stores have the same files with the same bytes.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kill_store.h"

enum { FILES_MAX = 64 };

struct file_list {
	char names[FILES_MAX][256];
	size_t count;
};

static int compare_names(const void *one, const void *other)
{
	return strcmp(one, other);
}

/* The lock says nothing: who is killed right before the end leaves it. */
static void list_files(const char *folder, struct file_list *list)
{
	DIR *entries = opendir(folder);
	list->count = 0;
	if (entries == NULL)
		give_up("cannot read '%s'", folder);
	for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, "lock") != 0 && list->count < FILES_MAX)
			snprintf(list->names[list->count++], sizeof(list->names[0]), "%s", entry->d_name);
	closedir(entries);
	qsort(list->names, list->count, sizeof(list->names[0]), compare_names);
}

static char *read_file(const char *folder, const char *name, size_t *size)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
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

static void blank_member(char *manifest, const char *name)
{
	char *at = strstr(manifest, name);
	size_t end = at == NULL ? 0 : strcspn(at, ",\n}");
	if (at != NULL)
		memmove(at, at + end, strlen(at + end) + 1);
}

/* What no two builds have in common: how long they took, and so the checksum of the manifest. */
static void blank_build_time(char *manifest)
{
	blank_member(manifest, "\"build_ns\":");
	blank_member(manifest, "\"checksum\":");
}

static bool same_file(const char *one, const char *other, const char *name)
{
	size_t size, other_size;
	char *bytes = read_file(one, name, &size), *other_bytes = read_file(other, name, &other_size);
	bool same;
	if (strcmp(name, "manifest.json") == 0) {
		blank_build_time(bytes);
		blank_build_time(other_bytes);
		same = strcmp(bytes, other_bytes) == 0;
	} else {
		same = size == other_size && memcmp(bytes, other_bytes, size) == 0;
	}
	free(bytes);
	free(other_bytes);
	return same;
}

bool kill_store_same_bytes(const char *one, const char *other, char *why, size_t why_size)
{
	struct file_list files, others;
	list_files(one, &files);
	list_files(other, &others);
	for (size_t i = 0; i < files.count || i < others.count; i++) {
		const char *name = i < files.count ? files.names[i] : others.names[i];
		if (i >= files.count || i >= others.count || strcmp(files.names[i], others.names[i]) != 0) {
			snprintf(why, why_size, "'%s' is in one of them", name);
			return false;
		}
		if (!same_file(one, other, name)) {
			snprintf(why, why_size, "'%s' differs", name);
			return false;
		}
	}
	return true;
}
