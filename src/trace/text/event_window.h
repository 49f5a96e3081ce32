/* SPDX-License-Identifier: MIT */
/*
 * event_window.h - rows of events that were read and not handed out yet, in the order of time.
 *
 * A row may be EVENT_WINDOW_ROWS rows from where its time belongs: that many are kept back, fewer if they have
 * more than EVENT_WINDOW_BYTES.  Rows of one time stay in the order of the text.  A row that comes in order costs
 * one comparison.
 */
#ifndef TRACE_TEXT_EVENT_WINDOW_H
#define TRACE_TEXT_EVENT_WINDOW_H

#include "histree/status.h"
#include "trace/text/event_map.h"

enum { EVENT_WINDOW_ROWS = 4096, EVENT_WINDOW_BYTES = 16 << 20 };

struct event_window {
	struct event_row **rows; /* a ring, by time: EVENT_WINDOW_ROWS of them at most */
	size_t first, count;
	struct event_row **spare; /* rows without content */
	size_t spare_count;
	uint64_t read, given;  /* rows, so far */
	size_t bytes;          /* of the rows in it */
	struct event_row *out; /* that was given last, until the next one is */
};

/* A zeroed window is empty; the first row makes its memory. */

static inline bool event_window_is_full(const struct event_window *window)
{
	return window->count == EVENT_WINDOW_ROWS || window->bytes > EVENT_WINDOW_BYTES;
}

/* Returns a row to be filled and added, or given back by event_window_drop(); NULL if memory is out. */
struct event_row *event_window_room(struct event_window *window);
void event_window_drop(struct event_window *window, struct event_row *row);

/* Returns false if the row is late: one after it in time was given before. */
bool event_window_add(struct event_window *window, struct event_row *row);

/* Returns the earliest row, which is valid until the next call, or NULL. */
const struct event_row *event_window_give(struct event_window *window);

/*
 * Where the row that was given last comes first: a byte of the text from which all that is in the window, and that
 * row, can be read again, and how many rows that were given before it come after that byte.
 */
void event_window_position(const struct event_window *window, uint64_t *row_at, uint64_t *rows);

void event_window_release(struct event_window *window);

#endif
