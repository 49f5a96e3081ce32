// SPDX-License-Identifier: MIT
/*
 * output_segment_table.c - the segments of a store as a table.
 *
 * Lines come by start, or by the column that table_comparator_expression names.
 */
#include "base/error.h"
#include "server/model/segment_list.h"
#include "server/tsp/output.h"
#include "server/tsp/parameters.h"
#include "server/tsp/table_reply.h"

enum { ROWS_PER_TURN = 4096 };

static void columns(const struct output_call *output)
{
	struct segment_list *list;
	if (!output_segments(output, &list))
		return;
	const struct histree_segment_schema *schema = &list->info->schema;
	struct table_column headers[CELL_COLUMNS_MAX] = {
		[SEGMENT_START] = { "Start Time", "time of the day, UTC", "STRING" },
		[SEGMENT_END] = { "End Time", "time of the day, UTC", "STRING" },
		[SEGMENT_DURATION] = { "Duration", "in nanoseconds", "DURATION" },
	};
	for (size_t i = 0; i < schema->field_count; i++) {
		bool is_text = schema->fields[i].type == HISTREE_STRING || schema->fields[i].type == HISTREE_BOOL;
		headers[SEGMENT_FIELDS + i] =
			(struct table_column){ schema->fields[i].name, "", is_text ? "STRING" : "NUMBER" };
	}
	unsigned last = segment_time_column(schema);
	headers[last] = (struct table_column){ "Timestamp ns", "start, nanoseconds since the epoch", "TIMESTAMP" };
	table_reply_columns(output->call->reply, headers, last + 1);
}

/* ---- lines ----------------------------------------------------------------------------------------------- */

struct table {
	struct reply *reply;
	struct table_request request;
	struct segment_listing_key key;
	struct histree_segment_rows *rows;
	uint64_t size;
	struct segment_line line;
};

/* false: there is no such column. */
static bool read_order(const struct call *call, const struct histree_segment_schema *schema,
		       struct segment_listing_key *key)
{
	int64_t column = SEGMENT_START;
	parameters_int(call, "table_comparator_expression", &column);
	*key = (struct segment_listing_key){ .order = HISTREE_SEGMENTS_BY_START, .filter = "" };
	if (column == SEGMENT_END) {
		key->order = HISTREE_SEGMENTS_BY_END;
	} else if (column == SEGMENT_DURATION) {
		key->order = HISTREE_SEGMENTS_BY_DURATION;
	} else if (column >= SEGMENT_FIELDS && column < (int64_t)segment_time_column(schema)) {
		key->order = HISTREE_SEGMENTS_BY_FIELD;
		key->field = (size_t)column - SEGMENT_FIELDS;
	}
	return column >= 0 && column <= (int64_t)segment_time_column(schema);
}

/* The first of the rows [first, end) that matches, or the last. */
static enum histree_status search_turn(struct table *table, uint64_t first, uint64_t end, bool wants_last,
				       uint64_t *row, struct histree_error *error)
{
	bool found = false;
	enum histree_status status = histree_segment_rows_seek(table->rows, first, error);
	for (uint64_t i = first; status == HISTREE_OK && i < end && (wants_last || !found); i++) {
		status = histree_segment_rows_next(table->rows, &table->line.segment, error);
		if (status == HISTREE_OK &&
		    cell_match_line(&table->request.match, segment_line_cell, &table->line)) {
			found = true;
			*row = i;
		}
	}
	return status == HISTREE_OK && !found ? HISTREE_NOT_FOUND : status;
}

/* From row *row on, or back, that row included.  HISTREE_NOT_FOUND: none. */
static enum histree_status search(struct table *table, uint64_t *row, struct histree_error *error)
{
	bool backwards = table->request.direction == TABLE_PREVIOUS;
	enum histree_status status = HISTREE_NOT_FOUND;
	uint64_t from = *row, end = *row < table->size ? *row + 1 : table->size;
	while (status == HISTREE_NOT_FOUND && (backwards ? end > 0 : from < table->size)) {
		if (backwards)
			from = end > ROWS_PER_TURN ? end - ROWS_PER_TURN : 0;
		else
			end = table->size - from > ROWS_PER_TURN ? from + ROWS_PER_TURN : table->size;
		status = search_turn(table, from, end, backwards, row, error);
		if (backwards)
			end = from;
		else
			from = end;
	}
	return status;
}

/* By time it is the first segment that starts at it or later, the last one if there is none. */
static enum histree_status find_first(struct table *table, uint64_t *row, struct histree_error *error)
{
	enum histree_status status = histree_segment_rows_count(table->rows, &table->size, error);
	*row = table->request.index;
	if (status == HISTREE_OK && table->request.by_time)
		status = histree_segment_rows_find(table->rows, table->request.time, row, error);
	if (status < 0)
		return status;
	if (table->request.by_time && *row == table->size && table->size > 0)
		(*row)--;
	return table->request.direction != TABLE_STAYS ? search(table, row, error) : HISTREE_OK;
}

static enum histree_status write_lines(struct table *table, struct histree_error *error)
{
	uint64_t first;
	enum histree_status status = find_first(table, &first, error);
	if (status < 0)
		return status;
	table_reply_begin(table->reply, &table->request, table->size, status == HISTREE_OK ? first : 0);
	if (status != HISTREE_OK || first >= table->size)
		return HISTREE_OK;
	status = histree_segment_rows_seek(table->rows, first, error);
	for (uint64_t i = 0; status == HISTREE_OK && i < table->request.count; i++) {
		status = histree_segment_rows_next(table->rows, &table->line.segment, error);
		if (status == HISTREE_OK)
			table_reply_line(table->reply, &table->request, first + i, segment_line_cell, &table->line);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

static void lines(const struct output_call *output)
{
	struct reply *reply = output->call->reply;
	struct segment_list *list;
	struct histree_error error = { 0 };
	if (!output_segments(output, &list))
		return;
	struct table table = { .reply = reply, .line.schema = &list->info->schema };
	if (!table_request_read(output->call, segment_time_column(table.line.schema) + 1, &table.request))
		goto out;
	if (!read_order(output->call, table.line.schema, &table.key)) {
		reply_error(reply, HTTP_BAD_REQUEST, "table_comparator_expression is no column");
		goto out;
	}
	enum histree_status status = segment_list_enter(list, &table.key, reply_cancel(reply), &table.rows, &error);
	if (status == HISTREE_OK) {
		status = write_lines(&table, &error);
		segment_list_leave(list, table.rows);
		output_segments_read(output, list);
	}
	if (status < 0)
		reply_failure(reply, &error);
out:
	piece_release(&table.line.text);
	table_request_release(&table.request);
}

const struct output output_segment_table = {
	.id = "org.eclipse.tracecompass.analysis.timing.core.segmentstore.SegmentStoreTableDataProvider",
	.name = "table",
	.description = "One line a segment",
	.type = OUTPUT_TABLE,
	.is_per_segments = true,
	.applies = segment_lists_apply,
	.make = segment_lists_make,
	.free = segment_lists_free,
	.columns = columns,
	.lines = lines,
};
