/* SPDX-License-Identifier: MIT */
/*
 * program_run.h - a program at work on the events of a trace: what it knows, and what it fills.
 *
 * Names of events and fields are looked up once a class (struct class_binding); a field is decoded once an event,
 * when it is first asked for.  Memory grows with attributes, scenarios that are under way at one time, spans that
 * are open, and changes in the future.
 */
#ifndef ANALYSIS_PROGRAM_PROGRAM_RUN_H
#define ANALYSIS_PROGRAM_PROGRAM_RUN_H

#include "analysis/changes.h"
#include "analysis/class_table.h"
#include "analysis/open_segments.h"
#include "analysis/program/program_inside.h"
#include "analysis/program/program_missing.h"
#include "event/event.h"
#include "histree/segment_store.h"

enum {
	STEP_CACHE_SIZE = 64, /* children that a step remembers; a power of two */
	FUTURE_MAX = 1 << 20,
};

struct class_binding {
	uint32_t *fields;   /* of the program, as fields of the class; EVENT_NO_FIELD: it has none */
	uint32_t *handlers; /* that the name fits */
	uint32_t handler_count;
	bool *preconditions; /* whether the name fits them */
	bool *transitions;
};

/* A field of the event at hand, if it was decoded for this event. */
struct decoded_field {
	uint64_t event;
	struct histree_value value;
};

/* A child of an attribute that a step led to before. */
struct known_child {
	histree_quark parent, child; /* NO_ATTRIBUTE as child: none */
	int64_t key;
};

/* A scenario has a pool's attribute until it ends. */
struct pool_use {
	histree_quark parent, quark;
	uint32_t next; /* of the scenario */
};

/* The numbers below an attribute that pools give out, and those that were given back, the oldest first. */
struct pool {
	histree_quark parent;
	uint32_t given;
	histree_quark *free;
	size_t first_free, free_count, free_capacity;
};

struct scenario {
	histree_quark quark;
	program_state state;
	bool is_started; /* it left its first state */
	bool is_over;
	histree_quark status, state_name, start_time;
	histree_quark *entered; /* "state/NAME/startTime", by the number of the state */
	uint32_t first_use;     /* of a pool */
};

struct fsm_run {
	histree_quark quark;         /* "scenarios/NAME" */
	struct scenario **scenarios; /* by their number */
	size_t count, capacity;
	uint32_t *free; /* numbers, the oldest first */
	size_t first_free, free_count, free_capacity;
	uint32_t *active; /* numbers, the eldest first */
	size_t active_count, active_capacity;
	uint32_t pending; /* PROGRAM_NOTHING: none */
	bool was_begun;
};

struct future_change {
	histree_time time;
	uint64_t order;
	uint8_t change;
	histree_quark quark;
	struct histree_value value;
	char *text; /* of its own */
};

struct program_run {
	const struct program *program;
	struct changes changes;
	struct histree_segment_store *segments; /* NULL: none are kept */

	struct class_table classes;
	const struct event *event;
	const struct class_binding *binding;
	uint64_t number; /* of the event, from 1 */
	struct decoded_field *fields;
	struct scratch scratch;

	struct known_child (*known)[STEP_CACHE_SIZE]; /* by step */
	uint8_t *touched;                             /* by quark: whether it was ever changed */
	size_t touched_capacity;

	histree_quark scenarios; /* the attribute */
	struct fsm_run *fsms;
	struct scenario *scenario; /* at work; NULL: a handler is */
	struct pool *pools;
	size_t pool_count, pool_capacity;
	struct hash_index pool_index;
	struct pool_use *uses;
	size_t use_count, use_capacity;
	uint32_t free_use;

	struct future_change *future; /* a heap, the next one first */
	size_t future_count, future_capacity;
	uint64_t future_order;

	struct open_segments spans;
	struct histree_value *content; /* of the segment that is made */
	uint64_t without_start, without_end;
	bool met_event; /* that it does something at */
	/* Borrowed, and what of it was met; NULL: nothing is expected. */
	const struct program_expected *expected;
	bool *met;
	const char *remark; /* borrowed; NULL: none */
};

enum histree_status program_run_create(const struct program *program, struct program_run **out,
				       struct histree_error *error);
void program_run_free(struct program_run *run);

enum histree_status program_run_event(struct program_run *run, const struct event *event,
				      struct histree_error *error);

/* All states become unknown, and what is under way is forgotten. */
enum histree_status program_run_gap(struct program_run *run, const struct event_gap *gap,
				    struct histree_error *error);
enum histree_status program_run_finish(struct program_run *run, struct histree_error *error);

/* ---- program_values.c ------------------------------------------------------------------------------------- */

/* Texts last until the next event. */
struct histree_value run_value(struct program_run *run, program_value value);

/* PROGRAM_NOTHING is true; unknown is not. */
bool run_is_true(struct program_run *run, program_value condition);

/* Returns the attribute; NO_ATTRIBUTE if the path has no end now, or it is missing and not `creates`. */
histree_quark run_path(struct program_run *run, program_path path, bool creates);

histree_quark run_child(struct program_run *run, histree_quark parent, const char *name, size_t size);
histree_quark run_child_of_number(struct program_run *run, histree_quark parent, uint32_t number);

/* ---- program_blocks.c ------------------------------------------------------------------------------------- */

void run_block(struct program_run *run, program_block block);

/* Change a state, or what is below it too, to null; the program has touched it then. */
void run_change(struct program_run *run, histree_quark quark, struct histree_value value);
void run_delete(struct program_run *run, histree_quark quark);

/* Make changes that were said to come, up to a time. */
void run_future(struct program_run *run, histree_time until);
void run_forget_future(struct program_run *run);

/* ---- program_segments.c ----------------------------------------------------------------------------------- */

void run_segment(struct program_run *run, const struct action_row *row);
void run_span_begin(struct program_run *run, const struct action_row *row);
void run_span_end(struct program_run *run, const struct action_row *row);
void run_forget_spans(struct program_run *run);

/* ---- program_scenarios.c ---------------------------------------------------------------------------------- */

void run_scenarios(struct program_run *run);
void run_forget_scenarios(struct program_run *run);
void run_end_scenarios(struct program_run *run, histree_time end);
void run_release_scenarios(struct program_run *run);

/* Returns the attribute of a pool below another one for the scenario at work; NO_ATTRIBUTE if there is none. */
histree_quark run_pool(struct program_run *run, histree_quark parent);

#endif
