/* SPDX-License-Identifier: MIT */
/*
 * chart_view.h - the rows of a chart (charts.h), and the lines of its numbers.
 *
 * A view is made from a history once and never changes.  Its rows are a tree, depth first: the attributes of the
 * history that the entries of the chart name.  With several hosts, each host has a row with its own rows below
 * it; a missing host has an empty one.  States of rows come from rows.h, by quark, and lines from here:
 *
 *	histree_chart_view_create(history, "thread-bytes", cancel, &view, &error);
 *	rows = histree_chart_view_rows(view, &count);
 *	histree_chart_view_busiest(view, from, to, indices, 8, &found, &error);
 *	histree_chart_view_lines(view, indices, found, times, time_count, values, &error);
 *
 * Lines are exact whatever lies between two points: a point is the state at its time, a difference that of two
 * states, and the states between them are not read.
 *
 * Threads: any number of threads may read a view.
 */
#ifndef HISTREE_CHART_VIEW_H
#define HISTREE_CHART_VIEW_H

#include "cancel.h"
#include "charts.h"
#include "history.h"
#include "labels.h"

struct histree_chart_row {
	const char *name;
	histree_quark attribute; /* HISTREE_ROOT: a host */
	/* Whose states or numbers are shown, which the history has; HISTREE_ROOT: nothing is shown */
	histree_quark shown;
	uint32_t parent;         /* an index, or UINT32_MAX at the top */
	uint32_t depth;          /* 0 at the top */
	uint32_t entry;          /* index of the entry in the chart; UINT32_MAX: a host */
	/* From the first to the last state of `attribute` that is not null; both inclusive. */
	histree_time first, last;
};

struct histree_chart_view;

/*
 * Make the rows of the chart with this name.  A row that groups others exists only if it has any.  Returns
 * HISTREE_NOT_FOUND if the history has no such chart.  The cost is that of two full queries of the attributes of
 * rows, and of a query for each row that another attribute names; there are at most 2^20 rows.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_chart_view_create(struct histree_history *history, const char *name, struct histree_cancel cancel,
			  struct histree_chart_view **out, struct histree_error *error);
HISTREE_API void histree_chart_view_free(struct histree_chart_view *view);

HISTREE_API const struct histree_chart *histree_chart_view_chart(const struct histree_chart_view *view);
HISTREE_API const struct histree_chart_row *histree_chart_view_rows(const struct histree_chart_view *view,
								    uint32_t *count);

/*
 * Write the name of a row after those of all rows above it, "sda / read", as snprintf() would: at most `capacity`
 * bytes including the terminator.  Returns the length of the whole name.
 */
HISTREE_API size_t histree_chart_view_name(const struct histree_chart_view *view, uint32_t row, char *buffer,
					   size_t capacity);

/* Returns whether rows were left out because there are more than a view can have. */
HISTREE_API bool histree_chart_view_is_cut(const struct histree_chart_view *view);

/*
 * Returns the labels of a row's states: those that the chart names, or those of its attribute; NULL: it has no
 * labels.
 */
HISTREE_API const struct histree_label_table *histree_chart_view_labels(const struct histree_chart_view *view,
									uint32_t row);

/*
 * Compute the lines of some rows at some times, ascending and within the history: values[i * time_count + k] is
 * row i at times[k].  The difference or rate at the first time is that of the second.  No state, or one that is
 * not a number, counts as 0; where the state is unknown, the value is a NaN, and so are all values of a row
 * without numbers.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_chart_view_lines(const struct histree_chart_view *view, const uint32_t *rows, size_t row_count,
			 const histree_time *times, size_t time_count, double *values, struct histree_error *error);

/*
 * Write the indices of the rows whose numbers matter most in a range, both ends inclusive, greatest first: by
 * growth for rows with differences and rates, by the greater of the values at both ends for others.  Rows that
 * are 0 there are left out.  *found becomes how many, at most `room`.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_chart_view_busiest(const struct histree_chart_view *view, histree_time from, histree_time to,
			   uint32_t *indices, size_t room, size_t *found, struct histree_error *error);

#endif
