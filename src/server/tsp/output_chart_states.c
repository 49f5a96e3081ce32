// SPDX-License-Identifier: MIT
/*
 * output_chart_states.c - a chart of states that an analysis declares, such as the <timeGraphView> of a file of
 * definitions: its rows, with its names and colours.
 */
#include "server/model/state_text.h"
#include "server/tsp/chart_entries.h"
#include "server/tsp/state_rows.h"
#include "server/tsp/style_reply.h"

enum { STYLES_MAX = HISTREE_LABEL_TABLES_MAX + 1 };

static void tree(const struct output_call *output)
{
	const struct chart_of_set *chart;
	if (chart_entries_find(output, &chart))
		chart_entries_tree(output, chart);
}

static bool find_row(const void *view, int64_t id, struct state_row *out)
{
	uint32_t row;
	const struct chart_part *part = chart_of_entry(view, id, &row);
	*out = (struct state_row){ .id = id, .label = HISTREE_ROOT };
	if (part == NULL || row == UINT32_MAX || part->rows[row].shown == HISTREE_ROOT)
		return part != NULL;
	out->view = view;
	out->history = part->history;
	out->quark = part->rows[row].shown;
	out->table = histree_chart_view_labels(part->view, row);
	return true;
}

/* The rows are those of one chart of the set that the output has. */
static void states(const struct output_call *output)
{
	static const struct state_source source = { find_row, state_label, { NULL, state_any_text } };
	const struct chart_of_set *chart;
	struct output_call of_chart = *output;
	if (!chart_entries_find(output, &chart))
		return;
	of_chart.view = (void *)(uintptr_t)chart;
	state_rows_reply(&of_chart, &source);
}

static void style(const struct output_call *output)
{
	const struct histree_label_table *used[STYLES_MAX] = { NULL }; /* the first is the palette */
	const struct chart_of_set *chart;
	size_t count = 1;
	if (!chart_entries_find(output, &chart))
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
	style_reply(output, used, count);
}

static bool applies(const struct dataset *dataset)
{
	return chart_set_named(dataset, HISTREE_CHART_STATES, NULL) != NULL;
}

const struct output output_chart_states = {
	.id = "org.eclipse.tracecompass.tmf.analysis.xml.core.output.DataDrivenTimeGraphDataProvider",
	.name = "Charts of states",
	.description = "States over time, as the analysis or its file of definitions shows them",
	.type = OUTPUT_TIME_GRAPH,
	.is_per_chart = true,
	.chart_kind = HISTREE_CHART_STATES,
	.applies = applies,
	.make = chart_set_make,
	.free = chart_set_free,
	.tree = tree,
	.states = states,
	.style = style,
};
