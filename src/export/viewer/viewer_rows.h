/* SPDX-License-Identifier: MIT */
/*
 * viewer_rows.h - which attributes of a history a viewer shows, and on which track.
 */
#ifndef EXPORT_VIEWER_VIEWER_ROWS_H
#define EXPORT_VIEWER_VIEWER_ROWS_H

#include "export/viewer/viewer_threads.h"
#include "histree/query.h"

struct viewer_row {
	histree_quark quark;
	enum histree_meaning meaning : 8;
	bool counts : 1;    /* its numbers are those of a counter */
	uint16_t rank;      /* of spans of one track with the same times the lowest is the outermost */
	histree_time since; /* from when on its states are of this row, not of the one of its quark before it */
	const struct histree_label_table *labels; /* NULL: none */
	const char *category;
	struct viewer_track *track;   /* for spans */
	struct viewer_track *counter; /* for numbers; NULL: made when there is one */
};

struct viewer_rows {
	struct viewer_file *file;
	struct histree_history *history;
	const struct histree_attributes *attributes;
	struct viewer_threads threads;
	struct histree_query *query; /* for names, and what was going on when the range began */
	histree_time from, to;
	struct viewer_row *rows; /* by quark, then by time */
	size_t count, capacity;
	uint32_t *by_quark; /* index of the first row plus one, by quark; 0: none */
	histree_quark *quarks;
	size_t quark_count;
	bool is_order_known,
		has_order; /* whether processes and threads were made in another one than by their numbers */
};

/* Whether an analysis of a kernel made it: others may have attributes with the same paths. */
bool viewer_is_of_kernel(const struct histree_history *history);

/* List the rows of a history: of the given attributes, or of all that its views show. */
enum histree_status viewer_rows_begin(struct viewer_rows *rows, struct viewer_file *file,
				      struct histree_history *history, const histree_quark *quarks,
				      size_t quark_count, histree_time from, histree_time to,
				      struct histree_cancel cancel);
void viewer_rows_release(struct viewer_rows *rows);

static inline struct viewer_row *viewer_rows_of(const struct viewer_rows *rows, histree_quark quark)
{
	return rows->by_quark[quark] == 0 ? NULL : &rows->rows[rows->by_quark[quark] - 1];
}

/* The same of the row whose states at a time they are. */
static inline struct viewer_row *viewer_rows_at(const struct viewer_rows *rows, histree_quark quark,
						histree_time time)
{
	struct viewer_row *row = viewer_rows_of(rows, quark), *end = rows->rows + rows->count;
	while (row != NULL && row + 1 < end && row[1].quark == quark && row[1].since <= time)
		row++;
	return row;
}

/*
 * Find the row of an attribute that is of no model by its path (viewer_paths.c).  With `any`, each has one; else
 * those that others are shown with, such as names, have none, and row->track stays NULL.
 */
void viewer_rows_by_path(struct viewer_rows *rows, histree_quark quark, bool any, struct viewer_row *row);

#endif
