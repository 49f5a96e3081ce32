// SPDX-License-Identifier: MIT
/*
 * chart_lines.c - the lines of a chart: the states of its attributes at some times, from one query.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "histree/query.h"
#include "view/chart_view.h"

/* The line of a row, by what it shows. */
struct line {
	histree_quark quark;
	double *values;
};

static int compare_lines(const void *one, const void *other)
{
	const struct line *a = one, *b = other;
	return (a->quark > b->quark) - (a->quark < b->quark);
}

/* A text that is a number is one, as in Trace Compass. */
static double number_in(const struct histree_value *value)
{
	char text[64], *end;
	if (value->size == 0 || value->size >= sizeof(text))
		return 0;
	memcpy(text, value->bytes, value->size);
	text[value->size] = '\0';
	double number = strtod(text, &end);
	return *end == '\0' && isfinite(number) ? number : 0;
}

static double number_of(const struct histree_value *value)
{
	switch (value->type) {
	case HISTREE_INT:
		return value->int32;
	case HISTREE_LONG:
		return (double)value->int64;
	case HISTREE_DOUBLE:
		return isfinite(value->real) ? value->real : 0;
	case HISTREE_BOOL:
		return value->boolean;
	case HISTREE_STRING:
		return number_in(value);
	case HISTREE_UNKNOWN:
		return NAN;
	default:
		return 0;
	}
}

/* Returns the index of the first time that is not before `time`. */
static size_t first_at(const histree_time *times, size_t count, histree_time time)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (times[middle] < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void fill(const struct line *lines, size_t count, const struct histree_interval *interval,
		 const histree_time *times, size_t time_count)
{
	const struct line key = { .quark = interval->quark };
	const struct line *line = bsearch(&key, lines, count, sizeof(*lines), compare_lines);
	double number = number_of(&interval->value);
	size_t first = first_at(times, time_count, interval->start);
	if (line == NULL)
		return;
	while (line > lines && line[-1].quark == interval->quark)
		line--;
	for (; line < lines + count && line->quark == interval->quark; line++)
		for (size_t k = first; k < time_count && times[k] <= interval->end; k++)
			line->values[k] = number;
}

/* The states at those times. */
static enum histree_status read_states(const struct histree_chart_view *view, struct line *lines, size_t count,
				       const histree_time *times, size_t time_count, struct histree_error *error)
{
	histree_quark *quarks = malloc((count + 1) * sizeof(*quarks));
	struct histree_query *query = NULL;
	size_t quark_count = 0;
	enum histree_status status = quarks != NULL ? histree_query_create(view->history, &query, error)
						    : error_memory(error, "a chart");
	if (status == HISTREE_OK && count > 1)
		qsort(lines, count, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		if (quark_count == 0 || quarks[quark_count - 1] != lines[i].quark)
			quarks[quark_count++] = lines[i].quark;
	if (status == HISTREE_OK) {
		const struct histree_region region = {
			.quarks = quarks, .quark_count = quark_count, .times = times, .time_count = time_count
		};
		struct histree_interval interval;
		status = histree_query_start(query, &region, error);
		while (status == HISTREE_OK && (status = histree_query_next(query, &interval, error)) == HISTREE_OK)
			fill(lines, count, &interval, times, time_count);
		status = status == HISTREE_END ? HISTREE_OK : status;
	}
	histree_query_free(query);
	free(quarks);
	return status;
}

static void measure(const struct histree_chart_entry *entry, const histree_time *times, size_t count,
		    double *values)
{
	double factor = entry->factor != 0 ? entry->factor : 1;
	if (entry->measure != HISTREE_CHART_VALUE) {
		for (size_t k = count; k-- > 1;) {
			double seconds = (double)((uint64_t)times[k] - (uint64_t)times[k - 1]) * 1e-9;
			values[k] -= values[k - 1];
			if (entry->measure == HISTREE_CHART_RATE)
				values[k] = seconds > 0 ? values[k] / seconds : 0;
		}
		if (count > 0)
			values[0] = count > 1 ? values[1] : 0;
	}
	for (size_t k = 0; k < count && factor != 1; k++)
		values[k] *= factor;
}

static bool has_numbers(const struct histree_chart_view *view, uint32_t row)
{
	return row < view->count && view->rows[row].shown != HISTREE_ROOT &&
	       view->chart->kind == HISTREE_CHART_LINES;
}

enum histree_status histree_chart_view_lines(const struct histree_chart_view *view, const uint32_t *rows,
					     size_t row_count, const histree_time *times, size_t time_count,
					     double *values, struct histree_error *error)
{
	struct line *lines = malloc((row_count + 1) * sizeof(*lines));
	size_t count = 0;
	enum histree_status status = lines != NULL ? HISTREE_OK : error_memory(error, "a chart");
	for (size_t i = 0; i < row_count && status == HISTREE_OK; i++) {
		double *own = values + i * time_count;
		for (size_t k = 0; k < time_count; k++)
			own[k] = NAN;
		if (has_numbers(view, rows[i]))
			lines[count++] = (struct line){ view->rows[rows[i]].shown, own };
	}
	if (status == HISTREE_OK && count > 0 && time_count > 0)
		status = read_states(view, lines, count, times, time_count, error);
	for (size_t i = 0; i < row_count && status == HISTREE_OK; i++)
		if (has_numbers(view, rows[i]))
			measure(&view->chart->entries[view->rows[rows[i]].entry], times, time_count,
				values + i * time_count);
	free(lines);
	return status;
}

/* ---- the busiest ------------------------------------------------------------------------------------------ */

struct rank {
	double weight;
	uint32_t row;
};

static int compare_ranks(const void *one, const void *other)
{
	const struct rank *a = one, *b = other;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static double weight_of(enum histree_chart_measure measured, const double ends[2])
{
	double first = isnan(ends[0]) ? 0 : fabs(ends[0]), last = isnan(ends[1]) ? 0 : fabs(ends[1]);
	return measured == HISTREE_CHART_VALUE ? fmax(first, last) : last;
}

enum histree_status histree_chart_view_busiest(const struct histree_chart_view *view, histree_time from,
					       histree_time to, uint32_t *indices, size_t room, size_t *found,
					       struct histree_error *error)
{
	const histree_time times[2] = { from, to };
	size_t count = 0, ranked = 0;
	*found = 0;
	uint32_t *rows = malloc(((size_t)view->count + 1) * sizeof(*rows));
	double *ends = malloc(((size_t)view->count + 1) * sizeof(*ends) * 2);
	struct rank *ranks = malloc(((size_t)view->count + 1) * sizeof(*ranks));
	bool has_room = rows != NULL && ends != NULL && ranks != NULL;
	for (uint32_t i = 0; i < view->count && has_room; i++)
		if (has_numbers(view, i))
			rows[count++] = i;
	enum histree_status status = has_room ? histree_chart_view_lines(view, rows, count, times, 2, ends, error)
					      : error_memory(error, "a chart");
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		double weight = weight_of(view->chart->entries[view->rows[rows[i]].entry].measure, ends + 2 * i);
		if (weight > 0)
			ranks[ranked++] = (struct rank){ weight, rows[i] };
	}
	if (ranked > 1)
		qsort(ranks, ranked, sizeof(*ranks), compare_ranks);
	for (; *found < room && *found < ranked; ++*found)
		indices[*found] = ranks[*found].row;
	free(rows);
	free(ends);
	free(ranks);
	return status;
}
