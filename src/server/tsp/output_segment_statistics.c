// SPDX-License-Identifier: MIT
/*
 * output_segment_statistics.c - how long the segments of a store last, by name: of all, and of what is selected.
 *
 * Entry 1 is all of them together, entry i + 2 the name i of segment_names; those of a selection follow in the same
 * way, and then those of each host where there are several.  So an id means the same in every answer.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/time_text.h"
#include "server/model/segment_list.h"
#include "server/tsp/parameters.h"
#include "server/tsp/tree_reply.h"

enum { TOTAL_ID = 1, FIRST_NAME_ID = 2 };

/* One of the parts of the tree. */
struct part {
	const struct histree_segment_stats *stats;
	const char *label;
	int64_t base; /* of its ids */
	size_t count; /* of its names */
};

struct statistics {
	const struct segment_list *list;
	const struct segment_names *names;
	struct histree_segment_stats *selected; /* NULL: nothing is selected */
	struct part *parts;                     /* all, each host of several, the selection */
	size_t part_count;
};

static void statistics_free(void *context)
{
	struct statistics *statistics = context;
	histree_segment_stats_free(statistics->selected);
	free(statistics->parts);
	free(statistics);
}

/* ---- entries --------------------------------------------------------------------------------------------- */

static void put_duration(struct json_writer *json, uint64_t ns)
{
	char text[TIME_TEXT_SIZE];
	json_put_string(json, text, time_format_duration(ns, text));
}

static void put_range(struct json_writer *json, histree_time start, histree_time end)
{
	char text[64];
	int size = snprintf(text, sizeof(text), "[%" PRId64 ",%" PRId64 "]", start, end);
	json_put_string(json, text, (size_t)size);
}

static void put_labels(struct json_writer *json, const struct part *part, const struct histree_segment_group *group,
		       bool is_name)
{
	struct piece label = { 0 };
	char count[24];
	if (!is_name)
		piece_put_text(&label, part->label);
	else if (group->value.type == HISTREE_NULL)
		piece_put_text(&label, "(unknown)");
	else
		segment_put_value(&label, &group->value);
	json_key(json, "labels");
	json_begin_array(json);
	json_put_string(json, label.size > 0 ? label.bytes : "", label.size);
	put_duration(json, group->min);
	put_duration(json, group->max);
	put_duration(json, (uint64_t)group->mean);
	put_duration(json, (uint64_t)group->deviation);
	snprintf(count, sizeof(count), "%" PRIu64, group->count);
	json_put_text(json, count);
	put_duration(json, group->total);
	put_range(json, group->min_start, group->min_end);
	put_range(json, group->max_start, group->max_end);
	json_end(json);
	piece_release(&label);
}

static bool write_entry(const void *context, size_t index, struct json_writer *json)
{
	const struct statistics *statistics = context;
	size_t at = 0;
	while (at < statistics->part_count && index > statistics->parts[at].count)
		index -= statistics->parts[at++].count + 1;
	if (at == statistics->part_count)
		return false;
	const struct part *part = &statistics->parts[at];
	const struct histree_segment_group *group = histree_segment_stats_all(part->stats);
	struct tree_entry entry = { part->base + TOTAL_ID, -1,   statistics->list->start,
				    statistics->list->end, true, false };
	if (index > 0) {
		group = histree_segment_stats_group(part->stats, index - 1);
		entry.id =
			part->base + FIRST_NAME_ID + (int64_t)segment_names_index(statistics->names, &group->value);
		entry.parent = part->base + TOTAL_ID;
	}
	tree_entry_begin(json, &entry);
	put_labels(json, part, group, index > 0);
	return true;
}

/* ---- the tree -------------------------------------------------------------------------------------------- */

static size_t count_groups(const struct histree_segment_stats *stats)
{
	size_t count = 0;
	while (histree_segment_stats_group(stats, count) != NULL)
		count++;
	return count;
}

/* A viewer that shows a selection says so; without that it asks for the whole, whatever range it is at. */
static enum histree_status select_range(const struct output_call *output, struct statistics *statistics,
					struct histree_error *error)
{
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	struct reply *reply = output->call->reply;
	query.from = statistics->list->start;
	query.to = statistics->list->end;
	if (!json_is_true(json_object_get(output->call->parameters, "isFiltered")))
		return HISTREE_OK;
	if (!parameters_range(output->call, &query.from, &query.to))
		return HISTREE_NOT_FOUND;
	enum histree_status status = segment_list_stats(statistics->list, &query, statistics->list->name_field,
							reply_cancel(reply), &statistics->selected, error);
	if (status != HISTREE_OK)
		return status;
	statistics->parts[statistics->part_count++] = (struct part){
		.stats = statistics->selected,
		.label = "Selection",
		.base = (int64_t)statistics->names->count + TOTAL_ID,
		.count = count_groups(statistics->selected),
	};
	return HISTREE_OK;
}

/* All together, then each host; there is room for a selection. */
static enum histree_status add_parts(struct statistics *statistics, struct histree_error *error)
{
	const struct segment_names *names = statistics->names;
	const int64_t ids = (int64_t)names->count + TOTAL_ID; /* of each part */
	statistics->parts = calloc(names->host_count + 2, sizeof(*statistics->parts));
	if (statistics->parts == NULL)
		return error_memory(error, "statistics");
	statistics->parts[statistics->part_count++] = (struct part){ names->stats, "Total", 0, names->count };
	for (size_t i = 0; i < names->host_count; i++)
		if (names->host_stats[i] != NULL)
			statistics->parts[statistics->part_count++] = (struct part){
				.stats = names->host_stats[i],
				.label = names->hosts[i].name,
				.base = ids * ((int64_t)i + 2), /* after those of a selection */
				.count = count_groups(names->host_stats[i]),
			};
	return HISTREE_OK;
}

static void tree(const struct output_call *output)
{
	static const struct tree_header headers[] = {
		{ "Label", "the name, and all together", NULL },
		{ "Minimum", "the shortest", "DURATION" },
		{ "Maximum", "the longest", "DURATION" },
		{ "Average", "the mean", "DURATION" },
		{ "Std Dev", "standard deviation, of all of them", "DURATION" },
		{ "Count", "how many there are", "NUMBER" },
		{ "Total", "the sum of all", "DURATION" },
		{ "Min Time Range", "where the shortest is", "TIME_RANGE" },
		{ "Max Time Range", "where the longest is", "TIME_RANGE" },
		{ 0 },
	};
	static const struct tree_source source = { headers, -1, write_entry, statistics_free };
	struct reply *reply = output->call->reply;
	struct segment_list *list;
	struct histree_error error = { 0 };
	if (!output_segments(output, &list))
		return;
	struct statistics *statistics = calloc(1, sizeof(*statistics));
	if (statistics == NULL) {
		reply_error(reply, HTTP_SERVER_ERROR, "out of memory");
		return;
	}
	statistics->list = list;
	enum histree_status status = segment_list_names(list, reply_cancel(reply), &statistics->names, &error);
	if (status == HISTREE_OK)
		status = add_parts(statistics, &error);
	if (status == HISTREE_OK)
		status = select_range(output, statistics, &error);
	if (status == HISTREE_OK) {
		tree_reply(output, &source, statistics);
		output_segments_read(output, list);
		return;
	}
	statistics_free(statistics);
	if (status < 0)
		reply_failure(reply, &error);
}

const struct output output_segment_statistics = {
	.id = "org.eclipse.tracecompass.analysis.timing.core.segmentstore.SegmentStoreStatisticsDataProvider",
	.name = "statistics",
	.description = "How long segments last, by name",
	.type = OUTPUT_DATA_TREE,
	.is_per_segments = true,
	.applies = segment_lists_apply,
	.make = segment_lists_make,
	.free = segment_lists_free,
	.tree = tree,
};
