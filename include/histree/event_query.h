/* SPDX-License-Identifier: MIT */
/*
 * event_query.h - the events of a trace that lie in a range and pass an expression.
 *
 * An expression (filter.h) may name what every event has (number, time, cpu, type) and any value that some events
 * have, by its path: "args[2] > 4096".  An event without such a value passes no comparison with it.  With several
 * hosts, `host` is the name of the event's host.
 *
 * Events that numbers and times rule out are not decoded: reading starts at most 8,192 events before the first
 * event that can pass, and ends after the last.  For events that type or host rule out, no field is read.
 *
 *	histree_event_query_create(events, reader, "time > +5s && cpu == 1", start, end, &cursor, &error);
 *	histree_event_query_start(cursor, &HISTREE_EVENTS_ALL, &error);
 *	while ((status = histree_cursor_next(cursor, &error)) == HISTREE_OK)
 *		event = histree_cursor_event(cursor);	// histree_event_reader_contents(reader) is that of it
 *	histree_cursor_free(cursor);		// cursor.h; the reader stays
 */
#ifndef HISTREE_EVENT_QUERY_H
#define HISTREE_EVENT_QUERY_H

#include "cancel.h"
#include "cursor.h"
#include "events.h"
#include "window.h"

/*
 * Events whose number and time lie in these windows.  An event is an instant, so bounds that cross select
 * nothing.
 */
struct histree_event_range {
	struct histree_window numbers, times;
};

#define HISTREE_EVENTS_ALL                                                  \
	(struct histree_event_range)                                        \
	{                                                                   \
		.numbers = HISTREE_WINDOW_ALL, .times = HISTREE_WINDOW_ALL, \
	}

/*
 * Create a query that reads with `reader`, which it borrows and moves.  `where` is an expression, or NULL for all
 * events of a range; times in it are relative to `start` and `end`, the bounds of the trace.  Returns
 * HISTREE_ERR_ARGUMENT as histree_filter_create() does.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_event_query_create(const struct histree_events *events, struct histree_event_reader *reader,
			   const char *where, histree_time start, histree_time end, struct histree_cursor **out,
			   struct histree_error *error);

/* Begin with the first event of the range; events come by number.  It may be started any number of times. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_event_query_start(struct histree_cursor *query, const struct histree_event_range *range,
			  struct histree_error *error);

/*
 * Set a cancel, which is asked now and then while events are looked for and ends the query with
 * HISTREE_ERR_CANCELLED.
 */
HISTREE_API void histree_event_query_set_cancel(struct histree_cursor *query, struct histree_cancel cancel);

/*
 * Returns a path in the expression at which no event that was read has a value; NULL: each path had one.  If no
 * event passes, the path may have been misspelt.
 */
HISTREE_API const char *histree_event_query_absent(const struct histree_cursor *query);

/*
 * Returns true if the expression names `type` and lets events of a single type pass, and sets *type to that type,
 * an index of histree_events_types().
 */
HISTREE_API bool histree_event_query_one_type(const struct histree_cursor *query, uint32_t *type);

/*
 * Returns true if no event has a time before that of an event with a smaller number.  Where a clock of the trace
 * steps back, the search for events of a range in time goes on to the end of the trace.
 */
HISTREE_API bool histree_events_are_in_order(const struct histree_events *events);

#endif
