// SPDX-License-Identifier: MIT
/*
 * api_segment_charts.c - how long segments last, for the page: points over time, counts by duration, statistics.
 */
#include <stdlib.h>

#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/api/segment_request.h"

enum { POINTS_MAX = 20000, CHART_SIDE_MAX = 8192 };

/* A request with a range; false: answered. */
static bool open_request(const struct call *call, struct segment_request *request)
{
	if (!segment_request_open(call, request))
		return false;
	if (segment_request_range(call, request))
		return true;
	segment_request_close(request);
	return false;
}

static void put_name(struct json_writer *json, const struct histree_value *name)
{
	if (name->type == HISTREE_STRING)
		json_put_string(json, name->bytes, name->size);
	else
		json_put_null(json);
}

/* ---- scatter --------------------------------------------------------------------------------------------- */

static void write_points(struct json_writer *json, const struct segment_list *list,
			 const struct histree_segment_scatter *scatter)
{
	size_t count;
	const struct histree_segment_point *points = histree_segment_scatter_points(scatter, &count);
	json_begin_object(json);
	json_int_member(json, "segments", (int64_t)histree_segment_scatter_segments(scatter));
	json_key(json, "series");
	json_begin_array(json);
	size_t end;
	for (size_t first = 0; first < count; first = end) {
		struct histree_value name = histree_segment_scatter_value(scatter, points[first].value);
		json_begin_object(json);
		json_key(json, "name");
		put_name(json, &name);
		json_key(json, "points");
		json_begin_array(json);
		for (end = first; end < count && points[end].value == points[first].value; end++) {
			json_put_int(json, points[end].start - list->start);
			json_put_unsigned(json, points[end].duration);
		}
		json_end(json);
		json_end(json);
	}
	json_end(json);
	segment_request_put_damage(json, list);
	json_end(json);
}

void api_segment_scatter(struct call *call)
{
	struct segment_request request;
	struct histree_segment_scatter *scatter = NULL;
	struct histree_error error = { 0 };
	static const char nothing[] = "{\"segments\":0,\"series\":[]}";
	int64_t pixels, height;
	if (!open_request(call, &request))
		return;
	if (!page_number(call, "pixels", 1, CHART_SIDE_MAX, -1, &pixels) ||
	    !page_number(call, "height", 1, CHART_SIDE_MAX, -1, &height))
		goto out;
	struct histree_segment_scatter_request chart = {
		.query = request.query,
		.field = request.list->name_field,
		.columns = (uint32_t)pixels,
		.rows = (uint32_t)height,
		.scale = HISTREE_DURATIONS_LOGARITHMIC,
		.points_max = POINTS_MAX,
		.cancel = reply_cancel(call->reply),
	};
	if (request.is_empty)
		json_put_raw(&call->reply->json, nothing, sizeof(nothing) - 1);
	else if (histree_segment_scatter_create(request.list->store, &chart, &scatter, &error) != HISTREE_OK)
		reply_failure(call->reply, &error);
	else
		write_points(&call->reply->json, request.list, scatter);
out:
	histree_segment_scatter_free(scatter);
	segment_request_close(&request);
}

/* ---- density --------------------------------------------------------------------------------------------- */

static void write_numbers(struct json_writer *json, const char *name, const uint64_t *numbers, size_t count)
{
	json_key(json, name);
	json_begin_array(json);
	for (size_t i = 0; i < count; i++)
		json_put_unsigned(json, numbers[i]);
	json_end(json);
}

void api_segment_density(struct call *call)
{
	struct segment_request request;
	struct histree_error error = { 0 };
	int64_t buckets = 0;
	uint64_t *edges = NULL, *counts = NULL;
	if (!open_request(call, &request))
		return;
	if (!page_number(call, "buckets", 1, HISTREE_HISTOGRAM_BUCKETS_MAX, -1, &buckets))
		goto out;
	edges = calloc((size_t)buckets + 1, sizeof(*edges));
	counts = calloc((size_t)buckets, sizeof(*counts));
	if (edges == NULL || counts == NULL) {
		reply_error(call->reply, HTTP_SERVER_ERROR, "out of memory");
	} else if (!request.is_empty &&
		   histree_segment_histogram(request.list->store, &request.query, HISTREE_DURATIONS_LOGARITHMIC,
					     (uint32_t)buckets, reply_cancel(call->reply), edges, counts,
					     &error) != HISTREE_OK) {
		reply_failure(call->reply, &error);
	} else {
		json_begin_object(&call->reply->json);
		write_numbers(&call->reply->json, "edges", edges, (size_t)buckets + 1);
		write_numbers(&call->reply->json, "counts", counts, (size_t)buckets);
		segment_request_put_damage(&call->reply->json, request.list);
		json_end(&call->reply->json);
	}
out:
	free(edges);
	free(counts);
	segment_request_close(&request);
}

/* ---- statistics ------------------------------------------------------------------------------------------ */

static void write_range(struct json_writer *json, const char *name, histree_time start, histree_time end,
			histree_time trace_start)
{
	json_key(json, name);
	json_begin_array(json);
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
	json_key(json, "min");
	json_put_unsigned(json, group->min);
	json_key(json, "max");
	json_put_unsigned(json, group->max);
	json_key(json, "total");
	json_put_unsigned(json, group->total);
	json_key(json, "mean");
	json_put_real(json, group->mean);
	json_key(json, "deviation");
	json_put_real(json, group->deviation);
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
	struct histree_error error = { 0 };
	struct json_writer *json = &call->reply->json;
	if (!open_request(call, &request))
		return;
	if (!request.is_empty && segment_list_stats(request.list, &request.query, request.list->name_field,
						    reply_cancel(call->reply), &stats, &error) != HISTREE_OK) {
		reply_failure(call->reply, &error);
	} else {
		const struct histree_segment_group *group;
		json_begin_object(json);
		if (stats != NULL) {
			json_key(json, "all");
			write_group(json, request.list, histree_segment_stats_all(stats));
		}
		json_key(json, "names");
		json_begin_array(json);
		for (size_t i = 0; stats != NULL && (group = histree_segment_stats_group(stats, i)) != NULL; i++)
			write_group(json, request.list, group);
		json_end(json);
		segment_request_put_damage(json, request.list);
		json_end(json);
	}
	histree_segment_stats_free(stats);
	segment_request_close(&request);
}
