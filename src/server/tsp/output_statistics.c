// SPDX-License-Identifier: MIT
/*
 * output_statistics.c - events by type, of the trace or of the range that is selected.
 *
 * Entry 1 is all of them together; the entry of type i is i + 2, those of the most events first.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "server/model/event_list.h"
#include "server/tsp/parameters.h"
#include "server/tsp/tree_reply.h"

enum { TOTAL_ID = 1, FIRST_TYPE_ID = 2 };

struct statistics {
	const struct event_list *list;
	uint64_t *counts;
	uint32_t *order;
	uint64_t total;
};

static void statistics_free(void *context)
{
	struct statistics *statistics = context;
	free(statistics->counts);
	free(statistics->order);
	free(statistics);
}

static bool write_entry(const void *context, size_t index, struct json_writer *json)
{
	const struct statistics *statistics = context;
	const struct event_list *list = statistics->list;
	if (index > list->type_count)
		return false;
	uint32_t type = index > 0 ? statistics->order[index - 1] : 0;
	uint64_t count = index > 0 ? statistics->counts[type] : statistics->total;
	double share = statistics->total > 0 ? 100 * (double)count / (double)statistics->total : 0;
	struct tree_entry entry = { TOTAL_ID, -1, list->start, list->end, true, false };
	if (index > 0) {
		entry.id = (int64_t)type + FIRST_TYPE_ID;
		entry.parent = TOTAL_ID;
	}
	char number[24], percent[16];
	snprintf(number, sizeof(number), "%" PRIu64, count);
	snprintf(percent, sizeof(percent), "%.2f %%", share);
	tree_entry_begin(json, &entry);
	json_key(json, "labels");
	json_begin_array(json);
	json_put_text(json, index > 0 ? list->types[type] : list->name);
	json_put_text(json, number);
	json_put_text(json, percent);
	json_end(json);
	return true;
}

static enum histree_status count(struct statistics *statistics, struct event_list *list, histree_time from,
				 histree_time to, struct histree_error *error)
{
	statistics->list = list;
	statistics->counts = calloc(list->type_count + 1, sizeof(*statistics->counts));
	statistics->order = calloc(list->type_count + 1, sizeof(*statistics->order));
	if (statistics->counts == NULL || statistics->order == NULL)
		return error_memory(error, "statistics");
	enum histree_status status = event_list_count_types(list, from, to, statistics->counts, error);
	for (size_t i = 0; i < list->type_count; i++)
		statistics->total += statistics->counts[i];
	event_list_order_types(list, statistics->counts, statistics->order);
	return status;
}

static void tree(const struct output_call *output)
{
	static const struct tree_header headers[] = {
		{ "Label", "the trace, and its types of events", NULL },
		{ "Events", "how many there are", "NUMBER" },
		{ "Share", "of all events", "STRING" },
		{ 0 },
	};
	static const struct tree_source source = { headers, -1, write_entry, statistics_free };
	struct event_list *list = output->view;
	histree_time from = list->start, to = list->end;
	struct statistics *statistics = calloc(1, sizeof(*statistics));
	struct histree_error error = { 0 };
	if (statistics == NULL) {
		reply_error(output->call->reply, HTTP_SERVER_ERROR, "out of memory");
		return;
	}
	/* A viewer that shows a selection says so; without that it asks for the whole, whatever range it is at. */
	bool is_selection = json_is_true(json_object_get(output->call->parameters, "isFiltered"));
	if (is_selection && !parameters_range(output->call, &from, &to)) {
		statistics_free(statistics);
		return;
	}
	if (count(statistics, list, from, to, &error) != HISTREE_OK) {
		statistics_free(statistics);
		reply_failure(output->call->reply, &error);
		return;
	}
	tree_reply(output, &source, statistics);
}

const struct output output_statistics = {
	.id = "org.eclipse.tracecompass.analysis.timing.core.event.statistics.EventStatisticsDataProvider",
	.name = "Events by type",
	.description = "How many events there are of each type",
	.type = OUTPUT_DATA_TREE,
	.applies = event_list_applies,
	.make = event_list_make,
	.free = event_list_free,
	.tree = tree,
};
