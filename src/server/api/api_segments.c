// SPDX-License-Identifier: MIT
/*
 * api_segments.c - segments for the page: which stores there are, rows of a table, all rows as a file.
 */

#include "base/error.h"
#include "base/number_text.h"
#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/model/segment_list.h"
#include "server/model/state_filter.h"

enum { ROWS_MAX = 1024 };

/* ---- stores ---------------------------------------------------------------------------------------------- */

static void write_store(struct json_writer *json, const struct segment_list *list)
{
	const struct histree_segment_schema *schema = &list->info->schema;
	json_begin_object(json);
	json_text_member(json, "analysis", list->analysis);
	json_int_member(json, "count", (int64_t)list->info->segment_count);
	json_begin_array_member(json, "fields");
	for (size_t i = 0; i < schema->field_count; i++) {
		json_begin_object(json);
		json_text_member(json, "name", schema->fields[i].name);
		json_text_member(json, "type", histree_type_name(schema->fields[i].type));
		json_end(json);
	}
	json_end(json);
	if (list->name_field != HISTREE_SEGMENTS_TOGETHER)
		json_text_member(json, "name", schema->fields[list->name_field].name);
	json_end(json);
}

void api_segment_stores(struct call *call)
{
	if (!page_view(call, &segment_lists_kind, NULL))
		return;
	json_begin_array(call->json);
	for (size_t i = 0; i < call->dataset->segments_count; i++) {
		struct segment_list *list;
		if (!reply_ok(call->reply, segment_list_find(call->view, call->dataset->segments[i], &list,
							     &call->reply->error)))
			return;
		write_store(call->json, list);
	}
	json_end(call->json);
}

/* ---- rows ------------------------------------------------------------------------------------------------ */

/* What JavaScript has no number for is a text. */
static void write_value(struct json_writer *json, const struct histree_value *value)
{
	const int64_t exact = INT64_C(1) << 53;
	char text[NUMBER_TEXT_SIZE];
	if (value->type == HISTREE_INT)
		json_put_int(json, value->int32);
	else if (value->type == HISTREE_LONG && value->int64 >= -exact && value->int64 <= exact)
		json_put_int(json, value->int64);
	else if (value->type == HISTREE_LONG)
		json_put_string(json, text, number_format_signed(value->int64, text));
	else if (value->type == HISTREE_DOUBLE)
		json_put_real(json, value->real);
	else if (value->type == HISTREE_BOOL)
		json_put_bool(json, value->boolean);
	else if (value->type == HISTREE_STRING)
		json_put_string(json, value->bytes, value->size);
	else
		json_put_null(json);
}

struct row_writer {
	struct json_writer *json;
	const struct segment_list *list;
};

static void write_row(void *context, void *lines, uint64_t number)
{
	(void)number;
	const struct row_writer *writer = context;
	const struct histree_segment *segment = &((const struct segment_lines *)lines)->segment;
	json_begin_array(writer->json);
	json_put_int(writer->json, segment->start - writer->list->start);
	json_put_unsigned(writer->json, histree_segment_duration(segment));
	for (size_t i = 0; i < writer->list->info->schema.field_count; i++)
		write_value(writer->json, &segment->content[i]);
	json_end(writer->json);
}

void api_segments(struct call *call)
{
	struct segment_request request;
	int64_t first, count, at;
	struct segment_lines lines;
	struct line_table table;
	struct json_writer *json = call->json;
	struct histree_error *error = &call->reply->error;
	if (!segment_request_open(call, &request) || !page_number(call, "first", 0, INT64_MAX, 0, &first) ||
	    !page_number(call, "count", 0, ROWS_MAX, 0, &count) ||
	    !page_number(call, "at", -1, request.list->end - request.list->start, -1, &at) ||
	    !reply_ok(call->reply, segment_list_enter(request.list, &request.key, reply_cancel(call->reply), &lines,
						      &table, error)))
		goto out;
	uint64_t number = (uint64_t)first;
	struct row_writer writer = { json, request.list };
	enum histree_status status =
		at >= 0 ? line_table_find(&table, request.list->start + at, &number, error) : HISTREE_OK;
	json_begin_object(json);
	json_int_member(json, "total", (int64_t)table.count);
	json_int_member(json, "first", (int64_t)number);
	json_begin_array_member(json, "rows");
	if (status >= 0)
		status = line_table_read(&table, number, (uint64_t)count, write_row, &writer, error);
	segment_list_leave(request.list, &lines);
	json_end(json);
	segment_request_end(call, &request);
	reply_ok(call->reply, status);
out:
	segment_request_close(&request);
}

/* ---- a file ---------------------------------------------------------------------------------------------- */

struct export
{
	struct segment_request request;
	struct histree_cursor *iter;
	struct piece cell;
};

static void export_release(void *state)
{
	struct export *export = state;
	histree_cursor_free(export->iter);
	segment_request_close(&export->request);
	piece_release(&export->cell);
}

/* RFC 4180: a text with a separator in it stands in quotes, and a quote in it twice. */
static void put_csv(struct piece *to, const struct piece *cell)
{
	bool is_plain = true;
	for (size_t i = 0; i < cell->size; i++)
		is_plain &= strchr(",\"\r\n", cell->bytes[i]) == NULL || cell->bytes[i] == '\0';
	if (!is_plain)
		piece_put_char(to, '"');
	for (size_t i = 0; i < cell->size; i++) {
		if (cell->bytes[i] == '"')
			piece_put_char(to, '"');
		piece_put_char(to, cell->bytes[i]);
	}
	if (!is_plain)
		piece_put_char(to, '"');
}

static void put_segment(struct piece *to, struct piece *cell, const struct histree_segment *segment, size_t fields)
{
	char text[NUMBER_TEXT_SIZE];
	piece_put(to, text, number_format_signed(segment->start, text));
	piece_put_char(to, ',');
	piece_put(to, text, number_format_signed(segment->end, text));
	piece_put_char(to, ',');
	piece_put(to, text, number_format_unsigned(histree_segment_duration(segment), text));
	for (size_t i = 0; i < fields; i++) {
		cell->size = 0;
		state_value_text(&segment->content[i], cell);
		piece_put_char(to, ',');
		put_csv(to, cell);
	}
	piece_put(to, "\r\n", 2);
}

static enum histree_status export_next(void *state, struct json_writer *json, struct histree_error *error)
{
	struct export *export = state;
	enum histree_status status = HISTREE_OK;
	while (json->piece->size < PIECE_SIZE && status == HISTREE_OK) {
		status = histree_cursor_next(export->iter, error);
		/* A file that lacks lines and does not say so would be worse than no file. */
		if (histree_cursor_loss(export->iter).nodes > 0)
			return error_set(error, HISTREE_ERR_FORMAT, "the store is damaged; see histree verify");
		if (status == HISTREE_OK)
			put_segment(json->piece, &export->cell, histree_cursor_segment(export->iter),
				    export->request.list->info->schema.field_count);
	}
	return status;
}

static void put_header(struct piece *to, const struct histree_segment_schema *schema)
{
	piece_put_text(to, "start,end,duration");
	for (size_t i = 0; i < schema->field_count; i++) {
		const struct piece name = { .bytes = (char *)(uintptr_t)schema->fields[i].name,
					    .size = strlen(schema->fields[i].name) };
		piece_put_char(to, ',');
		put_csv(to, &name);
	}
	piece_put(to, "\r\n", 2);
}

void api_segments_csv(struct call *call)
{
	struct histree_error *error = &call->reply->error;
	struct export *export = reply_memory(call->reply, 1, sizeof(*export));
	if (export == NULL)
		return;
	if (!segment_request_open(call, &export->request) ||
	    !reply_ok(call->reply, histree_segments_create(export->request.list->store, &export->iter, error)) ||
	    !reply_ok(call->reply, histree_segments_start(export->iter, &export->request.query, NULL, error))) {
		export_release(export);
		return;
	}
	call->reply->content_type = "text/csv";
	put_header(&call->reply->piece, &export->request.list->info->schema);
	reply_steps(call->reply, &(struct reply_steps){ export_next, export_release, export });
}
