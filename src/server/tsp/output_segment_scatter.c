// SPDX-License-Identifier: MIT
/*
 * output_segment_scatter.c - the segments of a store as points, duration over time, a series for each name.
 *
 * Entry 1 is the store, entry i + 2 the name i of segment_names.  Segments without names are one series, that of
 * entry 1.
 */
#include <stdlib.h>

#include "server/model/segment_list.h"
#include "server/tsp/parameters.h"
#include "server/tsp/tree_reply.h"
#include "server/tsp/xy_reply.h"

enum { ROOT_ID = 1, FIRST_NAME_ID = 2 };

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

static void put_name(struct piece *piece, const struct histree_value *name)
{
	if (name->type == HISTREE_STRING)
		segment_put_value(piece, name);
	else
		piece_put_text(piece, "(unknown)");
}

static bool write_entry(const void *context, size_t index, struct json_writer *json)
{
	const struct name_tree *tree = context;
	bool has_names = tree->list->name_field != HISTREE_SEGMENTS_TOGETHER;
	struct tree_entry entry = { ROOT_ID, -1, tree->list->start, tree->list->end, !has_names, !has_names };
	struct piece label = { 0 };
	if (index > tree->names->count)
		return false;
	if (index > 0) {
		const struct histree_segment_group *group =
			histree_segment_stats_group(tree->names->stats, index - 1);
		entry.id = (int64_t)index - 1 + FIRST_NAME_ID;
		entry.parent = ROOT_ID;
		entry.has_data = true;
		entry.is_default = index <= DEFAULT_NAMES;
		put_name(&label, &group->value);
	} else {
		piece_put_text(&label, tree->list->analysis);
	}
	tree_entry_begin(json, &entry);
	tree_entry_label(json, label.size > 0 ? label.bytes : "", label.size);
	piece_release(&label);
	return true;
}

static void tree(const struct output_call *output)
{
	static const struct tree_header headers[] = { { "Name", "of the segments, the greatest total first", NULL },
						      { 0 } };
	static const struct tree_source source = { headers, -1, write_entry, free };
	struct reply *reply = output->call->reply;
	struct segment_list *list;
	struct histree_error error = { 0 };
	if (!output_segments(output, &list))
		return;
	struct name_tree *names = calloc(1, sizeof(*names));
	if (names == NULL) {
		reply_error(reply, HTTP_SERVER_ERROR, "out of memory");
	} else if (segment_list_names(list, reply_cancel(reply), &names->names, &error) != HISTREE_OK) {
		free(names);
		reply_failure(reply, &error);
	} else {
		names->list = list;
		tree_reply(output, &source, names);
		output_segments_read(output, list);
	}
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

static bool read_choice(const struct call *call, struct choice *choice)
{
	int64_t *items = NULL;
	size_t count;
	choice->is_wanted = calloc(choice->names->count + 1, sizeof(*choice->is_wanted));
	if (choice->is_wanted == NULL) {
		reply_error(call->reply, HTTP_SERVER_ERROR, "out of memory");
		return false;
	}
	if (!parameters_items(call, &items, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (items[i] == ROOT_ID && choice->list->name_field == HISTREE_SEGMENTS_TOGETHER)
			choice->wanted = 1;
		int64_t index = items[i] - FIRST_NAME_ID;
		if (index < 0 || index >= (int64_t)choice->names->count || choice->is_wanted[index])
			continue;
		choice->is_wanted[index] = true;
		choice->wanted++;
	}
	free(items);
	return true;
}

/* Points [first, end) as a series; the id is that of its entry. */
static void put_series(struct reply *reply, const struct choice *choice,
		       const struct histree_segment_scatter *scatter, size_t first, size_t end)
{
	struct json_writer *json = &reply->json;
	size_t count;
	const struct histree_segment_point *points = histree_segment_scatter_points(scatter, &count);
	struct histree_value value = histree_segment_scatter_value(scatter, points[first].value);
	struct piece name = { 0 };
	int64_t id = ROOT_ID;
	if (choice->list->name_field == HISTREE_SEGMENTS_TOGETHER) {
		piece_put_text(&name, choice->list->analysis);
	} else {
		id = (int64_t)segment_names_index(choice->names, &value) + FIRST_NAME_ID;
		put_name(&name, &value);
	}
	json_begin_object(json);
	json_int_member(json, "seriesId", id);
	json_string_member(json, "seriesName", name.size > 0 ? name.bytes : "", name.size);
	piece_release(&name);
	json_key(json, "xValues");
	json_begin_array(json);
	for (size_t i = first; i < end; i++)
		json_put_int(json, points[i].start);
	json_end(json);
	json_key(json, "yValues");
	json_begin_array(json);
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
		put_series(reply, choice, scatter, first, end);
	}
}

/* The chart that is asked for: `nbTimes` is its width in pixels. */
static bool read_request(const struct output_call *output, const struct segment_list *list,
			 const struct choice *choice, struct histree_segment_scatter_request *request)
{
	struct parameter_times times;
	if (!parameters_times(output->call, &times))
		return false;
	*request = (struct histree_segment_scatter_request){
		.query = HISTREE_SEGMENTS_ALL,
		.field = list->name_field,
		.columns = times.count < COLUMNS_MAX ? (uint32_t)times.count : COLUMNS_MAX,
		.rows = CHART_ROWS,
		.points_max = POINTS_MAX,
		.cancel = reply_cancel(output->call->reply),
	};
	request->query.from = times.start;
	request->query.to = times.end;
	parameter_times_release(&times);
	if (choice->wanted < choice->names->count) {
		request->query.filter = is_wanted;
		request->query.filter_context = (void *)(uintptr_t)choice;
	}
	return true;
}

static void xy(const struct output_call *output)
{
	struct reply *reply = output->call->reply;
	struct segment_list *list;
	struct histree_segment_scatter *scatter = NULL;
	struct histree_segment_scatter_request request;
	struct histree_error error = { 0 };
	if (!output_segments(output, &list))
		return;
	struct choice choice = { .list = list };
	if (segment_list_names(list, reply_cancel(reply), &choice.names, &error) != HISTREE_OK) {
		reply_failure(reply, &error);
		return;
	}
	if (!read_choice(output->call, &choice) || !read_request(output, list, &choice, &request))
		goto out;
	if (choice.wanted > 0 &&
	    histree_segment_scatter_create(list->store, &request, &scatter, &error) != HISTREE_OK) {
		reply_failure(reply, &error);
		goto out;
	}
	xy_begin(reply, "Duration over time");
	if (scatter != NULL)
		put_scatter(reply, &choice, scatter);
	xy_end(reply);
	output_segments_read(output, list);
out:
	histree_segment_scatter_free(scatter);
	free(choice.is_wanted);
}

const struct output output_segment_scatter = {
	.id = "org.eclipse.tracecompass.internal.analysis.timing.core.segmentstore.scatter.dataprovider",
	.name = "scatter",
	.description = "Duration over time, a point for each segment that can be told apart",
	.type = OUTPUT_TREE_TIME_XY,
	.is_per_segments = true,
	.applies = segment_lists_apply,
	.make = segment_lists_make,
	.free = segment_lists_free,
	.tree = tree,
	.xy = xy,
};
