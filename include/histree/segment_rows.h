/* SPDX-License-Identifier: MIT */
/*
 * segment_rows.h - the segments of a query by number: any row of a table, whatever its order and however many there
 * are.
 *
 *	histree_segment_rows_create(store, &(struct histree_segment_rows_options){ .query = query }, &rows, &error);
 *	histree_segment_rows_seek(rows, 5000000, &error);
 *	while ((status = histree_segment_rows_next(rows, &segment, &error)) == HISTREE_OK)
 *		...;				// rows 5000000, 5000001, ...; HISTREE_END, or the error
 *	histree_segment_rows_free(rows);
 *
 * Cost: the first way to a row is an iteration in the order of the query, which leaves a mark every few thousand
 * rows; from then on a row costs the way from the mark before it.  In the orders of time a mark is a token of the
 * iterator, and so it is by a field with a side table.  Any other field has no order on disk: all is sorted once,
 * and a row then costs one unsorted pass that keeps what lies between two marks.
 *
 * What a damaged node held is passed over, and is missing from the rows; histree_segment_store_met_damage() then
 * says so.
 *
 * Memory: about 100 bytes a mark, and what the iterator takes until histree_segment_rows_rest().
 *
 * Threads: one at a time.
 */
#ifndef HISTREE_SEGMENT_ROWS_H
#define HISTREE_SEGMENT_ROWS_H

#include "segment_store.h"

struct histree_segment_rows;

struct histree_segment_rows_options {
	/* In any order but that of a caller's comparison, and without a limit.  Its filter is borrowed. */
	struct histree_segment_query query;
	uint32_t rows_per_mark; /* 0: 4096 */
	/*
	 * Asked now and then; false: HISTREE_ERR_CANCELLED.  The marks that were made stay, so that the next call
	 * comes further; not so while all is sorted.  May be NULL.
	 */
	bool (*go_on)(void *context);
	void *context;
};

/* HISTREE_ERR_ARGUMENT: a query that has no rows, or is none. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_rows_create(struct histree_segment_store *store, const struct histree_segment_rows_options *options,
			    struct histree_segment_rows **out, struct histree_error *error);

/*
 * How many there are; where not all segments of the store are rows, all of them are visited once.  Seek after it.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_rows_count(struct histree_segment_rows *rows, uint64_t *count, struct histree_error *error);

/* The next row is this one, from 0; HISTREE_END: there are not so many. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_rows_seek(struct histree_segment_rows *rows, uint64_t row, struct histree_error *error);

/*
 * In the order by start, ascending: the first row that starts at `time` or later becomes the next one, and its
 * number is set.  HISTREE_END: there is none, and the number is that of all rows.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_segment_rows_find(struct histree_segment_rows *rows,
									     histree_time time, uint64_t *row,
									     struct histree_error *error);

/* Content is borrowed until the next call.  HISTREE_END: no more. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_segment_rows_next(struct histree_segment_rows *rows,
									     struct histree_segment *out,
									     struct histree_error *error);

/* Give back what reading takes, until it is needed again; marks stay. */
HISTREE_API void histree_segment_rows_rest(struct histree_segment_rows *rows);

/* Before its store is closed.  NULL is fine. */
HISTREE_API void histree_segment_rows_free(struct histree_segment_rows *rows);

#endif
