// SPDX-License-Identifier: MIT
/*
 * output_events.c - events as a table, as a histogram and by type, as outputs.
 *
 * The table is read from the trace.  Viewers take the time of a line from the column named exactly "Timestamp ns".
 *
 * The histogram counts events over time; viewers show it above everything else.  Entry 1 is the trace, entry 2 all
 * of its events.
 *
 * By type, for the trace or the selected range, entry 1 is all events together; the entry of type i is i + 2, most
 * frequent first.  With several hosts, each has an entry, followed by those of its types.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "server/model/event_list.h"
#include "server/tsp/outputs.h"
#include "server/tsp/parameters.h"
#include "server/tsp/replies.h"

/* ---- output events ------------------------------------------------------------------------------------------- */

static void columns(struct call *call)
{
	static const struct table_column headers[EVENT_COLUMNS] = {
		[EVENT_CLOCK] = { "Timestamp", "time of the day, UTC; seconds of a clock without a day", "STRING" },
		[EVENT_CPU] = { "CPU", "where it was recorded", "NUMBER" },
		[EVENT_TYPE] = { "Event type", "its name", "STRING" },
		[EVENT_CONTENTS] = { "Contents", "its fields", "STRING" },
		[EVENT_TIME] = { "Timestamp ns", "nanoseconds since the epoch", "TIMESTAMP" },
		[EVENT_HOST] = { "Host", "the machine that it is of", "STRING" },
	};
	struct event_lines lines;
	table_reply_columns(call, headers, event_list_table(call->view, &lines).columns);
}

static void lines(struct call *call)
{
	struct event_lines lines;
	struct table_request request;
	const struct line_table table = event_list_table(call->view, &lines);
	if (table_request_read(call, table.columns, &request))
		table_reply(call, &request, &table);
	table_request_release(&request);
}

const struct output output_events = {
	.id = "org.eclipse.tracecompass.internal.provisional.tmf.core.model.events.TmfEventTableDataProvider",
	.name = "Events",
	.description = "The events of the trace, one a line",
	.type = OUTPUT_TABLE,
	.view = &event_list_kind,
	.columns = columns,
	.lines = lines,
};

/* ---- output histogram ---------------------------------------------------------------------------------------- */

enum { TRACE_ID = 1, OUTPUT_HISTOGRAM_TOTAL_ID = 2 };

static bool output_histogram_write_entry(const void *context, size_t index, struct json_writer *json)
{
	const struct event_list *list = context;
	if (index > 1)
		return false;
	bool is_total = index == 1;
	struct tree_entry entry = { is_total ? OUTPUT_HISTOGRAM_TOTAL_ID : TRACE_ID,
				    is_total ? TRACE_ID : -1,
				    list->start,
				    list->end,
				    is_total,
				    is_total };
	const char *label = is_total ? "Total" : list->name;
	tree_entry_begin(json, &entry);
	tree_entry_label(json, label, strlen(label));
	return true;
}

static void output_histogram_tree(struct call *call)
{
	static const struct tree_header headers[] = { { "Name", "what is counted", NULL }, { 0 } };
	static const struct tree_source source = { headers, -1, output_histogram_write_entry, NULL };
	tree_reply(call, &source, call->view);
}

static bool wants_total(const struct xy_request *request)
{
	for (size_t i = 0; i < request->item_count; i++)
		if (request->items[i] == OUTPUT_HISTOGRAM_TOTAL_ID)
			return true;
	return false;
}

/* The events after the first point, by stretch, and those at it where it is the start of the trace. */
static enum histree_status count_events(struct event_list *list, const struct xy_samples *samples,
					struct histree_work work, double *counts, double *first, bool *are_exact,
					struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (samples->start == list->start)
		status = event_list_density(list, samples->start, samples->start, 1, work, first, are_exact, error);
	if (status == HISTREE_OK)
		status = event_list_density(list, samples->from, samples->to, samples->pixels, work, counts,
					    are_exact, error);
	return status;
}

static void xy(struct call *call)
{
	struct event_list *list = call->view;
	struct reply *reply = call->reply;
	struct xy_request request;
	struct xy_curve curve = { .id = OUTPUT_HISTOGRAM_TOTAL_ID, .name = "Total", .label = "Events", .unit = "" };
	bool are_exact = true;
	if (!xy_request_read(call, list->start, list->end, &request))
		return;
	double *counts = reply_memory(reply, (size_t)request.samples.pixels + 1, sizeof(*counts));
	if (counts == NULL || (request.samples.pixels > 0 &&
			       !reply_ok(reply, count_events(list, &request.samples, reply_cancel(reply), counts,
							     &curve.first, &are_exact, &reply->error))))
		return;
	curve.values = counts;
	if (!are_exact) {
		curve.label = "Events, to within 64";
		reply->notice = "counted by the index: up to 64 events may be at a point next to theirs";
	}
	xy_begin(reply, "Histogram");
	if (wants_total(&request))
		xy_put(reply, &request.samples, &curve);
	xy_end(reply);
}

const struct output output_histogram = {
	.id = "org.eclipse.tracecompass.internal.tmf.core.histogram.HistogramDataProvider",
	.name = "Histogram",
	.description = "How many events when",
	.type = OUTPUT_TREE_TIME_XY,
	.view = &event_list_kind,
	.tree = output_histogram_tree,
	.xy = xy,
};

/* ---- output statistics --------------------------------------------------------------------------------------- */

enum { OUTPUT_STATISTICS_TOTAL_ID = 1, FIRST_ID = 2 };

/* The types of a host. */
struct statistics_part {
	const char *host, *why;  /* NULL: there is but one, whose types are below the total; it can be read */
	struct event_list *list; /* NULL: it has none that can be read */
	uint64_t *counts;
	uint32_t *order;
	uint64_t total;
	int64_t first_id; /* of the host, or of its first type */
};

struct statistics {
	const struct event_list *whole;
	struct statistics_part *parts;
	size_t part_count;
	uint64_t total;
};

static void output_statistics_write_line(const struct statistics *statistics, const struct tree_entry *entry,
					 const char *name, uint64_t count, struct json_writer *json)
{
	double share = statistics->total > 0 ? 100 * (double)count / (double)statistics->total : 0;
	char number[24], percent[16];
	snprintf(number, sizeof(number), "%" PRIu64, count);
	snprintf(percent, sizeof(percent), "%.2f %%", share);
	tree_entry_begin(json, entry);
	json_begin_array_member(json, "labels");
	json_put_text(json, name);
	json_put_text(json, number);
	json_put_text(json, percent);
	json_end(json);
}

static size_t entries_of(const struct statistics_part *part)
{
	return (part->host != NULL) + (part->list != NULL ? part->list->type_count : 0);
}

/* Entry `index` of a part: the host, if there are several, then its types. */
static void write_part(const struct statistics *statistics, const struct statistics_part *part, size_t index,
		       struct json_writer *json)
{
	struct tree_entry entry = {
		part->first_id, OUTPUT_STATISTICS_TOTAL_ID, statistics->whole->start, statistics->whole->end, true,
		false
	};
	if (part->host != NULL && index == 0) {
		entry.has_data = part->why == NULL;
		output_statistics_write_line(statistics, &entry, part->host, part->total, json);
		return;
	}
	uint32_t type = part->order[index - (part->host != NULL)];
	entry.id = part->first_id + (part->host != NULL) + type;
	entry.parent = part->host != NULL ? part->first_id : OUTPUT_STATISTICS_TOTAL_ID;
	output_statistics_write_line(statistics, &entry, part->list->types[type], part->counts[type], json);
}

static bool output_statistics_write_entry(const void *context, size_t index, struct json_writer *json)
{
	const struct statistics *statistics = context;
	const struct event_list *whole = statistics->whole;
	if (index == 0) {
		const struct tree_entry entry = {
			OUTPUT_STATISTICS_TOTAL_ID, -1, whole->start, whole->end, true, false
		};
		output_statistics_write_line(statistics, &entry, whole->name, statistics->total, json);
		return true;
	}
	size_t at = index - 1, part = 0;
	while (part < statistics->part_count && at >= entries_of(&statistics->parts[part]))
		at -= entries_of(&statistics->parts[part++]);
	if (part == statistics->part_count)
		return false;
	write_part(statistics, &statistics->parts[part], at, json);
	return true;
}

/* An empty range has types as well, so that their entries are always the same. */
static bool count(struct call *call, struct statistics_part *part, histree_time from, histree_time to)
{
	struct event_list *list = part->list;
	part->counts = reply_memory(call->reply, list->type_count + 1, sizeof(*part->counts));
	part->order = reply_memory(call->reply, list->type_count + 1, sizeof(*part->order));
	if (part->counts == NULL || part->order == NULL)
		return false;
	if (from <= to &&
	    !reply_ok(call->reply, event_list_count_types(list, from, to, part->counts, &call->reply->error)))
		return false;
	for (size_t i = 0; i < list->type_count; i++)
		part->total += part->counts[i];
	event_list_order_types(list, part->counts, part->order);
	return true;
}

static bool count_host(struct call *call, struct statistics_part *part, const struct dataset_host *host,
		       histree_time from, histree_time to)
{
	void *view;
	part->host = host->name;
	part->why = host->why;
	if (host->own == NULL || !event_list_kind.applies(host->own))
		return true;
	if (!reply_ok(call->reply, dataset_view(host->own, &event_list_kind, &view, &call->reply->error)))
		return false;
	part->list = view;
	from = from > part->list->start ? from : part->list->start;
	to = to < part->list->end ? to : part->list->end;
	return count(call, part, from, to);
}

static bool count_all(struct call *call, struct statistics *statistics, histree_time from, histree_time to)
{
	const struct dataset *dataset = call->dataset;
	int64_t next = FIRST_ID;
	bool is_good = true;
	statistics->whole = call->view;
	statistics->part_count = dataset->host_count > 0 ? dataset->host_count : 1;
	statistics->parts = reply_memory(call->reply, statistics->part_count, sizeof(*statistics->parts));
	if (statistics->parts == NULL)
		return false;
	for (size_t i = 0; i < statistics->part_count && is_good; i++) {
		struct statistics_part *part = &statistics->parts[i];
		if (dataset->host_count == 0)
			part->list = call->view;
		is_good = dataset->host_count > 0 ? count_host(call, part, &dataset->hosts[i], from, to)
						  : count(call, part, from, to);
		part->first_id = next;
		next += (int64_t)entries_of(part);
		statistics->total += part->total;
	}
	return is_good;
}

static void output_statistics_tree(struct call *call)
{
	static const struct tree_header headers[] = {
		{ "Label", "the trace, and its types of events", NULL },
		{ "Events", "how many there are", "NUMBER" },
		{ "Share", "of all events", "STRING" },
		{ 0 },
	};
	static const struct tree_source source = { headers, -1, output_statistics_write_entry, NULL };
	const struct event_list *list = call->view;
	histree_time from = list->start, to = list->end;
	struct statistics *statistics = reply_memory(call->reply, 1, sizeof(*statistics));
	/* A viewer that shows a selection says so; without that it asks for the whole, whatever range it is at. */
	bool is_selection = json_is_true(json_object_get(call->parameters, "isFiltered"));
	if (statistics != NULL && (!is_selection || parameters_range(call, &from, &to)) &&
	    count_all(call, statistics, from, to))
		tree_reply(call, &source, statistics);
}

const struct output output_statistics = {
	.id = "org.eclipse.tracecompass.analysis.timing.core.event.statistics.EventStatisticsDataProvider",
	.name = "Events by type",
	.description = "How many events there are of each type",
	.type = OUTPUT_DATA_TREE,
	.view = &event_list_kind,
	.tree = output_statistics_tree,
};
