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

/* Of all experiments together; how large their JSON may be at most follows. */
enum { BOOKMARKS_MAX = 4096, BOOKMARK_NAME_MAX = 256, BOOKMARKS_SIZE_MAX = 8 << 20 };

struct bookmark {
	char uuid[UUID_TEXT_SIZE], experiment[UUID_TEXT_SIZE];
	char name[BOOKMARK_NAME_MAX + 1];
	histree_time start, end;
};

/* A zeroed one is empty. */
struct bookmark_list {
	struct bookmark *bookmarks; /* by start; of one start the older first */
	size_t count, capacity;
	int64_t made;
};

void bookmark_list_release(struct bookmark_list *list);

/* With room for one more. */
enum histree_status bookmark_list_copy(struct bookmark_list *out, const struct bookmark_list *list,
				       struct histree_error *error);

/* list->count: there is none. */
size_t bookmark_list_find(const struct bookmark_list *list, const char *experiment, const char *uuid);

void bookmark_list_remove(struct bookmark_list *list, size_t index);

/* There is room for it. */
void bookmark_list_insert(struct bookmark_list *list, const struct bookmark *bookmark);

/* What a client, or a file, says of a bookmark.  HISTREE_ERR_ARGUMENT says what is wrong with it. */
enum histree_status bookmark_fill(struct bookmark *bookmark, const char *name, histree_time start, histree_time end,
				  struct histree_error *error);

void bookmark_list_encode(const struct bookmark_list *list, struct piece *text);

/* HISTREE_ERR_FORMAT says where these bytes are no bookmarks of ours. */
enum histree_status bookmark_list_decode(struct bookmark_list *out, const char *bytes, size_t size,
					 struct histree_error *error);

#endif
