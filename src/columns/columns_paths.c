// SPDX-License-Identifier: MIT
#include "columns/columns_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

enum histree_status columns_paths_init(struct columns_paths *paths, const struct histree_attributes *attributes,
				       struct histree_error *error)
{
	paths->attributes = attributes;
	paths->quark_count = histree_attributes_count(attributes);
	paths->ids = calloc((size_t)paths->quark_count + 1, sizeof(*paths->ids));
	return paths->ids != NULL ? HISTREE_OK : error_memory(error, "ids of paths");
}

void columns_paths_release(struct columns_paths *paths)
{
	columns_texts_release(&paths->texts);
	free(paths->room.bytes);
	free(paths->ids);
	free(paths->text);
}

typedef size_t write_text(const struct histree_attributes *attributes, histree_quark quark, char *buffer,
			  size_t capacity);

/* Write a text behind the first `at` bytes of the room. */
static enum histree_status put_text(struct columns_paths *paths, write_text *write, histree_quark quark, size_t at,
				    size_t *size, struct histree_error *error)
{
	size_t capacity = paths->text_capacity > at ? paths->text_capacity - at : 0;
	*size = write(paths->attributes, quark, capacity > 0 ? paths->text + at : NULL, capacity);
	if (*size < capacity)
		return HISTREE_OK;
	if (!array_reserve(&paths->text, &paths->text_capacity, at + *size + 1))
		return error_memory(error, "a path");
	write(paths->attributes, quark, paths->text + at, paths->text_capacity - at);
	return HISTREE_OK;
}

/* Begin the room with the path of the parent. */
static enum histree_status keep_parent(struct columns_paths *paths, histree_quark parent,
				       struct histree_error *error)
{
	size_t size = 0;
	enum histree_status status = HISTREE_OK;
	paths->has_parent = false;
	if (parent != HISTREE_ROOT)
		status = put_text(paths, histree_attributes_path, parent, 0, &size, error);
	if (status == HISTREE_OK && parent != HISTREE_ROOT)
		paths->text[size++] = '/'; /* where the terminator was */
	paths->parent = parent;
	paths->parent_size = size;
	paths->has_parent = status == HISTREE_OK;
	return status;
}

/* Put a backslash before what needs one, from the last byte to the first.  Returns the new size. */
static size_t escape(char *name, size_t size, size_t specials)
{
	char *to = name + size + specials, *from = name + size;
	while (from != to) {
		*--to = *--from;
		if (*from == '/' || *from == '\\')
			*--to = '\\';
	}
	return size + specials;
}

static size_t count_specials(const char *name, size_t size)
{
	size_t specials = 0;
	for (size_t i = 0; i < size; i++)
		specials += name[i] == '/' || name[i] == '\\';
	return specials;
}

enum histree_status columns_paths_meet(struct columns_paths *paths, histree_quark quark, uint32_t *id,
				       struct histree_error *error)
{
	if (quark >= paths->quark_count)
		return error_set(error, HISTREE_ERR_FORMAT, "there is no attribute %u; the history has %u", quark,
				 paths->quark_count);
	enum histree_status status = HISTREE_OK;
	histree_quark parent = histree_attributes_parent(paths->attributes, quark);
	size_t size = 0;
	if (!paths->has_parent || paths->parent != parent)
		status = keep_parent(paths, parent, error);
	size_t at = paths->parent_size;
	if (status == HISTREE_OK)
		status = put_text(paths, histree_attributes_name, quark, at, &size, error);
	if (status != HISTREE_OK)
		return status;
	size_t specials = count_specials(paths->text + at, size);
	if (specials > 0 && !array_reserve(&paths->text, &paths->text_capacity, at + size + specials))
		return error_memory(error, "a path");
	const void *bytes = paths->text;
	size = at + escape(paths->text + at, size, specials);
	status = columns_repair(&paths->room, &bytes, &size, error);
	if (status == HISTREE_OK)
		status = columns_texts_add(&paths->texts, bytes, size, error);
	if (status != HISTREE_OK)
		return status;
	paths->ids[quark] = paths->texts.count;
	*id = paths->texts.count - 1;
	return HISTREE_OK;
}
