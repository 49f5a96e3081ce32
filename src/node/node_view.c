// SPDX-License-Identifier: MIT
#include "node/node_view.h"

#include "base/bytes.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "item/value_codec.h"
#include "node/node_format.h"
#include "node/segment_view.h"

enum histree_status node_check(const struct node_layout *layout, const uint8_t *block, uint32_t number,
			       struct histree_error *error)
{
	uint32_t used = get_le32(block + 40);
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
		return error_set(error, HISTREE_ERR_FORMAT, "rows at offset %u behind %u children", offset,
				 children);
	if (rows > 0 && (histree_time)get_le64(block + 24) < (histree_time)get_le64(block + 16))
		return error_set(error, HISTREE_ERR_FORMAT, "ends before it starts");
	if (layout->columns && height == 0)
		return column_check(block, used, layout->node_size, error);
	if (layout->segments && height == 0)
		return segment_leaf_check(block, used, layout->node_size, error);
	uint64_t least = (uint64_t)rows * NODE_ROW_SIZE_MIN + (uint64_t)node_index_count(rows) * NODE_INDEX_SIZE;
	if (least > used - offset || (rows == 0 && offset < used))
		return error_set(error, HISTREE_ERR_FORMAT, "%u rows in %u bytes", rows, used - offset);
	return HISTREE_OK;
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
	return view;
}

struct node_child node_view_child(const struct node_view *view, uint32_t index)
{
	const struct node_layout *layout = view->layout;
	uint32_t size = node_child_size(layout);
	const uint8_t *at = view->block + NODE_HEADER_SIZE + index * size;
	struct node_child child = {
		.number = get_le32(at),
		.start = (histree_time)get_le64(at + 4),
		.end = view->end,
		.key_min = 0,
		.key_max = UINT32_MAX,
	};
	/* Siblings without ends are consecutive: this is the classic SHT. */
	if (layout->child_bounds & NODE_CHILD_END)
		child.end = (histree_time)get_le64(at + 12);
	else if (index + 1 < view->child_count)
		child.end = (histree_time)(get_le64(at + size + 4) - 1);
	if (layout->child_bounds & NODE_CHILD_KEYS) {
		child.key_min = get_le32(at + size - 8);
		child.key_max = get_le32(at + size - 4);
	}
	if (layout->child_bounds & NODE_CHILD_SEGMENTS)
		node_get_segment_bounds(at + size - NODE_SEGMENT_BOUNDS_SIZE, &child);
	return child;
}

void node_cursor_begin(struct node_cursor *cursor, const struct node_view *view, histree_time from, histree_time to)
{
	cursor->view = view;
	cursor->from = from;
	cursor->to = to;
	cursor->one_key = false;
	cursor->at = view->rows;
	if (view->is_columns)
		column_cursor_begin(&cursor->column, &view->columns, from, to);
}

struct node_cursor node_cursor(const struct node_view *view)
{
	struct node_cursor cursor;
	node_cursor_begin(&cursor, view, INT64_MIN, INT64_MAX);
	return cursor;
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

/* The row at an entry of the index; NULL if the entry points outside the rows. */
static const uint8_t *indexed_row(const struct node_view *view, uint32_t entry)
{
	uint32_t offset = get_le32(view->rows_end + (size_t)entry * NODE_INDEX_SIZE);
	if (offset < (uint32_t)(view->rows - view->block) || offset >= (uint32_t)(view->rows_end - view->block))
		return NULL;
	return view->block + offset;
}

static enum histree_status next_row(struct node_cursor *cursor, struct histree_interval *out)
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

static bool is_before(const struct histree_interval *interval, histree_quark key, histree_time time)
{
	return interval->quark < key || (interval->quark == key && interval->end < time);
}

static enum histree_status seek_row(struct node_cursor *cursor, histree_quark key, histree_time time)
{
	const struct node_view *view = cursor->view;
	struct histree_interval interval;

	/* The last entry of the index whose row is before what is looked for; then row by row. */
	uint32_t low = 0, high = node_index_count(view->row_count);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const uint8_t *at = indexed_row(view, middle);
		if (at == NULL)
			return HISTREE_ERR_FORMAT;
		struct byte_reader reader = byte_reader(at, (size_t)(view->rows_end - at));
		if (!read_extent(view, &reader, &interval))
			return HISTREE_ERR_FORMAT;
		if (is_before(&interval, key, time))
			low = middle + 1;
		else
			high = middle;
	}
	cursor->at = low == 0 ? view->rows : indexed_row(view, low - 1);
	/* It is no further away than the next entry is; an index that lies must not make us read all rows. */
	for (uint32_t row = 0; row <= NODE_ROWS_PER_INDEX; row++) {
		const uint8_t *before = cursor->at;
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

/* ---- either --------------------------------------------------------------------------------------- */

enum histree_status node_cursor_seek(struct node_cursor *cursor, histree_quark key, histree_time time)
{
	bool later = time != cursor->from;
	cursor->from = time;
	cursor->one_key = true;
	cursor->key = key;
	if (!cursor->view->is_columns)
		return seek_row(cursor, key, time);
	if (later)
		column_cursor_begin(&cursor->column, &cursor->view->columns, time, cursor->to);
	return column_cursor_seek(&cursor->column, key);
}

enum histree_status node_cursor_next(struct node_cursor *cursor, struct histree_interval *out)
{
	if (cursor->view->is_columns)
		return column_cursor_next(&cursor->column, out);
	enum histree_status status;
	while ((status = next_row(cursor, out)) == HISTREE_OK) {
		/* Behind the last of a key, and of its window, there is nothing to look for. */
		if (cursor->one_key && (out->quark != cursor->key || out->start > cursor->to))
			return HISTREE_END;
		if (out->end >= cursor->from && out->start <= cursor->to)
			break;
	}
	return status;
}

bool node_cursor_is_indexed(const struct node_cursor *cursor, uint32_t row)
{
	if (cursor->view->is_columns)
		return row > 0 || column_is_searchable(&cursor->view->columns);
	return row % NODE_ROWS_PER_INDEX != 0 || row >= cursor->view->row_count ||
	       indexed_row(cursor->view, row / NODE_ROWS_PER_INDEX) == cursor->at;
}
