// SPDX-License-Identifier: MIT
/*
 * output_statistics.c - events by type, of the trace or of the range that is selected.
 *
 * Entry 1 is all of them together; the entry of type i is i + 2, those of the most events first.  Of several hosts
 * each has an entry, and then those of its own types.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "server/model/event_list.h"
#include "server/tsp/parameters.h"
#include "server/tsp/tree_reply.h"

enum { TOTAL_ID = 1, FIRST_ID = 2 };

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

static void statistics_free(void *context)
{
	struct statistics *statistics = context;
	for (size_t i = 0; i < statistics->part_count; i++) {
		free(statistics->parts[i].counts);
		free(statistics->parts[i].order);
	}
	free(statistics->parts);
	free(statistics);
}

static void write_line(const struct statistics *statistics, const struct tree_entry *entry, const char *name,
		       uint64_t count, struct json_writer *json)
{
	double share = statistics->total > 0 ? 100 * (double)count / (double)statistics->total : 0;
	char number[24], percent[16];
	snprintf(number, sizeof(number), "%" PRIu64, count);
	snprintf(percent, sizeof(percent), "%.2f %%", share);
	tree_entry_begin(json, entry);
	json_key(json, "labels");
	json_begin_array(json);
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
	struct tree_entry entry = { part->first_id,         TOTAL_ID, statistics->whole->start,
				    statistics->whole->end, true,     false };
	if (part->host != NULL && index == 0) {
		entry.has_data = part->why == NULL;
		write_line(statistics, &entry, part->host, part->total, json);
		return;
	}
	uint32_t type = part->order[index - (part->host != NULL)];
	entry.id = part->first_id + (part->host != NULL) + type;
	entry.parent = part->host != NULL ? part->first_id : TOTAL_ID;
	write_line(statistics, &entry, part->list->types[type], part->counts[type], json);
}

static bool write_entry(const void *context, size_t index, struct json_writer *json)
{
	const struct statistics *statistics = context;
	const struct event_list *whole = statistics->whole;
	if (index == 0) {
		const struct tree_entry entry = { TOTAL_ID, -1, whole->start, whole->end, true, false };
		write_line(statistics, &entry, whole->name, statistics->total, json);
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
static enum histree_status count(struct statistics_part *part, histree_time from, histree_time to,
				 struct histree_error *error)
{
	struct event_list *list = part->list;
	part->counts = calloc(list->type_count + 1, sizeof(*part->counts));
	part->order = calloc(list->type_count + 1, sizeof(*part->order));
	if (part->counts == NULL || part->order == NULL)
		return error_memory(error, "statistics");
	enum histree_status status =
		from <= to ? event_list_count_types(list, from, to, part->counts, error) : HISTREE_OK;
	for (size_t i = 0; i < list->type_count; i++)
		part->total += part->counts[i];
	event_list_order_types(list, part->counts, part->order);
	return status;
}

static enum histree_status count_host(struct statistics_part *part, const struct dataset_host *host,
				      histree_time from, histree_time to, struct histree_error *error)
{
	void *view;
	enum histree_status status = HISTREE_OK;
	part->host = host->name;
	part->why = host->why;
	if (host->own == NULL || !event_list_applies(host->own))
		return HISTREE_OK;
	status = dataset_view(host->own, event_list_make, event_list_free, &view, error);
	if (status != HISTREE_OK)
		return status;
	part->list = view;
	from = from > part->list->start ? from : part->list->start;
	to = to < part->list->end ? to : part->list->end;
	return count(part, from, to, error);
}

static enum histree_status count_all(struct statistics *statistics, const struct dataset *dataset,
				     struct event_list *list, histree_time from, histree_time to,
				     struct histree_error *error)
{
	int64_t next = FIRST_ID;
	enum histree_status status = HISTREE_OK;
	statistics->whole = list;
	statistics->parts = calloc(dataset->host_count + 1, sizeof(*statistics->parts));
	if (statistics->parts == NULL)
		return error_memory(error, "statistics");
	statistics->part_count = dataset->host_count > 0 ? dataset->host_count : 1;
	if (dataset->host_count == 0) {
		statistics->parts[0].list = list;
		status = count(&statistics->parts[0], from, to, error);
	}
	for (size_t i = 0; i < dataset->host_count && status == HISTREE_OK; i++)
		status = count_host(&statistics->parts[i], &dataset->hosts[i], from, to, error);
	for (size_t i = 0; i < statistics->part_count && status == HISTREE_OK; i++) {
		struct statistics_part *part = &statistics->parts[i];
		part->first_id = next;
		next += (int64_t)entries_of(part);
		statistics->total += part->total;
	}
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
	if (count_all(statistics, output->dataset, list, from, to, &error) != HISTREE_OK) {
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
