/* SPDX-License-Identifier: MIT */
/*
 * rows.h - what a chart shows: one row an attribute, one cell a pixel.
 *
 * A time range is cut into pixels.  A cell holds the *dominant* state of its pixel, which is the value that the
 * attribute had for the longest part of it, and says whether there were others, so that no short state vanishes.
 * A client never needs more than that, whatever the range, and a row of a million states is as large as a row of
 * ten (thesis 4.8.2, "Zoom").
 *
 *	histree_rows_create(history, &cursor, &error);
 *	histree_rows_start(cursor, &(struct histree_rows_request){ .quarks = quarks, .quark_count = 50,
 *			   .from = t1, .to = t2, .pixels = 1500 }, &error);
 *	while ((status = histree_cursor_next(cursor, &error)) == HISTREE_OK)
 *		row = histree_cursor_row(cursor);
 *	histree_cursor_free(cursor);		// cursor.h
 *
 * Cost: rows are made in groups of at most 131,072 cells, however many were asked for.  A group reads the states
 * of its attributes in the range once.  It stops if there are more of them than `intervals_per_cell` times its
 * cells. The rows with more than their share are then sampled four times a pixel, which the tree answers without
 * reading the nodes between the samples: the dominant state is that of most samples, a state that fills its pixel
 * is still exact, and states between samples are "others, not known which".  So a cell costs a bounded number of
 * intervals.  The nodes that hold a sample are still read, and inside a node the states of an attribute between
 * two samples are skipped one by one.
 *
 * A long history has overviews (docs/design/05-pyramid.md): histories of the same attributes in which states
 * shorter than a cell of time are added up by cell.  A row is made from them where a pixel holds at least four
 * such cells, or a quarter of `intervals_per_cell` if that is more; its cost is then that of its pixels, whatever
 * the range.  Two cells are enough if `intervals_per_cell` is not above its default and the row would otherwise
 * be sampled.  The dominant state is then right to within two cells a pixel, as long as no more than three values
 * share a cell; if more do, the three that lasted longest in their cells count.  No value is invented.
 *
 * Memory: 12 bytes for each cell of one group, up to 16 bytes for each state of the group that shares a pixel
 * (bounded by `intervals_per_cell`), and the distinct values seen.
 */
#ifndef HISTREE_ROWS_H
#define HISTREE_ROWS_H

#include "cancel.h"
#include "cursor.h"
#include "history.h"

#define HISTREE_PIXELS_MAX 65536

/* These stand in place of the index of a value. */
#define HISTREE_NO_VALUE UINT32_MAX                  /* there was no other value */
#define HISTREE_UNKNOWN_VALUE ((uint32_t)0xfffffffe) /* there was another value; it is not known which */

enum histree_rows_shape {
	HISTREE_ROWS_CELLS,  /* one cell a pixel */
	HISTREE_ROWS_STATES, /* true states, those shorter than a pixel merged */
};

/* The time in which the states of an attribute belong to the row; outside of it the row is null. */
struct histree_row_life {
	histree_time from, to; /* both inclusive */
};

struct histree_rows_request {
	const histree_quark *quarks; /* in any order, repeats allowed; borrowed until the next start */
	size_t quark_count;
	const struct histree_row_life *lives; /* by index of the quark, borrowed likewise; NULL: all times */
	histree_time from, to;                /* both inclusive, inside the history */
	uint32_t pixels;                      /* 1 to HISTREE_PIXELS_MAX */
	enum histree_rows_shape shape;
	uint32_t intervals_per_cell;  /* how many are read before rows are sampled; 0 means 16 */
	struct histree_cancel cancel; /* ends histree_cursor_next() */
};

/* Both are indices for histree_rows_value(). */
struct histree_cell {
	uint32_t value; /* the dominant state */
	uint32_t other; /* the second longest, HISTREE_NO_VALUE, or HISTREE_UNKNOWN_VALUE */
};

/*
 * A state as a chart of this width can show it.  States are in the order of time, without gaps or overlaps.  A
 * state that is at least as long as a pixel has its true bounds, which may lie outside the range; what lies
 * between such states is cut at the pixels, and each piece has the dominant value.
 */
struct histree_visible_state {
	histree_time start, end; /* both inclusive */
	uint32_t value, other;   /* as in a cell */
};

struct histree_row {
	size_t index; /* into the quarks of the request: 0, 1, 2, ... */
	histree_quark quark;
	const struct histree_cell *cells; /* one for each pixel; NULL if states were asked for */
	const struct histree_visible_state *states;
	size_t state_count;
};

HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_rows_create(struct histree_history *history, struct histree_cursor **out, struct histree_error *error);

/*
 * Start a request.  This may be done any number of times; it drops what was left of the request before, and its
 * values.  Rows come in the order of the request.  Returns HISTREE_ERR_TIME_RANGE, HISTREE_ERR_QUARK and
 * HISTREE_ERR_ARGUMENT as histree_query_start() does.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_rows_start(struct histree_cursor *rows,
								      const struct histree_rows_request *request,
								      struct histree_error *error);

/*
 * The distinct values that were seen since the start have the indices 0 to count - 1; 0 is null.  An index and the
 * bytes of its value stay valid until the rows are started again or freed.  An index out of range gives null.
 */
HISTREE_API uint32_t histree_rows_value_count(const struct histree_cursor *rows);
HISTREE_API struct histree_value histree_rows_value(const struct histree_cursor *rows, uint32_t index);

/* Returns true if the last row was sampled because it had too many states (see above). */
HISTREE_API bool histree_rows_sampled(const struct histree_cursor *rows);

/* ---- pixels --------------------------------------------------------------------------------------------- */

/*
 * Returns the time at which a pixel begins: from + (to - from + 1) * pixel / pixels, rounded down.  For `pixel`
 * equal to `pixels` that is the first time after the range.  A pixel ends just before the next one begins; in a
 * range of fewer ns than pixels, several begin and end at the same ns.
 */
HISTREE_API histree_time histree_pixel_start(histree_time from, histree_time to, uint32_t pixels, uint32_t pixel);

/* Adjacent cells that are equal. */
struct histree_cell_span {
	uint32_t start, length; /* pixels */
	struct histree_cell cell;
};

/* Join equal neighbours among the cells of a row into spans; `out` has room for `pixels`.  Returns how many. */
HISTREE_API size_t histree_cells_to_spans(const struct histree_cell *cells, uint32_t pixels,
					  struct histree_cell_span *out);

#endif
