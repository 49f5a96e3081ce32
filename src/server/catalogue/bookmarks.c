// SPDX-License-Identifier: MIT
/*
 * bookmarks.c - the bookmarks of each experiment, kept in a file, and the identifiers (UUID) of the objects of the
 * protocol.
 */
#include "server/catalogue/bookmarks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/io.h"
#include "base/json_text.h"
#include "base/table.h"
#include "histree/status.h"
#include "histree/value.h"
#include "server/text/json_writer.h"

/* ---- uuid ---------------------------------------------------------------------------------------------------- */

/* FNV-1a, with the other half started elsewhere: not against an adversary, who would only confuse himself. */
#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)
#define OTHER_START UINT64_C(0x9e3779b97f4a7c15)
static void add_byte(struct uuid_maker *maker, unsigned char byte)
{
	maker->high = (maker->high ^ byte) * FNV_PRIME;
	maker->low = (maker->low ^ byte) * FNV_PRIME;
}

struct uuid_maker uuid_begin(const char *kind)
{
	struct uuid_maker maker = { FNV_START, OTHER_START };
	uuid_add(&maker, kind);
	return maker;
}

void uuid_add(struct uuid_maker *maker, const char *text)
{
	for (; *text != '\0'; text++)
		add_byte(maker, (unsigned char)*text);
	add_byte(maker, 0);
}

void uuid_end(const struct uuid_maker *maker, char text[UUID_TEXT_SIZE])
{
	uint64_t high = hash_mix(maker->high), low = hash_mix(maker->low ^ maker->high);
	high = (high & ~UINT64_C(0xf000)) | UINT64_C(0x8000);   /* version 8: of our own making */
	low = (low & ~(UINT64_C(3) << 62)) | UINT64_C(1) << 63; /* variant of the RFC */
	snprintf(text, UUID_TEXT_SIZE, "%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%012" PRIx64,
		 high >> 32, high >> 16 & 0xffff, high & 0xffff, low >> 48, low & UINT64_C(0xffffffffffff));
}

/* ---- bookmark json ------------------------------------------------------------------------------------------- */

void bookmark_write_json(void *context, const struct bookmark *bookmark)
{
	struct json_writer *json = context;
	json_begin_object(json);
	json_text_member(json, "uuid", bookmark->uuid);
	json_text_member(json, "name", bookmark->name);
	json_int_member(json, "start", bookmark->start);
	json_int_member(json, "end", bookmark->end);
	json_end(json);
}

/* ---- bookmark list ------------------------------------------------------------------------------------------- */

#define FORMAT "histree bookmarks"
enum { VERSION = 1, LIST_MEMORY_MAX = 48 << 20 };

void bookmark_list_release(struct bookmark_list *list)
{
	free(list->bookmarks);
	*list = (struct bookmark_list){ 0 };
}

/* Copies a list, with room for one more. */
static enum histree_status bookmark_list_copy(struct bookmark_list *out, const struct bookmark_list *list,
					      struct histree_error *error)
{
	*out = (struct bookmark_list){ .made = list->made };
	if (!array_reserve(&out->bookmarks, &out->capacity, list->count + 1))
		return error_memory(error, "bookmarks");
	for (; out->count < list->count; out->count++)
		out->bookmarks[out->count] = list->bookmarks[out->count];
	return HISTREE_OK;
}

/* Returns the index of a bookmark, list->count if it is missing. */
static size_t bookmark_list_find(const struct bookmark_list *list, const char *experiment, const char *uuid)
{
	size_t i = 0;
	while (i < list->count && (strcmp(list->bookmarks[i].uuid, uuid) != 0 ||
				   strcmp(list->bookmarks[i].experiment, experiment) != 0))
		i++;
	return i;
}

void bookmark_list_insert(struct bookmark_list *list, const struct bookmark *bookmark)
{
	size_t index = list->count++;
	for (; index > 0 && list->bookmarks[index - 1].start > bookmark->start; index--)
		list->bookmarks[index] = list->bookmarks[index - 1];
	list->bookmarks[index] = *bookmark;
}

/* Fills in what a client, or a file, says of a bookmark.  Returns HISTREE_ERR_ARGUMENT if that cannot be one. */
static enum histree_status bookmark_fill(struct bookmark *bookmark, const char *name, histree_time start,
					 histree_time end, struct histree_error *error)
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

void bookmark_list_encode(const struct bookmark_list *list, struct byte_buffer *text)
{
	struct json_writer json = { .out = text };
	json_begin_object(&json);
	json_text_member(&json, "format", FORMAT);
	json_int_member(&json, "version", VERSION);
	json_int_member(&json, "made", list->made);
	json_begin_array_member(&json, "bookmarks");
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
	byte_buffer_put_byte(text, '\n');
}

static bool read_uuid(const json_t *object, const char *key, char out[UUID_TEXT_SIZE])
{
	const char *text = json_string_value(json_object_get(object, key));
	return text != NULL && snprintf(out, UUID_TEXT_SIZE, "%s", text) == UUID_TEXT_SIZE - 1;
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
		const char *name = json_string_value(json_object_get(entry, "name"));
		const json_t *start = json_object_get(entry, "start"), *end = json_object_get(entry, "end");
		if (name == NULL || !json_is_integer(start) || !json_is_integer(end) ||
		    !read_uuid(entry, "uuid", bookmark.uuid) ||
		    !read_uuid(entry, "experiment", bookmark.experiment))
			return error_set(error, HISTREE_ERR_FORMAT, "a bookmark lacks a name, a time or a UUID");
		if (bookmark_fill(&bookmark, name, json_integer_value(start), json_integer_value(end), NULL) !=
		    HISTREE_OK)
			return error_set(error, HISTREE_ERR_FORMAT,
					 "the bookmark '%.40s' has no possible name or time", name);
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

/* ---- bookmarks ----------------------------------------------------------------------------------------------- */

struct bookmarks {
	const struct io *io;
	char *path;
	int folder;           /* what servers lock that share it; -1: it cannot be opened, as that of a test */
	pthread_mutex_t lock; /* guards what follows */
	struct bookmark_list list;
	struct byte_buffer text; /* of the file from which the list was read */
};

enum histree_status bookmarks_create(const struct io *io, const char *folder, struct bookmarks **out,
				     struct histree_error *error)
{
	*out = NULL;
	struct bookmarks *bookmarks = calloc(1, sizeof(*bookmarks));
	if (bookmarks == NULL || asprintf(&bookmarks->path, "%s/" BOOKMARKS_FILE, folder) < 0) {
		free(bookmarks);
		return error_memory(error, "bookmarks");
	}
	bookmarks->io = io;
	bookmarks->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	pthread_mutex_init(&bookmarks->lock, NULL);
	*out = bookmarks;
	return HISTREE_OK;
}

void bookmarks_free(struct bookmarks *bookmarks)
{
	if (bookmarks == NULL)
		return;
	pthread_mutex_destroy(&bookmarks->lock);
	if (bookmarks->folder >= 0)
		close(bookmarks->folder);
	bookmark_list_release(&bookmarks->list);
	byte_buffer_release(&bookmarks->text);
	free(bookmarks->path);
	free(bookmarks);
}

/* ---- the file, under the lock ---------------------------------------------------------------------------- */

static enum histree_status read_open_file(const struct io *io, int file, struct byte_buffer *out,
					  struct histree_error *error)
{
	off_t size;
	if (io->size(io->context, file, &size) != 0)
		return error_set(error, HISTREE_ERR_IO, "cannot be read: %s", strerror(errno));
	if (size > BOOKMARKS_SIZE_MAX)
		return error_set(error, HISTREE_ERR_FORMAT, "it has more than %d bytes", BOOKMARKS_SIZE_MAX);
	uint8_t *room = byte_buffer_room(out, (size_t)size + 1);
	if (room == NULL)
		return error_memory(error, "bookmarks");
	enum histree_status status = io_read_all(io, file, room, (size_t)size, 0, error);
	if (status == HISTREE_OK)
		out->size = (size_t)size;
	return status;
}

/* HISTREE_NOT_FOUND: no such bookmark. */
static enum histree_status read_file(const struct bookmarks *bookmarks, struct byte_buffer *out,
				     struct histree_error *error)
{
	const struct io *io = bookmarks->io;
	int file = io->open(io->context, bookmarks->path, O_RDONLY, 0);
	if (file < 0 && errno == ENOENT)
		return HISTREE_NOT_FOUND;
	if (file < 0)
		return error_set(error, HISTREE_ERR_IO, "cannot be opened: %s", strerror(errno));
	enum histree_status status = read_open_file(io, file, out, error);
	io->close(io->context, file);
	return status;
}

/* Takes over both. */
static void bookmarks_take(struct bookmarks *bookmarks, struct bookmark_list *list, struct byte_buffer *text)
{
	bookmark_list_release(&bookmarks->list);
	byte_buffer_release(&bookmarks->text);
	bookmarks->list = *list;
	bookmarks->text = *text;
	*list = (struct bookmark_list){ 0 };
	*text = (struct byte_buffer){ 0 };
}

/* The list is that of the file; on failure it stays as it was. */
static enum histree_status refresh(struct bookmarks *bookmarks, struct histree_error *error)
{
	struct bookmark_list list = { .made = bookmarks->list.made };
	struct byte_buffer text = { 0 };
	enum histree_status status = read_file(bookmarks, &text, error);
	bool is_there = status != HISTREE_NOT_FOUND, is_new = !is_there;
	if (!is_there) {
		status = HISTREE_OK;
	} else if (status == HISTREE_OK && !(text.size > 0 && text.size == bookmarks->text.size &&
					     memcmp(text.bytes, bookmarks->text.bytes, text.size) == 0)) {
		status = bookmark_list_decode(&list, byte_buffer_chars(&text), text.size, error);
		is_new = true;
	}
	if (status == HISTREE_OK && is_new)
		bookmarks_take(bookmarks, &list, &text);
	byte_buffer_release(&text);
	if (status == HISTREE_ERR_FORMAT)
		error_prefix(error, "'%s' is no file of bookmarks, and is kept; move it away to make bookmarks",
			     bookmarks->path);
	else if (status != HISTREE_OK)
		error_prefix(error, "'%s'", bookmarks->path);
	return status;
}

/* ---- looking --------------------------------------------------------------------------------------------- */

enum histree_status bookmarks_check(struct bookmarks *bookmarks, struct histree_error *error)
{
	pthread_mutex_lock(&bookmarks->lock);
	enum histree_status status = refresh(bookmarks, error);
	pthread_mutex_unlock(&bookmarks->lock);
	return status;
}

void bookmarks_each(struct bookmarks *bookmarks, const char *experiment, bookmark_visit *visit, void *context)
{
	pthread_mutex_lock(&bookmarks->lock);
	refresh(bookmarks, NULL);
	const struct bookmark_list *list = &bookmarks->list;
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->bookmarks[i].experiment, experiment) == 0)
			visit(context, &list->bookmarks[i]);
	pthread_mutex_unlock(&bookmarks->lock);
}

enum histree_status bookmarks_find(struct bookmarks *bookmarks, const char *experiment, const char *uuid,
				   bookmark_visit *visit, void *context)
{
	pthread_mutex_lock(&bookmarks->lock);
	refresh(bookmarks, NULL);
	size_t index = bookmark_list_find(&bookmarks->list, experiment, uuid);
	bool found = index < bookmarks->list.count;
	if (found)
		visit(context, &bookmarks->list.bookmarks[index]);
	pthread_mutex_unlock(&bookmarks->lock);
	return found ? HISTREE_OK : HISTREE_NOT_FOUND;
}

/* ---- changes --------------------------------------------------------------------------------------------- */

/*
 * From here to end_change() no other thread or server changes the file; `next` is the list to be changed.  Where
 * the file system has no locks, two servers may overwrite a change of each other's, each time with a whole file.
 */
static enum histree_status begin_change(struct bookmarks *bookmarks, struct bookmark_list *next,
					struct histree_error *error)
{
	*next = (struct bookmark_list){ 0 };
	pthread_mutex_lock(&bookmarks->lock);
	while (bookmarks->folder >= 0 && flock(bookmarks->folder, LOCK_EX) != 0 && errno == EINTR)
		;
	enum histree_status status = refresh(bookmarks, error);
	return status == HISTREE_OK ? bookmark_list_copy(next, &bookmarks->list, error) : status;
}

static enum histree_status save(struct bookmarks *bookmarks, struct bookmark_list *next,
				struct histree_error *error)
{
	struct byte_buffer text = { 0 };
	bookmark_list_encode(next, &text);
	enum histree_status status =
		text.failed ? error_memory(error, "bookmarks")
			    : io_replace(bookmarks->io, bookmarks->path, text.bytes, text.size, error);
	if (status == HISTREE_OK)
		bookmarks_take(bookmarks, next, &text);
	else
		error_prefix(error, "'%s'", bookmarks->path);
	byte_buffer_release(&text);
	return status;
}

/* If the change went well so far it is kept, and `bookmark` told. */
static enum histree_status end_change(struct bookmarks *bookmarks, struct bookmark_list *next,
				      enum histree_status status, const struct bookmark *bookmark,
				      bookmark_visit *visit, void *context, struct histree_error *error)
{
	if (status == HISTREE_OK)
		status = save(bookmarks, next, error);
	if (status == HISTREE_OK)
		visit(context, bookmark);
	if (bookmarks->folder >= 0)
		flock(bookmarks->folder, LOCK_UN);
	pthread_mutex_unlock(&bookmarks->lock);
	bookmark_list_release(next);
	return status;
}

enum histree_status bookmarks_add(struct bookmarks *bookmarks, const char *experiment, const char *name,
				  histree_time start, histree_time end, bookmark_visit *visit, void *context,
				  struct histree_error *error)
{
	struct bookmark bookmark = { .start = 0 };
	struct bookmark_list next;
	enum histree_status status = bookmark_fill(&bookmark, name, start, end, error);
	if (status != HISTREE_OK)
		return status;
	snprintf(bookmark.experiment, sizeof(bookmark.experiment), "%s", experiment);
	status = begin_change(bookmarks, &next, error);
	if (status == HISTREE_OK && next.count == BOOKMARKS_MAX)
		status = error_set(error, HISTREE_ERR_TOO_LARGE, "there are %d bookmarks already; remove some",
				   BOOKMARKS_MAX);
	if (status == HISTREE_OK) {
		char number[24];
		struct uuid_maker maker = uuid_begin("bookmark");
		snprintf(number, sizeof(number), "%" PRId64, next.made++);
		uuid_add(&maker, bookmark.experiment);
		uuid_add(&maker, number);
		uuid_end(&maker, bookmark.uuid);
		bookmark_list_insert(&next, &bookmark);
	}
	return end_change(bookmarks, &next, status, &bookmark, visit, context, error);
}

/* Takes a bookmark out of a list.  Returns HISTREE_NOT_FOUND if it is not there. */
static enum histree_status take_out(struct bookmark_list *list, const char *experiment, const char *uuid,
				    struct bookmark *out)
{
	size_t index = bookmark_list_find(list, experiment, uuid);
	if (index == list->count)
		return HISTREE_NOT_FOUND;
	*out = list->bookmarks[index];
	list->count--;
	memmove(&list->bookmarks[index], &list->bookmarks[index + 1],
		(list->count - index) * sizeof(*list->bookmarks));
	return HISTREE_OK;
}

enum histree_status bookmarks_change(struct bookmarks *bookmarks, const char *experiment, const char *uuid,
				     const char *name, histree_time start, histree_time end, bookmark_visit *visit,
				     void *context, struct histree_error *error)
{
	struct bookmark bookmark;
	struct bookmark_list next;
	enum histree_status status = begin_change(bookmarks, &next, error);
	if (status == HISTREE_OK)
		status = take_out(&next, experiment, uuid, &bookmark);
	if (status == HISTREE_OK)
		status = bookmark_fill(&bookmark, name, start, end, error);
	if (status == HISTREE_OK)
		bookmark_list_insert(&next, &bookmark);
	return end_change(bookmarks, &next, status, &bookmark, visit, context, error);
}

enum histree_status bookmarks_remove(struct bookmarks *bookmarks, const char *experiment, const char *uuid,
				     bookmark_visit *visit, void *context, struct histree_error *error)
{
	struct bookmark bookmark;
	struct bookmark_list next;
	enum histree_status status = begin_change(bookmarks, &next, error);
	if (status == HISTREE_OK)
		status = take_out(&next, experiment, uuid, &bookmark);
	return end_change(bookmarks, &next, status, &bookmark, visit, context, error);
}
