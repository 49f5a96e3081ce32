/* SPDX-License-Identifier: MIT */
/*
 * event_feed.h - a trace is read ahead by a crew, and what is read goes in batches to one reader or more.
 *
 * Every reader takes all batches, in order; a batch is filled again when all of them have given it back.  So the
 * readers are never further apart than FEED_BATCHES, which bounds the memory.  The first reader waits for its
 * batches; the others are tasks of the crew, which take what there is.  The index of events, which needs to know
 * where in its files the trace is, is made by whoever reads it too.
 *
 * Between event_feed_start() and event_feed_stop() the trace and the index are the feed's, but while it is paused.
 */
#ifndef PIPELINE_BUILD_EVENT_FEED_H
#define PIPELINE_BUILD_EVENT_FEED_H

#include <pthread.h>

#include "base/crew.h"
#include "event_index/event_index.h"
#include "trace/kept_events.h"
#include "trace/trace.h"

enum { FEED_BATCHES = 32, FEED_READERS_MAX = 64 };

struct event_batch {
	struct kept_events kept;
	struct trace_report report; /* after its last event; but for the warnings, which are the trace's */
	/* HISTREE_OK: others follow.  HISTREE_END, or why there are no more, which is in `error`. */
	enum histree_status status;
	bool has_failed; /* the feed itself has, not the trace */
	struct histree_error error;
};

/* A zeroed one was not started. */
struct event_feed {
	struct trace *trace;
	struct event_index_writer *index; /* NULL: none is made */
	struct kept_classes classes;
	struct event_batch batches[FEED_BATCHES]; /* number n is batches[n % FEED_BATCHES] */
	struct event event;                       /* the one that did not fit into the batch before */
	bool has_event;
	struct crew *crew;
	struct crew_task filling; /* a step is a batch */

	pthread_mutex_t mutex;                       /* guards what follows, and who has which batch */
	uint64_t made;                               /* batches */
	uint64_t given[FEED_READERS_MAX];            /* back, by reader */
	struct crew_task *readers[FEED_READERS_MAX]; /* the first one's is NULL */
	unsigned reader_count;
	unsigned at_work; /* steps: of `filling`, and of readers that have a batch */
	bool is_paused, is_over, is_stopped;
};

/* Begin to read an open trace that is not live.  The caller is the first reader.  Returns false if that failed. */
bool event_feed_start(struct event_feed *feed, struct crew *crew, struct trace *trace,
		      struct event_index_writer *index);

/*
 * Add a reader, a task that takes batches in its steps, before the first one gives back its first batch.  From here
 * on it may be at work, and has its number in *reader.
 */
void event_feed_add_reader(struct event_feed *feed, struct crew_task *task, unsigned *reader);

/* Wait for the first reader's next batch.  NULL: there are no more. */
const struct event_batch *event_feed_take(struct event_feed *feed);
void event_feed_give_back(struct event_feed *feed);

/* The next batch of another reader.  NULL: there is none just now, or no more. */
const struct event_batch *event_feed_look(struct event_feed *feed, unsigned reader);

/* Returns whether there is another one. */
bool event_feed_return(struct event_feed *feed, unsigned reader);

/*
 * By the first reader, which has no batch: wait until no other thread reads the trace or looks at a batch, and keep
 * it so.
 */
void event_feed_pause(struct event_feed *feed);
void event_feed_resume(struct event_feed *feed);

/* Have no more batches made or taken. */
void event_feed_stop(struct event_feed *feed);

/* All batches were made, or it was stopped: from here on no reader is started any more. */
void event_feed_finish(struct event_feed *feed);

/* Free what it has, once it and then the tasks of the other readers are finished. */
void event_feed_release(struct event_feed *feed);

#endif
