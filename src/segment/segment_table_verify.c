// SPDX-License-Identifier: MIT
/*
 * A side table against its store: as many locations as the store has segments, each strictly after the one before
 * it in the order of the field, start, end and location.  So none is there twice, and each is there.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "segment/segment_sort.h"
#include "segment/table_cursor.h"
#include "segment/table_page.h"

/* What is compared of a segment. */
struct table_row {
	struct histree_value value; /* its bytes are in `bytes` */
	char *bytes;
	size_t capacity;
	histree_time start, end;
	uint64_t location;
};

static bool keep_row(struct table_row *row, const struct histree_segment *segment, size_t field, uint64_t location)
{
	row->start = segment->start;
	row->end = segment->end;
	row->location = location;
	row->value = segment->content[field];
	if (row->value.type != HISTREE_STRING || row->value.size == 0)
		return true;
	if (!array_reserve(&row->bytes, &row->capacity, row->value.size))
		return false;
	memcpy(row->bytes, row->value.bytes, row->value.size);
	row->value.bytes = row->bytes;
	return true;
}

static bool is_after(const struct table_row *before, const struct histree_segment *segment, size_t field,
		     uint64_t location)
{
	int order = segment_value_compare(&before->value, &segment->content[field]);
	if (order != 0)
		return order < 0;
	if (before->start != segment->start)
		return before->start < segment->start;
	if (before->end != segment->end)
		return before->end < segment->end;
	return before->location < location;
}

static enum histree_status check_rows(struct table_cursor *cursor, const struct segment_table *table, size_t field,
				      struct histree_error *error)
{
	struct table_row before = { 0 };
	struct histree_segment segment;
	enum histree_status status;
	while ((status = table_cursor_next(cursor, &segment, error)) == HISTREE_OK) {
		uint64_t rank = table_cursor_rank(cursor), location = table_cursor_location(cursor);
		uint32_t page = (uint32_t)((rank - 1) / TABLE_PAGE_LOCATIONS);
		struct table_page_times times = segment_table_page_times(table, page);
		if (segment.start < times.start || segment.end > times.end)
			status = error_set(error, HISTREE_ERR_FORMAT, "page %u: its times are wrong; remove it",
					   page);
		else if (rank > 1 && !is_after(&before, &segment, field, location))
			status = error_set(error, HISTREE_ERR_FORMAT, "page %u: is not in order; remove it", page);
		else if (!keep_row(&before, &segment, field, location))
			status = error_memory(error, "verifying");
		if (status != HISTREE_OK)
			break;
	}
	free(before.bytes);
	return status == HISTREE_END ? HISTREE_OK : status;
}

enum histree_status segment_table_verify(const struct table_store *store, size_t field, struct histree_error *error)
{
	const struct histree_segment_query all = HISTREE_SEGMENTS_ALL;
	struct segment_table *table;
	struct table_cursor *cursor = NULL;
	enum histree_status status = segment_table_open(store, field, &table, error);
	if (status != HISTREE_OK)
		return status == HISTREE_NOT_FOUND ? HISTREE_OK : status;
	status = table_cursor_create(store, &cursor, error);
	if (status == HISTREE_OK) {
		table_cursor_start(cursor, table, &all, 0);
		status = check_rows(cursor, table, field, error);
	}
	if (status == HISTREE_ERR_FORMAT)
		error_prefix(error, "'%s'", segment_table_name(table));
	table_cursor_free(cursor);
	segment_table_close(table);
	return status;
}
