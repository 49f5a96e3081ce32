// SPDX-License-Identifier: MIT
#include "node/node.h"

#include "base/bytes.h"
#include "base/crc32c.h"
#include "item/value_codec.h"
#include "node/column_format.h"
#include "node/node_format.h"

struct node_layout node_layout(uint32_t node_size, uint32_t child_bounds, uint32_t fan_out)
{
	struct node_layout layout = { .node_size = node_size, .child_bounds = child_bounds };
	uint32_t half = node_size / 2 / node_child_size(&layout);
	layout.child_capacity = fan_out < half ? fan_out : half;
	return layout;
}

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

size_t node_capacity(const struct node_layout *layout, uint32_t height)
{
	size_t children = height == 0 ? 0 : (size_t)layout->child_capacity * node_child_size(layout);
	return layout->node_size - NODE_HEADER_SIZE - children;
}

size_t node_value_size_max(const struct node_layout *layout)
{
	/* Start, duration and key of the longest; and the one entry of the index. */
	size_t of_rows =
		node_capacity(layout, 1) - (2 * VARINT_SIZE_MAX + 5) - VALUE_OVERHEAD_MAX - NODE_INDEX_SIZE;
	size_t of_columns = layout->node_size - COLUMN_LEAF_OVERHEAD_MAX;
	return layout->columns && of_columns < of_rows ? of_columns : of_rows;
}

size_t node_row_size(const struct histree_interval *interval, histree_time start)
{
	uint64_t delta = interval->start > start ? (uint64_t)interval->start - (uint64_t)start : 0;
	return varint_size(delta) + varint_size((uint64_t)interval->end - (uint64_t)interval->start) +
	       varint_size(interval->quark) + value_encoded_size(&interval->value);
}

size_t node_index_size(size_t row_count)
{
	return (size_t)node_index_count((uint32_t)row_count) * NODE_INDEX_SIZE;
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
	put_le32(block + 4, header->bounds.number);
	put_le16(block + 8, (uint16_t)header->height);
	put_le16(block + 10, (uint16_t)header->child_count);
	put_le32(block + 12, header->item_count);
	put_le64(block + 16, (uint64_t)header->bounds.start);
	put_le64(block + 24, (uint64_t)header->bounds.end);
	put_le32(block + 32, header->bounds.key_min);
	put_le32(block + 36, header->bounds.key_max);
	put_le32(block + 40, header->used);
	put_le32(block + 44, header->body_offset);
	put_le32(block, crc32c(0, block + 4, header->used - 4));
}
