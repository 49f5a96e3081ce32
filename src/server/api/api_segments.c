// SPDX-License-Identifier: MIT
/*
 * api_segments.c - segments and events for the page.
 *
 * For segments: the list of stores, rows of a table, all rows as a file; points over time, counts by duration, and
 * statistics of durations.  For events: lines of a table, the next one that matches, counts by type.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/number_text.h"
#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/model/event_list.h"
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
		api_write_value(writer->json, &segment->content[i]);
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
	struct byte_buffer cell;
};

static void export_release(void *state)
{
	struct export *export = state;
	histree_cursor_free(export->iter);
	segment_request_close(&export->request);
	byte_buffer_release(&export->cell);
}

/* RFC 4180: a text with a separator in it stands in quotes, and a quote in it twice. */
static void put_csv(struct byte_buffer *to, const struct byte_buffer *cell)
{
	bool is_plain = true;
	for (size_t i = 0; i < cell->size; i++)
		is_plain &= strchr(",\"\r\n", cell->bytes[i]) == NULL || cell->bytes[i] == '\0';
	if (!is_plain)
		byte_buffer_put_byte(to, '"');
	for (size_t i = 0; i < cell->size; i++) {
		if (cell->bytes[i] == '"')
			byte_buffer_put_byte(to, '"');
		byte_buffer_put_byte(to, cell->bytes[i]);
	}
	if (!is_plain)
		byte_buffer_put_byte(to, '"');
}

static enum histree_status export_next(void *state, struct json_writer *json, struct histree_error *error)
{
	struct export *export = state;
	enum histree_status status = HISTREE_OK;
	while (json->out->size < PIECE_SIZE && status == HISTREE_OK) {
		status = histree_cursor_next(export->iter, error);
		/* A file that lacks lines and does not say so would be worse than no file. */
		if (histree_cursor_loss(export->iter).nodes > 0)
			return error_set(error, HISTREE_ERR_FORMAT, "the store is damaged; see histree verify");
		if (status == HISTREE_OK) {
			const struct histree_segment *segment = histree_cursor_segment(export->iter);
			char text[NUMBER_TEXT_SIZE];
			byte_buffer_put(json->out, text, number_format_signed(segment->start, text));
			byte_buffer_put_byte(json->out, ',');
			byte_buffer_put(json->out, text, number_format_signed(segment->end, text));
			byte_buffer_put_byte(json->out, ',');
			byte_buffer_put(json->out, text,
					number_format_unsigned(histree_segment_duration(segment), text));
			for (size_t i = 0; i < export->request.list->info->schema.field_count; i++) {
				export->cell.size = 0;
				state_value_text(&segment->content[i], &export->cell);
				byte_buffer_put_byte(json->out, ',');
				put_csv(json->out, &export->cell);
			}
			byte_buffer_put(json->out, "\r\n", 2);
		}
	}
	return status;
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
	byte_buffer_put_chars(&call->reply->body, "start,end,duration");
	for (size_t i = 0; i < export->request.list->info->schema.field_count; i++) {
		const struct byte_buffer name = {
			.bytes = (uint8_t *)(uintptr_t) export->request.list->info->schema.fields[i].name,
			.size = strlen(export->request.list->info->schema.fields[i].name)
		};
		byte_buffer_put_byte(&call->reply->body, ',');
		put_csv(&call->reply->body, &name);
	}
	byte_buffer_put(&call->reply->body, "\r\n", 2);
	reply_steps(call->reply, &(struct reply_steps){ export_next, export_release, export });
}

/* ---- api segment charts -------------------------------------------------------------------------------------- */

enum { POINTS_MAX = 20000, CHART_SIDE_MAX = 8192 };

/* A request with a range; false: answered. */
static bool open_request(struct call *call, struct segment_request *request)
{
	return segment_request_open(call, request) && segment_request_range(call, request);
}

/* ---- scatter --------------------------------------------------------------------------------------------- */

void api_segment_scatter(struct call *call)
{
	struct segment_request request;
	struct histree_segment_scatter *scatter = NULL;
	static const char nothing[] = "{\"segments\":0,\"series\":[]}";
	int64_t pixels, height;
	if (!open_request(call, &request) || !page_number(call, "pixels", 1, CHART_SIDE_MAX, -1, &pixels) ||
	    !page_number(call, "height", 1, CHART_SIDE_MAX, -1, &height))
		goto out;
	struct histree_segment_scatter_request chart = {
		.query = request.query,
		.field = request.list->name_field,
		.columns = (uint32_t)pixels,
		.rows = (uint32_t)height,
		.scale = HISTREE_DURATIONS_LOGARITHMIC,
		.points_max = POINTS_MAX,
		.work = reply_cancel(call->reply),
	};
	if (request.is_empty) {
		json_put_raw(call->json, nothing, sizeof(nothing) - 1);
	} else if (reply_ok(call->reply, histree_segment_scatter_create(request.list->store, &chart, &scatter,
									&call->reply->error))) {
		size_t count, end;
		struct json_writer *json = call->json;
		const struct histree_segment_point *points = histree_segment_scatter_points(scatter, &count);
		json_begin_object(json);
		json_int_member(json, "segments", (int64_t)histree_segment_scatter_segments(scatter));
		json_begin_array_member(json, "series");
		for (size_t first = 0; first < count; first = end) {
			struct histree_value name = histree_segment_scatter_value(scatter, points[first].value);
			json_begin_object(json);
			json_key(json, "name");
			api_write_value(json, &name);
			json_begin_array_member(json, "points");
			for (end = first; end < count && points[end].value == points[first].value; end++) {
				json_put_int(json, points[end].start - request.list->start);
				json_put_unsigned(json, points[end].duration);
			}
			json_end(json);
			json_end(json);
		}
		json_end(json);
		segment_request_end(call, &request);
	}
	histree_segment_scatter_free(scatter);
out:
	segment_request_close(&request);
}

/* ---- density --------------------------------------------------------------------------------------------- */

static void write_numbers(struct json_writer *json, const char *name, const uint64_t *numbers, size_t count)
{
	json_begin_array_member(json, name);
	for (size_t i = 0; i < count; i++)
		json_put_unsigned(json, numbers[i]);
	json_end(json);
}

void api_segment_density(struct call *call)
{
	struct segment_request request;
	int64_t buckets = 0;
	if (!open_request(call, &request) ||
	    !page_number(call, "buckets", 1, HISTREE_HISTOGRAM_BUCKETS_MAX, -1, &buckets))
		goto out;
	uint64_t *edges = reply_memory(call->reply, 2 * (size_t)buckets + 1, sizeof(*edges));
	uint64_t *counts = edges != NULL ? edges + buckets + 1 : NULL;
	if (edges == NULL ||
	    (!request.is_empty &&
	     !reply_ok(call->reply,
		       histree_segment_histogram(request.list->store, &request.query, HISTREE_DURATIONS_LOGARITHMIC,
						 (uint32_t)buckets, reply_cancel(call->reply), edges, counts,
						 &call->reply->error))))
		goto out;
	json_begin_object(call->json);
	write_numbers(call->json, "edges", edges, (size_t)buckets + 1);
	write_numbers(call->json, "counts", counts, (size_t)buckets);
	segment_request_end(call, &request);
out:
	segment_request_close(&request);
}

/* ---- statistics ------------------------------------------------------------------------------------------ */

static void write_range(struct json_writer *json, const char *name, histree_time start, histree_time end,
			histree_time trace_start)
{
	json_begin_array_member(json, name);
	json_put_int(json, start - trace_start);
	json_put_int(json, end - trace_start);
	json_end(json);
}

static void write_group(struct json_writer *json, const struct segment_list *list,
			const struct histree_segment_group *group)
{
	static const char *const percentiles[HISTREE_PERCENTILE_COUNT] = { "p50", "p90", "p99", "p999" };
	json_begin_object(json);
	json_key(json, "name");
	api_write_value(json, &group->value);
	json_int_member(json, "count", (int64_t)group->count);
	json_unsigned_member(json, "min", group->min);
	json_unsigned_member(json, "max", group->max);
	json_unsigned_member(json, "total", group->total);
	json_real_member(json, "mean", group->mean);
	json_real_member(json, "deviation", group->deviation);
	for (int i = 0; i < HISTREE_PERCENTILE_COUNT; i++) {
		json_key(json, percentiles[i]);
		json_put_unsigned(json, group->percentiles[i]);
	}
	write_range(json, "shortest", group->min_start, group->min_end, list->start);
	write_range(json, "longest", group->max_start, group->max_end, list->start);
	json_end(json);
}

void api_segment_stats(struct call *call)
{
	struct segment_request request;
	struct histree_segment_stats *stats = NULL;
	const struct histree_segment_group *group;
	struct json_writer *json = call->json;
	if (!open_request(call, &request) ||
	    (!request.is_empty &&
	     !reply_ok(call->reply, segment_list_stats(request.list, &request.query, request.list->name_field,
						       reply_cancel(call->reply), &stats, &call->reply->error))))
		goto out;
	json_begin_object(json);
	if (stats != NULL) {
		json_key(json, "all");
		write_group(json, request.list, histree_segment_stats_all(stats));
	}
	json_begin_array_member(json, "names");
	for (size_t i = 0; stats != NULL && (group = histree_segment_stats_group(stats, i)) != NULL; i++)
		write_group(json, request.list, group);
	json_end(json);
	segment_request_end(call, &request);
	histree_segment_stats_free(stats);
out:
	segment_request_close(&request);
}

/* ---- api events ---------------------------------------------------------------------------------------------- */

enum { LINES_MAX = 512 };

/* The view of a call is then the list of its experiment's events. */
static bool open_list(struct call *call)
{
	return page_view(call, &event_list_kind,
			 "the store has no index of events; unless its warnings say that there are too many, "
			 "build it again");
}

/* ---- lines ----------------------------------------------------------------------------------------------- */

struct line_writer {
	struct json_writer *json;
	histree_time start;
};

static void write_line(void *context, void *lines, uint64_t number)
{
	(void)number;
	const struct line_writer *writer = context;
	const struct event_line *line = &((const struct event_lines *)lines)->line;
	json_begin_object(writer->json);
	json_int_member(writer->json, "time", line->time - writer->start);
	json_int_member(writer->json, "cpu", line->cpu);
	json_text_member(writer->json, "type", line->type);
	json_text_member(writer->json, "text", line->contents);
	if (line->host != NULL)
		json_text_member(writer->json, "host", line->host);
	json_end(writer->json);
}

void api_events(struct call *call)
{
	int64_t first, count, at;
	struct event_lines lines;
	if (!open_list(call))
		return;
	struct event_list *list = call->view;
	const struct line_table table = event_list_table(list, &lines);
	struct line_writer writer = { call->json, list->start };
	if (!page_number(call, "first", 0, INT64_MAX, 0, &first) ||
	    !page_number(call, "count", 0, LINES_MAX, 0, &count) ||
	    !page_number(call, "at", -1, list->end - list->start, -1, &at))
		return;
	uint64_t number = (uint64_t)first;
	if (at >= 0 &&
	    !reply_ok(call->reply, line_table_find(&table, list->start + at, &number, &call->reply->error)))
		return;
	json_begin_object(call->json);
	json_int_member(call->json, "total", (int64_t)list->count);
	json_int_member(call->json, "first", (int64_t)number);
	json_begin_array_member(call->json, "lines");
	if (!reply_ok(call->reply,
		      line_table_read(&table, number, (uint64_t)count, write_line, &writer, &call->reply->error)))
		return;
	json_end(call->json);
	json_end(call->json);
}

/* ---- search ---------------------------------------------------------------------------------------------- */

static void api_events_write_found(struct call *call, const struct cell_match *match, int64_t after, bool backwards)
{
	struct event_lines lines;
	uint64_t number;
	enum histree_status status = HISTREE_NOT_FOUND;
	const struct line_table table = event_list_table(call->view, &lines);
	int64_t from = backwards ? after - 1 : after + 1;
	if (from >= 0)
		status = line_table_search(&table, match, (uint64_t)from, backwards, reply_cancel(call->reply),
					   &number, &call->reply->error);
	if (status < 0) {
		reply_failure(call->reply);
		return;
	}
	json_begin_object(call->json);
	json_int_member(call->json, "number", status == HISTREE_OK ? (int64_t)number : -1);
	json_end(call->json);
}

void api_event_search(struct call *call)
{
	struct cell_match match = { .any = true };
	struct histree_error *error = &call->reply->error;
	int64_t after, backwards;
	const char *text = page_text(call, "text");
	if (!open_list(call) || !page_number(call, "after", -1, INT64_MAX - 1, -1, &after) ||
	    !page_number(call, "backwards", 0, 1, 0, &backwards))
		return;
	if (cell_match_add(&match, EVENT_TYPE, text, error) != HISTREE_OK ||
	    cell_match_add(&match, EVENT_CONTENTS, text, error) != HISTREE_OK)
		reply_error(call->reply, HTTP_BAD_REQUEST, "%s", error->message);
	else
		api_events_write_found(call, &match, after, backwards != 0);
	cell_match_release(&match);
}

/* ---- types ----------------------------------------------------------------------------------------------- */

void api_event_types(struct call *call)
{
	int64_t from, to;
	struct json_writer *json = call->json;
	struct histree_error *error = &call->reply->error;
	if (!open_list(call))
		return;
	struct event_list *list = call->view;
	int64_t duration = list->end - list->start;
	uint64_t *counts = reply_memory(call->reply, list->type_count + 1, sizeof(*counts));
	uint64_t *totals = reply_memory(call->reply, list->type_count + 1, sizeof(*totals));
	uint32_t *order = reply_memory(call->reply, list->type_count + 1, sizeof(*order));
	if (counts == NULL || totals == NULL || order == NULL ||
	    !page_number(call, "from", 0, duration, 0, &from) ||
	    !page_number(call, "to", from, duration, duration, &to) ||
	    !reply_ok(call->reply, event_list_count_types(list, list->start, list->end, totals, error)) ||
	    !reply_ok(call->reply,
		      event_list_count_types(list, list->start + from, list->start + to, counts, error)))
		return;
	event_list_order_types(list, counts, order);
	json_begin_array(json);
	for (size_t i = 0; i < list->type_count; i++) {
		json_begin_object(json);
		json_text_member(json, "name", list->types[order[i]]);
		json_int_member(json, "count", (int64_t)counts[order[i]]);
		json_int_member(json, "total", (int64_t)totals[order[i]]);
		json_end(json);
	}
	json_end(json);
}
