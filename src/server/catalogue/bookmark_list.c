// SPDX-License-Identifier: MIT
#include "server/catalogue/bookmark_list.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/json_weight.h"
#include "server/text/json_writer.h"

#define FORMAT "histree bookmarks"

enum { VERSION = 1, LIST_MEMORY_MAX = 48 << 20 };

void bookmark_list_release(struct bookmark_list *list)
{
	free(list->bookmarks);
	*list = (struct bookmark_list){ 0 };
}

enum histree_status bookmark_list_copy(struct bookmark_list *out, const struct bookmark_list *list,
				       struct histree_error *error)
{
	*out = (struct bookmark_list){ .made = list->made };
	if (!array_reserve(&out->bookmarks, &out->capacity, list->count + 1))
		return error_memory(error, "bookmarks");
	for (; out->count < list->count; out->count++)
		out->bookmarks[out->count] = list->bookmarks[out->count];
	return HISTREE_OK;
}

size_t bookmark_list_find(const struct bookmark_list *list, const char *experiment, const char *uuid)
{
	size_t i = 0;
	while (i < list->count && (strcmp(list->bookmarks[i].uuid, uuid) != 0 ||
				   strcmp(list->bookmarks[i].experiment, experiment) != 0))
		i++;
	return i;
}

void bookmark_list_remove(struct bookmark_list *list, size_t index)
{
	list->count--;
	memmove(&list->bookmarks[index], &list->bookmarks[index + 1],
		(list->count - index) * sizeof(*list->bookmarks));
}

void bookmark_list_insert(struct bookmark_list *list, const struct bookmark *bookmark)
{
	size_t index = list->count++;
	for (; index > 0 && list->bookmarks[index - 1].start > bookmark->start; index--)
		list->bookmarks[index] = list->bookmarks[index - 1];
	list->bookmarks[index] = *bookmark;
}

enum histree_status bookmark_fill(struct bookmark *bookmark, const char *name, histree_time start, histree_time end,
				  struct histree_error *error)
{
	if (*name == '\0' || strlen(name) > BOOKMARK_NAME_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a bookmark has a name of up to %d bytes",
				 BOOKMARK_NAME_MAX);
	if (start > end)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a bookmark does not end before it starts");
	snprintf(bookmark->name, sizeof(bookmark->name), "%s", name);
	bookmark->start = start;
	bookmark->end = end;
	return HISTREE_OK;
}

/* ---- JSON ------------------------------------------------------------------------------------------------ */

void bookmark_list_encode(const struct bookmark_list *list, struct piece *text)
{
	struct json_writer json = { .piece = text };
	json_begin_object(&json);
	json_text_member(&json, "format", FORMAT);
	json_int_member(&json, "version", VERSION);
	json_int_member(&json, "made", list->made);
	json_key(&json, "bookmarks");
	json_begin_array(&json);
	for (size_t i = 0; i < list->count; i++) {
		const struct bookmark *bookmark = &list->bookmarks[i];
		json_begin_object(&json);
		json_text_member(&json, "uuid", bookmark->uuid);
		json_text_member(&json, "experiment", bookmark->experiment);
		json_text_member(&json, "name", bookmark->name);
		json_int_member(&json, "start", bookmark->start);
		json_int_member(&json, "end", bookmark->end);
		json_end(&json);
	}
	json_end(&json);
	json_end(&json);
	piece_put_char(text, '\n');
}

static bool read_uuid(const json_t *object, const char *key, char out[UUID_TEXT_SIZE])
{
	const char *text = json_string_value(json_object_get(object, key));
	return text != NULL && snprintf(out, UUID_TEXT_SIZE, "%s", text) == UUID_TEXT_SIZE - 1;
}

static enum histree_status decode_bookmark(const json_t *object, struct bookmark *out, struct histree_error *error)
{
	const char *name = json_string_value(json_object_get(object, "name"));
	const json_t *start = json_object_get(object, "start"), *end = json_object_get(object, "end");
	if (name == NULL || !json_is_integer(start) || !json_is_integer(end) ||
	    !read_uuid(object, "uuid", out->uuid) || !read_uuid(object, "experiment", out->experiment))
		return error_set(error, HISTREE_ERR_FORMAT, "a bookmark lacks a name, a time or a UUID");
	if (bookmark_fill(out, name, json_integer_value(start), json_integer_value(end), NULL) != HISTREE_OK)
		return error_set(error, HISTREE_ERR_FORMAT, "the bookmark '%.40s' has no possible name or time",
				 name);
	return HISTREE_OK;
}

static enum histree_status decode(struct bookmark_list *out, const json_t *root, struct histree_error *error)
{
	const char *format = json_string_value(json_object_get(root, "format"));
	const json_t *version = json_object_get(root, "version"), *made = json_object_get(root, "made"), *entry;
	const json_t *entries = json_object_get(root, "bookmarks");
	size_t i;
	if (format == NULL || strcmp(format, FORMAT) != 0)
		return error_set(error, HISTREE_ERR_FORMAT, "its format is not '" FORMAT "'");
	if (!json_is_integer(version) || json_integer_value(version) != VERSION)
		return error_set(error, HISTREE_ERR_FORMAT, "its version is not %d", VERSION);
	/* Another one can be made. */
	bool is_count =
		json_is_integer(made) && json_integer_value(made) >= 0 && json_integer_value(made) < INT64_MAX;
	if (!is_count || !json_is_array(entries) || json_array_size(entries) > BOOKMARKS_MAX)
		return error_set(error, HISTREE_ERR_FORMAT, "it has no list of up to %d bookmarks", BOOKMARKS_MAX);
	if (!array_reserve(&out->bookmarks, &out->capacity, json_array_size(entries) + 1))
		return error_memory(error, "bookmarks");
	out->made = json_integer_value(made);
	json_array_foreach(entries, i, entry)
	{
		struct bookmark bookmark;
		enum histree_status status = decode_bookmark(entry, &bookmark, error);
		if (status != HISTREE_OK)
			return status;
		bookmark_list_insert(out, &bookmark);
	}
	return HISTREE_OK;
}

enum histree_status bookmark_list_decode(struct bookmark_list *out, const char *bytes, size_t size,
					 struct histree_error *error)
{
	json_error_t fault;
	*out = (struct bookmark_list){ 0 };
	if (json_weight(bytes, size) > LIST_MEMORY_MAX)
		return error_set(error, HISTREE_ERR_FORMAT, "it has more in it than %d bookmarks", BOOKMARKS_MAX);
	json_t *root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &fault);
	if (root == NULL)
		return error_set(error, HISTREE_ERR_FORMAT, "line %d: %s", fault.line, fault.text);
	enum histree_status status = decode(out, root, error);
	json_decref(root);
	if (status != HISTREE_OK)
		bookmark_list_release(out);
	return status;
}
