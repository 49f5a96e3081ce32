/* SPDX-License-Identifier: MIT */
/*
 * event_stream.h - the events of a trace for all their readers: directly, or copied in batches by a crew that reads
 * ahead.
 *
 * A *feed* is a trace that a crew reads ahead; its events go in batches to one reader or more
 * (docs/design/12-build.md).
 *
 * Every reader takes all batches, in order; a batch is filled again when all of them have given it back.  So the
 * readers are never further apart than FEED_BATCHES, which bounds the memory.  The first reader waits for its
 * batches; the others are tasks of the crew, which take the batches that are ready.  A reader that needs the
 * position of the trace in its files, such as an index of events, has a watch called where the trace is read.
 *
 * From event_feed_start() to event_feed_end() the feed owns the trace and the watch, except while it is paused.
 * The first reader is a stream (event_stream.h), which starts, ends and frees it.
 *
 * Events of a batch outlive the next one of their trace:
 *
 * For every format, all fields of an event are decoded when it is copied, including their members and elements.
 * The class of the copy is a twin of the trace's class, with the same id, names and fields; its trace, a twin too,
 * finds the fields in the copy.  A trace whose events are decoded as they are read (packed_source.h) needs no twin.
 *
 * 	status = event_stream_open(&stream, &origin, NULL, &error);
 * 	while (status == HISTREE_OK && (status = event_stream_look(&stream, &error)) == HISTREE_OK) {
 * 		... stream.events[0], or all of stream.count ...
 * 		status = event_stream_pass(&stream, &error);
 * 	}
 * 	event_stream_close(&stream);		// status is HISTREE_END, or the error
 *
 * An event that was looked at comes next until it is passed, so a reader may stop before it and hand the stream on.
 * The events are made by:
 *
 * - The reader itself, one at a time: then the trace stands at the event, and gives its positions.
 * - A crew, ahead of the reader and in batches, which other readers share: a batch is looked at, and the trace is
 *   somewhere behind it.
 * - The reader again, for a trace that was read before, from a place in it on: the origin identifies that trace and
 *   refuses any other.
 *
 * Threads: a stream is used by one thread at a time.
 */
#ifndef TRACE_EVENT_STREAM_H
#define TRACE_EVENT_STREAM_H

#include "base/arena.h"
#include "base/crew.h"
#include "event/event.h"
#include "trace/packed/packed_source.h"
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

/*
 * Add a reader, a task that takes batches in its steps, before the first one gives back its first batch.  From here
 * on it may be at work, and has its number in *reader.
 */
void event_feed_add_reader(struct event_feed *feed, struct crew_task *task, unsigned *reader);
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

/* Once the feed has ended: wait for a task that was added, which is at the end of what there is then. */
void event_feed_join(struct event_feed *feed, struct crew_task *task);

/* Which trace, and how; constant, and it outlives the streams that are opened by it. */
struct event_origin {
	const char *const *paths;
	size_t path_count;
	bool wants_gaps;
	const struct histree_clock *clock; /* by which times are corrected; NULL: they are not */
	/* Of a trace that was read before; else zero. */
	uint64_t bytes;
	size_t file_count;
	const char *changed; /* what is wrong where it is another one now */
};

/* A zeroed one is not open, and may be closed. */
struct event_stream {
	struct trace *trace;
	const struct event *events;     /* what was looked at; it is valid until it is passed */
	size_t count;                   /* 0: nothing was */
	struct event_watch watch;       /* sees each event in the order of the trace; set before the first look */
	struct event_feed *feed;        /* NULL: no reading ahead */
	struct event event;             /* that `events` is, where nobody does */
	struct trace_report report;     /* of the feed: up to what was looked at last */
	const struct event_batch *last; /* the one that says why there are no more; NULL: it has not come */
	bool has_failed;                /* what ended the stream was no matter of the trace */
};

/*
 * Open a trace at its beginning.  As trace_open_or_cancel(), and HISTREE_ERR_TRACE if it is not the one that the
 * origin says; nothing is open then.  While it is opened, `trace` may be asked for its report.
 */
enum histree_status event_stream_open(struct event_stream *stream, const struct event_origin *origin,
				      const struct histree_work *work, struct histree_error *error);

/* The same, where each file is at a position, as trace_open_at(). */
enum histree_status event_stream_open_at(struct event_stream *stream, const struct event_origin *origin,
					 const struct trace_position *positions, size_t position_count,
					 struct histree_error *error);
void event_stream_close(struct event_stream *stream);
enum histree_status event_stream_read_batch(struct event_stream *stream, struct histree_error *error);

/* Have the next event or events in `events`.  As trace_next(); see `has_failed`, too. */
static inline enum histree_status event_stream_look(struct event_stream *stream, struct histree_error *error)
{
	if (stream->count > 0)
		return HISTREE_OK;
	if (stream->feed != NULL)
		return event_stream_read_batch(stream, error);
	enum histree_status status = trace_next(stream->trace, &stream->event, error);
	stream->events = &stream->event;
	stream->count = status == HISTREE_OK;
	return status;
}

/* What was looked at is done with.  Returns what the watch says of it. */
static inline enum histree_status event_stream_pass(struct event_stream *stream, struct histree_error *error)
{
	const bool has_one = stream->count > 0;
	stream->count = 0;
	if (has_one && stream->feed != NULL)
		event_feed_give_back(stream->feed);
	else if (has_one && stream->watch.see != NULL)
		return stream->watch.see(stream->watch.context, stream->trace, &stream->event, error);
	return HISTREE_OK;
}

/* Pass what was looked at, and look at what comes then. */
static inline enum histree_status event_stream_next(struct event_stream *stream, struct histree_error *error)
{
	enum histree_status status = event_stream_pass(stream, error);
	return status == HISTREE_OK ? event_stream_look(stream, error) : status;
}

/* What was looked at was not seen, and is not passed: the trace is to go elsewhere. */
static inline void event_stream_forget(struct event_stream *stream)
{
	stream->count = 0;
}

/* Forget what was looked at, and go elsewhere in the trace, as trace_move(). */
enum histree_status event_stream_go(struct event_stream *stream, const struct trace_position *positions,
				    size_t position_count, struct histree_error *error);

/* Returns what became of the trace, up to what was looked at last. */
struct trace_report event_stream_report(const struct event_stream *stream);

/* ---- read ahead ---------------------------------------------------------------------------------------------- */

/*
 * Call before the first event of a trace that is not live.  Returns false if no thread can be started; reading
 * goes on without.
 */
bool event_stream_read_ahead(struct event_stream *stream, struct crew *crew);

/*
 * Stop reading ahead; no batch is made for other readers; if `is_in_vain`, missing ones are not made either.  The
 * readers that have batches are waited for, and the feed is released.
 */
void event_stream_end_ahead(struct event_stream *stream, bool is_in_vain);
void event_stream_release_ahead(struct event_stream *stream);

#endif
