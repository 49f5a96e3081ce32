/* SPDX-License-Identifier: MIT */
/*
 * cursor.h - the answer to a question, row by row: one way to read, whatever was asked.
 *
 * A question is created for a history, a store or the events of a trace, which gives a cursor, and is started
 * with what is asked.  A cursor can be started any number of times:
 *
 *	histree_changes_create(history, &cursor, &error);
 *	histree_changes_start(cursor, &(struct histree_changes_region){ .from = t1, .to = t2 }, &error);
 *	while ((status = histree_cursor_next(cursor, &error)) == HISTREE_OK) {
 *		const struct histree_change *change = histree_cursor_change(cursor);
 *		...
 *	}				// HISTREE_END, or the error
 *	if (histree_cursor_loss(cursor).nodes > 0)
 *		...;			// the answer lacks something
 *	histree_cursor_free(cursor);
 *
 *	question		its rows			read by
 *	query			struct histree_interval		histree_cursor_interval()
 *	changes			struct histree_change		histree_cursor_change()
 *	time_in_state		struct histree_state_time	histree_cursor_state_time()
 *	rows			struct histree_row		histree_cursor_row()
 *	segments, segment_rows	struct histree_segment		histree_cursor_segment()
 *	join			struct histree_join_pair	histree_cursor_pair()
 *	event_reader, event_query	struct histree_event		histree_cursor_event()
 *	critical_path		struct histree_path_step	histree_cursor_path_step()
 *				struct histree_path_wait	histree_cursor_path_wait()
 *
 * A function that belongs to one kind of question must be given a cursor of that kind.
 *
 * Threads: a cursor belongs to one thread at a time; any number of cursors may read one history, store or trace.
 */
#ifndef HISTREE_CURSOR_H
#define HISTREE_CURSOR_H

#include "value.h"

struct histree_cursor;

/*
 * Get the next row, or return HISTREE_END.  There is no row before the first start, after a start that failed, and
 * after an error.  The row is borrowed until the next call on this cursor.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_cursor_next(struct histree_cursor *cursor,
								       struct histree_error *error);

/*
 * Get the next rows, 1 to `room` of them, as many as are at hand, or return HISTREE_END.  They are an array, whose
 * beginning the functions below return.  For a large answer this is cheaper than getting them one by one; the two
 * calls may be mixed.  Returns HISTREE_ERR_ARGUMENT if `room` is 0.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_cursor_read(struct histree_cursor *cursor, size_t room,
								       size_t *count, struct histree_error *error);

/* Return the row that the last call got.  The cursor must have rows of that type. */
HISTREE_API const struct histree_interval *histree_cursor_interval(const struct histree_cursor *cursor);
HISTREE_API const struct histree_segment *histree_cursor_segment(const struct histree_cursor *cursor);
HISTREE_API const struct histree_change *histree_cursor_change(const struct histree_cursor *cursor);
HISTREE_API const struct histree_state_time *histree_cursor_state_time(const struct histree_cursor *cursor);
HISTREE_API const struct histree_join_pair *histree_cursor_pair(const struct histree_cursor *cursor);
HISTREE_API const struct histree_event *histree_cursor_event(const struct histree_cursor *cursor);
HISTREE_API const struct histree_row *histree_cursor_row(const struct histree_cursor *cursor);
HISTREE_API const struct histree_path_step *histree_cursor_path_step(const struct histree_cursor *cursor);
HISTREE_API const struct histree_path_wait *histree_cursor_path_wait(const struct histree_cursor *cursor);

/* What is lost because one or several nodes are damaged. */
struct histree_loss {
	uint64_t nodes;        /* how many damaged nodes were needed, at least; 0: nothing is lost */
	uint64_t rows_max;     /* how many rows are missing at most: all that the nodes held; 0: not known */
	histree_time from, to; /* what is missing lies within; equal and 0: not known */
	uint32_t node;         /* the number of the first of these nodes, in the file or in that of a host */
	uint32_t part;         /* in a union: index of the part, which is missing if it has no store; else 0 */
};

/*
 * Returns the loss of all rows so far.  Lost states are rows of type HISTREE_UNKNOWN; other lost rows are
 * missing.  The rows that are handed out are always as they were added.
 */
HISTREE_API struct histree_loss histree_cursor_loss(const struct histree_cursor *cursor);

/*
 * Returns the loss of each damaged node, in the order in which the nodes were met; only questions about segments
 * keep these.  A loss is reported before any row that one of its missing rows might precede.  Borrowed until the
 * next call on this cursor.
 */
HISTREE_API const struct histree_loss *histree_cursor_losses(const struct histree_cursor *cursor, size_t *count);

/* Counts since the cursor was started; those that a question does not keep are 0. */
struct histree_statistics {
	uint64_t nodes_visited; /* repeated visits to nodes that had left memory count again */
	uint64_t nodes_loaded;  /* visits among them that read the file */
	uint64_t rows;          /* handed out */
	uint64_t spilled_bytes; /* written to a temporary file beside the store */
};

HISTREE_API struct histree_statistics histree_cursor_statistics(const struct histree_cursor *cursor);

/* Free the cursor before what it reads is closed, or do nothing if it is NULL. */
HISTREE_API void histree_cursor_free(struct histree_cursor *cursor);

#endif
