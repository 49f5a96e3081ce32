/* SPDX-License-Identifier: MIT */
/*
 * event_feed.h - a trace is read ahead by a crew, and its events go in batches to one reader or more
 * (docs/design/12-build.md).
 *
 * Every reader takes all batches, in order; a batch is filled again when all of them have given it back.  So the
 * readers are never further apart than FEED_BATCHES, which bounds the memory.  The first reader waits for its
 * batches; the others are tasks of the crew, which take what there is.  Who needs to know where in its files the
 * trace is, such as an index of events, watches it where it is read.
 *
 * From event_feed_start() to event_feed_end() the trace and the watch are the feed's, but while it is paused.  The
 * first reader is a stream (event_stream.h), which starts, ends and frees it.
 *
 * Events of a batch outlive the next one of their trace:
 *
 * Whatever the format, all fields of an event are decoded when it is kept, with what is inside of them.  Its class
 * is a twin of the trace's own, with the same id, names and fields, whose trace, a twin too, finds the fields in
 * the copy; the trace of events that are decoded as they are read (packed_parts.h) finds them there itself.
 */
#ifndef TRACE_EVENT_FEED_H
#define TRACE_EVENT_FEED_H

#include "base/arena.h"
#include "base/crew.h"
#include "event/event.h"
#include "trace/packed/packed_parts.h"
#include "trace/trace.h"

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
void kept_events_release(struct kept_events *kept);

enum { FEED_BATCHES = 32, FEED_READERS_MAX = 64 };

/* Sees every event of a trace once, while the trace is where it is; `see` may be NULL. */
struct event_watch {
	enum histree_status (*see)(void *context, const struct trace *trace, const struct event *event,
				   struct histree_error *error);
	void *context;
};

struct event_batch {
	struct kept_events kept;
	struct trace_report report; /* after its last event; without the warnings, which are the trace's */
	/* HISTREE_OK: others follow.  HISTREE_END, or why there are no more, which is in `error`. */
	enum histree_status status;
	bool has_failed; /* the feed itself has, not the trace */
	struct histree_error error;
};

struct event_feed;

/* Begin to read an open trace that is not live.  The caller is the first reader.  Returns NULL if that failed. */
struct event_feed *event_feed_start(struct crew *crew, struct trace *trace, const struct event_watch *watch);

/*
 * Add a reader, a task that takes batches in its steps, before the first one gives back its first batch.  From here
 * on it may be at work, and has its number in *reader.
 */
void event_feed_add_reader(struct event_feed *feed, struct crew_task *task, unsigned *reader);

/* Wait for the first reader's next batch.  NULL: there are no more. */
const struct event_batch *event_feed_take(struct event_feed *feed);
void event_feed_give_back(struct event_feed *feed);

/* Returns the next batch of another reader.  NULL: there is no batch just now, or no more. */
const struct event_batch *event_feed_look(struct event_feed *feed, unsigned reader);

/* Returns whether there is another one. */
bool event_feed_return(struct event_feed *feed, unsigned reader);

/*
 * By the first reader, which has no batch: wait until no other thread reads the trace or looks at a batch, and keep
 * it so.
 */
void event_feed_pause(struct event_feed *feed);
void event_feed_resume(struct event_feed *feed);

/* No task of the feed is left after this; if `is_in_vain`, no more batches are made or taken. */
void event_feed_end(struct event_feed *feed, bool is_in_vain);

/* Once the feed has ended: wait for a task that was added, which is at the end of what there is then. */
void event_feed_join(struct event_feed *feed, struct crew_task *task);

/* Free what it has, once it has ended and all of its readers were waited for.  NULL is fine. */
void event_feed_free(struct event_feed *feed);

#endif
