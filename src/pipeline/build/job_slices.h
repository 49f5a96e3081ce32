/* SPDX-License-Identifier: MIT */
/*
 * job_slices.h - one analysis of one trace by several threads: the trace is cut in time (docs/design/12-build.md).
 *
 * Threads that have the trace open themselves read a slice each, and analyse it without what came before
 * (analysis.h).  In the order of time, slices are handed over to the analysis that has seen everything; one that
 * took something for true that is not is read again by that itself.  Threads then make the leaves of what a slice
 * knew by itself, and whoever owns the history hangs them into its tree.  So every interval is that of one pass,
 * wherever the cuts are.
 *
 * The first slice is read by the owner as well, and so are all that follow once slices are of no use any more.
 *
 * Memory: what slices have that wait is bounded by job_slices_plan.memory; one that would need more is of no use.
 */
#ifndef PIPELINE_BUILD_JOB_SLICES_H
#define PIPELINE_BUILD_JOB_SLICES_H

#include "analysis/analysis.h"
#include "event_index/event_index.h"
#include "histree/slices.h"
#include "trace/event_stream.h"

struct job_slices;

struct job_slices_plan {
	const struct analysis *analysis; /* that can be cut */
	const char *const *traces;       /* paths, borrowed */
	size_t trace_count;
	bool ignores_gaps;
	const struct histree_clock *clock; /* by which times are corrected; NULL: they are not */
	unsigned threads;                  /* that analyse */
	uint64_t slice_events;             /* about; 0: as memory allows */
	size_t memory;                     /* of all slices, in bytes */
	struct histree_slice_post
		*post; /* borrowed: workers in other processes read slices too; NULL: there are none */
};

/* Returns whether a trace that has given its first event can be cut. */
bool job_slices_can_cut(const struct trace *trace);

/*
 * Begin; the trace has given its first event.  The instance of the system comes later (job_slices_own()), as it has
 * an input of this.  Returns HISTREE_ERR_ARGUMENT if the trace cannot be cut.
 */
enum histree_status job_slices_create(const struct job_slices_plan *plan, const struct trace *trace,
				      struct histree_state_system *system, struct job_slices **out,
				      struct histree_error *error);

/* Returns the input for the instance that sees everything; NULL if the analysis has none. */
enum histree_status job_slices_input(struct job_slices *slices, void **input, struct histree_error *error);

/* That instance, which is borrowed. */
void job_slices_own(struct job_slices *slices, void *instance);

/*
 * Nobody else wants the events: read by the stream of the trace, of which the first was looked at, what threads do
 * not read, and make the index of all events, which watches the stream, if one is wanted.  `go_on` is asked now and
 * then.
 */
enum histree_status job_slices_read_alone(struct job_slices *slices, struct event_stream *stream,
					  struct event_index_writer *index,
					  enum histree_status (*go_on)(void *context, struct histree_error *error),
					  void *context, struct histree_error *error);

/* Somebody else reads the trace: hand over what is done by now, without waiting for it. */
enum histree_status job_slices_step(struct job_slices *slices, struct histree_error *error);

/* The instance has seen everything when this returns. */
enum histree_status job_slices_finish(struct job_slices *slices, struct histree_error *error);

/* How far it is, and how many slices there were and were of use. */
struct job_slices_counts {
	uint64_t slices, taken;
	uint64_t events;
	histree_time end; /* the greatest time so far */
	double share;     /* of the trace */
};

struct job_slices_counts job_slices_counts(const struct job_slices *slices);

/* End the threads and free everything; NULL does nothing. */
void job_slices_free(struct job_slices *slices);

#endif
