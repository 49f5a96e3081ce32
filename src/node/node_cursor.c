// SPDX-License-Identifier: MIT
#include "node/node_cursor.h"

void node_cursor_begin(struct node_cursor *cursor, const struct node_view *view, const struct node_region *region)
{
	cursor->is_columns = view->is_columns;
	cursor->times_met = 0;
	if (view->is_columns)
		column_cursor_begin(&cursor->column, &view->columns, region);
	else
		row_cursor_begin(&cursor->row, view, region);
}

void node_cursor_begin_all(struct node_cursor *cursor, const struct node_view *view)
{
	static const struct node_region everything = { .from = INT64_MIN, .to = INT64_MAX };
	node_cursor_begin(cursor, view, &everything);
}

enum histree_status node_cursor_read(struct node_cursor *cursor, struct histree_interval *out, size_t room,
				     size_t *count)
{
	if (cursor->is_columns)
		return column_cursor_read(&cursor->column, out, room, count);
	enum histree_status status = HISTREE_OK;
	*count = 0;
	while (*count < room && (status = row_cursor_next(&cursor->row, &out[*count])) == HISTREE_OK) {
		if (cursor->row.region->times != NULL)
			cursor->times_met += region_count_times(cursor->row.region, &out[*count]);
		*count += 1;
	}
	return *count > 0 ? HISTREE_OK : status;
}

bool node_cursor_is_indexed(const struct node_cursor *cursor, uint32_t row)
{
	if (cursor->is_columns)
		return row > 0 || column_is_searchable(cursor->column.view);
	return row_cursor_is_indexed(&cursor->row, row);
}
