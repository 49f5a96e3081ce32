// SPDX-License-Identifier: MIT
#include "sql/sql_paths.h"

#include <stdlib.h>
#include <string.h>

/* Beside its bytes, what a piece of memory takes about. */
enum { OVERHEAD = 32, SHORT = 512 };

struct kept_path {
	size_t size;
	char text[];
};

struct sql_paths {
	const struct histree_attributes *attributes;
	size_t count, bytes_left;
	struct kept_path *paths[]; /* by quark; NULL: not made yet */
};

struct sql_paths *sql_paths_create(const struct histree_attributes *attributes, size_t bytes)
{
	size_t count = histree_attributes_count(attributes), size = count * sizeof(struct kept_path *);
	/* Where not even the table has room, nothing is kept. */
	bool has_room = size <= bytes / 2;
	struct sql_paths *paths = calloc(1, sizeof(*paths) + (has_room ? size : 0));
	if (paths == NULL)
		return NULL;
	paths->attributes = attributes;
	paths->count = has_room ? count : 0;
	paths->bytes_left = has_room ? bytes - size : 0;
	return paths;
}

void sql_paths_free(struct sql_paths *paths)
{
	for (size_t i = 0; paths != NULL && i < paths->count; i++)
		free(paths->paths[i]);
	free(paths);
}

static struct kept_path *make(struct sql_paths *paths, histree_quark quark)
{
	char text[SHORT];
	size_t size = histree_attributes_path(paths->attributes, quark, text, sizeof(text));
	size_t bytes = sizeof(struct kept_path) + size + 1;
	if (bytes + OVERHEAD > paths->bytes_left)
		return NULL;
	struct kept_path *path = malloc(bytes);
	if (path == NULL)
		return NULL;
	path->size = size;
	if (size < sizeof(text))
		memcpy(path->text, text, size + 1);
	else
		histree_attributes_path(paths->attributes, quark, path->text, size + 1);
	paths->bytes_left -= bytes + OVERHEAD;
	paths->paths[quark] = path;
	return path;
}

const char *sql_paths_get(struct sql_paths *paths, histree_quark quark, size_t *size)
{
	if (quark >= paths->count)
		return NULL;
	struct kept_path *path = paths->paths[quark];
	if (path == NULL && (path = make(paths, quark)) == NULL)
		return NULL;
	*size = path->size;
	return path->text;
}
