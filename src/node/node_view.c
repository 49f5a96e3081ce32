// SPDX-License-Identifier: MIT
/*
 * node_view.c - a sealed node as a reader sees it: its bounds and children, its intervals if it has rows, and how
 * many it has.
 *
 * After node_check() every offset in the block lies inside it, so readers need not check again.  The intervals of a
 * region in a node of rows are read in the order of (key, start), which is the order of the rows; a binary search,
 * and the node's index if it has one, find the first.  The intervals of a node are counted by key and class of
 * value: in a leaf of columns from the properties of each series, in a node of rows row by row.
 */
#include "node/node_view.h"

#include <assert.h>
#include <stdbool.h>

#include "base/bytes.h"
#include "base/error.h"
#include "item/value.h"
#include "node/column_block.h"
#include "node/node.h"
#include "node/segment_node.h"

/* ---- node view ----------------------------------------------------------------------------------------------- */

uint32_t node_used(const uint8_t *block)
{
	return get_le32(block + NODE_AT_USED);
}

void node_set_number(uint8_t *block, uint32_t number)
{
	assert(node_used(block) >= NODE_HEADER_SIZE);
	put_le32(block + NODE_AT_NUMBER, number);
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
	if (get_le32(block + NODE_AT_NUMBER) != number)
		return error_set(error, HISTREE_ERR_FORMAT, "holds node %u", get_le32(block + NODE_AT_NUMBER));

	uint32_t height = get_le16(block + NODE_AT_HEIGHT), children = get_le16(block + NODE_AT_CHILD_COUNT),
		 rows = get_le32(block + NODE_AT_ITEM_COUNT);
	uint32_t offset = get_le32(block + NODE_AT_BODY);
	if (children > layout->child_capacity || (height == 0 && children > 0))
		return error_set(error, HISTREE_ERR_FORMAT, "%u children at height %u", children, height);
	if (offset != NODE_HEADER_SIZE + children * node_child_size(layout) || offset > used)
		return error_set(error, HISTREE_ERR_FORMAT, "rows at offset %u after %u children", offset,
				 children);
	if (rows > 0 && (histree_time)get_le64(block + NODE_AT_END) < (histree_time)get_le64(block + NODE_AT_START))
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

/* What node_check() guarantees for a block, so that it is not checked again. */
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
		.number = get_le32(block + NODE_AT_NUMBER),
		.height = get_le16(block + NODE_AT_HEIGHT),
		.child_count = get_le16(block + NODE_AT_CHILD_COUNT),
		.row_count = get_le32(block + NODE_AT_ITEM_COUNT),
		.start = (histree_time)get_le64(block + NODE_AT_START),
		.end = (histree_time)get_le64(block + NODE_AT_END),
		.key_min = get_le32(block + NODE_AT_KEY_MIN),
		.key_max = get_le32(block + NODE_AT_KEY_MAX),
		.used = get_le32(block + NODE_AT_USED),
		.rows = block + get_le32(block + NODE_AT_BODY),
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

/* ---- rows ----------------------------------------------------------------------------------------- */

/* Start, end and key of the row at `reader`, which is left before the value. */
static bool read_extent(const struct node_view *view, struct byte_reader *reader, struct histree_interval *out)
{
	uint64_t delta = read_varint(reader), duration = read_varint(reader), key = read_varint(reader);
	uint64_t left = (uint64_t)view->end - (uint64_t)view->start;
	if (reader->failed || delta > left || duration > left - delta || key < view->key_min || key > view->key_max)
		return false;
	out->start = (histree_time)((uint64_t)view->start + delta);
	out->end = (histree_time)((uint64_t)out->start + duration);
	out->quark = (histree_quark)key;
	return true;
}

static enum histree_status next_row(struct row_cursor *cursor, struct histree_interval *out)
{
	const struct node_view *view = cursor->view;
	if (cursor->at >= view->rows_end)
		return HISTREE_END;
	struct byte_reader reader = byte_reader(cursor->at, (size_t)(view->rows_end - cursor->at));
	if (!read_extent(view, &reader, out))
		return HISTREE_ERR_FORMAT;
	out->value = value_decode(&reader);
	if (reader.failed)
		return HISTREE_ERR_FORMAT;
	cursor->at = reader.at;
	return HISTREE_OK;
}

/* ---- the index ------------------------------------------------------------------------------------ */

/* The row at an entry of the index; NULL if the entry points outside the rows. */
static const uint8_t *indexed_row(const struct node_view *view, size_t entry)
{
	uint32_t offset = get_le32(view->rows_end + entry * NODE_INDEX_SIZE);
	if (offset < (uint32_t)(view->rows - view->block) || offset >= (uint32_t)(view->rows_end - view->block))
		return NULL;
	return view->block + offset;
}

static bool is_before(const struct histree_interval *interval, histree_quark key, histree_time time)
{
	return interval->quark < key || (interval->quark == key && interval->end < time);
}

/* The row looked for: the first row of `key` that ends at `time` or later. */
struct row_target {
	const struct node_view *view;
	histree_quark key;
	histree_time time;
	bool *malformed;
};

static bool entry_is_before(const void *context, size_t entry)
{
	const struct row_target *target = context;
	const uint8_t *at = indexed_row(target->view, entry);
	if (at != NULL) {
		struct byte_reader reader = byte_reader(at, (size_t)(target->view->rows_end - at));
		struct histree_interval interval;
		if (read_extent(target->view, &reader, &interval))
			return is_before(&interval, target->key, target->time);
	}
	*target->malformed = true;
	return false;
}

static enum histree_status seek_row(struct row_cursor *cursor, histree_quark key, histree_time time)
{
	const struct node_view *view = cursor->view;
	bool malformed = false;
	const struct row_target target = { .view = view, .key = key, .time = time, .malformed = &malformed };
	/* Start from the last entry of the index whose row is before the row looked for; then go row by row. */
	size_t count = node_index_count(view->row_count);
	size_t first = search_first(0, count, count / 2, entry_is_before, &target);
	if (malformed)
		return HISTREE_ERR_FORMAT;
	cursor->at = first == 0 ? view->rows : indexed_row(view, first - 1);
	/* It is no further away than the next entry; a wrong index must not make us read all rows. */
	for (uint32_t row = 0; row <= NODE_ROWS_PER_INDEX; row++) {
		const uint8_t *before = cursor->at;
		struct histree_interval interval;
		enum histree_status status = next_row(cursor, &interval);
		if (status == HISTREE_END)
			return HISTREE_OK;
		if (status != HISTREE_OK)
			return status;
		if (!is_before(&interval, key, time)) {
			cursor->at = before;
			return HISTREE_OK;
		}
	}
	return HISTREE_ERR_FORMAT;
}

bool row_cursor_is_indexed(const struct row_cursor *cursor, uint32_t row)
{
	return row % NODE_ROWS_PER_INDEX != 0 || row >= cursor->view->row_count ||
	       indexed_row(cursor->view, row / NODE_ROWS_PER_INDEX) == cursor->at;
}

/* ---- the region ----------------------------------------------------------------------------------- */

/* A search for a key costs about as much as reading this many rows. */
enum { ROWS_PER_SEEK = 24 };

void row_cursor_begin(struct row_cursor *cursor, const struct node_view *view, const struct node_region *region)
{
	assert(!view->is_columns && view->rows <= view->rows_end);
	*cursor = (struct row_cursor){ .view = view, .region = region, .at = view->rows };
	if (region->quarks == NULL)
		return;
	region_choose_quarks(region, view->key_min, view->key_max, &cursor->next_quark, &cursor->quark_end);
	assert(cursor->next_quark <= cursor->quark_end && cursor->quark_end <= region->quark_count);
	cursor->by_key = (cursor->quark_end - cursor->next_quark) * ROWS_PER_SEEK < view->row_count;
}

/* The next row of the region when all rows are read. */
static enum histree_status next_of_all(struct row_cursor *cursor, struct histree_interval *out)
{
	const struct node_region *region = cursor->region;
	enum histree_status status;
	while ((status = next_row(cursor, out)) == HISTREE_OK) {
		if (region->quarks != NULL) {
			if (cursor->next_quark < cursor->quark_end)
				cursor->next_quark = region_quark_from(region, cursor->next_quark, out->quark);
			if (cursor->next_quark >= cursor->quark_end)
				return HISTREE_END;
			if (region->quarks[cursor->next_quark] != out->quark)
				continue;
		}
		if (region_has_time_of(region, out->start, out->end))
			return HISTREE_OK;
	}
	return status;
}

/* The next row of the region when each key is searched for. */
static enum histree_status next_of_some(struct row_cursor *cursor, struct histree_interval *out)
{
	const struct node_region *region = cursor->region;
	for (; cursor->next_quark < cursor->quark_end; cursor->next_quark++, cursor->is_sought = false) {
		histree_quark key = region->quarks[cursor->next_quark];
		enum histree_status status = HISTREE_OK;
		if (!cursor->is_sought)
			status = seek_row(cursor, key, region->from);
		cursor->is_sought = status == HISTREE_OK;
		/* After the last row of a key and of its window, nothing is left to search for. */
		while (status == HISTREE_OK && (status = next_row(cursor, out)) == HISTREE_OK &&
		       out->quark == key && out->start <= region->to)
			if (region_has_time_of(region, out->start, out->end))
				return HISTREE_OK;
		if (status < 0)
			return status;
	}
	return HISTREE_END;
}

enum histree_status row_cursor_next(struct row_cursor *cursor, struct histree_interval *out)
{
	return cursor->by_key ? next_of_some(cursor, out) : next_of_all(cursor, out);
}
