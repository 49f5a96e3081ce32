// SPDX-License-Identifier: MIT
/*
 * row_model_charts.c - the charts of states that analyses declare, such as a <timeGraphView>: each a row with its
 * title, below it its rows.
 *
 * Of a chart that several histories have, each has a row with the name of its analysis.  Stacks that the view of
 * calls shows are left to that.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "server/model/call_view.h"
#include "server/model/chart_set.h"
#include "server/model/row_model.h"
#include "server/model/state_text.h"

struct chart_line {
	const struct chart_part *part; /* NULL: the chart itself */
	uint32_t row;                  /* of the part; UINT32_MAX: the part itself, or the chart */
	uint32_t depth, below;
	const char *name;
};

struct chart_rows {
	struct chart_line *lines;
	size_t count, capacity;
};

/* ---- which there are -------------------------------------------------------------------------------------- */

static bool shows(const struct dataset *dataset, const struct histree_chart *chart,
		  const struct histree_history *history)
{
	return chart->kind == HISTREE_CHART_STATES &&
	       !(call_chart_is_of_stacks(chart) && history == call_view_history(dataset));
}

static bool applies(const struct dataset *dataset)
{
	for (size_t i = 0; i < dataset->history_count; i++) {
		size_t count;
		const struct histree_chart *charts = histree_charts(dataset->histories[i], &count);
		for (size_t k = 0; k < count; k++)
			if (shows(dataset, &charts[k], dataset->histories[i]))
				return true;
	}
	return false;
}

/* ---- making ----------------------------------------------------------------------------------------------- */

struct chart_maker {
	const struct dataset *dataset;
	struct chart_set *set;
	struct chart_rows *rows;
	enum histree_status status;
	struct histree_error *error;
};

static void add_line(struct chart_maker *maker, struct chart_line line)
{
	struct chart_rows *rows = maker->rows;
	if (maker->status != HISTREE_OK)
		return;
	if (rows->count + 1 < HISTREE_NO_INDEX && array_reserve(&rows->lines, &rows->capacity, rows->count + 1))
		rows->lines[rows->count++] = line;
	else
		maker->status = error_memory(maker->error, "the rows of charts");
}

static void add_part(struct chart_maker *maker, const struct chart_part *part, bool is_alone)
{
	uint32_t top = is_alone ? 1 : 2;
	if (!is_alone)
		add_line(maker, (struct chart_line){ part, UINT32_MAX, 1, 0, part->analysis });
	for (uint32_t row = 0; row < part->count; row++)
		add_line(maker,
			 (struct chart_line){ part, row, top + part->rows[row].depth, 0, part->rows[row].name });
}

static bool add_chart(void *context, const struct histree_chart *declared)
{
	struct chart_maker *maker = context;
	const struct chart_of_set *chart;
	size_t shown = 0;
	maker->status = chart_set_find(maker->set, declared->name, (struct histree_cancel){ NULL, NULL }, &chart,
				       maker->error);
	for (size_t i = 0; maker->status == HISTREE_OK && i < chart->part_count; i++)
		shown += shows(maker->dataset, chart->chart, chart->parts[i].history);
	if (shown > 0)
		add_line(maker, (struct chart_line){ NULL, UINT32_MAX, 0, 0, declared->title });
	for (size_t i = 0; maker->status == HISTREE_OK && i < chart->part_count; i++)
		if (shows(maker->dataset, chart->chart, chart->parts[i].history))
			add_part(maker, &chart->parts[i], shown == 1);
	return maker->status == HISTREE_OK;
}

/* From the last one to the first, over those that are counted. */
static void count_below(struct chart_rows *rows)
{
	for (size_t line = rows->count; line-- > 0;) {
		size_t next = line + 1;
		while (next < rows->count && rows->lines[next].depth > rows->lines[line].depth)
			next += rows->lines[next].below + 1;
		rows->lines[line].below = (uint32_t)(next - line - 1);
	}
}

static void free_rows(void *view)
{
	struct chart_rows *rows = view;
	free(rows->lines);
	free(rows);
}

static enum histree_status make(struct dataset *dataset, void **view, struct histree_error *error)
{
	void *set;
	enum histree_status status = dataset_view(dataset, chart_set_make, chart_set_free, &set, error);
	if (status != HISTREE_OK)
		return status;
	struct chart_rows *rows = calloc(1, sizeof(*rows));
	if (rows == NULL)
		return error_memory(error, "the rows of charts");
	struct chart_maker maker = { .dataset = dataset, .set = set, .rows = rows, .error = error };
	chart_set_each(dataset, HISTREE_CHART_STATES, add_chart, &maker);
	if (maker.status != HISTREE_OK) {
		free_rows(rows);
		return maker.status;
	}
	count_below(rows);
	*view = rows;
	return HISTREE_OK;
}

/* ---- rows ------------------------------------------------------------------------------------------------- */

static uint32_t count(const void *view)
{
	const struct chart_rows *rows = view;
	return (uint32_t)rows->count;
}

static void facts(const void *view, uint32_t index, struct row_facts *out)
{
	const struct chart_rows *rows = view;
	const struct chart_line *line = &rows->lines[index];
	*out = (struct row_facts){
		.history = line->part != NULL ? line->part->history : NULL,
		.quark = HISTREE_ROOT,
		.label = HISTREE_ROOT,
		.depth = line->depth,
		.descendants = line->below,
	};
	if (line->row == UINT32_MAX)
		return;
	out->quark = line->part->rows[line->row].shown;
	out->table = histree_chart_view_labels(line->part->view, line->row);
}

static void describe(const void *view, uint32_t index, struct json_writer *json)
{
	const struct chart_rows *rows = view;
	json_text_member(json, "name", rows->lines[index].name);
}

static bool matches(const void *view, uint32_t index, const char *text)
{
	const struct chart_rows *rows = view;
	const char *name = rows->lines[index].name;
	return row_text_contains(name, strlen(name), text);
}

const struct row_model row_model_charts = {
	.name = "state-charts",
	.title = "Charts of states",
	.applies = applies,
	.make = make,
	.free = free_rows,
	.count = count,
	.facts = facts,
	.describe = describe,
	.matches = matches,
	.text = state_any_text,
	.kind = { NULL, state_any_text },
};
