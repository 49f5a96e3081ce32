// SPDX-License-Identifier: MIT
#include "server/model/chart_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

/* ---- which there are -------------------------------------------------------------------------------------- */

/* Whether a history before this one has a chart of that name. */
static bool was_before(const struct dataset *dataset, size_t history, const char *name)
{
	for (size_t i = 0; i < history; i++)
		if (histree_chart_find(dataset->histories[i], name) != NULL)
			return true;
	return false;
}

/* Those of one history; returns false if the visit is over. */
static bool visit_charts(const struct dataset *dataset, size_t history, enum histree_chart_kind kind,
			 chart_visit *visit, void *context)
{
	size_t count;
	const struct histree_chart *charts = histree_charts(dataset->histories[history], &count);
	for (size_t k = 0; k < count; k++)
		if (charts[k].kind == kind && !was_before(dataset, history, charts[k].name) &&
		    !visit(context, &charts[k]))
			return false;
	return true;
}

void chart_set_each(const struct dataset *dataset, enum histree_chart_kind kind, chart_visit *visit, void *context)
{
	for (int empty = 0; empty < 2; empty++)
		for (size_t i = 0; i < dataset->history_count; i++) {
			const struct histree_history_info *info = histree_history_info(dataset->histories[i]);
			if ((info->attribute_count == 0) == (empty != 0) &&
			    !visit_charts(dataset, i, kind, visit, context))
				return;
		}
}

struct wanted {
	const char *name; /* NULL: any */
	const struct histree_chart *found;
};

static bool is_wanted(void *context, const struct histree_chart *chart)
{
	struct wanted *wanted = context;
	if (wanted->name == NULL || strcmp(wanted->name, chart->name) == 0)
		wanted->found = chart;
	return wanted->found == NULL;
}

const struct histree_chart *chart_set_named(const struct dataset *dataset, enum histree_chart_kind kind,
					    const char *name)
{
	struct wanted wanted = { name, NULL };
	chart_set_each(dataset, kind, is_wanted, &wanted);
	return wanted.found;
}

bool chart_set_applies(const struct dataset *dataset)
{
	return chart_set_named(dataset, HISTREE_CHART_LINES, NULL) != NULL ||
	       chart_set_named(dataset, HISTREE_CHART_STATES, NULL) != NULL;
}

/* ---- making ----------------------------------------------------------------------------------------------- */

static bool add_part(struct chart_set *set, const struct histree_chart *chart, struct histree_history *history,
		     const char *analysis)
{
	struct chart_of_set *of = NULL;
	const struct histree_history_info *info = histree_history_info(history);
	for (size_t i = 0; i < set->count && of == NULL; i++)
		if (strcmp(set->charts[i].chart->name, chart->name) == 0)
			of = &set->charts[i];
	if (of == NULL) {
		if (!array_reserve(&set->charts, &set->capacity, set->count + 1))
			return false;
		of = &set->charts[set->count++];
		*of = (struct chart_of_set){ .chart = chart, .start = info->start, .end = info->end };
	}
	of->start = info->start < of->start ? info->start : of->start;
	of->end = info->end > of->end ? info->end : of->end;
	of->parts[of->part_count++] = (struct chart_part){ .history = history, .analysis = analysis };
	return true;
}

enum histree_status chart_set_make(struct dataset *dataset, void **view, struct histree_error *error)
{
	struct chart_set *set = calloc(1, sizeof(*set));
	if (set == NULL)
		return error_memory(error, "charts");
	pthread_mutex_init(&set->lock, NULL);
	for (size_t i = 0; i < dataset->history_count; i++) {
		size_t count;
		const struct histree_chart *charts = histree_charts(dataset->histories[i], &count);
		for (size_t k = 0; k < count; k++)
			if (!add_part(set, &charts[k], dataset->histories[i], dataset->analyses[i])) {
				chart_set_free(set);
				return error_memory(error, "charts");
			}
	}
	*view = set;
	return HISTREE_OK;
}

void chart_set_free(void *view)
{
	struct chart_set *set = view;
	for (size_t i = 0; i < set->count; i++)
		for (size_t k = 0; k < set->charts[i].part_count; k++)
			histree_chart_view_free(set->charts[i].parts[k].view);
	pthread_mutex_destroy(&set->lock);
	free(set->charts);
	free(set);
}

static enum histree_status make_rows(struct chart_of_set *of, struct histree_cancel cancel,
				     struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	int64_t base = 1;
	for (size_t i = 0; i < of->part_count && status == HISTREE_OK; i++) {
		struct chart_part *part = &of->parts[i];
		if (part->view == NULL)
			status = histree_chart_view_create(part->history, of->chart->name, cancel, &part->view,
							   error);
		if (status != HISTREE_OK)
			break;
		part->rows = histree_chart_view_rows(part->view, &part->count);
		part->base = base;
		base += (int64_t)part->count + 1;
	}
	of->is_made = status == HISTREE_OK;
	return status;
}

enum histree_status chart_set_find(struct chart_set *set, const char *name, struct histree_cancel cancel,
				   const struct chart_of_set **out, struct histree_error *error)
{
	struct chart_of_set *of = NULL;
	*out = NULL;
	for (size_t i = 0; i < set->count && of == NULL; i++)
		if (strcmp(set->charts[i].chart->name, name) == 0)
			of = &set->charts[i];
	if (of == NULL)
		return error_set(error, HISTREE_NOT_FOUND, "there is no chart '%.100s'", name);
	pthread_mutex_lock(&set->lock);
	enum histree_status status = of->is_made ? HISTREE_OK : make_rows(of, cancel, error);
	pthread_mutex_unlock(&set->lock);
	*out = status == HISTREE_OK ? of : NULL;
	return status;
}

const struct chart_part *chart_of_entry(const struct chart_of_set *chart, int64_t id, uint32_t *row)
{
	for (size_t i = 0; i < chart->part_count; i++) {
		const struct chart_part *part = &chart->parts[i];
		if (id < part->base || id - part->base > (int64_t)part->count)
			continue;
		*row = id == part->base ? UINT32_MAX : (uint32_t)(id - part->base - 1);
		return part;
	}
	return NULL;
}
