// SPDX-License-Identifier: MIT
/*
 * output_chart_lines.c - a chart of numbers that an analysis declares.
 *
 * The protocol has no number for what is not known: there the answer has null, and says so.
 */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "histree/rows.h"
#include "server/tsp/chart_entries.h"
#include "server/tsp/parameters.h"
#include "server/tsp/xy_reply.h"

enum { LINES_MAX = 256 };

static void tree(const struct output_call *output)
{
	const struct chart_of_set *chart;
	if (chart_entries_find(output, &chart))
		chart_entries_tree(output, chart);
}

/* The lines of one part. */
struct lines {
	uint32_t rows[LINES_MAX];
	size_t count;
};

static void choose(const struct chart_of_set *chart, const struct chart_part *part, const int64_t *items,
		   size_t item_count, struct lines *lines)
{
	lines->count = 0;
	for (size_t i = 0; i < item_count && lines->count < LINES_MAX; i++) {
		uint32_t row;
		if (chart_of_entry(chart, items[i], &row) == part && row != UINT32_MAX &&
		    part->rows[row].shown != HISTREE_ROOT)
			lines->rows[lines->count++] = row;
	}
}

static histree_time clip(histree_time time, const struct histree_history_info *info)
{
	return time < info->start ? info->start : time > info->end ? info->end : time;
}

/* The points of xy_reply.h: the first one, and the end of each stretch. */
static enum histree_status compute(const struct chart_part *part, const struct lines *lines,
				   const struct xy_samples *samples, double **out, struct histree_error *error)
{
	size_t points = (size_t)samples->pixels + 1;
	const struct histree_history_info *info = histree_history_info(part->history);
	histree_time *times = malloc(points * sizeof(*times));
	*out = malloc(points * (lines->count + 1) * sizeof(**out));
	enum histree_status status = times != NULL && *out != NULL ? HISTREE_OK : error_memory(error, "a chart");
	for (size_t i = 0; i < points && status == HISTREE_OK; i++)
		times[i] = clip(histree_pixel_start(samples->from, samples->to, samples->pixels, (uint32_t)i) - 1,
				info);
	if (status == HISTREE_OK)
		status =
			histree_chart_view_lines(part->view, lines->rows, lines->count, times, points, *out, error);
	free(times);
	return status;
}

static void put_lines(const struct output_call *output, const struct chart_of_set *chart,
		      const struct chart_part *part, const struct lines *lines, const struct xy_samples *samples,
		      const double *values)
{
	size_t points = (size_t)samples->pixels + 1;
	for (size_t i = 0; i < lines->count; i++) {
		char name[256];
		const double *own = values + i * points;
		histree_chart_view_name(part->view, lines->rows[i], name, sizeof(name));
		const struct xy_curve curve = { .id = chart_entry_id(part, lines->rows[i]),
						.name = name,
						.label = chart->chart->title,
						.unit = chart->chart->unit,
						.values = own + 1,
						.first = own[0] };
		for (size_t k = 0; k < points; k++)
			if (isnan(own[k]))
				output->call->reply->notice =
					"where there is no number, nobody knows what it was: events were lost, or "
					"the store is damaged";
		xy_put(output->call->reply, samples, &curve);
	}
}

static void xy(const struct output_call *output)
{
	const struct chart_of_set *chart;
	struct reply *reply = output->call->reply;
	struct xy_samples samples;
	int64_t *items = NULL;
	size_t item_count;
	if (!chart_entries_find(output, &chart) ||
	    !xy_samples_read(output->call, chart->start, chart->end, &samples) ||
	    !parameters_items(output->call, &items, &item_count))
		return;
	double *values[DATASET_HISTORIES_MAX] = { NULL };
	struct lines *lines = calloc(chart->part_count + 1, sizeof(*lines));
	struct histree_error error = { 0 };
	enum histree_status status = lines != NULL ? HISTREE_OK : error_memory(&error, "a chart");
	for (size_t i = 0; i < chart->part_count && samples.pixels > 0 && status == HISTREE_OK; i++) {
		choose(chart, &chart->parts[i], items, item_count, &lines[i]);
		status = compute(&chart->parts[i], &lines[i], &samples, &values[i], &error);
	}
	if (status != HISTREE_OK) {
		reply_failure(reply, &error);
	} else {
		xy_begin(reply, chart->chart->title);
		for (size_t i = 0; i < chart->part_count; i++)
			put_lines(output, chart, &chart->parts[i], &lines[i], &samples, values[i]);
		xy_end(reply);
	}
	for (size_t i = 0; i < chart->part_count; i++)
		free(values[i]);
	free(lines);
	free(items);
}

static bool applies(const struct dataset *dataset)
{
	return chart_set_named(dataset, HISTREE_CHART_LINES, NULL) != NULL;
}

const struct output output_chart_lines = {
	.id = "org.eclipse.tracecompass.tmf.analysis.xml.core.module.XmlXYDataProvider",
	.name = "Charts",
	.description = "Numbers over time, of what the analysis counts",
	.type = OUTPUT_TREE_TIME_XY,
	.is_per_chart = true,
	.chart_kind = HISTREE_CHART_LINES,
	.applies = applies,
	.make = chart_set_make,
	.free = chart_set_free,
	.tree = tree,
	.xy = xy,
};
