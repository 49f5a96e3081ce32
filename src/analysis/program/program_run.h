/* SPDX-License-Identifier: MIT */
/*
 * program_run.h - a run of a program on the events of a trace: its bindings, the history or store that it fills,
 * the names that the trace lacks, and the labels and charts of its states, kept with all their texts.
 *
 * Names of events and fields are looked up once for each class (struct class_binding); a field is decoded once for
 * each event, when it is first needed.  Memory grows with attributes, scenarios that are active at one time, open
 * spans, and changes in the future.
 */
#ifndef ANALYSIS_PROGRAM_PROGRAM_RUN_H
#define ANALYSIS_PROGRAM_PROGRAM_RUN_H

#include "analysis/analysis.h"
#include "analysis/changes.h"
#include "analysis/open_segments.h"
#include "analysis/program/program.h"
#include "base/arena.h"
#include "event/event.h"
#include "histree/attributes.h"
#include "histree/segments.h"

struct program_expected {
	const char *const *events; /* borrowed */
	size_t event_count;
	const char *const *fields; /* of any event that the program handles */
	size_t field_count;
};

/* A zeroed one is empty. */
struct program_views {
	struct histree_label_table *labels;
	size_t label_table_count, label_table_capacity;
	struct histree_chart *charts;
	size_t chart_count, chart_capacity;
	struct arena texts;
};

enum {
	STEP_CACHE_SIZE = 64, /* children that a step remembers; a power of two */
	FUTURE_MAX = 1 << 20,
};

/* Of a field of the program that the class does not have: it is inside of one of an event, "regs[3]". */
#define FIELD_INSIDE (EVENT_NO_FIELD - 1)

enum { TOUCHED = 1, TOUCHED_CALLS = 2 /* a stack of calls */ };

enum precondition { PRECONDITION_ASK, PRECONDITION_HOLDS, PRECONDITION_FAILS };

/* What the name of a class decides of a state machine. */
struct fsm_binding {
	uint8_t precondition; /* enum precondition */
	bool is_idle;         /* no scenario can take a transition, and nothing is asked for one */
};

enum column_learns { COLUMN_LEARNS_NOTHING, COLUMN_LEARNS_SWITCH, COLUMN_LEARNS_PROCESS };

/* What events of a class say of threads and processes, as fields of the class. */
struct column_binding {
	uint32_t tid, pid; /* of the contexts */
	enum column_learns learns;
	uint32_t thread, process; /* that it learns of */
};

/* A thread that a CPU runs, int, null or unknown: up to and at `since`, and from then on. */
struct column_cpu {
	struct histree_value before, now;
	histree_time since;
};

struct column_thread {
	int32_t tid, pid;
};

/* Kept only for programs that ask for it. */
struct columns {
	struct column_cpu *cpus; /* by number */
	size_t cpu_count, cpu_capacity;
	struct column_thread *threads;
	size_t thread_count, thread_capacity;
	struct hash_index index; /* of threads, by tid */
};

struct class_binding {
	struct column_binding columns;
	uint32_t *fields;   /* of the program, as fields of the class; EVENT_NO_FIELD: absent */
	uint32_t *handlers; /* that the name fits */
	uint32_t handler_count;
	bool *preconditions; /* whether the name fits them */
	struct fsm_binding *fsms;
	uint32_t *first; /* by state: of its transitions, the first that the name fits; PROGRAM_NOTHING: none */
	uint32_t *next;  /* by transition: the next of that state that it fits */
};

/* A field of the event at hand, if it was decoded for this event. */
struct decoded_field {
	uint64_t event;
	struct histree_value value;
};

/* A child of an attribute that a step led to before: by a number, or by the hash of a text. */
struct known_child {
	histree_quark parent, child; /* NO_ATTRIBUTE as child: none */
	uint64_t key;
	bool is_text;
};

/* All that is below an attribute, as of when there were `known` attributes. */
struct subtree {
	histree_quark top;
	uint32_t known;
	histree_quark
		*quarks; /* those that were there first are in the order of deletion; the top is one of them */
	size_t count, capacity;
};

struct subtrees {
	struct subtree *all;
	size_t count, capacity;
	struct hash_index index; /* by their tops */
};

/* A scenario has a pool's attribute until it ends. */
struct pool_use {
	histree_quark parent, quark;
	uint32_t next; /* of the scenario */
};

/* Numbers that were given back, the oldest first. */
struct free_numbers {
	uint32_t *numbers;
	size_t first, count, capacity;
};

static inline bool free_numbers_has(const struct free_numbers *free)
{
	return free->first < free->count;
}

/* Takes the oldest one; there must be one. */
static inline uint32_t free_numbers_take(struct free_numbers *free)
{
	return free->numbers[free->first++];
}

/* Returns false if memory runs out. */
bool free_numbers_give(struct free_numbers *free, uint32_t number);

/* The numbers below an attribute that pools give out. */
struct number_pool {
	histree_quark parent;
	uint32_t given;
	struct free_numbers free; /* attributes of the pool */
};

struct scenario {
	histree_quark quark;
	program_state state;
	bool is_started; /* it left its first state */
	bool is_over;
	histree_quark status, state_name, start_time;
	histree_quark *entered; /* "state/NAME/startTime", by the number of the state */
	histree_quark *fixed;   /* of paths that are fixed; NO_ATTRIBUTE: not found yet */
	uint32_t first_use;     /* of a pool */
};

struct fsm_run {
	histree_quark quark;         /* "scenarios/NAME" */
	struct scenario **scenarios; /* by their number */
	size_t count, capacity;
	struct free_numbers free;
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

struct call_frame {
	histree_time start;
	histree_quark slot; /* that has its name */
	uint64_t inside;    /* time in calls that it made */
	bool is_whole;      /* all of them are known */
	bool is_settled;    /* it is known whose it is */
	int32_t host;       /* a number in `texts`; -1: nothing says it */
	struct histree_value tid;
};

struct call_stack {
	histree_quark quark;
	const struct call_group_row *group; /* NULL: it is no stack of calls */
	char *path;                         /* of its last level */
	struct call_frame *frames;
	size_t depth, capacity;
};

struct call_stacks_run {
	struct call_stack *stacks; /* that something was pushed on */
	size_t count, capacity;
	struct hash_index index; /* by quark */
	uint32_t *begun;         /* stacks, one for each call that began at this event */
	size_t begun_count, begun_capacity;
	struct intern texts; /* names of hosts */
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
	struct columns columns;
	struct subtrees subtrees; /* that were deleted before */
	uint8_t *touched;         /* by quark: TOUCHED if it was ever changed, and TOUCHED_CALLS */
	size_t touched_capacity;

	histree_quark scenarios; /* the attribute */
	struct fsm_run *fsms;
	struct scenario *scenario; /* at work; NULL: a handler is */
	struct number_pool *pools;
	size_t pool_count, pool_capacity;
	struct hash_index pool_index;
	struct pool_use *uses;
	size_t use_count, use_capacity;
	uint32_t free_use;

	struct future_change *future; /* a heap, the next one first */
	size_t future_count, future_capacity;
	uint64_t future_order;

	struct call_stacks_run calls;
	struct open_segments spans;
	histree_time step_began;       /* of the span whose step or end has its fields made; else INT64_MIN */
	struct histree_value *content; /* of the segment that is made */
	uint64_t segment_count, without_start, without_end;
	bool met_event; /* that it does something at */
	/* Borrowed, and what of it was met; NULL: nothing is expected. */
	const struct program_expected *expected;
	bool *met;
	const char *remark; /* borrowed; NULL: none */
};

/* ---- program_builder.h ------------------------------------------------------------------------------------ */

void run_bind_columns(const struct event_class *class, struct column_binding *binding);
struct histree_value run_tid(const struct program_run *run);
struct histree_value run_pid(struct program_run *run);

/* Returns the thread on a CPU after the event, as far as it is known. */
struct histree_value run_thread_on(const struct program_run *run, int64_t cpu);

/* The event has been handled, and says something of threads. */
void run_learn_columns(struct program_run *run);
void run_forget_columns(struct program_run *run, const struct event_gap *gap);
void run_release_columns(struct program_run *run);

/* ---- program_values.c ------------------------------------------------------------------------------------- */

/* Texts last until the next change of a state, and at most until the next event. */
struct histree_value run_value(struct program_run *run, program_value value);

/* PROGRAM_NOTHING is true; unknown is not. */
bool run_is_true(struct program_run *run, program_value condition);

/* Returns the attribute; NO_ATTRIBUTE if the path has no end now, or it is missing and not `creates`. */
histree_quark run_path(struct program_run *run, program_path path, bool creates);
histree_quark run_child(struct program_run *run, histree_quark parent, const char *name, size_t size);
histree_quark run_child_of_number(struct program_run *run, histree_quark parent, uint32_t number);

/* The scenario, which is over, has no attributes of pools any more. */
void run_pools_return(struct program_run *run, struct scenario *scenario);

/* ---- program_blocks.c ------------------------------------------------------------------------------------- */

void run_block(struct program_run *run, program_block block);

/* Change a state, or what is below it too, to null; the program has touched it then. */
void run_change(struct program_run *run, histree_quark quark, struct histree_value value);
void run_delete(struct program_run *run, histree_quark quark);

/* The same, except for attributes that get another value next, at the same time. */
void run_delete_but(struct program_run *run, histree_quark quark, const histree_quark *kept, size_t kept_count);

/* Make changes that were said to come, up to a time. */
void run_future(struct program_run *run, histree_time until);
void run_forget_future(struct program_run *run);

/* ---- program_blocks.c ----------------------------------------------------------------------------------- */

/* Returns what is below an attribute, and the attribute itself, children first; NULL if memory runs out. */
const struct subtree *run_subtree(struct program_run *run, histree_quark top);
void run_release_subtrees(struct program_run *run);

/* ---- program_segments.c --------------------------------------------------------------------------------- */

void run_segment(struct program_run *run, const struct action_row *row);
void run_span_begin(struct program_run *run, const struct action_row *row);
void run_span_end(struct program_run *run, const struct action_row *row);
void run_span_step(struct program_run *run, const struct action_row *row);
void run_forget_spans(struct program_run *run);

/* Set a field of the segment that is made, after its content was cleared, and add the segment. */
void run_clear_content(struct program_run *run);
void run_set_content(struct program_run *run, struct histree_value *content, uint32_t field,
		     struct histree_value value);
void run_add_segment(struct program_run *run, histree_time start, histree_time end);

/* Something was pushed on a stack, which is so deep now, into this slot. */
void run_call_begin(struct program_run *run, histree_quark stack, uint32_t depth, histree_quark slot);

/* The innermost call of a stack, which is so deep, is about to be popped; or all of its calls to be deleted. */
void run_call_end(struct program_run *run, histree_quark stack, uint32_t depth);
void run_calls_end(struct program_run *run, histree_quark stack);

/* The event has been handled: whose the calls are that began at it. */
void run_settle_calls(struct program_run *run);

/* Nobody knows any more what goes on. */
void run_forget_calls(struct program_run *run);
void run_release_calls(struct program_run *run);

/* ---- program_scenarios.c, scenarios -------------------------------------------------------------------------- */

void run_scenarios(struct program_run *run);
void run_forget_scenarios(struct program_run *run);
void run_end_scenarios(struct program_run *run, histree_time end);
void run_release_scenarios(struct program_run *run);

#endif
