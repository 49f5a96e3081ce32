/* SPDX-License-Identifier: MIT */
/*
 * events.h - the events of the trace that a store was built of: how many when, of which types, and the events
 * themselves, by number or by time.
 *
 * Events are numbered from 0, in the order in which streams are merged: by time, but where the clock of a stream
 * steps back, in the order of its file.  Counts come from a small index in the store.  Events are read from the
 * trace itself, which has to be where it was; a reader that jumps begins at most 8,192 events before.
 *
 * Threads: a struct histree_events may be used by any number of threads, a reader by one at a time.
 */
#ifndef HISTREE_EVENTS_H
#define HISTREE_EVENTS_H

#include "store.h"

struct histree_events;

/* HISTREE_NOT_FOUND: the store was built by a version that made no index of events.  May outlive the store. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_events_open(const struct histree_store *store, struct histree_events **out, struct histree_error *error);
HISTREE_API void histree_events_close(struct histree_events *events);

HISTREE_API uint64_t histree_events_count(const struct histree_events *events);

/* The names of the types of events that occur, in the order in which they first did. */
HISTREE_API const char *const *histree_events_types(const struct histree_events *events, size_t *count);

/* A time from which events of a stream are missing: lost by the tracer, or in a part of the trace that is damaged.
 */
struct histree_gap {
	histree_time from, to; /* both inclusive */
	int32_t cpu;           /* of the stream; -1 where the trace does not say */
	uint64_t events;       /* that the tracer counted as lost; 0: nobody counted */
};

/*
 * All gaps, by their beginnings; they may overlap, and reach out of the history.  None of a store that was built
 * with gaps ignored, or by a version that did not keep them (histree_store_info() may still know how many).
 */
HISTREE_API const struct histree_gap *histree_events_gaps(const struct histree_events *events, size_t *count);

struct histree_event {
	uint64_t number;
	histree_time time;
	int32_t cpu;   /* -1 where the trace does not say */
	uint32_t type; /* an index of histree_events_types() */
};

struct histree_event_reader;

/* Opens nothing yet. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_event_reader_create(const struct histree_events *events,
									       struct histree_event_reader **out,
									       struct histree_error *error);
HISTREE_API void histree_event_reader_free(struct histree_event_reader *reader);

/* histree_event_reader_next() then gives this event, or HISTREE_END where there is none of that number. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_event_reader_seek(struct histree_event_reader *reader, uint64_t number, struct histree_error *error);

/*
 * The number of the first event at or after `time`; the count of all, if there is none.  To seek that number is
 * then cheap; without that the reader goes on somewhere.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_event_reader_find(struct histree_event_reader *reader,
									     histree_time time, uint64_t *number,
									     struct histree_error *error);

/* HISTREE_END behind the last one; HISTREE_ERR_TRACE if the trace is gone, or is no longer the one it was. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_event_reader_next(struct histree_event_reader *reader,
									     struct histree_event *out,
									     struct histree_error *error);

/*
 * The fields of the event that was given last: "name=value, ...", numbers and texts.  Borrowed until the next call.
 * NULL when memory is out.
 */
HISTREE_API const char *histree_event_reader_contents(struct histree_event_reader *reader);

/*
 * How many events of each type there are from the first at or after `from` up to the last one before the first
 * behind `to`; as many counts as types.  Exact; reads less than two blocks of events.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_event_reader_count_types(struct histree_event_reader *reader, histree_time from, histree_time to,
				 uint64_t *counts, struct histree_error *error);

/*
 * How many events there are in each pixel of [from, to] (rows.h).  Exact where the range has no more
 * than about 16,384 events and the trace is there.  Else the index answers alone: up to 64 events may then be
 * counted in another pixel than theirs, and counts have fractions.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_event_reader_density(struct histree_event_reader *reader,
										histree_time from, histree_time to,
										uint32_t pixels, double *counts,
										struct histree_error *error);

#endif
