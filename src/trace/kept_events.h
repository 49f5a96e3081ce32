/* SPDX-License-Identifier: MIT */
/*
 * kept_events.h - events that outlive the next one of their trace, in batches: so one thread can read a trace while
 * others look at what it has read (docs/design/12-build.md).
 *
 * Whatever the format, all fields of an event are decoded when it is kept, with what is inside of them.  Its class
 * is a twin of the trace's own, with the same id, names and fields, whose trace, a twin too, finds the fields in
 * the copy; the trace of events that are decoded as they are read (packed_event.h) finds them there itself.
 */
#ifndef TRACE_KEPT_EVENTS_H
#define TRACE_KEPT_EVENTS_H

#include "base/arena.h"
#include "event/event.h"
#include "trace/packed/packed_parts.h"

/* A batch has no more events, and no more bytes unless its only event is larger. */
enum { KEPT_EVENTS_MAX = 1024, KEPT_BYTES = 192 << 10 };

/*
 * The twins of a trace; a zeroed one is empty.  The thread that keeps events uses it; the classes and traces of
 * kept events never change, and any thread may read them until it is released.
 */
struct kept_classes {
	struct arena memory;
	const struct event_class **classes; /* by id; NULL: not met */
	size_t class_count, class_capacity;
	const struct event_trace **traces; /* by id */
	size_t trace_count, trace_capacity;
	struct packed_parts parts; /* of the field that is being kept */
};

void kept_classes_release(struct kept_classes *classes);

/* A zeroed one is empty. */
struct kept_events {
	struct event *events;
	size_t count, capacity;
	uint8_t *bytes; /* of what events have: cells, texts, gaps */
	size_t used, room;
};

enum kept_outcome {
	KEPT,
	KEPT_NO_ROOM, /* the batch has events, and no room for this one */
	KEPT_NO_MEMORY,
};

/* Keep a copy of an event or a gap.  What was kept before stays where it is. */
enum kept_outcome kept_events_add(struct kept_events *kept, struct kept_classes *classes,
				  const struct event *event);

/* Have none, in the same memory; that of an event that was larger than a batch is given back. */
void kept_events_clear(struct kept_events *kept);

void kept_events_release(struct kept_events *kept);

#endif
