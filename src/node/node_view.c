// SPDX-License-Identifier: MIT
/*
 * node_view.c - checks a sealed block and reads its bounds and its children.  After node_check() every offset in
 * the block lies inside it, so that readers need not check again.
 */
#include "node/node_view.h"

#include <assert.h>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "item/value_codec.h"
#include "node/node.h"
#include "node/segment_node.h"

uint32_t node_used(const uint8_t *block)
{
	return get_le32(block + 40);
}

void node_set_number(uint8_t *block, uint32_t number)
{
	assert(node_used(block) >= NODE_HEADER_SIZE);
	put_le32(block + 4, number);
	put_le32(block, crc32c(0, block + 4, node_used(block) - 4));
}

enum histree_status node_check(const struct node_layout *layout, const uint8_t *block, uint32_t number,
			       struct histree_error *error)
{
	uint32_t used = node_used(block);
	if (used < NODE_HEADER_SIZE || used > layout->node_size)
		return error_set(error, HISTREE_ERR_FORMAT, "says that it uses %u bytes of %u", used,
				 layout->node_size);
	if (crc32c(0, block + 4, used - 4) != get_le32(block))
		return error_set(error, HISTREE_ERR_FORMAT, "checksum mismatch");
	if (get_le32(block + 4) != number)
		return error_set(error, HISTREE_ERR_FORMAT, "holds node %u", get_le32(block + 4));

	uint32_t height = get_le16(block + 8), children = get_le16(block + 10), rows = get_le32(block + 12);
	uint32_t offset = get_le32(block + 44);
	if (children > layout->child_capacity || (height == 0 && children > 0))
		return error_set(error, HISTREE_ERR_FORMAT, "%u children at height %u", children, height);
	if (offset != NODE_HEADER_SIZE + children * node_child_size(layout) || offset > used)
		return error_set(error, HISTREE_ERR_FORMAT, "rows at offset %u after %u children", offset,
				 children);
	if (rows > 0 && (histree_time)get_le64(block + 24) < (histree_time)get_le64(block + 16))
		return error_set(error, HISTREE_ERR_FORMAT, "ends before it starts");
	if (layout->columns && height == 0)
		return column_check(block, used, layout->node_size, error);
	if (layout->segments && height == 0)
		return segment_leaf_check(block, used, layout->node_size, error);
	uint64_t min = (uint64_t)rows * NODE_INTERVAL_SIZE_MIN + (uint64_t)node_index_count(rows) * NODE_INDEX_SIZE;
	if (min > used - offset || (rows == 0 && offset < used))
		return error_set(error, HISTREE_ERR_FORMAT, "%u rows in %u bytes", rows, used - offset);
	return HISTREE_OK;
}

/* What node_check() promises of a block, which is why nothing of it is asked again. */
static void assert_view(const struct node_view *view)
{
	(void)view;
	assert(view->used >= NODE_HEADER_SIZE && view->used <= view->layout->node_size);
	assert(view->child_count <= view->layout->child_capacity && (view->height > 0 || view->child_count == 0));
	assert(view->rows <= view->block + view->used);
	assert(view->rows_end == NULL || view->rows_end >= view->rows);
	assert(view->row_count == 0 || view->start <= view->end);
}

struct node_view node_view(const struct node_layout *layout, const uint8_t *block)
{
	struct node_view view = {
		.layout = layout,
		.block = block,
		.number = get_le32(block + 4),
		.height = get_le16(block + 8),
		.child_count = get_le16(block + 10),
		.row_count = get_le32(block + 12),
		.start = (histree_time)get_le64(block + 16),
		.end = (histree_time)get_le64(block + 24),
		.key_min = get_le32(block + 32),
		.key_max = get_le32(block + 36),
		.used = get_le32(block + 40),
		.rows = block + get_le32(block + 44),
	};
	view.is_columns = layout->columns && view.height == 0;
	if (view.is_columns)
		view.columns = column_view(block);
	else if (!layout->segments)
		view.rows_end = block + view.used - node_index_count(view.row_count) * NODE_INDEX_SIZE;
	assert_view(&view);
	return view;
}

static inline struct node_child read_child(const struct node_view *view, uint32_t bounds, uint32_t size,
					   uint32_t index)
{
	const uint8_t *at = view->block + NODE_HEADER_SIZE + index * size;
	struct node_child child = {
		.number = get_le32(at),
		.start = (histree_time)get_le64(at + 4),
		.end = view->end,
		.key_min = 0,
		.key_max = UINT32_MAX,
	};
	/* Siblings without ends are consecutive: this is the classic SHT. */
	if (bounds & NODE_CHILD_END)
		child.end = (histree_time)get_le64(at + 12);
	else if (index + 1 < view->child_count)
		child.end = (histree_time)(get_le64(at + size + 4) - 1);
	if (bounds & NODE_CHILD_KEYS) {
		child.key_min = get_le32(at + size - 8);
		child.key_max = get_le32(at + size - 4);
	}
	return child;
}

struct node_child node_view_child(const struct node_view *view, uint32_t index)
{
	assert(index < view->child_count);
	uint32_t size = node_child_size(view->layout), bounds = view->layout->child_bounds;
	struct node_child child = read_child(view, bounds, size, index);
	if (bounds & NODE_CHILD_SEGMENTS)
		node_get_segment_bounds(
			view->block + NODE_HEADER_SIZE + (index + 1) * size - NODE_SEGMENT_BOUNDS_SIZE, &child);
	return child;
}

uint32_t node_view_children(const struct node_view *view, uint32_t first, uint32_t end,
			    const struct node_region *region, uint32_t *out)
{
	const uint32_t bounds = view->layout->child_bounds, size = node_child_size(view->layout);
	assert(first <= end && end <= view->child_count);
	const struct region_bounds wanted = region_bounds(region);
	uint32_t count = 0;
	for (uint32_t i = end; i-- > first;) {
		const struct node_child child = read_child(view, bounds, size, i);
		if (bounds_meet(&wanted, child.start, child.end, child.key_min, child.key_max) &&
		    region_meets_times(region, child.start, child.end) &&
		    region_meets_keys(region, child.key_min, child.key_max))
			out[count++] = child.number;
	}
	return count;
}
