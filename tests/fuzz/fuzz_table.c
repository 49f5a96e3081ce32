// SPDX-License-Identifier: MIT
/*
 * fuzz_table.c - the first page of a side table.  The checksum is made right, and the table is that of a store: so
 * its places are gone through, wherever they lead.  What comes out are segments of the store, no more than it has,
 * in finite time; what the page does not say, sorting does.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "fuzz.h"
#include "segment/segment_memory.h"
#include "segment/segment_table.h"
#include "store/block_file.h"
#include "support/memory_io.h"
#include "support/segments.h"

/* Less than a page has, so that there is one. */
static const struct segment_kind kind = { "fuzz", SEGMENTS_BY_END, 400, true };

static void build(struct memory_io *memory, struct segments *segments)
{
	struct histree_segment_store *store;
	REQUIRE(segments_make(segments, &kind, 1));
	const struct histree_segment_store_options options = { .path = "s",
							       .schema = *segments->schema,
							       .node_size = 4096 };
	REQUIRE(segment_store_create(&memory->io, &options, &store, NULL) == HISTREE_OK);
	for (size_t i = 0; i < segments->count; i++)
		REQUIRE(histree_segment_store_add(store, &segments->segments[i], NULL) == HISTREE_OK);
	REQUIRE(histree_segment_store_finish(store, NULL) == HISTREE_OK);
	REQUIRE(histree_segment_store_make_table(store, SEGMENT_NAME, NULL) == HISTREE_OK);
	histree_segment_store_close(store);
}

/* Put the input in the place of the page. */
static void put_page(struct memory_io *memory, const uint8_t *bytes, size_t size)
{
	struct block_file *file;
	char path[32];
	snprintf(path, sizeof(path), "s.%d.order", SEGMENT_NAME);
	REQUIRE(block_file_open(&memory->io, path, &file, NULL) == HISTREE_OK);
	size_t room = (size_t)block_file_block_bytes(file);
	block_file_close(file);
	uint8_t *page = memory_io_find(memory, path)->bytes + BLOCK_FILE_HEADER_SIZE;
	memcpy(page, bytes, size < room ? size : room);
	uint64_t bits = (uint64_t)get_le32(page + 8) * (page[12] + page[13]),
		 used = 24 + bits / 8 + (bits % 8 != 0);
	if (used <= room)
		put_le32(page, crc32c(0, page + 4, (size_t)used - 4));
}

static void read_all(struct memory_io *memory, const struct segments *segments)
{
	struct histree_segment_store *store;
	struct histree_cursor *iter;
	struct histree_segment segment;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	enum histree_status status;
	size_t count = 0;
	query.order = HISTREE_SEGMENTS_BY_FIELD;
	query.field = SEGMENT_NAME;
	REQUIRE(segment_store_open(&memory->io, "s", NULL, &store, NULL) == HISTREE_OK);
	REQUIRE(histree_segments_create(store, &iter, NULL) == HISTREE_OK);
	REQUIRE(histree_segments_start(iter, &query, NULL, NULL) == HISTREE_OK);
	while ((status = histree_cursor_next(iter, NULL)) == HISTREE_OK) {
		segment = *histree_cursor_segment(iter);
		int64_t id = segment.content[SEGMENT_ID].int64;
		REQUIRE(id >= 0 && (size_t)id < segments->count && ++count <= segments->count);
		REQUIRE(segments_content_equal(segments, &segment, &segments->segments[id]));
	}
	REQUIRE(status == HISTREE_END && count == segments->count);
	histree_cursor_free(iter);
	histree_segment_store_close(store);
}

FUZZ_TARGET(bytes, size)
{
	struct memory_io memory;
	struct segments segments;
	memory_io_init(&memory);
	build(&memory, &segments);
	put_page(&memory, bytes, size);
	read_all(&memory, &segments);
	segments_release(&segments);
	memory_io_release(&memory);
	return 0;
}
