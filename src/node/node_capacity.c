// SPDX-License-Identifier: MIT
#include "node/node_capacity.h"

#include "base/bytes.h"
#include "item/value_codec.h"
#include "node/column_block.h"

struct node_layout node_layout(uint32_t node_size, uint32_t child_bounds, uint32_t fan_out)
{
	struct node_layout layout = { .node_size = node_size, .child_bounds = child_bounds };
	uint32_t half = node_size / 2 / node_child_size(&layout);
	layout.child_capacity = fan_out < half ? fan_out : half;
	return layout;
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
