// SPDX-License-Identifier: MIT
/*
 * output_segment_density.c - how many segments of a store last how long, between the shortest and the longest.
 */
#include <stdlib.h>
#include <string.h>

#include "server/model/segment_list.h"
#include "server/tsp/parameters.h"
#include "server/tsp/tree_reply.h"
#include "server/tsp/xy_reply.h"

enum { TOTAL_ID = 1, BUCKETS_DEFAULT = 50 };

static bool write_entry(const void *context, size_t index, struct json_writer *json)
{
	const struct segment_list *list = context;
	struct tree_entry entry = { TOTAL_ID, -1, list->start, list->end, true, true };
	if (index > 0)
		return false;
	tree_entry_begin(json, &entry);
	tree_entry_label(json, list->analysis, strlen(list->analysis));
	return true;
}

static void tree(const struct output_call *output)
{
	static const struct tree_header headers[] = { { "Name", "what is counted", NULL }, { 0 } };
	static const struct tree_source source = { headers, -1, write_entry, NULL };
	struct segment_list *list;
	if (output_segments(output, &list))
		tree_reply(output, &source, list);
}

/* ---- counts ---------------------------------------------------------------------------------------------- */

struct density {
	uint32_t buckets;
	uint64_t edges[HISTREE_HISTOGRAM_BUCKETS_MAX + 1], counts[HISTREE_HISTOGRAM_BUCKETS_MAX];
};

static void put_range(struct json_writer *json, uint64_t start, uint64_t end)
{
	json_key(json, "start");
	json_put_unsigned(json, start);
	json_key(json, "end");
	json_put_unsigned(json, end);
}

static void put_axis_of_durations(struct reply *reply, const struct density *density)
{
	struct json_writer *json = &reply->json;
	json_key(json, "xValuesDescription");
	json_begin_object(json);
	json_text_member(json, "label", "Duration");
	json_text_member(json, "unit", "ns");
	json_text_member(json, "dataType", "DURATION");
	json_key(json, "axisDomain");
	json_begin_object(json);
	json_text_member(json, "type", "range");
	put_range(json, density->edges[0], density->edges[density->buckets]);
	json_end(json);
	json_end(json);
}

static void put_series(struct reply *reply, const struct segment_list *list, const struct density *density)
{
	struct json_writer *json = &reply->json;
	json_begin_object(json);
	json_int_member(json, "seriesId", TOTAL_ID);
	json_text_member(json, "seriesName", list->analysis);
	json_key(json, "xRanges");
	json_begin_array(json);
	for (uint32_t i = 0; i < density->buckets; i++) {
		json_begin_object(json);
		put_range(json, density->edges[i], density->edges[i + 1]);
		json_end(json);
	}
	json_end(json);
	json_key(json, "yValues");
	json_begin_array(json);
	for (uint32_t i = 0; i < density->buckets; i++)
		json_put_real(json, (double)density->counts[i]);
	json_end(json);
	put_axis_of_durations(reply, density);
	xy_put_axis(reply, "yValuesDescription", "Segments", "", "NUMBER");
	xy_put_style(reply, "bar");
	json_end(json);
}

/* `nbSamples`, or nbTimes as time charts have it: how many buckets.  The range is one of time. */
static bool read_buckets(const struct call *call, uint32_t *buckets)
{
	const json_t *range = json_object_get(call->parameters, "requested_timerange");
	const json_t *samples = json_object_get(range, "nbSamples");
	if (samples == NULL)
		samples = json_object_get(range, "nbTimes");
	int64_t count = json_is_integer(samples) ? json_integer_value(samples) : BUCKETS_DEFAULT;
	*buckets = (uint32_t)count;
	if (count >= 1 && count <= HISTREE_HISTOGRAM_BUCKETS_MAX)
		return true;
	reply_error(call->reply, HTTP_BAD_REQUEST, "nbSamples is not from 1 to %d", HISTREE_HISTOGRAM_BUCKETS_MAX);
	return false;
}

static void xy(const struct output_call *output)
{
	struct reply *reply = output->call->reply;
	struct segment_list *list;
	struct histree_error error = { 0 };
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	int64_t *items = NULL;
	size_t item_count;
	if (!output_segments(output, &list))
		return;
	struct density *density = calloc(1, sizeof(*density));
	if (density == NULL) {
		reply_error(reply, HTTP_SERVER_ERROR, "out of memory");
		return;
	}
	if (!parameters_range(output->call, &query.from, &query.to) ||
	    !read_buckets(output->call, &density->buckets) || !parameters_items(output->call, &items, &item_count))
		goto out;
	if (histree_segment_histogram(list->store, &query, HISTREE_DURATIONS_LINEAR, density->buckets,
				      reply_cancel(reply), density->edges, density->counts, &error) != HISTREE_OK) {
		reply_failure(reply, &error);
		goto out;
	}
	xy_begin(reply, "Number of segments by duration");
	for (size_t i = 0; i < item_count; i++)
		if (items[i] == TOTAL_ID)
			put_series(reply, list, density);
	xy_end(reply);
	output_segments_read(output, list);
out:
	free(items);
	free(density);
}

const struct output output_segment_density = {
	.id = "org.eclipse.tracecompass.analysis.timing.core.segmentstore.SegmentStoreDensityDataProvider",
	.name = "density",
	.description = "How many segments last how long",
	.type = OUTPUT_TREE_GENERIC_XY,
	.is_per_segments = true,
	.applies = segment_lists_apply,
	.make = segment_lists_make,
	.free = segment_lists_free,
	.tree = tree,
	.xy = xy,
};
