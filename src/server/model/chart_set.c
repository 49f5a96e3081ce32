// SPDX-License-Identifier: MIT
/*
 * chart_set.c - the charts of all histories of a dataset, and those of states as rows.
 */
#include "server/model/chart_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "base/table.h"
#include "histree/states.h"
#include "server/model/kernel_rows.h"
#include "server/model/row_model.h"
#include "server/model/state_filter.h"

/* ---- which there are --------------------------------------------------------------------------------------- */

/* One without rows is not: the trace has nothing of it, as of disks, where the analysis has other charts too. */
static bool is_shown(const struct dataset *dataset, const struct histree_history *history,
		     const struct histree_chart *chart)
{
	return chart != NULL &&
	       (!histree_store_info(dataset->store)->complete || histree_chart_has_rows(history, chart));
}

/* Returns whether a history before this one has a chart of that name. */
static bool was_before(const struct dataset *dataset, size_t history, const char *name)
{
	for (size_t i = 0; i < history; i++)
		if (is_shown(dataset, dataset->histories[i], histree_chart_find(dataset->histories[i], name)))
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
		if (charts[k].kind == kind && is_shown(dataset, dataset->histories[history], &charts[k]) &&
		    !was_before(dataset, history, charts[k].name) && !visit(context, &charts[k]))
			return false;
	return true;
}

void chart_set_each(const struct dataset *dataset, enum histree_chart_kind kind, chart_visit *visit, void *context)
{
	for (size_t i = 0; i < dataset->history_count; i++)
		if (!visit_charts(dataset, i, kind, visit, context))
			return;
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

/* ---- making ------------------------------------------------------------------------------------------------ */

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
	if (!array_reserve(&of->parts, &of->part_capacity, of->part_count + 1))
		return false;
	of->parts[of->part_count++] = (struct chart_part){ .history = history, .analysis = analysis };
	return true;
}

static void chart_set_free(void *view)
{
	struct chart_set *set = view;
	for (size_t i = 0; i < set->count; i++) {
		for (size_t k = 0; k < set->charts[i].part_count; k++)
			histree_chart_view_free(set->charts[i].parts[k].view);
		free(set->charts[i].parts);
	}
	pthread_mutex_destroy(&set->lock);
	free(set->charts);
	free(set);
}

static enum histree_status chart_set_make(struct dataset *dataset, void **view, struct histree_error *error)
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

const struct view_kind chart_set_kind = { NULL, chart_set_make, chart_set_free };

static enum histree_status make_rows(struct chart_of_set *of, struct histree_work work, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	int64_t base = 1;
	for (size_t i = 0; i < of->part_count && status == HISTREE_OK; i++) {
		struct chart_part *part = &of->parts[i];
		if (part->view == NULL)
			status =
				histree_chart_view_create(part->history, of->chart->name, work, &part->view, error);
		if (status != HISTREE_OK)
			break;
		part->rows = histree_chart_view_rows(part->view, &part->count);
		part->base = base;
		base += (int64_t)part->count + 1;
	}
	of->is_made = status == HISTREE_OK;
	return status;
}

enum histree_status chart_set_find(struct chart_set *set, const char *name, struct histree_work work,
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
	enum histree_status status = of->is_made ? HISTREE_OK : make_rows(of, work, error);
	pthread_mutex_unlock(&set->lock);
	*out = status == HISTREE_OK ? of : NULL;
	return status;
}

enum histree_status chart_part_lines(const struct chart_part *part, const uint32_t *rows, size_t count,
				     histree_time from, histree_time to, uint32_t pixels, double **out,
				     struct histree_error *error)
{
	const size_t points = (size_t)pixels + 1;
	const struct histree_history_info *info = histree_history_info(part->history);
	histree_time *times = malloc(points * sizeof(*times));
	*out = malloc(points * (count + 1) * sizeof(**out));
	enum histree_status status = times != NULL && *out != NULL ? HISTREE_OK : error_memory(error, "a chart");
	for (size_t i = 0; i < points && status == HISTREE_OK; i++) {
		const histree_time end = histree_pixel_start(from, to, pixels, (uint32_t)i) - 1;
		times[i] = end < info->start ? info->start : end > info->end ? info->end : end;
	}
	if (status == HISTREE_OK)
		status = histree_chart_view_lines(part->view, rows, count, times, points, *out, error);
	free(times);
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

/* ---- what lines are called --------------------------------------------------------------------------------- */

/* The threads of the host that a row is of; NULL: nobody knows their names. */
static const struct kernel_view *kernel_of(struct dataset *dataset, const struct chart_part *part, uint32_t row)
{
	void *view;
	struct dataset *own = dataset;
	while (part->rows[row].parent != UINT32_MAX)
		row = part->rows[row].parent;
	for (size_t i = 0; i < dataset->host_count; i++)
		if (strcmp(dataset->hosts[i].name, part->rows[row].name) == 0)
			own = dataset->hosts[i].own;
	const bool is_known = own != NULL && kernel_view_applies(own) &&
			      dataset_view(own, &row_model_resources.own, &view, NULL) == HISTREE_OK;
	return is_known ? view : NULL;
}

void chart_row_label(struct dataset *dataset, const struct chart_part *part, uint32_t row, histree_time at,
		     struct byte_buffer *text)
{
	const struct histree_chart_row *shown = &part->rows[row];
	const int32_t tid = histree_attributes_thread(histree_history_attributes(part->history), shown->attribute);
	char number[NUMBER_TEXT_SIZE + 1] = "";
	number[number_format_signed(tid, number)] = '\0';
	/* A row with another name, such as "read" or "42 (life 1)", is not that of the thread. */
	const bool is_thread = tid > 0 && strcmp(number, shown->name) == 0;
	const struct kernel_view *kernel = is_thread ? kernel_of(dataset, part, row) : NULL;
	if (kernel != NULL)
		kernel_thread_label(kernel, tid, at, text);
	else
		byte_buffer_put_chars(text, shown->name);
}

void chart_line_label(struct dataset *dataset, const struct chart_part *part, uint32_t row, histree_time at,
		      struct byte_buffer *text)
{
	if (part->rows[row].parent != UINT32_MAX) {
		chart_line_label(dataset, part, part->rows[row].parent, at, text);
		byte_buffer_put_chars(text, " / ");
	}
	chart_row_label(dataset, part, row, at, text);
}

/* ---- the rows of charts of states -------------------------------------------------------------------------- */

/*
 * Each chart that an analysis declares is a row with its title, below it its rows.  Of a chart that several
 * histories have, each has a row with the name of its analysis.  Stacks that the view of calls shows are left to
 * that.
 */
struct chart_line {
	const struct chart_part *part; /* NULL: the chart itself */
	uint32_t row;                  /* of the part; UINT32_MAX: the part itself, or the chart */
	uint32_t depth, below;
	const char *name;
};

struct chart_rows {
	struct chart_line *lines;
	uint32_t count;
	size_t capacity;
};

/* ---- which rows there are ---------------------------------------------------------------------------------- */

/* Whether the rows of call stacks show it. */
static bool is_of_stacks(const struct histree_chart *chart)
{
	for (size_t i = 0; i < chart->entry_count; i++)
		if (strcmp(chart->entries[i].path, HISTREE_CHART_STACKS) == 0)
			return true;
	return false;
}

static bool shows(const struct dataset *dataset, const struct histree_chart *chart,
		  const struct histree_history *history)
{
	return chart->kind == HISTREE_CHART_STATES && is_shown(dataset, history, chart) &&
	       !(history == dataset->calls && is_of_stacks(chart));
}

static bool chart_rows_apply(const struct dataset *dataset)
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

/* ---- making rows ------------------------------------------------------------------------------------------- */

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

static bool add_chart(void *context, const struct histree_chart *declared)
{
	struct chart_maker *maker = context;
	const struct chart_of_set *chart;
	size_t shown = 0;
	maker->status =
		chart_set_find(maker->set, declared->name, (struct histree_work){ 0 }, &chart, maker->error);
	for (size_t i = 0; maker->status == HISTREE_OK && i < chart->part_count; i++)
		shown += shows(maker->dataset, chart->chart, chart->parts[i].history);
	if (shown > 0)
		add_line(maker, (struct chart_line){ NULL, UINT32_MAX, 0, 0, declared->title });
	for (size_t i = 0; maker->status == HISTREE_OK && i < chart->part_count; i++)
		if (shows(maker->dataset, chart->chart, chart->parts[i].history)) {
			const struct chart_part *part = &chart->parts[i];
			const bool is_alone = shown == 1;
			uint32_t top = is_alone ? 1 : 2;
			if (!is_alone)
				add_line(maker, (struct chart_line){ part, UINT32_MAX, 1, 0, part->analysis });
			for (uint32_t row = 0; row < part->count; row++)
				add_line(maker, (struct chart_line){ part, row, top + part->rows[row].depth, 0,
								     part->rows[row].name });
		}
	return maker->status == HISTREE_OK;
}

static void chart_rows_free(void *view)
{
	struct chart_rows *rows = view;
	free(rows->lines);
	free(rows);
}

static enum histree_status chart_rows_make(struct dataset *dataset, void **view, struct histree_error *error)
{
	void *set;
	enum histree_status status = dataset_view(dataset, &chart_set_kind, &set, error);
	if (status != HISTREE_OK)
		return status;
	struct chart_rows *rows = calloc(1, sizeof(*rows));
	if (rows == NULL)
		return error_memory(error, "the rows of charts");
	struct chart_maker maker = { .dataset = dataset, .set = set, .rows = rows, .error = error };
	chart_set_each(dataset, HISTREE_CHART_STATES, add_chart, &maker);
	if (maker.status != HISTREE_OK) {
		chart_rows_free(rows);
		return maker.status;
	}

	/* From the last one to the first, over those that are counted. */
	for (size_t line = rows->count; line-- > 0;) {
		size_t next = line + 1;
		while (next < rows->count && rows->lines[next].depth > rows->lines[line].depth)
			next += rows->lines[next].below + 1;
		rows->lines[line].below = (uint32_t)(next - line - 1);
	}
	*view = rows;
	return HISTREE_OK;
}

/* ---- what rows say ----------------------------------------------------------------------------------------- */

static void chart_rows_facts(const void *view, uint32_t index, struct row_facts *out)
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

static void chart_rows_label(const void *view, uint32_t index, struct byte_buffer *text)
{
	const struct chart_rows *rows = view;
	byte_buffer_put_chars(text, rows->lines[index].name);
}

const struct row_model row_model_charts = {
	.name = "state-charts",
	.title = "Charts of states",
	.own = { chart_rows_apply, chart_rows_make, chart_rows_free },
	.count = offsetof(struct chart_rows, count),
	.facts = chart_rows_facts,
	.label = chart_rows_label,
	.text = state_any_text,
	.kind = { .text = state_any_text },
};
