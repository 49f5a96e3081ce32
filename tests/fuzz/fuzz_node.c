// SPDX-License-Identifier: MIT
/*
 * fuzz_node.c - the first byte says the layout (which bounds of children, whether leaves are of columns, the
 * fan-out), the rest is a node of 4 KiB.  The checksum is made right, so that what comes behind it is reached:
 * whatever node_check() lets pass can be read from beginning to end and searched.
 */
#include <string.h>

#include "base/bytes.h"
#include "fuzz.h"
#include "node/node_builder.h"
#include "node/node_cursor.h"

enum { NODE_SIZE = 4096, SEEKS_MAX = 64 };

static void read_children(const struct node_view *view)
{
	for (uint32_t i = 0; i < view->child_count; i++)
		node_view_child(view, i);
}

/* A region of the key and its neighbours, of a time or of some, from the start to the end of an interval. */
static void seek(const struct node_view *view, const struct histree_interval *wanted)
{
	const histree_quark quarks[] = { wanted->quark, wanted->quark + 1, wanted->quark + 7 };
	const histree_time times[] = { wanted->start, wanted->start / 2 + wanted->end / 2, wanted->end };
	bool is_list = wanted->quark <= UINT32_MAX - 7 && times[0] <= times[1] && times[1] <= times[2];
	const struct node_region regions[] = {
		{ .from = wanted->start, .to = wanted->end, .quarks = quarks, .quark_count = is_list ? 3 : 1 },
		{ .from = wanted->end, .to = wanted->end },
		{ .from = times[0],
		  .to = times[2],
		  .times = times,
		  .time_count = 3,
		  .quarks = quarks,
		  .quark_count = 1 },
		{ .from = times[0], .to = times[2], .times = times, .time_count = 3 },
	};
	for (size_t i = 0; i < (is_list ? 4 : 2); i++) {
		struct node_cursor cursor;
		struct histree_interval found[4];
		size_t count;
		node_cursor_begin(&cursor, view, &regions[i]);
		enum histree_status status = node_cursor_read(&cursor, found, 4, &count);
		REQUIRE(status == HISTREE_OK || status == HISTREE_END || status == HISTREE_ERR_FORMAT);
		REQUIRE((status == HISTREE_OK) == (count > 0));
		for (size_t k = 0; k < count; k++)
			REQUIRE(found[k].start <= regions[i].to && found[k].end >= regions[i].from);
	}
}

static void read_rows(const struct node_view *view)
{
	struct node_cursor cursor;
	struct histree_interval row;
	enum histree_status status;
	uint32_t count = 0;
	node_cursor_begin_all(&cursor, view);
	for (;; count++) {
		node_cursor_is_indexed(&cursor, count);
		status = node_cursor_next(&cursor, &row);
		if (status != HISTREE_OK)
			break;
		REQUIRE(row.start >= view->start && row.start <= row.end && row.end <= view->end);
		REQUIRE(row.quark >= view->key_min && row.quark <= view->key_max);
		if (count < SEEKS_MAX)
			seek(view, &row);
	}
	REQUIRE(status == HISTREE_END || status == HISTREE_ERR_FORMAT);
	seek(view, &(struct histree_interval){ .start = INT64_MIN, .end = INT64_MAX, .quark = 0 });
	seek(view, &(struct histree_interval){ .start = INT64_MAX, .end = INT64_MAX, .quark = UINT32_MAX });
}

FUZZ_TARGET(bytes, size)
{
	uint8_t *block = calloc(1, NODE_SIZE);
	REQUIRE(block != NULL);
	uint8_t choice = size > 0 ? bytes[0] : 0;
	if (size > 1)
		memcpy(block, bytes + 1, size - 1 < NODE_SIZE ? size - 1 : NODE_SIZE);
	uint32_t used = get_le32(block + 40);
	if (used >= 4 && used <= NODE_SIZE)
		put_le32(block, crc32c(0, block + 4, used - 4));
	struct node_layout layout = node_layout(NODE_SIZE, choice & 3, 2 + (choice >> 3));
	layout.columns = (choice & 4) != 0;
	if (node_check(&layout, block, get_le32(block + 4), NULL) == HISTREE_OK) {
		struct node_view view = node_view(&layout, block);
		read_children(&view);
		read_rows(&view);
	}
	free(block);
	return 0;
}
