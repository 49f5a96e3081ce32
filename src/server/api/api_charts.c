// SPDX-License-Identifier: MIT
/*
 * api_charts.c - charts for the page: numbers, and segments.
 *
 * A chart of numbers has one number a pixel, such as how busy the CPUs were, and the lines that matter most.
 * Segments are points over time, counts by duration, and statistics of how long they last.
 */
#include <math.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "histree/states.h"
#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/model/chart_set.h"
#include "server/model/event_list.h"
#include "server/model/kernel_rows.h"

/* ---- api charts ---------------------------------------------------------------------------------------------- */

static void put_floats(struct piece *piece, const double *numbers, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint8_t bytes[4];
		put_le_float(bytes, (float)numbers[i]);
		piece_put(piece, bytes, sizeof(bytes));
	}
}

void api_usage(struct call *call)
{
	struct page_range range;
	struct histree_cpu_usage *usage;
	if (!page_dataset(call))
		return;
	struct histree_history *kernel = kernel_view_history(call->dataset);
	if (kernel == NULL) {
		reply_error(call->reply, HTTP_NOT_FOUND, "this is not the trace of a kernel");
		return;
	}
	const struct histree_history_info *info = histree_history_info(kernel);
	if (!page_range(call, info->start, info->end, &range))
		return;
	struct histree_cpu_usage_request request = {
		.from = range.from,
		.to = range.to,
		.pixels = range.pixels,
		.work = reply_cancel(call->reply),
		.no_times = true,
	};
	if (!reply_ok(call->reply, histree_cpu_usage_create(kernel, &request, &usage, &call->reply->error)))
		return;
	call->reply->content_type = "application/octet-stream";
	put_floats(&call->reply->piece, histree_cpu_usage_curve(usage, HISTREE_NO_INDEX), range.pixels);
	put_floats(&call->reply->piece, histree_cpu_usage_unknown(usage), range.pixels);
	histree_cpu_usage_free(usage);
}

/* Counts events, or, where the store has no index of them, the states that begin. */
static enum histree_status count_density(struct call *call, const struct page_range *range, double *counts,
					 bool *are_exact)
{
	void *view;
	struct histree_error *error = &call->reply->error;
	const struct histree_work cancel = reply_cancel(call->reply);
	if (event_list_kind.applies(call->dataset)) {
		enum histree_status status = dataset_view(call->dataset, &event_list_kind, &view, error);
		return status != HISTREE_OK ? status
					    : event_list_density(view, range->from, range->to, range->pixels,
								 cancel, counts, are_exact, error);
	}
	uint64_t *states = reply_memory(call->reply, range->pixels, sizeof(*states));
	if (states == NULL)
		return error_memory(error, "a chart");
	enum histree_status status = histree_density(call->dataset->histories[0], range->from, range->to,
						     range->pixels, cancel, states, error);
	for (uint32_t i = 0; status == HISTREE_OK && i < range->pixels; i++)
		counts[i] = (double)states[i];
	return status;
}

/* Answers and returns false if there is nothing to count: a store of segments alone may have no events either. */
static bool counted_range(const struct call *call, struct page_range *range)
{
	const struct dataset *dataset = call->dataset;
	if (dataset->history_count > 0) {
		const struct histree_history_info *info = histree_history_info(dataset->histories[0]);
		return page_range(call, info->start, info->end, range);
	}
	const struct histree_store_info *info = histree_store_info(dataset->store);
	if (event_list_kind.applies(dataset))
		return page_range(call, info->start, info->end, range);
	reply_error(call->reply, HTTP_NOT_FOUND, "this store has neither states nor an index of events");
	return false;
}

void api_density(struct call *call)
{
	struct page_range range;
	bool are_exact = true;
	if (!page_dataset(call) || !counted_range(call, &range))
		return;
	double *counts = reply_memory(call->reply, range.pixels, sizeof(*counts));
	if (counts == NULL || !reply_ok(call->reply, count_density(call, &range, counts, &are_exact)))
		return;
	call->reply->content_type = "application/octet-stream";
	put_floats(&call->reply->piece, counts, range.pixels);
	put_floats(&call->reply->piece, &(double){ are_exact }, 1);
}

/* ---- api chart lines ----------------------------------------------------------------------------------------- */

enum { LINES_MAX = 64 };

static bool write_chart(void *context, const struct histree_chart *chart)
{
	struct json_writer *json = context;
	json_begin_object(json);
	json_text_member(json, "name", chart->name);
	json_text_member(json, "title", chart->title);
	json_text_member(json, "unit", chart->unit);
	json_end(json);
	return true;
}

void api_charts_list(struct call *call)
{
	if (!page_dataset(call))
		return;
	json_begin_array(call->json);
	chart_set_each(call->dataset, HISTREE_CHART_LINES, write_chart, call->json);
	json_end(call->json);
}

/* ---- lines ------------------------------------------------------------------------------------------------ */

/* The busiest of a part, as far as there is history. */
static enum histree_status write_lines(struct call *call, const struct chart_part *part,
				       const struct page_range *range, size_t most)
{
	const struct histree_history_info *info = histree_history_info(part->history);
	histree_time from = range->from > info->start ? range->from : info->start;
	histree_time to = range->to < info->end ? range->to : info->end;
	uint32_t rows[LINES_MAX];
	size_t count;
	double *values = NULL;
	struct histree_error *error = &call->reply->error;
	struct json_writer *json = call->json;
	if (from > to)
		return HISTREE_OK;
	enum histree_status status = histree_chart_view_busiest(part->view, from, to, rows, most, &count, error);
	if (status == HISTREE_OK)
		status = chart_part_lines(part, rows, count, range->from, range->to, range->pixels, &values, error);
	for (size_t i = 0; status == HISTREE_OK && i < count; i++) {
		char name[256];
		const double *own = values + i * ((size_t)range->pixels + 1);
		histree_chart_view_name(part->view, rows[i], name, sizeof(name));
		json_begin_object(json);
		json_int_member(json, "id", chart_entry_id(part, rows[i]));
		json_text_member(json, "name", name);
		json_begin_array_member(json, "values");
		for (uint32_t k = 1; k <= range->pixels; k++)
			json_put_known(json, own[k]);
		json_end(json);
		json_end(json);
	}
	free(values);
	return status;
}

static int64_t count_lines(const struct chart_of_set *chart)
{
	int64_t count = 0;
	for (size_t i = 0; i < chart->part_count; i++)
		for (uint32_t k = 0; k < chart->parts[i].count; k++)
			count += chart->parts[i].rows[k].shown != HISTREE_ROOT;
	return count;
}

void api_chart_lines(struct call *call)
{
	struct page_range range;
	int64_t most;
	const struct chart_of_set *chart;
	enum histree_status status = HISTREE_OK;
	if (!page_view(call, &chart_set_kind, NULL) ||
	    !reply_ok(call->reply, chart_set_find(call->view, page_text(call, "chart"), reply_cancel(call->reply),
						  &chart, &call->reply->error)) ||
	    !page_number(call, "lines", 1, LINES_MAX, 8, &most) ||
	    !page_range(call, dataset_start(call->dataset), chart->end, &range))
		return;
	json_begin_object(call->json);
	json_int_member(call->json, "all", count_lines(chart));
	json_begin_array_member(call->json, "lines");
	for (size_t i = 0; i < chart->part_count && status == HISTREE_OK; i++)
		status = write_lines(call, &chart->parts[i], &range, (size_t)most);
	if (!reply_ok(call->reply, status))
		return;
	json_end(call->json);
	json_end(call->json);
}

/* ---- api segment charts -------------------------------------------------------------------------------------- */

enum { POINTS_MAX = 20000, CHART_SIDE_MAX = 8192 };

/* A request with a range; false: answered. */
static bool open_request(struct call *call, struct segment_request *request)
{
	return segment_request_open(call, request) && segment_request_range(call, request);
}

static void put_name(struct json_writer *json, const struct histree_value *name)
{
	if (name->type == HISTREE_STRING)
		json_put_string(json, name->bytes, name->size);
	else
		json_put_null(json);
}

/* ---- scatter --------------------------------------------------------------------------------------------- */

static void write_points(struct call *call, const struct segment_request *request,
			 const struct histree_segment_scatter *scatter)
{
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
		put_name(json, &name);
		json_begin_array_member(json, "points");
		for (end = first; end < count && points[end].value == points[first].value; end++) {
			json_put_int(json, points[end].start - request->list->start);
			json_put_unsigned(json, points[end].duration);
		}
		json_end(json);
		json_end(json);
	}
	json_end(json);
	segment_request_end(call, request);
}

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
	if (request.is_empty)
		json_put_raw(call->json, nothing, sizeof(nothing) - 1);
	else if (reply_ok(call->reply, histree_segment_scatter_create(request.list->store, &chart, &scatter,
								      &call->reply->error)))
		write_points(call, &request, scatter);
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
	put_name(json, &group->value);
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
