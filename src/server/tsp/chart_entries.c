// SPDX-License-Identifier: MIT
#include "server/tsp/chart_entries.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/tsp/parameters.h"
#include "server/tsp/tree_reply.h"

/* Lines that a chart shows at first: those that matter most in the range that is asked for. */
enum { DEFAULT_LINES = 8 };

struct entries {
	const struct chart_of_set *chart;
	const char *name; /* of the store */
	uint32_t defaults[DATASET_HISTORIES_MAX][DEFAULT_LINES];
	size_t default_count[DATASET_HISTORIES_MAX];
};

bool chart_entries_find(const struct output_call *output, const struct chart_of_set **out)
{
	struct histree_error error = { 0 };
	if (chart_set_find(output->view, output->analysis, reply_cancel(output->call->reply), out, &error) ==
	    HISTREE_OK)
		return true;
	reply_failure(output->call->reply, &error);
	return false;
}

static bool is_default(const struct entries *entries, size_t part, uint32_t row)
{
	for (size_t i = 0; i < entries->default_count[part]; i++)
		if (entries->defaults[part][i] == row)
			return true;
	return false;
}

static bool write_entry(const void *context, size_t index, struct json_writer *json)
{
	uint32_t row;
	const struct entries *entries = context;
	const struct chart_part *part = chart_of_entry(entries->chart, (int64_t)index + 1, &row);
	if (part == NULL)
		return false;
	size_t number = (size_t)(part - entries->chart->parts);
	const struct histree_history_info *info = histree_history_info(part->history);
	struct tree_entry entry = { part->base, -1, info->start, info->end, false, false };
	const char *name = entries->chart->part_count > 1 ? part->analysis : entries->name;
	if (row != UINT32_MAX) {
		const struct histree_chart_row *shown = &part->rows[row];
		entry = (struct tree_entry){ .id = chart_entry_id(part, row),
					     .parent = chart_entry_id(part, shown->parent),
					     .start = shown->first,
					     .end = shown->last,
					     .has_data = shown->shown != HISTREE_ROOT,
					     .is_default = is_default(entries, number, row) };
		name = shown->name;
	}
	tree_entry_begin(json, &entry);
	tree_entry_label(json, name, strlen(name));
	return true;
}

/* The range that is asked for as far as there is history; all of it, if none is. */
static enum histree_status choose_defaults(struct entries *entries, histree_time start, histree_time end,
					   struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < entries->chart->part_count && status == HISTREE_OK; i++) {
		const struct chart_part *part = &entries->chart->parts[i];
		const struct histree_history_info *info = histree_history_info(part->history);
		histree_time from = start > info->start ? start : info->start;
		histree_time to = end < info->end ? end : info->end;
		if (from <= to && entries->chart->chart->kind == HISTREE_CHART_LINES)
			status = histree_chart_view_busiest(part->view, from, to, entries->defaults[i],
							    DEFAULT_LINES, &entries->default_count[i], error);
	}
	return status;
}

void chart_entries_tree(const struct output_call *output, const struct chart_of_set *chart)
{
	static const struct tree_header headers[] = { { "Name", "what the chart shows", NULL }, { 0 } };
	static const struct tree_source source = { headers, -1, write_entry, free };
	histree_time start = chart->start, end = chart->end;
	struct histree_error error = { 0 };
	if (!parameters_range(output->call, &start, &end))
		return;
	struct entries *entries = calloc(1, sizeof(*entries));
	if (entries == NULL) {
		reply_error(output->call->reply, HTTP_SERVER_ERROR, "out of memory");
		return;
	}
	entries->chart = chart;
	entries->name = histree_store_info(output->dataset->store)->path;
	if (choose_defaults(entries, start, end, &error) != HISTREE_OK) {
		free(entries);
		reply_failure(output->call->reply, &error);
		return;
	}
	tree_reply(output, &source, entries);
}
