// SPDX-License-Identifier: MIT
/*
 * output_segments.c - segments as outputs: by duration, as points, as statistics, as a table.
 *
 * Points are duration over time, a series for each name: entry 1 is the store, entry i + 2 the name i of
 * segment_names.  Segments without names are one series, that of entry 1.
 *
 * In statistics, entry 1 is all segments together, entry i + 2 the name i of segment_names; those of a selection
 * follow in the same way, and then those of each host if there are several.  So an id means the same in every
 * answer.
 *
 * Lines of the table come by start, or by the column that table_comparator_expression names.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "server/model/segment_list.h"
#include "server/tsp/outputs.h"
#include "server/tsp/parameters.h"
#include "server/tsp/replies.h"

/* Gets the segments of the output; returns false if it has answered instead. */
static bool output_segments(const struct call *call, struct segment_list **out)
{
	return reply_ok(call->reply, segment_list_find(call->view, call->part, out, &call->reply->error));
}

/*
 * Called once segments were read: the answer then says if some are missing because a node of their store is
 * damaged.
 */
static void output_segments_read(const struct call *call, const struct segment_list *list)
{
	if (histree_segment_store_loss(list->store).nodes > 0)
		call->reply->notice = "segments are missing: the store is damaged; histree verify says where";
}

/* ---- output segment density ---------------------------------------------------------------------------------- */

enum { OUTPUT_SEGMENT_DENSITY_TOTAL_ID = 1, BUCKETS_DEFAULT = 50 };

static bool output_segment_density_write_entry(const void *context, size_t index, struct json_writer *json)
{
	const struct segment_list *list = context;
	struct tree_entry entry = { OUTPUT_SEGMENT_DENSITY_TOTAL_ID, -1, list->start, list->end, true, true };
	if (index > 0)
		return false;
	tree_entry_begin(json, &entry);
	tree_entry_label(json, list->analysis, strlen(list->analysis));
	return true;
}

static void output_segment_density_tree(struct call *call)
{
	static const struct tree_header headers[] = { { "Name", "what is counted", NULL }, { 0 } };
	static const struct tree_source source = { headers, -1, output_segment_density_write_entry, NULL };
	struct segment_list *list;
	if (output_segments(call, &list))
		tree_reply(call, &source, list);
}

/* ---- counts ---------------------------------------------------------------------------------------------- */

struct density {
	uint32_t buckets;
	uint64_t edges[HISTREE_HISTOGRAM_BUCKETS_MAX + 1], counts[HISTREE_HISTOGRAM_BUCKETS_MAX];
};

static void output_segment_density_put_range(struct json_writer *json, uint64_t start, uint64_t end)
{
	json_unsigned_member(json, "start", start);
	json_unsigned_member(json, "end", end);
}

static void put_axis_of_durations(struct reply *reply, const struct density *density)
{
	struct json_writer *json = &reply->json;
	json_begin_object_member(json, "xValuesDescription");
	json_text_member(json, "label", "Duration");
	json_text_member(json, "unit", "ns");
	json_text_member(json, "dataType", "DURATION");
	json_begin_object_member(json, "axisDomain");
	json_text_member(json, "type", "range");
	output_segment_density_put_range(json, density->edges[0], density->edges[density->buckets]);
	json_end(json);
	json_end(json);
}

static void output_segment_density_put_series(struct reply *reply, const struct segment_list *list,
					      const struct density *density)
{
	struct json_writer *json = &reply->json;
	json_begin_object(json);
	json_int_member(json, "seriesId", OUTPUT_SEGMENT_DENSITY_TOTAL_ID);
	json_text_member(json, "seriesName", list->analysis);
	json_begin_array_member(json, "xRanges");
	for (uint32_t i = 0; i < density->buckets; i++) {
		json_begin_object(json);
		output_segment_density_put_range(json, density->edges[i], density->edges[i + 1]);
		json_end(json);
	}
	json_end(json);
	json_begin_array_member(json, "yValues");
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
	return reply_error(call->reply, HTTP_BAD_REQUEST, "nbSamples is not from 1 to %d",
			   HISTREE_HISTOGRAM_BUCKETS_MAX);
}

static void output_segment_density_xy(struct call *call)
{
	struct reply *reply = call->reply;
	struct segment_list *list;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	int64_t *items;
	size_t item_count;
	struct density *density = reply_memory(reply, 1, sizeof(*density));
	if (density == NULL || !output_segments(call, &list) || !parameters_range(call, &query.from, &query.to) ||
	    !read_buckets(call, &density->buckets) || !parameters_items(call, &items, &item_count) ||
	    !reply_ok(reply, histree_segment_histogram(list->store, &query, HISTREE_DURATIONS_LINEAR,
						       density->buckets, reply_cancel(reply), density->edges,
						       density->counts, &reply->error)))
		return;
	xy_begin(reply, "Number of segments by duration");
	for (size_t i = 0; i < item_count; i++)
		if (items[i] == OUTPUT_SEGMENT_DENSITY_TOTAL_ID)
			output_segment_density_put_series(reply, list, density);
	xy_end(reply);
	output_segments_read(call, list);
}

const struct output output_segment_density = {
	.id = "org.eclipse.tracecompass.analysis.timing.core.segmentstore.SegmentStoreDensityDataProvider",
	.name = "density",
	.description = "How many segments last how long",
	.type = OUTPUT_TREE_GENERIC_XY,
	.is_per_segments = true,
	.view = &segment_lists_kind,
	.tree = output_segment_density_tree,
	.xy = output_segment_density_xy,
};

/* ---- output segment scatter ---------------------------------------------------------------------------------- */

enum { ROOT_ID = 1, OUTPUT_SEGMENT_SCATTER_FIRST_NAME_ID = 2 };

enum {
	DEFAULT_NAMES = 10, /* that are shown at first, those of the greatest totals */
	CHART_ROWS = 512,   /* as high as a chart is on most screens */
	POINTS_MAX = 50000, /* 2.5 MB of JSON */
	COLUMNS_MAX = 8192,
};

/* ---- tree ------------------------------------------------------------------------------------------------ */

struct name_tree {
	const struct segment_list *list;
	const struct segment_names *names;
};

static void put_name(struct byte_buffer *out, const struct histree_value *name)
{
	if (name->type == HISTREE_STRING)
		state_value_text(name, out);
	else
		byte_buffer_put_chars(out, "(unknown)");
}

static bool output_segment_scatter_write_entry(const void *context, size_t index, struct json_writer *json)
{
	const struct name_tree *tree = context;
	bool has_names = tree->list->name_field != HISTREE_SEGMENTS_TOGETHER;
	struct tree_entry entry = { ROOT_ID, -1, tree->list->start, tree->list->end, !has_names, !has_names };
	struct byte_buffer label = { 0 };
	if (index > tree->names->count)
		return false;
	if (index > 0) {
		const struct histree_segment_group *group =
			histree_segment_stats_group(tree->names->stats, index - 1);
		entry.id = (int64_t)index - 1 + OUTPUT_SEGMENT_SCATTER_FIRST_NAME_ID;
		entry.parent = ROOT_ID;
		entry.has_data = true;
		entry.is_default = index <= DEFAULT_NAMES;
		put_name(&label, &group->value);
	} else {
		byte_buffer_put_chars(&label, tree->list->analysis);
	}
	tree_entry_begin(json, &entry);
	tree_entry_label(json, byte_buffer_chars(&label), label.size);
	byte_buffer_release(&label);
	return true;
}

/* Gets the segments of an output and their names; returns false if it has answered instead. */
static bool find_names(struct call *call, struct segment_list **list, const struct segment_names **names)
{
	return output_segments(call, list) &&
	       reply_ok(call->reply,
			segment_list_names(*list, reply_cancel(call->reply), names, &call->reply->error));
}

static void output_segment_scatter_tree(struct call *call)
{
	static const struct tree_header headers[] = { { "Name", "of the segments, the greatest total first", NULL },
						      { 0 } };
	static const struct tree_source source = { headers, -1, output_segment_scatter_write_entry, NULL };
	struct segment_list *list;
	struct name_tree *tree = reply_memory(call->reply, 1, sizeof(*tree));
	if (tree == NULL || !find_names(call, &list, &tree->names))
		return;
	tree->list = list;
	tree_reply(call, &source, tree);
	output_segments_read(call, list);
}

/* ---- points ---------------------------------------------------------------------------------------------- */

/* Which names are asked for. */
struct choice {
	const struct segment_list *list;
	const struct segment_names *names;
	bool *is_wanted; /* by index of the names */
	size_t wanted;
};

static bool is_wanted(void *context, const struct histree_segment *segment)
{
	const struct choice *choice = context;
	size_t index = segment_names_index(choice->names, &segment->content[choice->list->name_field]);
	return index != SIZE_MAX && choice->is_wanted[index];
}

/* Points [first, end) as a series; the id is that of its entry. */
static void output_segment_scatter_put_series(struct reply *reply, const struct choice *choice,
					      const struct histree_segment_scatter *scatter, size_t first,
					      size_t end)
{
	struct json_writer *json = &reply->json;
	size_t count;
	const struct histree_segment_point *points = histree_segment_scatter_points(scatter, &count);
	struct histree_value value = histree_segment_scatter_value(scatter, points[first].value);
	struct byte_buffer name = { 0 };
	int64_t id = ROOT_ID;
	if (choice->list->name_field == HISTREE_SEGMENTS_TOGETHER) {
		byte_buffer_put_chars(&name, choice->list->analysis);
	} else {
		id = (int64_t)segment_names_index(choice->names, &value) + OUTPUT_SEGMENT_SCATTER_FIRST_NAME_ID;
		put_name(&name, &value);
	}
	json_begin_object(json);
	json_int_member(json, "seriesId", id);
	json_string_member(json, "seriesName", byte_buffer_chars(&name), name.size);
	byte_buffer_release(&name);
	json_begin_array_member(json, "xValues");
	for (size_t i = first; i < end; i++)
		json_put_int(json, points[i].start);
	json_end(json);
	json_begin_array_member(json, "yValues");
	for (size_t i = first; i < end; i++)
		json_put_real(json, (double)points[i].duration);
	json_end(json);
	xy_put_axis(reply, "xValuesDescription", "Time", "ns", "TIMESTAMP");
	xy_put_axis(reply, "yValuesDescription", "Duration", "ns", "DURATION");
	xy_put_style(reply, "scatter");
	json_end(json);
}

static void put_scatter(struct reply *reply, const struct choice *choice,
			const struct histree_segment_scatter *scatter)
{
	size_t count, end;
	const struct histree_segment_point *points = histree_segment_scatter_points(scatter, &count);
	for (size_t first = 0; first < count; first = end) {
		for (end = first + 1; end < count && points[end].value == points[first].value; end++)
			;
		output_segment_scatter_put_series(reply, choice, scatter, first, end);
	}
}

/* The chart that is asked for: `nbTimes` is its width in pixels. */
static bool read_request(struct call *call, const struct segment_list *list, const struct choice *choice,
			 struct histree_segment_scatter_request *request)
{
	struct parameter_times times;
	if (!parameters_times(call, &times))
		return false;
	*request = (struct histree_segment_scatter_request){
		.query = HISTREE_SEGMENTS_ALL,
		.field = list->name_field,
		.columns = times.count < COLUMNS_MAX ? (uint32_t)times.count : COLUMNS_MAX,
		.rows = CHART_ROWS,
		.points_max = POINTS_MAX,
		.work = reply_cancel(call->reply),
	};
	request->query.from = times.start;
	request->query.to = times.end;
	if (choice->wanted < choice->names->count) {
		request->query.filter = is_wanted;
		request->query.filter_context = (void *)(uintptr_t)choice;
	}
	return true;
}

static void output_segment_scatter_xy(struct call *call)
{
	struct reply *reply = call->reply;
	struct segment_list *list;
	struct histree_segment_scatter *scatter = NULL;
	struct histree_segment_scatter_request request;
	struct choice choice = { .wanted = 0 };
	if (!find_names(call, &list, &choice.names))
		return;
	choice.list = list;
	int64_t *items;
	size_t count;
	choice.is_wanted = reply_memory(call->reply, choice.names->count + 1, sizeof(*choice.is_wanted));
	if (choice.is_wanted == NULL || !parameters_items(call, &items, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		if (items[i] == ROOT_ID && choice.list->name_field == HISTREE_SEGMENTS_TOGETHER)
			choice.wanted = 1;
		int64_t index = items[i] - OUTPUT_SEGMENT_SCATTER_FIRST_NAME_ID;
		if (index < 0 || index >= (int64_t)choice.names->count || choice.is_wanted[index])
			continue;
		choice.is_wanted[index] = true;
		choice.wanted++;
	}
	if (!read_request(call, list, &choice, &request) ||
	    (choice.wanted > 0 &&
	     !reply_ok(reply, histree_segment_scatter_create(list->store, &request, &scatter, &reply->error))))
		return;
	xy_begin(reply, "Duration over time");
	if (scatter != NULL)
		put_scatter(reply, &choice, scatter);
	xy_end(reply);
	output_segments_read(call, list);
	histree_segment_scatter_free(scatter);
}

const struct output output_segment_scatter = {
	.id = "org.eclipse.tracecompass.internal.analysis.timing.core.segmentstore.scatter.dataprovider",
	.name = "scatter",
	.description = "Duration over time, a point for each segment that can be told apart",
	.type = OUTPUT_TREE_TIME_XY,
	.is_per_segments = true,
	.view = &segment_lists_kind,
	.tree = output_segment_scatter_tree,
	.xy = output_segment_scatter_xy,
};

/* ---- output segment statistics ------------------------------------------------------------------------------- */

enum { OUTPUT_SEGMENT_STATISTICS_TOTAL_ID = 1, OUTPUT_SEGMENT_STATISTICS_FIRST_NAME_ID = 2 };

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

static void statistics_release(void *context)
{
	struct statistics *statistics = context;
	histree_segment_stats_free(statistics->selected);
}

/* ---- entries --------------------------------------------------------------------------------------------- */

static void put_duration(struct json_writer *json, uint64_t ns)
{
	char text[TIME_TEXT_SIZE];
	json_put_string(json, text, time_format_duration(ns, text));
}

static void output_segment_statistics_put_range(struct json_writer *json, histree_time start, histree_time end)
{
	char text[64];
	int size = snprintf(text, sizeof(text), "[%" PRId64 ",%" PRId64 "]", start, end);
	json_put_string(json, text, (size_t)size);
}

static bool output_segment_statistics_write_entry(const void *context, size_t index, struct json_writer *json)
{
	const struct statistics *statistics = context;
	size_t at = 0;
	while (at < statistics->part_count && index > statistics->parts[at].count)
		index -= statistics->parts[at++].count + 1;
	if (at == statistics->part_count)
		return false;
	const struct part *part = &statistics->parts[at];
	const struct histree_segment_group *group = histree_segment_stats_all(part->stats);
	struct tree_entry entry = { part->base + OUTPUT_SEGMENT_STATISTICS_TOTAL_ID,
				    -1,
				    statistics->list->start,
				    statistics->list->end,
				    true,
				    false };
	if (index > 0) {
		group = histree_segment_stats_group(part->stats, index - 1);
		entry.id = part->base + OUTPUT_SEGMENT_STATISTICS_FIRST_NAME_ID +
			   (int64_t)segment_names_index(statistics->names, &group->value);
		entry.parent = part->base + OUTPUT_SEGMENT_STATISTICS_TOTAL_ID;
	}
	tree_entry_begin(json, &entry);
	const bool is_name = index > 0;
	struct byte_buffer label = { 0 };
	char count[24];
	if (is_name)
		put_name(&label, &group->value);
	else
		byte_buffer_put_chars(&label, part->label);
	json_begin_array_member(json, "labels");
	json_put_string(json, byte_buffer_chars(&label), label.size);
	put_duration(json, group->min);
	put_duration(json, group->max);
	put_duration(json, (uint64_t)group->mean);
	put_duration(json, (uint64_t)group->deviation);
	snprintf(count, sizeof(count), "%" PRIu64, group->count);
	json_put_text(json, count);
	put_duration(json, group->total);
	output_segment_statistics_put_range(json, group->min_start, group->min_end);
	output_segment_statistics_put_range(json, group->max_start, group->max_end);
	json_end(json);
	byte_buffer_release(&label);
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

/*
 * A viewer that shows a selection says so; without that it asks for the whole, whatever range it is at.  Returns
 * false if it has answered instead.
 */
static bool select_range(struct call *call, struct statistics *statistics)
{
	const struct segment_list *list = statistics->list;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	query.from = list->start;
	query.to = list->end;
	if (!json_is_true(json_object_get(call->parameters, "isFiltered")))
		return true;
	if (!parameters_range(call, &query.from, &query.to) ||
	    !reply_ok(call->reply, segment_list_stats(list, &query, list->name_field, reply_cancel(call->reply),
						      &statistics->selected, &call->reply->error)))
		return false;
	statistics->parts[statistics->part_count++] = (struct part){
		.stats = statistics->selected,
		.label = "Selection",
		.base = (int64_t)statistics->names->count + OUTPUT_SEGMENT_STATISTICS_TOTAL_ID,
		.count = count_groups(statistics->selected),
	};
	return true;
}

static void output_segment_statistics_tree(struct call *call)
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
	static const struct tree_source source = { headers, -1, output_segment_statistics_write_entry,
						   statistics_release };
	struct segment_list *list;
	struct statistics *statistics = reply_memory(call->reply, 1, sizeof(*statistics));
	if (statistics == NULL || !find_names(call, &list, &statistics->names))
		return;
	statistics->list = list;

	/* All together, then each host; there is room for a selection. */
	const struct segment_names *names = statistics->names;
	const int64_t ids = (int64_t)names->count + OUTPUT_SEGMENT_STATISTICS_TOTAL_ID; /* of each part */
	statistics->parts = reply_memory(call->reply, names->host_count + 2, sizeof(*statistics->parts));
	if (statistics->parts == NULL)
		return;
	statistics->parts[statistics->part_count++] = (struct part){ names->stats, "Total", 0, names->count };
	for (size_t i = 0; i < names->host_count; i++)
		if (names->host_stats[i] != NULL)
			statistics->parts[statistics->part_count++] = (struct part){
				.stats = names->host_stats[i],
				.label = names->hosts[i].name,
				.base = ids * ((int64_t)i + 2), /* after those of a selection */
				.count = count_groups(names->host_stats[i]),
			};
	if (!select_range(call, statistics))
		return;
	tree_reply(call, &source, statistics);
	output_segments_read(call, list);
}

const struct output output_segment_statistics = {
	.id = "org.eclipse.tracecompass.analysis.timing.core.segmentstore.SegmentStoreStatisticsDataProvider",
	.name = "statistics",
	.description = "How long segments last, by name",
	.type = OUTPUT_DATA_TREE,
	.is_per_segments = true,
	.view = &segment_lists_kind,
	.tree = output_segment_statistics_tree,
};

/* ---- output segment table ------------------------------------------------------------------------------------ */

static void columns(struct call *call)
{
	struct segment_list *list;
	if (!output_segments(call, &list))
		return;
	const struct histree_segment_schema *schema = &list->info->schema;
	struct table_column headers[CELL_COLUMNS_MAX] = {
		[SEGMENT_START] = { "Start Time", "time of the day, UTC; seconds of a clock without a day",
				    "STRING" },
		[SEGMENT_END] = { "End Time", "time of the day, UTC; seconds of a clock without a day", "STRING" },
		[SEGMENT_DURATION] = { "Duration", "in nanoseconds", "DURATION" },
	};
	for (size_t i = 0; i < schema->field_count; i++) {
		bool is_text = schema->fields[i].type == HISTREE_STRING || schema->fields[i].type == HISTREE_BOOL;
		headers[SEGMENT_FIELDS + i] =
			(struct table_column){ schema->fields[i].name, "", is_text ? "STRING" : "NUMBER" };
	}
	unsigned last = segment_time_column(schema);
	headers[last] = (struct table_column){ "Timestamp ns", "start, nanoseconds since the epoch", "TIMESTAMP" };
	table_reply_columns(call, headers, last + 1);
}

/* ---- lines ----------------------------------------------------------------------------------------------- */

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

static void lines(struct call *call)
{
	struct segment_list *list;
	struct segment_listing_key key;
	struct segment_lines lines;
	struct line_table table;
	struct table_request request;
	if (!output_segments(call, &list))
		return;
	const struct histree_segment_schema *schema = &list->info->schema;
	if (!table_request_read(call, segment_time_column(schema) + 1, &request))
		goto out;
	if (!read_order(call, schema, &key)) {
		reply_error(call->reply, HTTP_BAD_REQUEST, "table_comparator_expression is no column");
	} else if (reply_ok(call->reply, segment_list_enter(list, &key, reply_cancel(call->reply), &lines, &table,
							    &call->reply->error))) {
		table_reply(call, &request, &table);
		segment_list_leave(list, &lines);
		output_segments_read(call, list);
	}
out:
	table_request_release(&request);
}

const struct output output_segment_table = {
	.id = "org.eclipse.tracecompass.analysis.timing.core.segmentstore.SegmentStoreTableDataProvider",
	.name = "table",
	.description = "One line a segment",
	.type = OUTPUT_TABLE,
	.is_per_segments = true,
	.view = &segment_lists_kind,
	.columns = columns,
	.lines = lines,
};
