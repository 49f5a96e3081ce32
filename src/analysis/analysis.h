/* SPDX-License-Identifier: MIT */
/*
 * analysis.h - what an analysis is: a provider of states or of segments, the inputs that several analyses share,
 * the bindings of event classes, and feeding it events.
 *
 * An *input* decodes each event once, before its analyses see it, and keeps what all of them need, such as which
 * thread runs on each CPU.  An analysis names the kind of its input; a build makes one input of each kind that is
 * named, passes it to `create` of the analyses, and then calls for each event
 *
 * 	analysis_inputs_begin(&inputs, &event, &error);
 * 	... the analyses ...
 * 	analysis_inputs_end(&inputs, &error);
 *
 * So all analyses see an input as it was before the event, whatever their order.
 *
 * A *class table* has what an analysis has found out about each event class: its binding.
 *
 * A binding is made when the first event of a class comes; from then on an event costs one array access.
 *
 * A *state provider* is one row in the table of analysis/registry.c.  It sees neutral events and a state system;
 * it knows neither the trace format nor the tree.
 *
 * A *segment provider* is a row, too, and makes segments of events: system calls, interrupts, functions (thesis
 * 5.4).
 *
 * A *feed* is one analysis that is fed the events of an experiment; it may apply to some of its traces only.
 *
 * An instance that reads a part of a trace by itself, from a checkpoint or for a slice, has a feed; a build that
 * feeds many analyses at a time uses analysis_job.
 */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "analysis/change_log.h"
#include "base/arena.h"
#include "base/bytes.h"
#include "base/codec.h"
#include "base/table.h"
#include "event/event.h"
#include "histree/attributes.h"
#include "histree/history.h"
#include "histree/segments.h"
#include "histree/status.h"
#include "symbols/symbol_source.h"

struct analysis_input_kind {
	const char *needs; /* what a trace has that analyses of this input apply to, as the object of "it needs" */

	enum histree_status (*create)(void **input, struct histree_error *error);

	/*
	 * In place of `create`, for kinds of which there are many: each has a struct around it, in which it finds
	 * what is its own.  NULL: it has `create`.
	 */
	enum histree_status (*create_of)(const struct analysis_input_kind *kind, void **input,
					 struct histree_error *error);

	/*
	 * Its analyses are on one lane, and share one input: they depend on what one of them does, or the input
	 * does most of the work.
	 */
	bool is_one;

	/* Have what grows with the trace in this space; called before the first event.  NULL: nothing does. */
	void (*use_space)(void *input, struct table_space *tables);

	/*
	 * Sets where names of functions are looked for; called before the first event.  NULL: the input has no
	 * such names.
	 */
	enum histree_status (*use_symbols)(void *input, const struct symbol_places *places,
					   struct histree_error *error);

	/*
	 * Learn from all events that another input of this kind learns from, for its analyses; before the first
	 * event.  NULL: any two learn from the same ones.
	 */
	void (*learn_as)(void *input, const void *other);

	/*
	 * The next event or gap, in the order of the trace.  It is skipped if it belongs to a trace that the kind
	 * does not read.  Negative only for errors that end the build: no memory.
	 */
	enum histree_status (*begin)(void *input, const struct event *event, struct histree_error *error);

	/* All analyses have seen the event.  NULL: there is nothing to do then. */
	enum histree_status (*end)(void *input, struct histree_error *error);

	void (*free)(void *input);
};

struct analysis_input {
	const struct analysis_input_kind *kind;
	void *input;
};

/* A zeroed one is empty. */
struct analysis_inputs {
	struct table_space *tables;          /* borrowed: of the build; NULL: memory without a ceiling */
	const struct symbol_places *symbols; /* borrowed likewise; NULL: none are looked for */
	struct analysis_input *all;          /* at most one of a kind */
	size_t count, capacity;
};

/* Get the input of a kind in *input, made if it does not exist yet; NULL for the kind NULL. */
enum histree_status analysis_inputs_get(struct analysis_inputs *inputs, const struct analysis_input_kind *kind,
					void **input, struct histree_error *error);

/*
 * For inputs that were made for parts of the analyses: give them the knowledge that a single input would have, by
 * having `inputs` learn what `other` knows.
 */
void analysis_inputs_learn_as(const struct analysis_inputs *inputs, const struct analysis_inputs *other);

/* Inline, as a build does it with each event, and there is nearly always one input. */
static inline enum histree_status analysis_inputs_begin(const struct analysis_inputs *inputs,
							const struct event *event, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < inputs->count && status == HISTREE_OK; i++)
		status = inputs->all[i].kind->begin(inputs->all[i].input, event, error);
	return status;
}

static inline enum histree_status analysis_inputs_end(const struct analysis_inputs *inputs,
						      struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < inputs->count && status == HISTREE_OK; i++)
		if (inputs->all[i].kind->end != NULL)
			status = inputs->all[i].kind->end(inputs->all[i].input, error);
	return status;
}

/* The analyses that were created with these inputs are freed before. */
void analysis_inputs_release(struct analysis_inputs *inputs);

/* A zeroed one is empty. */
struct class_table {
	struct dense_records bindings; /* by the id of the class */
	struct arena memory;
};

/* Returns the binding of a class, or NULL. */
static inline const void *class_table_find(const struct class_table *table, const struct event_class *class)
{
	return dense_find(&table->bindings, class->id);
}

/* Keep a copy of the binding of a class and return it; NULL when memory runs out. */
const void *class_table_add(struct class_table *table, const struct event_class *class, const void *binding,
			    size_t size);
void class_table_release(struct class_table *table);

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

	/* What is worth looking at of them; so do these (histree/attributes.h). */
	const struct histree_chart *charts;
	size_t chart_count;

	/* Whether this analysis has something to say about such a trace. */
	bool (*applies)(const struct event_trace *trace);

	/* What it reads events through (analysis.h); NULL: it reads them itself. */
	const struct analysis_input_kind *input;

	const void *kind; /* what `create` makes an instance of, where several analyses share it */

	/* The state system and the input, which is NULL if its kind is, are borrowed and outlive the instance. */
	enum histree_status (*create)(const struct analysis *analysis, struct histree_state_system *system,
				      void *input, void **instance, struct histree_error *error);

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
	 * Save what the instance knows besides its states, between two events.  Another instance, made for a state
	 * system in which the attributes have the states that they had then, continues as this one would have.  The
	 * attributes below `attribute_count` existed then.  Both NULL: the analysis cannot begin in the middle of a
	 * trace.
	 *
	 * An input (analysis.h) is made anew: an analysis that can be loaded needs nothing from it that depends on
	 * earlier events.
	 */
	void (*save)(void *instance, struct byte_buffer *out);
	enum histree_status (*load)(void *instance, uint32_t attribute_count, struct byte_reader *reader,
				    struct histree_error *error);

	/* How a trace is cut in time; NULL: it is analysed from its beginning to its end. */
	const struct analysis_slices *slices;

	void (*free)(void *instance);
};

/*
 * A slice of a trace is analysed by an instance that has not seen the events before it, and handed over to the true
 * instance, which has.  Its changes are in a change log (change_log.h); the owner of the log checks there whether
 * the slice has failed.  The steps, which any thread may do except `hint` and `commit`:
 *
 *	hint; create; for some events just before the slice, which its input decodes: guess; begin; for its events
 *	and gaps: `event` and `gap` of the analysis; and, when the true one is there, commit
 *
 * Where the true instance is elsewhere, the slice goes there as bytes: `code` after its events, and in place of
 * the other steps create and `code`.
 */
struct analysis_slices {
	/*
	 * The states of the instance are in the system of the log, which outlives it.  A hint that makes no
	 * sense is left out; NULL: there is none.
	 */
	enum histree_status (*create)(const struct analysis *analysis, struct change_log *log, void *input,
				      struct byte_reader *hint, void **instance, struct histree_error *error);
	/*
	 * An instance that is true, but has not come to the slice yet, says what may be so still; NULL: nothing is
	 * to be said.  Returns whether slices after what it has seen are likely to be of use.
	 */
	bool (*hint)(void *instance, struct byte_buffer *out);
	void (*guess)(void *slice); /* by the event that the input has */
	void (*begin)(void *slice);
	/*
	 * Advance the true instance from the beginning of the slice to its end, with the changes that it would have
	 * made.  Returns HISTREE_NOT_FOUND, and does nothing, if the slice cannot be used; negative for errors that
	 * end the build.
	 */
	enum histree_status (*commit)(void *instance, void *slice, struct histree_error *error);
	/* Save a slice that was read, or load one that is only to be committed (codec.h). */
	enum histree_status (*code)(void *slice, struct codec *codec, struct histree_error *error);
};

extern const struct analysis analysis_kernel;         /* Trace Compass's states, where no event denies them */
extern const struct analysis analysis_kernel_compact; /* the same states in fewer attributes */
extern const struct analysis analysis_kernel_tc;      /* Trace Compass's, version 31 of its provider */
extern const struct analysis analysis_kernel_2016;    /* the one that the papers measured */
extern const struct analysis analysis_counters;       /* what counters in contexts counted */
extern const struct analysis analysis_ust_calls;      /* function calls of lttng-ust-cyg-profile, as a stack */
extern const struct analysis analysis_ust_memory;     /* bytes that threads and processes have in use */
extern const struct analysis analysis_tracks;         /* spans and counters of event.h */

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
	/* Of `fields`, how many more there are if such a trace is in the input.  NULL: there are none. */
	size_t more_fields;
	bool (*has_more)(const struct event_trace *trace);

	/* Whether this analysis has something to say about such a trace. */
	bool (*applies)(const struct event_trace *trace);

	/* What it reads events through (analysis.h); NULL: it reads them itself. */
	const struct analysis_input_kind *input;

	const void *kind; /* as in struct analysis */

	/*
	 * An instance is as many bytes, of which the first are a pointer to the store and one to the input, the
	 * others 0; `begin`, if it is not NULL, does what else is to be done.  0: `create` makes it, and `counts`
	 * is not NULL.
	 */
	size_t size;
	void (*begin)(const struct segment_analysis *analysis, void *instance);

	/* The store and the input, which is NULL if its kind is, are borrowed and outlive the instance. */
	enum histree_status (*create)(const struct segment_analysis *analysis, struct histree_segment_store *store,
				      void *input, void **instance, struct histree_error *error);

	/*
	 * Whether events of a class mean anything to it: it is asked once, and then never sees the others.  NULL:
	 * it sees all.
	 */
	bool (*wants)(const void *instance, const struct event_class *class);

	/*
	 * One event, in the order of the input.  Negative only for what ends the build: no memory, no disk.  NULL:
	 * no class means anything to it, as the input tells it all.
	 */
	enum histree_status (*event)(void *instance, const struct event *event, struct histree_error *error);

	/*
	 * A gap begins, in its place among the events.  What meets it and may have ended in it is no segment, as
	 * the end that is seen may be another one's: beginning and end count as alone.  NULL: the input knows of
	 * the gap, and that is enough.
	 */
	enum histree_status (*gap)(void *instance, const struct event_gap *gap, struct histree_error *error);

	/* As in struct analysis; NULL: nothing is to come. */
	enum histree_status (*finish)(void *instance, histree_time *end, struct histree_error *error);

	/* Up to now; what is still open counts as without an end.  NULL: all have their counterpart. */
	struct segment_counts (*counts)(const void *instance);

	/* As in struct analysis; NULL: it cannot tell. */
	bool (*is_empty)(const void *instance);
	void (*missing)(const void *instance, char *text, size_t size);

	void (*free)(void *instance);
};

enum histree_status segment_analysis_create(const struct segment_analysis *analysis,
					    struct histree_segment_store *store, void *input, void **instance,
					    struct histree_error *error);

static inline struct segment_counts segment_analysis_counts(const struct segment_analysis *analysis,
							    const void *instance)
{
	return analysis->counts != NULL ? analysis->counts(instance) : (struct segment_counts){ 0 };
}

extern const struct segment_analysis segment_analysis_system_calls;
extern const struct segment_analysis segment_analysis_futex;
extern const struct segment_analysis segment_analysis_irqs;
extern const struct segment_analysis segment_analysis_softirqs;
extern const struct segment_analysis segment_analysis_wakeups;
extern const struct segment_analysis segment_analysis_preemptions;
extern const struct segment_analysis segment_analysis_block_io;
extern const struct segment_analysis segment_analysis_function_calls;
extern const struct segment_analysis segment_analysis_allocations;
extern const struct segment_analysis segment_analysis_samples;
extern const struct segment_analysis segment_analysis_sample_stacks;

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
