/* SPDX-License-Identifier: MIT */
/*
 * analysis_feed.h - one analysis, fed the events of a trace, of which it may apply to some traces only.
 *
 * An instance that reads a part of a trace by itself, from a checkpoint or for a slice, has one; what a build feeds
 * to many analyses at a time is analysis_job's.
 */
#ifndef ANALYSIS_ANALYSIS_FEED_H
#define ANALYSIS_ANALYSIS_FEED_H

#include "analysis/analysis.h"

/* One that has its analysis and nothing else has met no trace. */
struct analysis_feed {
	const struct analysis *analysis;
	bool *applies; /* by id of the trace */
	size_t trace_count, trace_capacity;
};

/* Take the next trace into account, before its first event. */
enum histree_status analysis_feed_meet(struct analysis_feed *feed, const struct event_trace *trace,
				       struct histree_error *error);

/* Whether the analysis is for the trace, which was met, of an event or a gap. */
static inline bool analysis_feed_applies(const struct analysis_feed *feed, const struct event *event)
{
	return feed->applies[(event->gap != NULL ? event->gap->trace : event->class->trace)->id];
}

/* Hand an event or a gap to an instance, through its inputs. */
enum histree_status analysis_feed_handle(const struct analysis_feed *feed, struct analysis_inputs *inputs,
					 void *instance, const struct event *event, struct histree_error *error);
void analysis_feed_release(struct analysis_feed *feed);

#endif
