/* SPDX-License-Identifier: MIT */
/*
 * event_feed.h - a trace is read ahead by a crew, and what is read goes in batches to one reader or more.
 *
 * Every reader takes all batches, in order; a batch is filled again when all of them have given it back.  So the
 * readers are never further apart than FEED_BATCHES, which bounds the memory.  The first reader waits for its
 * batches; the others are tasks of the crew, which take what there is.  Who needs to know where in its files the
 * trace is, such as an index of events, watches it where it is read.
 *
 * From event_feed_start() to event_feed_end() the trace and the watch are the feed's, but while it is paused.  The
 * first reader is a stream (event_stream.h), which starts, ends and frees it.
 */
#ifndef TRACE_EVENT_FEED_H
#define TRACE_EVENT_FEED_H

#include "base/crew.h"
#include "trace/kept_events.h"
#include "trace/trace.h"

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
