/* SPDX-License-Identifier: MIT */
/*
 * segment_rows.h - get the segments of a query by number: any row of a table of segments, in any order, however
 * many there are.
 *
 *	histree_segment_rows_create(store, &options, &cursor, &error);
 *	histree_segment_rows_seek(cursor, 5000000, &error);
 *	while ((status = histree_cursor_next(cursor, &error)) == HISTREE_OK)
 *		segment = histree_cursor_segment(cursor);	// rows 5000000, 5000001, ...
 *	histree_cursor_free(cursor);				// cursor.h
 *
 * Cost: the first seek to a row iterates in the order of the query and leaves a mark every few thousand rows;
 * later seeks start from the mark before their row.  In the orders of time, and by a field that has a side table,
 * a mark is a token of the iterator.  Any other field has no order on disk: all segments are sorted once, and a
 * row then costs one unsorted pass that keeps what lies between two marks.
 *
 * Segments in damaged nodes are missing from the rows, and have no numbers.  The loss is the greatest of a reading
 * so far.
 *
 * Memory: about 100 bytes a mark, and the memory of the iterator until histree_segment_rows_rest() is called.
 *
 * Threads: one thread at a time uses the rows.
 */
#ifndef HISTREE_SEGMENT_ROWS_H
#define HISTREE_SEGMENT_ROWS_H

#include "cancel.h"
#include "segment_store.h"

struct histree_segment_rows_options {
	/* In any order except that of a caller's comparison, and without a limit.  Its filter is borrowed. */
	struct histree_segment_query query;
	uint32_t rows_per_mark; /* 0 means 4096 */
	/*
	 * Ends a long call.  The marks made so far stay, so that the next call gets further, except during the
	 * sort of all segments.
	 */
	struct histree_cancel cancel;
};

/*
 * Create the rows of a query.  Returns HISTREE_ERR_ARGUMENT if the query is not valid or cannot have numbered
 * rows.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_rows_create(struct histree_segment_store *store, const struct histree_segment_rows_options *options,
			    struct histree_cursor **out, struct histree_error *error);

/*
 * Count the rows.  If a window or filter leaves some segments out, all segments are visited once.  The caller must
 * seek before it reads on.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_rows_count(struct histree_cursor *rows, uint64_t *count, struct histree_error *error);

/* Make this row, counted from 0, the next one.  Returns HISTREE_END if there are fewer rows. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_rows_seek(struct histree_cursor *rows, uint64_t row, struct histree_error *error);

/*
 * Make the first row that starts at `time` or later the next one and set *row to its number; the order must be by
 * start, ascending.  Returns HISTREE_END if there is no such row, and sets *row to the number of rows.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_segment_rows_find(struct histree_cursor *rows,
									     histree_time time, uint64_t *row,
									     struct histree_error *error);

/* Release the memory of the iterator until it is needed again.  The marks stay. */
HISTREE_API void histree_segment_rows_rest(struct histree_cursor *rows);

#endif
