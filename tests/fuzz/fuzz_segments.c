// SPDX-License-Identifier: MIT
/*
 * fuzz_segments.c - a leaf of segments of 4 KiB.  The checksum is made right, so that what comes behind it is
 * reached: whatever node_check() lets pass can be read from beginning to end, and all of it lies within the bounds
 * that the leaf says of itself and of its blocks.
 */
#include <string.h>

#include "base/bytes.h"
#include "fuzz.h"
#include "node/node_builder.h"
#include "node/node_view.h"
#include "node/segment_node.h"

enum { NODE_SIZE = 4096 };

/* One of each type, over and over. */
static void make_fields(struct histree_segment_field fields[HISTREE_SEGMENT_FIELDS_MAX])
{
	static const enum histree_type types[] = { HISTREE_LONG,   HISTREE_STRING, HISTREE_LONG,
						   HISTREE_DOUBLE, HISTREE_BOOL,   HISTREE_INT };
	for (size_t i = 0; i < HISTREE_SEGMENT_FIELDS_MAX; i++)
		fields[i] =
			(struct histree_segment_field){ "field", types[i % (sizeof(types) / sizeof(types[0]))] };
}

static void read_content(const uint8_t *leaf, const struct segment_block *block)
{
	struct histree_segment_field fields[HISTREE_SEGMENT_FIELDS_MAX];
	struct histree_value content[HISTREE_SEGMENT_FIELDS_MAX];
	uint32_t count = segment_leaf_field_count(leaf);
	make_fields(fields);
	for (uint32_t i = 0; i < block->count; i++) {
		if (segment_block_content(block, i, fields, count, count, content) != HISTREE_OK)
			continue;
		for (uint32_t field = 0; field < count; field++) {
			const struct histree_value *value = &content[field];
			REQUIRE(value->type == HISTREE_NULL || value->type == fields[field].type);
			if (value->type == HISTREE_STRING)
				REQUIRE((const uint8_t *)value->bytes >= leaf &&
					(const uint8_t *)value->bytes + value->size <= leaf + NODE_SIZE);
		}
	}
}

static void read_block(const uint8_t *leaf, uint32_t index, const struct node_child *bounds)
{
	struct segment_times times[SEGMENT_BLOCK_MAX];
	struct segment_block block = segment_block(leaf, index);
	REQUIRE(block.bounds.start >= bounds->start && block.bounds.start_max <= bounds->start_max &&
		block.bounds.end_min >= bounds->end_min && block.bounds.end <= bounds->end &&
		block.bounds.duration_min >= bounds->duration_min &&
		block.bounds.duration_max <= bounds->duration_max);
	read_content(leaf, &block);
	if (segment_block_times(&block, times) != HISTREE_OK)
		return;
	for (uint32_t i = 0; i < block.count; i++) {
		histree_time end = (histree_time)((uint64_t)times[i].start + times[i].duration);
		REQUIRE(times[i].start >= block.bounds.start && times[i].start <= block.bounds.start_max &&
			times[i].duration >= block.bounds.duration_min &&
			times[i].duration <= block.bounds.duration_max && end >= times[i].start &&
			end >= block.bounds.end_min && end <= block.bounds.end);
		REQUIRE(i == 0 || times[i].start >= times[i - 1].start);
	}
}

FUZZ_TARGET(bytes, size)
{
	uint8_t *leaf = calloc(1, NODE_SIZE);
	REQUIRE(leaf != NULL);
	if (size > 0)
		memcpy(leaf, bytes, size < NODE_SIZE ? size : NODE_SIZE);
	uint32_t used = get_le32(leaf + 40);
	if (used >= 4 && used <= NODE_SIZE)
		put_le32(leaf, crc32c(0, leaf + 4, used - 4));
	struct node_layout layout = node_layout(NODE_SIZE, NODE_CHILD_END | NODE_CHILD_SEGMENTS, 1000);
	layout.segments = true;
	if (node_check(&layout, leaf, get_le32(leaf + 4), NULL) == HISTREE_OK) {
		struct node_view view = node_view(&layout, leaf);
		if (view.height > 0) {
			for (uint32_t i = 0; i < view.child_count; i++)
				node_view_child(&view, i);
		} else {
			struct node_child bounds = segment_leaf_bounds(leaf);
			for (uint32_t index = 0; index < segment_leaf_block_count(leaf); index++)
				read_block(leaf, index, &bounds);
			segment_leaf_fault(leaf);
		}
	}
	free(leaf);
	return 0;
}
