/* SPDX-License-Identifier: MIT */
/*
 * segment_analysis.h - turns events into segments: system calls, interrupts, functions (thesis 5.4).
 *
 * An analysis is one row in the table of analysis/registry.c.  It sees neutral events and a segment store; it
 * knows neither the trace format nor the tree.
 */
#ifndef ANALYSIS_SEGMENT_ANALYSIS_H
#define ANALYSIS_SEGMENT_ANALYSIS_H

#include "analysis/analysis_inputs.h"
#include "event/event.h"
#include "histree/segment_store.h"

/* Beginnings and ends that have no counterpart in the trace: they are counted, and make no segment. */
struct segment_counts {
	uint64_t without_start, without_end;
};

struct segment_analysis {
	const char *name;    /* as in -a, and in the file */
	uint32_t version;    /* raised whenever the same trace would give other segments */
	const char *summary; /* one line */
	const struct histree_segment_field *fields;
	size_t field_count;

	/* Whether this analysis has something to say about such a trace. */
	bool (*applies)(const struct event_trace *trace);

	/* What it reads events through (analysis_inputs.h); NULL: it reads them itself. */
	const struct analysis_input_kind *input;

	/* The store and the input, which is NULL if the kind is, are borrowed and outlive the instance. */
	enum histree_status (*create)(struct histree_segment_store *store, void *input, void **instance,
				      struct histree_error *error);

	/*
	 * Whether events of a class mean anything to it: it is asked once, and then never sees the others.  NULL:
	 * it sees all.
	 */
	bool (*wants)(const void *instance, const struct event_class *class);

	/* One event, in the order of the input.  Negative only for what ends the build: no memory, no disk. */
	enum histree_status (*event)(void *instance, const struct event *event, struct histree_error *error);

	/*
	 * A gap begins, in its place among the events.  What meets it and may have ended in it is no segment, as
	 * the end that is seen may be another one's: beginning and end count as alone.  NULL: the input knows of
	 * the gap, and that is enough.
	 */
	enum histree_status (*gap)(void *instance, const struct event_gap *gap, struct histree_error *error);

	/* As in struct analysis; NULL: nothing is to come. */
	enum histree_status (*finish)(void *instance, histree_time *end, struct histree_error *error);

	/* Up to now; what is still open counts as without an end. */
	struct segment_counts (*counts)(const void *instance);

	/* As in struct analysis; NULL: it cannot tell. */
	bool (*is_empty)(const void *instance);
	void (*missing)(const void *instance, char *text, size_t size);

	void (*free)(void *instance);
};

extern const struct segment_analysis segment_analysis_system_calls;
extern const struct segment_analysis segment_analysis_futex;
extern const struct segment_analysis segment_analysis_irqs;
extern const struct segment_analysis segment_analysis_softirqs;
extern const struct segment_analysis segment_analysis_wakeups;
extern const struct segment_analysis segment_analysis_preemptions;
extern const struct segment_analysis segment_analysis_block_io;
extern const struct segment_analysis segment_analysis_packets;
extern const struct segment_analysis segment_analysis_guest_runs;
extern const struct segment_analysis segment_analysis_locks;
extern const struct segment_analysis segment_analysis_idle_states;
extern const struct segment_analysis segment_analysis_work_queued;
extern const struct segment_analysis segment_analysis_work;
extern const struct segment_analysis segment_analysis_timers;
extern const struct segment_analysis segment_analysis_softirq_raises;
extern const struct segment_analysis segment_analysis_function_calls;
extern const struct segment_analysis segment_analysis_allocations;
extern const struct segment_analysis segment_analysis_samples;
extern const struct segment_analysis segment_analysis_sample_stacks;
extern const struct segment_analysis segment_analysis_track_spans;
extern const struct segment_analysis segment_analysis_track_flows;

#endif
