// SPDX-License-Identifier: MIT
/*
 * event_window.c - rows that were read and not handed out yet, in the order of time.
 */
#include "trace/text/event_window.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static size_t place_of(const struct event_window *window, size_t position)
{
	return (window->first + position) % EVENT_WINDOW_ROWS;
}

static bool make(struct event_window *window)
{
	if (window->rows == NULL)
		window->rows = calloc(EVENT_WINDOW_ROWS, sizeof(struct event_row *));
	/* One that is being filled, and one that is out. */
	if (window->spare == NULL)
		window->spare = calloc(EVENT_WINDOW_ROWS + 2, sizeof(struct event_row *));
	return window->rows != NULL && window->spare != NULL;
}

struct event_row *event_window_room(struct event_window *window)
{
	if (!make(window))
		return NULL;
	if (window->spare_count > 0)
		return window->spare[--window->spare_count];
	return calloc(1, sizeof(struct event_row));
}

/* Long rows are rare: their memory is given back. */
void event_window_drop(struct event_window *window, struct event_row *row)
{
	enum { KEPT = EVENT_WINDOW_BYTES / EVENT_WINDOW_ROWS };
	if (row->byte_capacity + row->cell_capacity * sizeof(*row->cells) > KEPT)
		event_row_free(row);
	else
		window->spare[window->spare_count++] = row;
}

static size_t size_of(const struct event_row *row)
{
	return row->byte_count + row->cell_count * sizeof(*row->cells);
}

bool event_window_add(struct event_window *window, struct event_row *row)
{
	assert(window->count < EVENT_WINDOW_ROWS);
	if (window->out != NULL && row->time < window->out->time)
		return false;
	size_t position = window->count;
	for (; position > 0; position--) {
		struct event_row *before = window->rows[place_of(window, position - 1)];
		if (before->time <= row->time)
			break;
		window->rows[place_of(window, position)] = before;
	}
	window->rows[place_of(window, position)] = row;
	row->arrival = window->read++;
	window->bytes += size_of(row);
	window->count++;
	return true;
}

const struct event_row *event_window_give(struct event_window *window)
{
	if (window->out != NULL)
		event_window_drop(window, window->out);
	window->out = NULL;
	if (window->count == 0)
		return NULL;
	window->out = window->rows[window->first];
	window->first = place_of(window, 1);
	window->count--;
	window->bytes -= size_of(window->out);
	window->given++;
	return window->out;
}

/* All rows before the first that is still here were given. */
void event_window_position(const struct event_window *window, uint64_t *row_at, uint64_t *rows)
{
	const struct event_row *oldest = window->out;
	assert(oldest != NULL);
	for (size_t i = 0; i < window->count; i++) {
		const struct event_row *row = window->rows[place_of(window, i)];
		if (row->arrival < oldest->arrival)
			oldest = row;
	}
	*row_at = oldest->row_at;
	*rows = window->given - 1 - oldest->arrival;
}

void event_window_release(struct event_window *window)
{
	event_row_free(window->out);
	for (size_t i = 0; i < window->count; i++)
		event_row_free(window->rows[place_of(window, i)]);
	for (size_t i = 0; i < window->spare_count; i++)
		event_row_free(window->spare[i]);
	free((void *)window->rows);
	free((void *)window->spare);
	*window = (struct event_window){ 0 };
}
