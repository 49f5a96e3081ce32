/* SPDX-License-Identifier: MIT */
/*
 * bookmark_list.h - bookmarks by their starts, and the JSON that they are kept as:
 *
 *	{"format": "histree bookmarks", "version": 1, "made": 3,
 *	 "bookmarks": [{"uuid": ..., "experiment": ..., "name": ..., "start": ..., "end": ...}, ...]}
 *
 * `made` counts those that ever were, so that no UUID is used twice.
 */
#ifndef SERVER_CATALOGUE_BOOKMARK_LIST_H
#define SERVER_CATALOGUE_BOOKMARK_LIST_H

#include "histree/status.h"
#include "histree/value.h"
#include "server/catalogue/uuid.h"
#include "server/text/piece.h"

/* How many bookmarks all experiments have together, how long a name is, and how large the file is, at most. */
enum { BOOKMARKS_MAX = 4096, BOOKMARK_NAME_MAX = 256, BOOKMARKS_SIZE_MAX = 8 << 20 };

struct bookmark {
	char uuid[UUID_TEXT_SIZE], experiment[UUID_TEXT_SIZE];
	char name[BOOKMARK_NAME_MAX + 1];
	histree_time start, end;
};

/* A zeroed one is empty. */
struct bookmark_list {
	struct bookmark *bookmarks; /* by start, the older ones of one start first */
	size_t count, capacity;
	int64_t made;
};

void bookmark_list_release(struct bookmark_list *list);

/* Copies a list, with room for one more. */
enum histree_status bookmark_list_copy(struct bookmark_list *out, const struct bookmark_list *list,
				       struct histree_error *error);

/* Returns the index of a bookmark, list->count if there is none. */
size_t bookmark_list_find(const struct bookmark_list *list, const char *experiment, const char *uuid);

void bookmark_list_remove(struct bookmark_list *list, size_t index);

/* Inserts a bookmark where its start belongs; the list has room for it. */
void bookmark_list_insert(struct bookmark_list *list, const struct bookmark *bookmark);

/* Fills in what a client, or a file, says of a bookmark.  Returns HISTREE_ERR_ARGUMENT if that cannot be one. */
enum histree_status bookmark_fill(struct bookmark *bookmark, const char *name, histree_time start, histree_time end,
				  struct histree_error *error);

void bookmark_list_encode(const struct bookmark_list *list, struct piece *text);

/* Reads the JSON. Returns HISTREE_ERR_FORMAT if the bytes are no bookmarks of ours, and the error says where. */
enum histree_status bookmark_list_decode(struct bookmark_list *out, const char *bytes, size_t size,
					 struct histree_error *error);

#endif
