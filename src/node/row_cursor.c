// SPDX-License-Identifier: MIT
/*
 * row_cursor.c - reads the intervals of a region from a node of rows, in the order of (key, start), which is that
 * of the rows; a search by halves, and the node's index if it has one, find the first.
 */
#include "node/row_cursor.h"

#include <assert.h>

#include "base/bytes.h"
#include "item/value_codec.h"
#include "node/node.h"

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

/* What is looked for: the first row of `key` that ends at `time` or later. */
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
	/* The last entry of the index whose row is before what is looked for; then row by row. */
	size_t count = node_index_count(view->row_count);
	size_t first = search_first(0, count, count / 2, entry_is_before, &target);
	if (malformed)
		return HISTREE_ERR_FORMAT;
	cursor->at = first == 0 ? view->rows : indexed_row(view, first - 1);
	/* It is no further away than the next entry is; an index that lies must not make us read all rows. */
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

/* Looking for a key costs about as much as reading this many rows. */
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

/* The next row of the region, all rows being read. */
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

/* The same, each key being looked for. */
static enum histree_status next_of_some(struct row_cursor *cursor, struct histree_interval *out)
{
	const struct node_region *region = cursor->region;
	for (; cursor->next_quark < cursor->quark_end; cursor->next_quark++, cursor->is_sought = false) {
		histree_quark key = region->quarks[cursor->next_quark];
		enum histree_status status = HISTREE_OK;
		if (!cursor->is_sought)
			status = seek_row(cursor, key, region->from);
		cursor->is_sought = status == HISTREE_OK;
		/* After the last of a key, and of its window, there is nothing to look for. */
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
