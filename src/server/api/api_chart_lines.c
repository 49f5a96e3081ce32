// SPDX-License-Identifier: MIT
/*
 * api_chart_lines.c - charts of numbers for the page: which there are, and the lines of one that matter most.
 */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "histree/rows.h"
#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/model/chart_set.h"

enum { LINES_MAX = 64 };

static bool write_chart(void *context, const struct histree_chart *chart)
{
	struct json_writer *json = context;
	json_begin_object(json);
	json_text_member(json, "name", chart->name);
	json_text_member(json, "title", chart->title);
	json_text_member(json, "unit", chart->unit);
	json_end(json);
	return true;
}

void api_charts_list(struct call *call)
{
	struct dataset *dataset;
	if (!page_dataset(call, &dataset))
		return;
	json_begin_array(&call->reply->json);
	chart_set_each(dataset, HISTREE_CHART_LINES, write_chart, &call->reply->json);
	json_end(&call->reply->json);
	dataset_release(dataset);
}

/* ---- lines ------------------------------------------------------------------------------------------------ */

/* Of one history. */
struct lines {
	uint32_t rows[LINES_MAX];
	size_t count;
	double *values; /* of each line, one more than there are pixels */
};

/* Ends of pixels, and what comes before the first one, as far as there is history. */
static enum histree_status compute(const struct chart_part *part, const struct page_range *range, size_t most,
				   struct lines *lines, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(part->history);
	histree_time from = range->from > info->start ? range->from : info->start;
	histree_time to = range->to < info->end ? range->to : info->end;
	size_t points = (size_t)range->pixels + 1;
	if (from > to)
		return HISTREE_OK;
	histree_time *times = malloc(points * sizeof(*times));
	lines->values = malloc(points * LINES_MAX * sizeof(*lines->values));
	enum histree_status status =
		times != NULL && lines->values != NULL ? HISTREE_OK : error_memory(error, "a chart");
	for (size_t i = 0; i < points && status == HISTREE_OK; i++) {
		histree_time end = histree_pixel_start(range->from, range->to, range->pixels, (uint32_t)i) - 1;
		times[i] = end < info->start ? info->start : end > info->end ? info->end : end;
	}
	if (status == HISTREE_OK)
		status = histree_chart_view_busiest(part->view, from, to, lines->rows, most, &lines->count, error);
	if (status == HISTREE_OK)
		status = histree_chart_view_lines(part->view, lines->rows, lines->count, times, points,
						  lines->values, error);
	free(times);
	return status;
}

static void write_lines(struct json_writer *json, const struct chart_part *part, const struct lines *lines,
			uint32_t pixels)
{
	for (size_t i = 0; i < lines->count; i++) {
		char name[256];
		const double *values = lines->values + i * ((size_t)pixels + 1);
		histree_chart_view_name(part->view, lines->rows[i], name, sizeof(name));
		json_begin_object(json);
		json_int_member(json, "id", chart_entry_id(part, lines->rows[i]));
		json_text_member(json, "name", name);
		json_key(json, "values");
		json_begin_array(json);
		for (uint32_t k = 1; k <= pixels; k++) {
			if (isnan(values[k]))
				json_put_null(json);
			else
				json_put_real(json, values[k]);
		}
		json_end(json);
		json_end(json);
	}
}

static int64_t count_lines(const struct chart_of_set *chart)
{
	int64_t count = 0;
	for (size_t i = 0; i < chart->part_count; i++)
		for (uint32_t k = 0; k < chart->parts[i].count; k++)
			count += chart->parts[i].rows[k].shown != HISTREE_ROOT;
	return count;
}

static enum histree_status answer(struct call *call, const struct chart_of_set *chart,
				  const struct page_range *range, size_t most, struct histree_error *error)
{
	struct json_writer *json = &call->reply->json;
	struct lines lines[DATASET_HISTORIES_MAX] = { { .count = 0 } };
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < chart->part_count && status == HISTREE_OK; i++)
		status = compute(&chart->parts[i], range, most, &lines[i], error);
	if (status == HISTREE_OK) {
		json_begin_object(json);
		json_int_member(json, "all", count_lines(chart));
		json_key(json, "lines");
		json_begin_array(json);
		for (size_t i = 0; i < chart->part_count; i++)
			write_lines(json, &chart->parts[i], &lines[i], range->pixels);
		json_end(json);
		json_end(json);
	}
	for (size_t i = 0; i < chart->part_count; i++)
		free(lines[i].values);
	return status;
}

void api_chart_lines(struct call *call)
{
	struct dataset *dataset;
	struct page_range range;
	void *set;
	int64_t most;
	const struct chart_of_set *chart;
	struct histree_error error = { 0 };
	if (!page_dataset(call, &dataset))
		return;
	const char *name = page_text(call, "chart");
	enum histree_status status = dataset_view(dataset, chart_set_make, chart_set_free, &set, &error);
	if (status == HISTREE_OK)
		status = chart_set_find(set, name, reply_cancel(call->reply), &chart, &error);
	if (status == HISTREE_OK && page_number(call, "lines", 1, LINES_MAX, 8, &most) &&
	    page_range(call, dataset_start(dataset), chart->end, &range))
		status = answer(call, chart, &range, (size_t)most, &error);
	if (status != HISTREE_OK)
		reply_failure(call->reply, &error);
	dataset_release(dataset);
}
