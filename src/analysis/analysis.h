/* SPDX-License-Identifier: MIT */
/*
 * analysis.h - a state provider: turns events into state changes.
 *
 * An analysis is one row in the table of analysis/registry.c.  It sees neutral events and a state system;
 * it knows neither the trace format nor the tree.
 */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "analysis/analysis_inputs.h"
#include "analysis/change_log.h"
#include "base/bytes.h"
#include "event/event.h"
#include "histree/charts.h"
#include "histree/labels.h"
#include "histree/state_system.h"

struct analysis {
	const char *name;    /* as in -a, and in the file */
	uint32_t version;    /* raised whenever the same trace would give other states */
	const char *summary; /* one line */

	/*
	 * What its values mean, which goes into the history; labels are in the order of labels.h.  Older histories
	 * that lack it are read with it, so that what had a meaning once keeps it.
	 */
	const struct histree_label_table *labels;
	size_t label_table_count;

	/* What is worth looking at of them; so do these (histree/charts.h). */
	const struct histree_chart *charts;
	size_t chart_count;

	/* Whether this analysis has something to say about such a trace. */
	bool (*applies)(const struct event_trace *trace);

	/* What it reads events through (analysis_inputs.h); NULL: it reads them itself. */
	const struct analysis_input_kind *input;

	/* The state system and the input, which is NULL if the kind is, are borrowed and outlive the instance. */
	enum histree_status (*create)(struct histree_state_system *system, void *input, void **instance,
				      struct histree_error *error);

	/*
	 * Whether events of a class mean anything to it: a build asks once, and then shows it no others.  NULL: it
	 * sees all.
	 */
	bool (*wants)(const void *instance, const struct event_class *class);

	/*
	 * One event, in the order of the input.  Unmatched or odd events are not errors: what they say is
	 * taken as far as it goes.  A state change that the state system refuses (HISTREE_ERR_TYPE, ...) ends
	 * the handling of that one event and is counted.  Negative only for what ends the build: no
	 * memory, no disk.
	 */
	enum histree_status (*event)(void *instance, const struct event *event, struct histree_error *error);

	/*
	 * A gap begins, in its place among the events: what it leaves in doubt becomes unknown, until an event says
	 * what it is.  NULL: nothing is in doubt.
	 */
	enum histree_status (*gap)(void *instance, const struct event_gap *gap, struct histree_error *error);

	/*
	 * There are no more events: do what is still to come, and write until when the trace goes on if that is
	 * later than its last event.  NULL: nothing is to come.
	 */
	enum histree_status (*finish)(void *instance, histree_time *end, struct histree_error *error);

	/* How many events were cut short by a refused change. */
	uint64_t (*refused)(const void *instance);

	/* Whether no event was one that states are made of.  NULL: it cannot tell. */
	bool (*is_empty)(const void *instance);

	/*
	 * Writes a sentence, lower case, no full stop, if the trace lacks what the analysis lives on, or events say
	 * that others are missing of which no gap says so; else "".  NULL: it cannot tell.
	 */
	void (*missing)(const void *instance, char *text, size_t size);

	/* Likewise a sentence of what the states cannot say, although no event is missing.  NULL: they say all. */
	void (*unsure)(const void *instance, char *text, size_t size);

	/*
	 * Save what the instance knows besides its states, between two events; another instance, made for a state
	 * system in which the attributes have the states that they had then, goes on as this one would have.  Of
	 * its attributes, those below `attribute_count` were there.  Both NULL: it cannot be begun in the middle of
	 * a trace.
	 *
	 * An input (analysis_inputs.h) is made anew: an analysis that can be loaded asks nothing of it that the
	 * events before would have told.
	 */
	void (*save)(void *instance, struct saved_bytes *out);
	enum histree_status (*load)(void *instance, uint32_t attribute_count, struct byte_reader *reader,
				    struct histree_error *error);

	/* How a trace is cut in time; NULL: it is analysed from its beginning to its end. */
	const struct analysis_slices *slices;

	void (*free)(void *instance);
};

/*
 * A slice of a trace is analysed by an instance that has not seen what came before it, and handed over to the one
 * that has.  What it changes is in a change log (change_log.h), which its owner has, and asks whether the slice has
 * failed.  The steps, all by any thread but for `hint` and `commit`:
 *
 *	hint; create; guess, by that hint; for some events just before the slice, which its input decodes: guess;
 *	begin; for its events and gaps: `event` and `gap` of the analysis; and, when the true one is there, commit
 *
 * Where the true instance is elsewhere, the slice goes there as bytes: `save` after its events, and in place of
 * the other steps create and `load`.
 */
struct analysis_slices {
	/* The states of the instance are in the system of the log, which outlives it. */
	enum histree_status (*create)(const struct analysis *analysis, struct change_log *log, void *input,
				      void **instance, struct histree_error *error);
	/*
	 * An instance that is true, but has not come to the slice yet, says what may be so still; NULL: nothing is
	 * to be said.  Returns whether slices after what it has seen are likely to be of use.
	 */
	bool (*hint)(void *instance, struct saved_bytes *out);
	/* Before the slice was that, and a hint that makes no sense is none; NULL: the event that the input has. */
	void (*guess)(void *slice, struct byte_reader *hint);
	void (*begin)(void *slice);
	/*
	 * Bring the true instance, which is at the beginning of the slice, to its end, with the changes that it
	 * would have made.  Returns HISTREE_NOT_FOUND, and nothing is done, if the slice is of no use; negative
	 * for what ends the build.
	 */
	enum histree_status (*commit)(void *instance, void *slice, struct histree_error *error);
	/* A slice that was read, and one that is only to be committed. */
	void (*save)(void *slice, struct saved_bytes *out);
	enum histree_status (*load)(void *slice, struct byte_reader *reader, struct histree_error *error);
};

extern const struct analysis analysis_kernel;         /* Trace Compass's states, where no event denies them */
extern const struct analysis analysis_kernel_compact; /* the same states in fewer attributes */
extern const struct analysis analysis_kernel_tc;      /* Trace Compass's, version 31 of its provider */
extern const struct analysis analysis_kernel_2016;    /* the one that the papers measured */
extern const struct analysis analysis_graph;          /* who waited for whom */
extern const struct analysis analysis_cpu_usage;      /* how long threads ran on each CPU */
extern const struct analysis analysis_io;             /* queues of disks, and bytes read and written */
extern const struct analysis analysis_counters;       /* what counters in contexts counted */
extern const struct analysis analysis_switches;       /* how often CPUs and threads were switched */
extern const struct analysis analysis_network;        /* bytes over interfaces, and of threads */
extern const struct analysis analysis_kernel_memory;  /* what threads had the kernel allocate */
extern const struct analysis analysis_ust_calls;      /* function calls of lttng-ust-cyg-profile, as a stack */
extern const struct analysis analysis_ust_memory;     /* bytes that threads and processes have in use */
extern const struct analysis analysis_tracks;         /* spans and counters of event.h */

#endif
