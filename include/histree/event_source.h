/* SPDX-License-Identifier: MIT */
/*
 * event_source.h - events that another reader hands out: another process, another machine.  They are read like
 * those of every store (events.h), and can be those of a host among several.
 *
 * The index of events is in this process, so numbers, times, counts and gaps need no source; a source hands out
 * the events themselves.
 *
 * Threads: the functions of one source are called by one thread at a time.
 */
#ifndef HISTREE_EVENT_SOURCE_H
#define HISTREE_EVENT_SOURCE_H

#include "events.h"

/*
 * Before a path, this asks cursor_value() and histree_event_reader_value() for the other form of the number there
 * that a user may ask for: its label in an enumeration, or its digits as the trace shows them.
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
 * Make events from a source and from the bytes of the index in its store, events.idx, which are not kept.
 * `are_in_order` says that no clock of the trace steps back.  If the call fails, it frees the source.  Returns
 * HISTREE_ERR_FORMAT if these bytes are not an index.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_events_of_source(const struct histree_event_source *source, const void *index, size_t size,
			 bool are_in_order, struct histree_events **out, struct histree_error *error);

#endif
