/* SPDX-License-Identifier: MIT */
/*
 * event_feed.h - a thread that reads a trace ahead, and hands what it reads over in batches, to one reader or more.
 *
 * Every reader takes all batches, in order; a batch is filled again when all of them have given it back.  So the
 * readers are never further apart than FEED_BATCHES, which bounds the memory.  The index of events, which needs to
 * know where in its files the trace is, is made by the feed's thread too.
 *
 * Between event_feed_start() and event_feed_stop() the trace and the index are the feed's, but while it is paused.
 */
#ifndef PIPELINE_EVENT_FEED_H
#define PIPELINE_EVENT_FEED_H

#include <pthread.h>

#include "event_index/event_index_writer.h"
#include "trace/kept_events.h"
#include "trace/trace.h"

enum { FEED_BATCHES = 8, FEED_READERS_MAX = 64 };

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

	pthread_t thread;
	bool has_thread;
	pthread_mutex_t mutex;            /* guards what follows, and who has which batch */
	pthread_cond_t changed;           /* for readers, and who pauses */
	pthread_cond_t has_room;          /* for the feed's thread */
	uint64_t made;                    /* batches */
	uint64_t given[FEED_READERS_MAX]; /* back, by reader */
	unsigned reader_count;
	unsigned at_work; /* threads that read the trace, or look at a batch, but for the first reader's */
	unsigned waiting; /* threads, for `changed` */
	bool waits_for_room, is_paused, is_over, is_stopped;
};

/*
 * Begin to read an open trace that is not live.  The caller is the first reader, 0.  Returns false if there is no
 * thread to be had: then there is nothing to stop.
 */
bool event_feed_start(struct event_feed *feed, struct trace *trace, struct event_index_writer *index);

/* Add a reader, before the first one gives back its first batch.  The number is for the calls below. */
unsigned event_feed_add_reader(struct event_feed *feed);

/* The reader that was added last is none. */
void event_feed_drop_reader(struct event_feed *feed, unsigned reader);

/* Wait for the next batch.  NULL: there are no more, or the feed is stopped. */
const struct event_batch *event_feed_take(struct event_feed *feed, unsigned reader);
void event_feed_give_back(struct event_feed *feed, unsigned reader);

/*
 * By the first reader, which has no batch: wait until no other thread reads the trace or looks at a batch, and keep
 * it so.
 */
void event_feed_pause(struct event_feed *feed);
void event_feed_resume(struct event_feed *feed);

/* Have no more batches made or taken. */
void event_feed_stop(struct event_feed *feed);

/* Wait for the end of the thread; of a feed that has none, nothing. */
void event_feed_join(struct event_feed *feed);

/* Free what it has.  The other readers are at their end. */
void event_feed_release(struct event_feed *feed);

#endif
