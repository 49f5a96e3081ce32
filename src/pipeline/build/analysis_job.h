/* SPDX-License-Identifier: MIT */
/*
 * analysis_job.h - one analysis of one trace by several threads: the trace is cut in time
 * (docs/design/12-build.md).
 *
 * Threads that have the trace open themselves read a slice each, and analyse it without what came before
 * (analysis.h).  In the order of time, slices are handed over to the analysis that has seen everything, which
 * reads a slice again itself where that one had guessed wrong.  Threads then make the leaves of what a slice knew
 * by itself, and the owner of the history hangs them into its tree.  So every interval is that of one pass,
 * wherever the cuts are.
 *
 * The first slice is read by the owner as well, and so are all that follow once slices are of no use any more.
 *
 * Memory: what slices have that wait is bounded by job_slices_plan.memory; one that would need more is of no use.
 *
 * One analysis at work, and the file that it fills: a history or a segment store.
 */
#ifndef PIPELINE_BUILD_ANALYSIS_JOB_H
#define PIPELINE_BUILD_ANALYSIS_JOB_H

#include "analysis/analysis.h"
#include "analysis/registry.h"
#include "base/io.h"
#include "event_index/event_index.h"
#include "histree/build.h"
#include "histree/store.h"
#include "partial/partial_history.h"
#include "pipeline/build_plan.h"
#include "pipeline/slices.h"
#include "trace/event_stream.h"

struct job_slices;
struct overview_feed;

/*
 * Nobody else wants the events: read by the stream of the trace, of which the first was looked at, what threads do
 * not read, and make the index of all events, which watches the stream, if one is wanted.  `go_on` is asked now and
 * then.
 */
enum histree_status job_slices_read_alone(struct job_slices *slices, struct event_stream *stream,
					  struct event_index_writer *index,
					  enum histree_status (*go_on)(void *context, struct histree_error *error),
					  void *context, struct histree_error *error);

/* Returns whether a trace can be cut behind that time. */
bool job_slices_can_cut(const struct trace *trace, histree_time from);

/* How far it is, and how many slices there were and were of use. */
struct job_slices_counts {
	uint64_t slices, taken;
	uint64_t events;
	histree_time end; /* the greatest time so far */
	double share;     /* of the trace */
};

struct job_slices_counts job_slices_counts(const struct job_slices *slices);

struct analysis_job {
	const struct registry_entry *entry;
	struct histree_state_system *system;    /* of a history */
	struct histree_segment_store *segments; /* of a segment store */
	struct partial_file *partial;           /* of a partial history */
	struct overview_feed *feed;             /* NULL: overviews are made of the history when it is complete */
	uint64_t forgotten;                     /* intervals that went nowhere */
	void *instance;
	struct job_slices *slices;         /* NULL: it is not cut */
	uint64_t passed;                   /* events, while it is cut */
	const struct trace *trace;         /* that events come from; set by the build */
	const struct histree_clock *clock; /* of that; set by the build */
	struct crew *crew;                 /* set by the build; NULL: none */
	bool is_named;                     /* asked for by its name: it is kept even if it is empty */
	bool is_dropped;                   /* the trace has nothing of it: its file is not written */
	bool *applies;                     /* by id of the trace; those of a live session come while it is read */
	size_t trace_count, trace_capacity;
	char *file; /* its name in the store */
	char missing[400], unsure[400];
};

/* The job is not started yet.  If memory runs out there is nothing to release. */
enum histree_status analysis_job_init(struct analysis_job *job, const struct registry_entry *entry,
				      struct histree_error *error);

/* Take the next trace into account: whether the analysis applies to it goes to *out. */
enum histree_status analysis_job_meet(struct analysis_job *job, const struct event_trace *trace, bool *out,
				      struct histree_error *error);
enum histree_status analysis_job_start(struct analysis_job *job, const struct io *io, const char *path,
				       histree_time start, const struct histree_build_options *options,
				       const struct memory_plan *memory, struct analysis_inputs *inputs,
				       struct histree_error *error);

/* Who takes events, with its instance; a negative status is handed to analysis_job_failed(). */
struct event_taker {
	enum histree_status (*take)(void *instance, const struct event *event, struct histree_error *error);
	void *instance;
	const struct analysis_job *job;
};

/*
 * Who takes the events of a class, the first of which is there, as long as the job runs; *out has no `take` if they
 * mean nothing to the analysis, or it does not apply to their trace.
 */
enum histree_status analysis_job_taker(struct analysis_job *job, const struct event_class *class,
				       struct event_taker *out, struct histree_error *error);

/* Hand a gap to the analysis, if it applies to the trace. */
enum histree_status analysis_job_gap(struct analysis_job *job, const struct event_gap *gap,
				     struct histree_error *error);

/* Have the error say which analysis failed; returns the status. */
enum histree_status analysis_job_failed(const struct analysis_job *job, enum histree_status status,
					struct histree_error *error);

/* Let others see what is known up to `end`.  Segments are not shown before they are complete. */
enum histree_status analysis_job_publish(struct analysis_job *job, histree_time end, struct histree_error *error);

/* There are no more events; *end is when the trace ends, if that is after its last event. */
enum histree_status analysis_job_finish(struct analysis_job *job, histree_time *end, struct histree_error *error);
enum histree_status analysis_job_close(struct analysis_job *job, histree_time end, struct histree_error *error);

/* In place of that: what was begun of its file is removed. */
void analysis_job_drop(struct analysis_job *job);

static inline bool analysis_job_makes_history(const struct analysis_job *job)
{
	return job->entry->analysis != NULL;
}

/* Of a partial history: the event that comes next, after `before` events and gaps, begins a slice. */
enum histree_status analysis_job_checkpoint(const struct analysis_job *job, const struct trace *trace,
					    uint64_t before, bool ignores_gaps, struct histree_error *error);
struct histree_store_history analysis_job_describe_history(const struct analysis_job *job, uint64_t identity);
struct histree_store_segments analysis_job_describe_segments(const struct analysis_job *job, uint64_t identity);

/* Returns whether the trace had no event that the analysis lives on, as far as it can tell. */
bool analysis_job_is_empty(const struct analysis_job *job);

/* Returns the sentence of struct analysis.missing after the name of the analysis, NULL if there is none by now. */
const char *analysis_job_missing(struct analysis_job *job);

/* The same of struct analysis.unsure. */
const char *analysis_job_unsure(struct analysis_job *job);
void analysis_job_release(struct analysis_job *job);

#endif
