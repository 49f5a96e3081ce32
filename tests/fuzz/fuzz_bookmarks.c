// SPDX-License-Identifier: MIT
/*
 * fuzz_bookmarks.c - a file of bookmarks.  What is read keeps its bounds, is in order, has room for more, and is
 * the same when it is written and read again.
 */
#include <string.h>

#include "fuzz.h"
#include "server/catalogue/bookmarks.h"

static void check_list(const struct bookmark_list *list)
{
	REQUIRE(list->count <= BOOKMARKS_MAX && list->made >= 0 && list->made < INT64_MAX);
	for (size_t i = 0; i < list->count; i++) {
		const struct bookmark *bookmark = &list->bookmarks[i];
		size_t length = strlen(bookmark->name);
		REQUIRE(length > 0 && length <= BOOKMARK_NAME_MAX && bookmark->start <= bookmark->end);
		REQUIRE(strlen(bookmark->uuid) == UUID_TEXT_SIZE - 1);
		REQUIRE(strlen(bookmark->experiment) == UUID_TEXT_SIZE - 1);
		REQUIRE(i == 0 || bookmark[-1].start <= bookmark->start);
	}
}

static void check_same(const struct bookmark_list *list, const struct bookmark_list *again)
{
	REQUIRE(again->count == list->count && again->made == list->made);
	for (size_t i = 0; i < list->count; i++) {
		const struct bookmark *one = &list->bookmarks[i], *other = &again->bookmarks[i];
		REQUIRE(strcmp(one->name, other->name) == 0 && strcmp(one->uuid, other->uuid) == 0);
		REQUIRE(strcmp(one->experiment, other->experiment) == 0);
		REQUIRE(one->start == other->start && one->end == other->end);
	}
}

FUZZ_TARGET(bytes, size)
{
	struct bookmark_list list, again;
	struct byte_buffer text = { 0 };
	if (bookmark_list_decode(&list, (const char *)bytes, size, NULL) != HISTREE_OK)
		return 0;
	check_list(&list);
	bookmark_list_encode(&list, &text);
	REQUIRE(!text.failed);
	REQUIRE(bookmark_list_decode(&again, byte_buffer_chars(&text), text.size, NULL) == HISTREE_OK);
	check_same(&list, &again);
	bookmark_list_release(&list);
	bookmark_list_release(&again);
	byte_buffer_release(&text);
	return 0;
}
