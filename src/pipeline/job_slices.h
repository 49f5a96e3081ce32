/* SPDX-License-Identifier: MIT */
/*
 * job_slices.h - one analysis of one trace by several threads: the trace is cut in time.
 *
 * Whoever reads the trace counts its events for this analysis, and says at each cut where in the stream files it
 * is.  Threads that have the trace open themselves go there, and analyse a slice each without what came before
 * (analysis.h).  In the order of time, slices are handed over to the analysis that has seen everything; one that
 * took something for true that is not is analysed by that itself, from the trace.  So the history is that of one
 * pass, byte by byte, wherever the cuts are.
 *
 * The first slice, and all that follow once slices are of no use any more, are analysed by that as well.
 *
 * Memory: some 20 bytes for each event of the slices that wait, which are two more than there are threads.
 */
#ifndef PIPELINE_JOB_SLICES_H
#define PIPELINE_JOB_SLICES_H

#include "analysis/analysis.h"
#include "trace/trace.h"

struct job_slices;

struct job_slices_plan {
	const struct analysis *analysis; /* that can be cut */
	const char *const *traces;       /* paths, borrowed */
	size_t trace_count;
	bool ignores_gaps;
	const struct histree_clock *clock; /* by which times are corrected; NULL: they are not */
	unsigned threads;                  /* that analyse */
	uint64_t slice_events;             /* 0: a default */
};

/*
 * Begin; the trace has given its first event.  The instance of the system comes later (job_slices_own()), as it has
 * an input of this.  Returns HISTREE_ERR_ARGUMENT if the trace cannot be read from the middle on.
 */
enum histree_status job_slices_create(const struct job_slices_plan *plan, const struct trace *trace,
				      struct histree_state_system *system, struct job_slices **out,
				      struct histree_error *error);

/* Returns the input for the instance that sees everything; NULL if the analysis has none. */
enum histree_status job_slices_input(struct job_slices *slices, void **input, struct histree_error *error);

/* That instance, which is borrowed. */
void job_slices_own(struct job_slices *slices, void *instance);

/* The event, or gap, that the trace gave last. */
enum histree_status job_slices_handle(struct job_slices *slices, const struct trace *trace,
				      const struct event *event, struct histree_error *error);

/* There are no more events: the instance has seen everything when this returns. */
enum histree_status job_slices_finish(struct job_slices *slices, struct histree_error *error);

/* How many slices there were, and how many of them were of use. */
struct job_slices_counts {
	uint64_t slices, taken;
};

struct job_slices_counts job_slices_counts(const struct job_slices *slices);

/* End the threads and free everything; NULL does nothing. */
void job_slices_free(struct job_slices *slices);

#endif
