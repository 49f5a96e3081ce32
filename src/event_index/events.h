/* SPDX-License-Identifier: MIT */
#ifndef EVENT_INDEX_EVENTS_H
#define EVENT_INDEX_EVENTS_H

#include "event_index/event_index.h"
#include "histree/events.h"

/* The events of a host, as a part of those of several. */
struct events_part {
	const char *name;
	struct histree_events *events; /* NULL: they are missing */
	const char *why;               /* the sentence, if they are NULL */
};

/* Those of several hosts have their counts, types and gaps in an index that has no ticks and no blocks. */
struct histree_events {
	struct event_index index;
	char **traces; /* in the arena of the index */
	size_t trace_count;
	bool has_clock; /* by which times are corrected */
	struct histree_clock clock;
	bool are_in_order;                  /* no clock of the trace steps back */
	struct histree_event_source source; /* another process reads them; zeroed: the trace is read here */
	/* For several hosts, in the arena too; else NULL and 0. */
	struct histree_event_host *hosts;
	struct histree_events **parts; /* NULL in it: missing */
	uint32_t **types_of_part;      /* the type of ours, by that of the part */
	size_t host_count;
};

/*
 * Unite the events of several hosts.  Names and sentences are copied.  The union owns the events of its parts and
 * closes them, also if the call fails.
 */
enum histree_status events_unite(const struct events_part *parts, size_t count, struct histree_events **out,
				 struct histree_error *error);

/* As histree_event_reader_value(); *other becomes the other form that the trace has, or null if there is none. */
enum histree_status event_reader_value(const struct histree_cursor *reader, const char *path,
				       struct histree_value *out, struct histree_value *other);

#endif
