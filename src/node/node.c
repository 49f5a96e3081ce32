// SPDX-License-Identifier: MIT
/*
 * node.c - what a node of a history tree is: its kinds, its bytes in format version 1 (histree-format(5)), and the
 * region that a query asks of it.
 */
#include "node/node.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"
#include "base/search.h"
#include "histree/value.h"

/* ---- node ---------------------------------------------------------------------------------------------------- */

struct node_child node_child_of_no_segments(void)
{
	return (struct node_child){
		.start = INT64_MAX,
		.end = INT64_MIN,
		.key_min = UINT32_MAX,
		.start_max = INT64_MIN,
		.end_min = INT64_MAX,
		.duration_min = UINT64_MAX,
	};
}

void node_child_include(struct node_child *bounds, const struct node_child *other)
{
	bounds->start = other->start < bounds->start ? other->start : bounds->start;
	bounds->end = other->end > bounds->end ? other->end : bounds->end;
	bounds->start_max = other->start_max > bounds->start_max ? other->start_max : bounds->start_max;
	bounds->end_min = other->end_min < bounds->end_min ? other->end_min : bounds->end_min;
	if (other->duration_min < bounds->duration_min)
		bounds->duration_min = other->duration_min;
	if (other->duration_max > bounds->duration_max)
		bounds->duration_max = other->duration_max;
}

/* ---- node format --------------------------------------------------------------------------------------------- */

void node_clear_behind(uint8_t *block, uint32_t used, uint32_t node_size)
{
	const uint32_t end = node_cut_size(used + BITS_SLACK);
	assert(used <= node_size && end >= used);
	memset(block + used, 0, (end < node_size ? end : node_size) - used);
}

void node_put_segment_bounds(uint8_t *at, const struct node_child *child)
{
	put_le64(at, (uint64_t)child->start_max);
	put_le64(at + 8, (uint64_t)child->end_min);
	put_le64(at + 16, child->duration_min);
	put_le64(at + 24, child->duration_max);
}

void node_get_segment_bounds(const uint8_t *at, struct node_child *child)
{
	child->start_max = (histree_time)get_le64(at);
	child->end_min = (histree_time)get_le64(at + 8);
	child->duration_min = get_le64(at + 16);
	child->duration_max = get_le64(at + 24);
}

void node_put_header(uint8_t *block, const struct node_header *header)
{
	assert(header->body_offset >= NODE_HEADER_SIZE && header->body_offset <= header->used);
	assert(header->height <= UINT16_MAX && header->child_count <= UINT16_MAX);
	assert(header->height > 0 || header->child_count == 0);
	assert(header->item_count == 0 || header->bounds.start <= header->bounds.end);
	put_le32(block + NODE_AT_NUMBER, header->bounds.number);
	put_le16(block + NODE_AT_HEIGHT, (uint16_t)header->height);
	put_le16(block + NODE_AT_CHILD_COUNT, (uint16_t)header->child_count);
	put_le32(block + NODE_AT_ITEM_COUNT, header->item_count);
	put_le64(block + NODE_AT_START, (uint64_t)header->bounds.start);
	put_le64(block + NODE_AT_END, (uint64_t)header->bounds.end);
	put_le32(block + NODE_AT_KEY_MIN, header->bounds.key_min);
	put_le32(block + NODE_AT_KEY_MAX, header->bounds.key_max);
	put_le32(block + NODE_AT_USED, header->used);
	put_le32(block + NODE_AT_BODY, header->body_offset);
	put_le32(block, crc32c(0, block + 4, header->used - 4));
}
