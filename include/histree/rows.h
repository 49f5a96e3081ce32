/* SPDX-License-Identifier: MIT */
/*
 * rows.h - what a chart shows: one row an attribute, one cell a pixel.
 *
 * A time range is cut in pixels.  A cell has the *dominant* state of its pixel, the value that the attribute had
 * for the longest part of it, and says whether there were others, so that no short state vanishes.  A client needs
 * no more than that whatever the range, and a row of a million states is as large as one of ten (thesis 4.8.2,
 * "Zoom").
 *
 *	histree_rows_create(history, &rows, &error);
 *	histree_rows_start(rows, &(struct histree_rows_request){ .quarks = quarks, .quark_count = 50,
 *			   .from = t1, .to = t2, .pixels = 1500 }, &error);
 *	while ((status = histree_rows_next(rows, &row, &error)) == HISTREE_OK)
 *		...;			// HISTREE_END, or the error
 *	histree_rows_free(rows);
 *
 * Cost: rows are made in groups of at most 131,072 cells, whatever was asked for.  A group reads the states of
 * its attributes in the range once.  Where those are more than `intervals_per_cell` times its cells, it stops,
 * and for the rows that have more than their part takes four samples a pixel instead, which the tree answers
 * without reading the nodes between them: then the dominant state is that of most samples, a state that fills
 * its pixel is still exact, and what lay between samples is "others, not known which".  So a cell costs a
 * bounded number of intervals; but the nodes that hold a sample are read, and inside a node the states of an
 * attribute between two samples are passed by one after the other.
 *
 * A long history has overviews beside it (docs/design/0013-overviews.md): histories of the same attributes in which
 * what is shorter than a cell of time is added up by cell.  Where at least four such cells, or a quarter of
 * `intervals_per_cell` if that is more, make a pixel, a row is made of them: its cost is then that of its pixels,
 * whatever the range.  Two are enough where `intervals_per_cell` is not more than usual and the next thing would be
 * samples.  What is dominant is right to within two cells a pixel, as long as no more than three values
 * share a cell; of more, those that lasted longest in their cells count.  No value is invented.
 *
 * Memory: 12 bytes a cell of one group, up to 16 bytes for each state of it that shares a pixel (bounded by
 * `intervals_per_cell`), and the distinct values seen.
 *
 * Threads: rows belong to one thread; any number of them may be made of one history.
 */
#ifndef HISTREE_ROWS_H
#define HISTREE_ROWS_H

#include "history.h"

#define HISTREE_PIXELS_MAX 65536

/* In place of the index of a value. */
#define HISTREE_NO_VALUE UINT32_MAX                  /* there was no other */
#define HISTREE_UNKNOWN_VALUE ((uint32_t)0xfffffffe) /* there was another; it is not known which */

struct histree_rows;

enum histree_rows_shape {
	HISTREE_ROWS_CELLS,  /* one cell a pixel */
	HISTREE_ROWS_STATES, /* true states, those shorter than a pixel merged */
};

struct histree_rows_request {
	const histree_quark *quarks; /* in any order, also twice; borrowed until started again or freed */
	size_t quark_count;
	histree_time from, to; /* both inclusive, inside the history */
	uint32_t pixels;       /* 1 to HISTREE_PIXELS_MAX */
	enum histree_rows_shape shape;
	uint32_t intervals_per_cell; /* read exactly at most; 0: 16 */
	/* Asked now and then, by the thread that asks for rows; false: HISTREE_ERR_CANCELLED.  May be NULL. */
	bool (*go_on)(void *context);
	void *context;
};

/* Numbers are indices of histree_rows_value(). */
struct histree_cell {
	uint32_t value; /* the dominant state */
	uint32_t other; /* the one after it, HISTREE_NO_VALUE, or HISTREE_UNKNOWN_VALUE */
};

/*
 * A state as a chart of this width can show it, in the order of time and without gaps or overlaps.  One that is at
 * least as long as a pixel has its true bounds, which may reach out of the range; what lies between such states is
 * cut at the pixels, and each piece has the dominant value.
 */
struct histree_visible_state {
	histree_time start, end; /* both inclusive */
	uint32_t value, other;   /* as in a cell */
};

struct histree_row {
	size_t index; /* of the request's quarks: 0, 1, 2, ... */
	histree_quark quark;
	const struct histree_cell *cells; /* as many as pixels; NULL where states were asked for */
	const struct histree_visible_state *states;
	size_t state_count;
};

HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_rows_create(struct histree_history *history, struct histree_rows **out, struct histree_error *error);

/*
 * Begin; may be done any number of times, dropping what was left of the time before, and its values.
 * HISTREE_ERR_TIME_RANGE, HISTREE_ERR_QUARK and HISTREE_ERR_ARGUMENT as histree_query_start().
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_rows_start(struct histree_rows *rows,
								      const struct histree_rows_request *request,
								      struct histree_error *error);

/* The next row, in the order of the request; borrowed until the next call.  HISTREE_END: no more. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_rows_next(struct histree_rows *rows, struct histree_row *out, struct histree_error *error);

/*
 * The values that were seen since the start, each once: 0 .. count - 1, and 0 is null.  An index stays valid, with
 * its bytes, until the rows are started again or freed.  An index that is none is null.
 */
HISTREE_API uint32_t histree_rows_value_count(const struct histree_rows *rows);
HISTREE_API struct histree_value histree_rows_value(const struct histree_rows *rows, uint32_t index);

/* Whether the last row was sampled, its states being too many: see above. */
HISTREE_API bool histree_rows_sampled(const struct histree_rows *rows);

/* NULL is fine. */
HISTREE_API void histree_rows_free(struct histree_rows *rows);

/* ---- pixels --------------------------------------------------------------------------------------------- */

/*
 * When a pixel begins: from + (to - from + 1) * pixel / pixels, rounded down; of `pixels` it is the first time
 * behind the range.  A pixel ends before the next begins; in a range of fewer ns than pixels several begin, and
 * end, at the same ns.
 */
HISTREE_API histree_time histree_pixel_start(histree_time from, histree_time to, uint32_t pixels, uint32_t pixel);

/* Equal cells that follow one another. */
struct histree_cell_span {
	uint32_t start, length; /* pixels */
	struct histree_cell cell;
};

/* The cells of a row as runs; `out` has room for `pixels` of them.  Returns how many there are. */
HISTREE_API size_t histree_cells_to_spans(const struct histree_cell *cells, uint32_t pixels,
					  struct histree_cell_span *out);

#endif
