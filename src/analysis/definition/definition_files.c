// SPDX-License-Identifier: MIT
/*
 * definition_files.c - reads files that define analyses, or folders of such files.  A front end is one row of the
 * table here.
 */
#include "analysis/definition/definition_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/language/language.h"
#include "analysis/xml/xml_definitions.h"
#include "base/error.h"

static const struct front_end {
	const char *suffix;
	definitions_reader *read;
} front_ends[] = {
	{ ".xml", xml_definitions_read },
	{ LANGUAGE_SUFFIX, language_read },
};

static const struct front_end *front_end_of(const char *path)
{
	size_t size = strlen(path);
	for (size_t i = 0; i < sizeof(front_ends) / sizeof(*front_ends); i++) {
		size_t suffix = strlen(front_ends[i].suffix);
		if (size > suffix && strcmp(path + size - suffix, front_ends[i].suffix) == 0)
			return &front_ends[i];
	}
	return NULL;
}

/* ---- a file ----------------------------------------------------------------------------------------------- */

static enum histree_status failed(const char *path, struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_IO, "'%s': %s", path, strerror(errno));
}

static enum histree_status load_bytes(const char *path, char **bytes, size_t *size, struct histree_error *error)
{
	FILE *file = fopen(path, "rbe");
	if (file == NULL)
		return failed(path, error);
	*bytes = malloc(DEFINITION_BYTES_MAX + 2);
	*size = *bytes != NULL ? fread(*bytes, 1, DEFINITION_BYTES_MAX + 1, file) : 0;
	enum histree_status status = HISTREE_OK;
	if (*bytes == NULL)
		status = error_memory(error, "a file that defines analyses");
	else if (ferror(file))
		status = failed(path, error);
	else if (*size > DEFINITION_BYTES_MAX)
		status = error_set(error, HISTREE_ERR_TOO_LARGE,
				   "'%s': has more than 4 MiB, which is too much for the definition of an analysis",
				   path);
	else
		(*bytes)[*size] = '\0';
	fclose(file);
	if (status != HISTREE_OK)
		free(*bytes);
	return status;
}

static enum histree_status read_file(struct definitions *definitions, const char *path, struct histree_error *error)
{
	const struct front_end *front_end = front_end_of(path);
	char *bytes = NULL;
	size_t size = 0;
	enum histree_status status = load_bytes(path, &bytes, &size, error);
	if (status != HISTREE_OK)
		return status;
	if (front_end ==
	    NULL) /* its name does not say what it is, but XML begins with a '<', with a mark at most */
		front_end = &front_ends[strchr("<\xef", bytes[strspn(bytes, " \t\r\n")]) != NULL ? 0 : 1];
	status = front_end->read(path, bytes, size, definitions, error);
	free(bytes);
	return status;
}

/* ---- a folder --------------------------------------------------------------------------------------------- */

static int is_wanted(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && front_end_of(entry->d_name) != NULL;
}

static enum histree_status read_folder(struct definitions *definitions, const char *path,
				       struct histree_error *error)
{
	struct dirent **entries;
	int count = scandir(path, &entries, is_wanted, alphasort);
	enum histree_status status = count < 0 ? failed(path, error) : HISTREE_OK;
	if (count == 0)
		status = error_set(error, HISTREE_ERR_ARGUMENT,
				   "'%s': has no file that defines an analysis (*%s, *%s)", path,
				   front_ends[0].suffix, front_ends[1].suffix);
	for (int i = 0; i < count; i++) {
		char *file = NULL;
		if (status == HISTREE_OK && asprintf(&file, "%s/%s", path, entries[i]->d_name) < 0)
			status = error_memory(error, "a path");
		if (status == HISTREE_OK)
			status = read_file(definitions, file, error);
		status = status == HISTREE_NOT_FOUND ? HISTREE_OK : status;
		free(file);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return status;
}

enum histree_status definition_files_read(struct definitions *definitions, const char *path,
					  struct histree_error *error)
{
	struct stat about;
	if (stat(path, &about) != 0)
		return failed(path, error);
	if (S_ISDIR(about.st_mode))
		return read_folder(definitions, path, error);
	enum histree_status status = read_file(definitions, path, error);
	return status == HISTREE_NOT_FOUND ? HISTREE_ERR_ARGUMENT : status;
}
