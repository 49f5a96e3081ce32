/* SPDX-License-Identifier: MIT */
/*
 * events.h - the events of the trace that a store was built from.
 */
#ifndef HISTREE_EVENTS_H
#define HISTREE_EVENTS_H

#include "cursor.h"
#include "filter.h"
#include "status.h"
#include "store.h"

/* ==== events ================================================================================================== */

/*
 * The events of the trace that a store was built from: how many there are at which times, their types, and the
 * events themselves by number or by time.
 *
 * Events are numbered from 0 in the order in which their streams are merged.  That is the order of time, except
 * that the events of one stream stay in the order of its file where its clock steps back.  Counts come from a
 * small index in the store.  Events are read from the trace itself, which must still be where it was; a reader
 * that seeks starts at most 8,192 events before its target.
 *
 * The events of several hosts are merged by their corrected times and numbered in that order; those with equal
 * times come in the order of the hosts, and those of one host stay in their order.  A reader that seeks starts at
 * most 8,192 events before its target in each host.
 *
 * Threads: any number of threads may use a struct histree_events; one thread at a time uses a reader.
 */

struct histree_events;

/*
 * Open the events of a store.  They may be used after the store is closed.  Returns HISTREE_NOT_FOUND if the
 * store has no index of events.  With several hosts, some may have no index (histree_events_hosts()); it is an
 * error only if all lack one.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_events_open(const struct histree_store *store, struct histree_events **out, struct histree_error *error);
HISTREE_API void histree_events_close(struct histree_events *events);

HISTREE_API uint64_t histree_events_count(const struct histree_events *events);

/*
 * Returns the names of the types of events, in the order in which they first occurred; with several hosts, those
 * of the first host come first.
 */
HISTREE_API const char *const *histree_events_types(const struct histree_events *events, size_t *count);

/* One of several hosts. */
struct histree_event_host {
	const char *name;
	const char *why; /* a sentence that says why the host has no events here; NULL if it has */
	uint64_t count;  /* of its events */
};

/* Returns the hosts of these events, in order; NULL and a *count of 0 if there is only one host. */
HISTREE_API const struct histree_event_host *histree_events_hosts(const struct histree_events *events,
								  size_t *count);

/* A time in which events of a stream are missing, because the tracer lost them or the trace is damaged. */
struct histree_gap {
	histree_time from, to; /* both inclusive */
	int32_t cpu;           /* of the stream; -1 if the trace does not say */
	uint32_t host;         /* an index of histree_events_hosts(); 0 if there is one */
	uint64_t events;       /* how many the tracer says it lost; 0 if it did not count */
};

/*
 * Returns all gaps in the order of their starts.  Gaps may overlap and may reach beyond the history.  There are
 * no gaps if the store was built with gaps ignored, or by a version that did not keep them; histree_store_info()
 * may know their number even then.
 */
HISTREE_API const struct histree_gap *histree_events_gaps(const struct histree_events *events, size_t *count);

struct histree_event {
	uint64_t number;
	histree_time time;
	int32_t cpu;   /* -1 if the trace does not say */
	uint32_t type; /* an index of histree_events_types() */
	uint32_t host; /* an index of histree_events_hosts(); 0 if there is one */
};

/*
 * Create a reader, a cursor that hands out events by number, beginning with the first.  It opens the trace when
 * it is first used, and histree_cursor_next() returns HISTREE_ERR_TRACE if the trace is gone or has changed.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_event_reader_create(const struct histree_events *events,
									       struct histree_cursor **out,
									       struct histree_error *error);

/*
 * Make the reader never open the trace.  A store itself names its traces, so the maker of an untrusted store
 * chose which files its reader opens.  Every call that needs the trace then returns HISTREE_ERR_TRACE with the
 * sentence `why`, which is borrowed; counts come from the index alone.  The address of a live trace is never
 * opened.
 */
HISTREE_API void histree_event_reader_keep_closed(struct histree_cursor *reader, const char *why);

/*
 * Make this event the next one.  If there is no event with that number, histree_cursor_next() returns
 * HISTREE_END.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_event_reader_seek(struct histree_cursor *reader, uint64_t number, struct histree_error *error);

/*
 * Find the number of the first event at or after `time`, or the count of all events if there is no such event.
 * Seeking that number is then cheap; the caller must seek before it reads on.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_event_reader_find(struct histree_cursor *reader,
									     histree_time time, uint64_t *number,
									     struct histree_error *error);

/*
 * Returns the fields of the last event as text, "name=value, ...", borrowed until the next call, or NULL if there
 * is no memory.  A number is shown as the trace declares it: by its name in an enumeration, or in its base, such
 * as 0xff.  Arrays and structures are shown with their elements, as [1, 2, 3] and {a=1, b="x"}.  Arrays are cut
 * after 100 elements, and the text after 64 KiB.
 */
HISTREE_API const char *histree_event_reader_contents(struct histree_cursor *reader);

/*
 * Returns the fields of the last event as a JSON object (RFC 8259), borrowed until the next call, or NULL if
 * there is no memory: {"prev_comm":"bash","args":[1,2],"from":{"port":80}}.  Bytes become a text in hexadecimal,
 * invalid UTF-8 becomes U+FFFD, a number for which the trace has a name becomes that name, and a number that is
 * not finite becomes null.  Arrays have all their elements; an event is cut at 1 MiB.  If a context and the
 * payload have a field of the same name, both are there, the payload's first.
 */
HISTREE_API const char *histree_event_reader_json(struct histree_cursor *reader);

enum histree_event_kind {
	HISTREE_EVENT_SIGNED,
	HISTREE_EVENT_UNSIGNED, /* `integer` is to be read as uint64_t */
	HISTREE_EVENT_REAL,
	HISTREE_EVENT_TEXT,  /* also bytes, in hexadecimal: 0x0a0b */
	HISTREE_EVENT_LABEL, /* a number that the trace has a name for, which is the text */
	HISTREE_EVENT_PARTS, /* an array or a structure: the text is JSON */
};

struct histree_event_field {
	const char *name;
	enum histree_event_kind kind;
	bool is_context; /* not of the payload, which may have a field of the same name */
	int64_t integer;
	double real;
	const char *text; /* `size` bytes, which need not be UTF-8, and a terminating zero */
	size_t size;
};

/*
 * Returns the fields that the last event has, in the order and form of histree_event_reader_json(), borrowed
 * until the next call; NULL if there is no memory.  A name may occur twice.
 */
HISTREE_API const struct histree_event_field *histree_event_reader_fields(struct histree_cursor *reader,
									  size_t *count);

/*
 * Returns the stream of the last event, by the name of its file within the trace, such as "channel0_1", borrowed
 * until the reader is asked for another event; "" if it has no name.
 */
HISTREE_API const char *histree_event_reader_stream(const struct histree_cursor *reader);

/*
 * Get a value of the last event by its path: the name of a field, then "[3]" for an element and ".name" for a
 * member, as often as it takes, such as "args[2]" or "from.port".  Numbers are HISTREE_LONG or HISTREE_DOUBLE
 * (those above the greatest int64 as histree_unsigned() gives them), texts HISTREE_STRING, bytes HISTREE_CUSTOM,
 * borrowed until the next call.  Returns HISTREE_NOT_FOUND if the event has no value there, or if it has an array
 * or a structure there.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_event_reader_value(const struct histree_cursor *reader, const char *path, struct histree_value *out);

/*
 * Count the events of each type from the first one at or after `from` up to, but not including, the first one
 * after `to`.  `counts` has room for one number for each type.  The counts are exact; fewer than two blocks of
 * events are read.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_event_reader_count_types(struct histree_cursor *reader, histree_time from, histree_time to,
				 uint64_t *counts, struct histree_error *error);

/*
 * Count the events in each pixel of [from, to] (states.h).  Counts are exact if the range has no more than about
 * 16,384 events and the trace is there.  Otherwise the index alone answers and *are_exact is false: counts then
 * have fractions, and up to 64 events may be counted in a pixel next to theirs.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_event_reader_density(struct histree_cursor *reader, histree_time from, histree_time to, uint32_t pixels,
			     double *counts, bool *are_exact, struct histree_error *error);

/* ==== event query ============================================================================================= */

/*
 * The events of a trace that lie in a range and pass an expression.
 *
 * An expression (filter.h) may name what every event has (number, time, cpu, type) and any value that some events
 * have, by its path: "args[2] > 4096".  An event without such a value passes no comparison with it.  With several
 * hosts, `host` is the name of the event's host.
 *
 * Events that are ruled out by their number or time are not decoded: reading starts at most 8,192 events before
 * the first event that can pass, and ends after the last.  No field is read of an event that is ruled out by its
 * type or host.
 *
 *	histree_event_query_create(events, reader, "time > +5s && cpu == 1", start, end, &cursor, &error);
 *	histree_event_query_start(cursor, &HISTREE_EVENTS_ALL, &error);
 *	while ((status = histree_cursor_next(cursor, &error)) == HISTREE_OK)
 *		event = histree_cursor_event(cursor);	// histree_event_reader_contents(reader) is that of it
 *	histree_cursor_free(cursor);		// cursor.h; the reader stays
 */

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
histree_event_query_create(const struct histree_events *events, struct histree_cursor *reader, const char *where,
			   histree_time start, histree_time end, struct histree_cursor **out,
			   struct histree_error *error);

/*
 * Start the query, any number of times.  Events come in the order of their numbers, beginning with the first of
 * the range.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_event_query_start(struct histree_cursor *query, const struct histree_event_range *range,
			  struct histree_error *error);

/*
 * Set a cancel, which is asked now and then while events are looked for and ends the query with
 * HISTREE_ERR_CANCELLED.
 */
HISTREE_API void histree_event_query_set_cancel(struct histree_cursor *query, struct histree_work work);

/*
 * Returns whether the expression names `thread`, `process` or `name`, which a history of the kernel knows:
 * histree_event_query_take_threads().
 */
HISTREE_API bool histree_event_query_names_threads(const struct histree_cursor *query);

/*
 * Say who had the CPU of an event by a history of the kernel, which is borrowed as long as the query.  In the
 * expression, `thread` and `process` are then compared with the number and with the name of the thread, and of its
 * process, and `name` with the last name of its program.  An event that has a field of that name itself may pass by
 * that, too, and a switch passes by the thread that leaves or by the one that comes.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_event_query_take_threads(struct histree_cursor *query,
										    struct histree_history *kernel,
										    struct histree_error *error);

/* Who had the CPU of an event. */
struct histree_event_owner {
	int32_t tid;                        /* 0: the idle loop; -1: not known */
	int32_t left;                       /* of a switch, the thread that left by it; else the same */
	int32_t pid;                        /* its process; -1: not known */
	struct histree_value name, process; /* texts, what the two are called, or null; borrowed from the query */
};

/* Get the owner of the last event; not known, if no history of the kernel was taken. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_event_query_owner(struct histree_cursor *query,
									     struct histree_event_owner *out,
									     struct histree_error *error);

/*
 * Returns a path in the expression at which none of the events read had a value, or NULL if there is no such
 * path.  If no event passes, the path may have been misspelt.
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

/* ==== event source ============================================================================================ */

/*
 * Events that another process or another machine reads and hands out.  They are used like those of any store, and
 * can be those of one of several hosts.
 *
 * The index of events is in this process, so numbers, times, counts and gaps need no source; a source hands out
 * the events themselves.
 *
 * Threads: the functions of one source are called by one thread at a time.
 */

/*
 * As the first character of a path, this asks cursor_value() and histree_event_reader_value() for the other form
 * of the number there that a user may compare with: its label in an enumeration, or its digits as the trace shows
 * them.
 */
#define HISTREE_EVENT_OTHER '\001'

enum histree_event_text { HISTREE_EVENT_CONTENTS, HISTREE_EVENT_JSON, HISTREE_EVENT_STREAM };

struct histree_event_source {
	void *context;
	enum histree_status (*cursor_create)(void *context, void **cursor, struct histree_error *error);
	/* As histree_event_reader_seek(), with the number of an event that exists.  The work may be deferred. */
	enum histree_status (*cursor_seek)(void *cursor, uint64_t number, struct histree_error *error);
	/* Gives the next event; its number and its host are ignored.  It is not called after the last event. */
	enum histree_status (*cursor_next)(void *cursor, struct histree_event *out, struct histree_error *error);
	/*
	 * As histree_event_reader_contents(), _json(), _stream() and _value(), of the event that was given last.
	 * A failure here is reported by the next call that can return an error.
	 */
	const char *(*cursor_text)(void *cursor, enum histree_event_text what);
	enum histree_status (*cursor_value)(void *cursor, const char *path, struct histree_value *out);
	void (*cursor_free)(void *cursor);
	void (*free)(void *context);
};

/*
 * Make events from a source and from the bytes of the index in its store, events.idx, which are read only during
 * the call.  `are_in_order` says that no clock of the trace steps back.  If the call fails, it frees the source.
 * Returns HISTREE_ERR_FORMAT if these bytes are not an index.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_events_of_source(const struct histree_event_source *source, const void *index, size_t size,
			 bool are_in_order, struct histree_events **out, struct histree_error *error);

#endif
