/* SPDX-License-Identifier: MIT */
/*
 * trace_merge.h - the streams of several sources as one sequence of events, by time.
 *
 * A binary heap of the streams that have an event.  Of two events at the same nanosecond the one of the earlier
 * stream comes first: streams are numbered by trace, in the order that was given, and then by the name of their
 * file.
 */
#ifndef TRACE_TRACE_MERGE_H
#define TRACE_TRACE_MERGE_H

#include "trace/trace_source.h"

struct trace_upcoming {
	histree_time time;
	uint32_t stream; /* index in trace_merge.streams */
};

/* A zeroed one has no streams. */
struct trace_merge {
	struct trace_stream **streams; /* in the order that decides ties */
	struct trace_upcoming *queue;  /* a heap: the parent of i is (i - 1) / 2 */
	size_t queue_count;
	bool is_taken; /* the first of the queue: it is the event that trace_merge_next() gave last */
	struct trace_report *report;
};

/*
 * Begin with the upcoming events of the streams of sources that are open.  What is handed out is counted in the
 * report.  Returns HISTREE_ERR_MEMORY.
 */
enum histree_status trace_merge_begin(struct trace_merge *merge, struct trace_source *const *sources, size_t count,
				      struct trace_report *report, struct histree_error *error);

void trace_merge_release(struct trace_merge *merge);

/* Returns the stream whose event comes first; NULL: there are no more. */
static inline const struct trace_stream *trace_merge_first(const struct trace_merge *merge)
{
	return merge->queue_count == 0 ? NULL : merge->streams[merge->queue[0].stream];
}

/* Bring that stream, which there is, to its next event. */
enum histree_status trace_merge_advance(struct trace_merge *merge, struct histree_error *error);

/* Of a merge that has handed out nothing yet: bring each stream to its first event of that time or later. */
enum histree_status trace_merge_skip(struct trace_merge *merge, histree_time time, struct histree_error *error);

/* Hand out the next event, or gap if those are wanted.  Returns HISTREE_END, HISTREE_ERR_MEMORY. */
enum histree_status trace_merge_next(struct trace_merge *merge, bool wants_gaps, struct event *out,
				     struct histree_error *error);

#endif
