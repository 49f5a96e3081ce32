// SPDX-License-Identifier: MIT
/*
 * output_histogram.c - how many events when; viewers show it above everything else.
 *
 * Entry 1 is the trace, entry 2 all of its events.
 */
#include <stdlib.h>

#include "server/model/event_list.h"
#include "server/tsp/parameters.h"
#include "server/tsp/tree_reply.h"
#include "server/tsp/xy_reply.h"

enum { TRACE_ID = 1, TOTAL_ID = 2 };

static bool write_entry(const void *context, size_t index, struct json_writer *json)
{
	const struct event_list *list = context;
	if (index > 1)
		return false;
	bool is_total = index == 1;
	struct tree_entry entry = {
		is_total ? TOTAL_ID : TRACE_ID, is_total ? TRACE_ID : -1, list->start, list->end, is_total, is_total
	};
	const char *label = is_total ? "Total" : list->name;
	tree_entry_begin(json, &entry);
	tree_entry_label(json, label, strlen(label));
	return true;
}

static void tree(const struct output_call *output)
{
	static const struct tree_header headers[] = { { "Name", "what is counted", NULL }, { 0 } };
	static const struct tree_source source = { headers, -1, write_entry, NULL };
	tree_reply(output, &source, output->view);
}

static bool wants_total(const int64_t *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (items[i] == TOTAL_ID)
			return true;
	return false;
}

/* The events after the first point, by stretch, and those at it where it is the start of the trace. */
static enum histree_status count_events(struct event_list *list, const struct xy_samples *samples,
					struct histree_cancel cancel, double *counts, double *first,
					bool *are_exact, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (samples->start == list->start)
		status = event_list_density(list, samples->start, samples->start, 1, cancel, first, are_exact,
					    error);
	if (status == HISTREE_OK)
		status = event_list_density(list, samples->from, samples->to, samples->pixels, cancel, counts,
					    are_exact, error);
	return status;
}

static void xy(const struct output_call *output)
{
	struct event_list *list = output->view;
	struct reply *reply = output->call->reply;
	struct xy_samples samples;
	struct xy_curve curve = { .id = TOTAL_ID, .name = "Total", .label = "Events", .unit = "" };
	struct histree_error error = { 0 };
	int64_t *items = NULL;
	size_t item_count;
	double *counts = NULL;
	bool are_exact = true;
	if (!xy_samples_read(output->call, list->start, list->end, &samples) ||
	    !parameters_items(output->call, &items, &item_count))
		goto out;
	counts = calloc((size_t)samples.pixels + 1, sizeof(*counts));
	if (counts == NULL) {
		reply_error(reply, HTTP_SERVER_ERROR, "out of memory");
		goto out;
	}
	if (samples.pixels > 0 && count_events(list, &samples, reply_cancel(reply), counts, &curve.first,
					       &are_exact, &error) != HISTREE_OK) {
		reply_failure(reply, &error);
		goto out;
	}
	curve.values = counts;
	if (!are_exact) {
		curve.label = "Events, to within 64";
		reply->notice = "counted by the index: up to 64 events may be at a point next to theirs";
	}
	xy_begin(reply, "Histogram");
	if (wants_total(items, item_count))
		xy_put(reply, &samples, &curve);
	xy_end(reply);
out:
	free(counts);
	free(items);
}

const struct output output_histogram = {
	.id = "org.eclipse.tracecompass.internal.tmf.core.histogram.HistogramDataProvider",
	.name = "Histogram",
	.description = "How many events when",
	.type = OUTPUT_TREE_TIME_XY,
	.applies = event_list_applies,
	.make = event_list_make,
	.free = event_list_free,
	.tree = tree,
	.xy = xy,
};
