/* SPDX-License-Identifier: MIT */
/*
 * chart_set.h - the charts of all histories of a dataset, each by its name: several histories may have the same
 * chart, whose rows are then combined.
 *
 * Rows are made when a client first asks for a chart, and do not change after that.
 */
#ifndef SERVER_MODEL_CHART_SET_H
#define SERVER_MODEL_CHART_SET_H

#include "base/bytes.h"
#include "server/catalogue/dataset.h"
#include "view/view.h"

/* What one history has of a chart.  Its entries are numbered from `base` on: its own, then one for each row. */
struct chart_part {
	struct histree_history *history;
	const char *analysis;
	struct histree_chart_view *view; /* NULL: not made yet */
	const struct histree_chart_row *rows;
	uint32_t count;
	int64_t base;
};

struct chart_of_set {
	const struct histree_chart *chart; /* of the first history that has it */
	struct chart_part *parts;
	size_t part_count, part_capacity;
	histree_time start, end; /* of all of them */
	bool is_made;
};

struct chart_set {
	pthread_mutex_t lock; /* guards what is being made */
	struct chart_of_set *charts;
	size_t count, capacity;
};

/* There is one of every dataset. */
extern const struct view_kind chart_set_kind;

/*
 * Visits the charts of a kind that a dataset has, each name once, and those of histories without anything last, so
 * that the first one shows something; it returns false to stop.  They need no set: what is visited are
 * declarations.
 */
typedef bool chart_visit(void *context, const struct histree_chart *chart);
void chart_set_each(const struct dataset *dataset, enum histree_chart_kind kind, chart_visit *visit, void *context);

/* Returns the chart of a name and a kind, or NULL. */
const struct histree_chart *chart_set_named(const struct dataset *dataset, enum histree_chart_kind kind,
					    const char *name);

/* Finds a chart and makes its rows, unless they are there.  Returns HISTREE_NOT_FOUND if no chart has the name. */
enum histree_status chart_set_find(struct chart_set *set, const char *name, struct histree_work work,
				   const struct chart_of_set **out, struct histree_error *error);

/*
 * Computes the numbers of some rows of a part: one before the first pixel of a range and one at the end of each,
 * row after row, as far as there is history.  The caller frees *out, also after failure.
 */
enum histree_status chart_part_lines(const struct chart_part *part, const uint32_t *rows, size_t count,
				     histree_time from, histree_time to, uint32_t pixels, double **out,
				     struct histree_error *error);

/*
 * Adds what a row is called: that of a thread has the name of its program at a time, "bash (42)", where the trace
 * is of a kernel.  And what a line is called: with the rows that it is below, "bash (42) / read".
 */
void chart_row_label(struct dataset *dataset, const struct chart_part *part, uint32_t row, histree_time at,
		     struct byte_buffer *text);
void chart_line_label(struct dataset *dataset, const struct chart_part *part, uint32_t row, histree_time at,
		      struct byte_buffer *text);

/* Finds the part and the row of an entry: UINT32_MAX for the part itself.  Returns NULL if it is not found. */
const struct chart_part *chart_of_entry(const struct chart_of_set *chart, int64_t id, uint32_t *row);

/* Returns the entry of a row of a part; that of UINT32_MAX is the part itself. */
static inline int64_t chart_entry_id(const struct chart_part *part, uint32_t row)
{
	return row == UINT32_MAX ? part->base : part->base + 1 + row;
}

#endif
