// SPDX-License-Identifier: MIT
/*
 * output_charts.c - charts that analyses declare, as outputs: numbers, or states such as the <timeGraphView> of a
 * file of definitions.
 *
 * The tree has an entry for each history that has the chart, named after the store or, if there are several, after
 * their analyses, and below it one for each row.
 *
 * The protocol has no number for unknown values: the answer then has null, and states that.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "histree/states.h"
#include "server/model/chart_set.h"
#include "server/model/state_filter.h"
#include "server/tsp/outputs.h"
#include "server/tsp/parameters.h"
#include "server/tsp/replies.h"
#include "server/tsp/row_outputs.h"

/* ---- chart entries ------------------------------------------------------------------------------------------- */

/* Lines that a chart shows at first: those that matter most in the range that is asked for. */
enum { DEFAULT_LINES = 8 };

struct entries {
	struct dataset *dataset;
	const struct chart_of_set *chart;
	const char *name; /* of the store */
	struct {
		uint32_t rows[DEFAULT_LINES];
		size_t count;
	} * defaults; /* by part */
};

/* Gets the chart of an output for each chart, with its rows; returns false if it has answered instead. */
static bool find_chart(struct call *call, const struct chart_of_set **out)
{
	return reply_ok(call->reply, chart_set_find(call->view, call->part, reply_cancel(call->reply), out,
						    &call->reply->error));
}

static bool is_default(const struct entries *entries, size_t part, uint32_t row)
{
	for (size_t i = 0; i < entries->defaults[part].count; i++)
		if (entries->defaults[part].rows[i] == row)
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
	struct byte_buffer name = { 0 };
	if (row == UINT32_MAX) {
		byte_buffer_put_chars(&name, entries->chart->part_count > 1 ? part->analysis : entries->name);
	} else {
		const struct histree_chart_row *shown = &part->rows[row];
		entry = (struct tree_entry){ .id = chart_entry_id(part, row),
					     .parent = chart_entry_id(part, shown->parent),
					     .start = shown->first,
					     .end = shown->last,
					     .has_data = shown->shown != HISTREE_ROOT,
					     .is_default = is_default(entries, number, row) };
		chart_row_label(entries->dataset, part, row, shown->first, &name);
	}
	tree_entry_begin(json, &entry);
	tree_entry_label(json, byte_buffer_chars(&name), name.size);
	byte_buffer_release(&name);
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
			status = histree_chart_view_busiest(part->view, from, to, entries->defaults[i].rows,
							    DEFAULT_LINES, &entries->defaults[i].count, error);
	}
	return status;
}

/* Some of the lines are those of a chart that has just been opened. */
static void tree(struct call *call)
{
	static const struct tree_header headers[] = { { "Name", "what the chart shows", NULL }, { 0 } };
	static const struct tree_source source = { headers, -1, write_entry, NULL };
	const struct chart_of_set *chart;
	if (!find_chart(call, &chart))
		return;
	histree_time start = chart->start, end = chart->end;
	struct entries *entries = reply_memory(call->reply, 1, sizeof(*entries));
	if (entries == NULL || !parameters_range(call, &start, &end))
		return;
	entries->defaults = reply_memory(call->reply, chart->part_count, sizeof(*entries->defaults));
	if (entries->defaults == NULL)
		return;
	entries->dataset = call->dataset;
	entries->chart = chart;
	entries->name = histree_store_info(call->dataset->store)->path;
	if (reply_ok(call->reply, choose_defaults(entries, start, end, &call->reply->error)))
		tree_reply(call, &source, entries);
}

/* ---- output chart lines -------------------------------------------------------------------------------------- */

enum { LINES_MAX = 256 };

static void put_lines(struct call *call, const struct chart_of_set *chart, const struct chart_part *part,
		      const uint32_t *rows, size_t count, const struct xy_samples *samples, const double *values)
{
	size_t points = (size_t)samples->pixels + 1;
	for (size_t i = 0; i < count; i++) {
		struct byte_buffer name = { 0 };
		const double *own = values + i * points; /* the points of replies.h */
		chart_line_label(call->dataset, part, rows[i], samples->from, &name);
		byte_buffer_put_byte(&name, '\0');
		const struct xy_curve curve = { .id = chart_entry_id(part, rows[i]),
						.name = byte_buffer_chars(&name),
						.label = chart->chart->title,
						.unit = chart->chart->unit,
						.values = own + 1,
						.first = own[0] };
		for (size_t k = 0; k < points; k++)
			if (isnan(own[k]))
				call->reply->notice =
					"where there is no number, nobody knows what it was: events were lost, or "
					"the store is damaged";
		xy_put(call->reply, samples, &curve);
		byte_buffer_release(&name);
	}
}

static void xy(struct call *call)
{
	const struct chart_of_set *chart;
	struct xy_request request;
	const struct xy_samples *samples = &request.samples;
	enum histree_status status = HISTREE_OK;
	if (!find_chart(call, &chart) || !xy_request_read(call, chart->start, chart->end, &request))
		return;
	xy_begin(call->reply, chart->chart->title);
	for (size_t i = 0; i < chart->part_count && samples->pixels > 0 && status == HISTREE_OK; i++) {
		const struct chart_part *part = &chart->parts[i];
		uint32_t rows[LINES_MAX];
		double *values = NULL;

		/* The rows of a part that are asked for. */
		size_t count = 0;
		for (size_t k = 0; k < request.item_count && count < LINES_MAX; k++) {
			uint32_t row;
			if (chart_of_entry(chart, request.items[k], &row) == part && row != UINT32_MAX &&
			    part->rows[row].shown != HISTREE_ROOT)
				rows[count++] = row;
		}
		status = chart_part_lines(part, rows, count, samples->from, samples->to, samples->pixels, &values,
					  &call->reply->error);
		if (status == HISTREE_OK)
			put_lines(call, chart, part, rows, count, samples, values);
		free(values);
	}
	if (reply_ok(call->reply, status))
		xy_end(call->reply);
}

const struct output output_chart_lines = {
	.id = "org.eclipse.tracecompass.tmf.analysis.xml.core.module.XmlXYDataProvider",
	.name = "Charts",
	.description = "Numbers over time, of what the analysis counts",
	.type = OUTPUT_TREE_TIME_XY,
	.is_per_chart = true,
	.chart_kind = HISTREE_CHART_LINES,
	.view = &chart_set_kind,
	.tree = tree,
	.xy = xy,
};

/* ---- output chart states ------------------------------------------------------------------------------------- */

enum { STYLES_MAX = HISTREE_LABEL_TABLES_MAX + 1 };

static bool find_row(const void *view, int64_t id, struct state_row *out)
{
	uint32_t row;
	const struct chart_part *part = chart_of_entry(view, id, &row);
	*out = (struct state_row){ .id = id, .facts = { .label = HISTREE_ROOT } };
	if (part == NULL || row == UINT32_MAX || part->rows[row].shown == HISTREE_ROOT)
		return part != NULL;
	out->facts.view = view;
	out->facts.history = part->history;
	out->facts.quark = part->rows[row].shown;
	out->facts.table = histree_chart_view_labels(part->view, row);
	return true;
}

/* The rows are those of one chart of the set that the output has. */
static void states(struct call *call)
{
	static const struct state_kind kind = { .text = state_any_text };
	const struct chart_of_set *chart;
	if (!find_chart(call, &chart))
		return;
	call->view = (void *)(uintptr_t)chart;
	state_rows_reply(call, find_row, &kind);
}

static void style(struct call *call)
{
	const struct histree_label_table *used[STYLES_MAX] = { NULL }; /* the first is the palette */
	const struct chart_of_set *chart;
	size_t count = 1;
	if (!find_chart(call, &chart))
		return;
	for (size_t i = 0; i < chart->part_count; i++)
		for (uint32_t row = 0; row < chart->parts[i].count && count < STYLES_MAX; row++) {
			const struct histree_label_table *table =
				histree_chart_view_labels(chart->parts[i].view, row);
			bool is_new = table != NULL;
			for (size_t k = 1; k < count && is_new; k++)
				is_new = used[k] != table;
			if (is_new)
				used[count++] = table;
		}
	style_reply(call, used, count);
}

const struct output output_chart_states = {
	.id = "org.eclipse.tracecompass.tmf.analysis.xml.core.output.DataDrivenTimeGraphDataProvider",
	.name = "Charts of states",
	.description = "States over time, as the analysis or its file of definitions shows them",
	.type = OUTPUT_TIME_GRAPH,
	.is_per_chart = true,
	.chart_kind = HISTREE_CHART_STATES,
	.view = &chart_set_kind,
	.tree = tree,
	.states = states,
	.style = style,
};
