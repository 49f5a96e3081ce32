/* SPDX-License-Identifier: MIT */
/*
 * program.h - an analysis that is data: what a front end (a file of XML, a text) makes, and what program_run.h
 * runs.
 *
 * A front end builds a program of values, paths, blocks, handlers and scenarios, and finishes it.  From then on it
 * never changes, and any number of runs may share it.
 *
 * 	struct program_builder *make = program_builder_create();
 * 	program_value cpu = program_fact(make, PROGRAM_CPU), tid = program_field(make, "next_tid");
 * 	program_path path = program_path_create(make, PROGRAM_ROOT);
 * 	program_path_add(make, path, program_constant(make, histree_string("CPUs")));
 * 	program_path_add(make, path, cpu);
 * 	program_block block = program_block_create(make);
 * 	program_add_change(make, block, PROGRAM_SET, path, tid, PROGRAM_NOTHING);
 * 	program_on(make, "sched_switch", PROGRAM_NOTHING, block);
 * 	status = program_finish(make, &program, &error);	frees the builder
 *
 * No call but the last one fails: what a program cannot hold, or memory, is remembered and said at the end.  A
 * PROGRAM_NOTHING where a value, path or block is optional stands for none.  Texts are copied.
 *
 * What is the same everywhere:
 *  - A value is a struct histree_value.  What an event or a state does not have is null, and so is an operation
 *    that makes no sense ("a" - 1, division by zero).  An operation with unknown is unknown, except and and or
 *    where the other operand decides.
 *  - Conditions are values.  True are the bool true, numbers that are not 0 and texts that are not empty.
 *  - A change whose path has a null or empty component, or one that is unknown, is left out.
 *  - Handlers run in the order in which they were added, scenarios after them.
 *
 * What a finished program is made of: tables whose rows name one another by number.
 */
#ifndef ANALYSIS_PROGRAM_PROGRAM_H
#define ANALYSIS_PROGRAM_PROGRAM_H

#include "base/arena.h"
#include "histree/segments.h"
#include "histree/value.h"

struct program;
struct program_builder;

#define PROGRAM_NOTHING UINT32_MAX

typedef uint32_t program_value;

typedef uint32_t program_path;

typedef uint32_t program_block;

typedef uint32_t program_span;

typedef uint32_t program_fsm;

typedef uint32_t program_state;

/* Returns NULL if memory runs out. */
struct program_builder *program_builder_create(void);

/* Free a builder that is not wanted any more, unless it is NULL or finished. */
void program_builder_free(struct program_builder *make);

/* ---- values ----------------------------------------------------------------------------------------------- */

program_value program_constant(struct program_builder *make, struct histree_value value);

/*
 * A field of the event by name, first of its payload, then of its contexts; "regs[3]" and "from.port" are what is
 * inside.  Integers are long, reals double.  Null if the event does not have it.  It is decoded once an event.
 */
program_value program_field(struct program_builder *make, const char *name);

enum program_fact {
	PROGRAM_EVENT_NAME, /* string */
	PROGRAM_TIME,       /* of the event, ns: long */
	PROGRAM_CPU,        /* int; null where the trace does not say */
	PROGRAM_HOST,       /* the name of the host, or, where the trace does not say, of the trace: string */
	PROGRAM_TRACE,      /* the name of the trace: string */
	PROGRAM_TID,        /* of the thread that its CPU runs, or of its contexts: int, or unknown after a gap */
	PROGRAM_PID,        /* of its contexts, or of the process of that thread: int, or unknown */
	PROGRAM_ELAPSED,    /* at a step or the end of a span, since its beginning or the step before, ns: long */
};

program_value program_fact(struct program_builder *make, enum program_fact fact);

/* A field of the event, or, in events of classes without such a field, a fact. */
program_value program_field_or_fact(struct program_builder *make, const char *name, enum program_fact fact);

enum program_look {
	PROGRAM_ONGOING, /* the ongoing value */
	PROGRAM_SINCE,   /* when that began: long */
	PROGRAM_TOP,     /* the top of the stack */
};

/*
 * A state, by its path.  `creates`: the attribute is made if it is missing, as Trace Compass does; else the state
 * of one that is missing is null.
 */
program_value program_look_up(struct program_builder *make, enum program_look look, program_path path,
			      bool creates);

/*
 * The value as another type: int, long, double or string.  Texts are read as numbers, and numbers written as text;
 * null where that cannot be.
 */
program_value program_convert(struct program_builder *make, program_value value, enum histree_type type);

struct program_pair {
	struct histree_value from, to;
};

/* The partner of a value that is equal to a `from`; any other value stays what it is. */
program_value program_map(struct program_builder *make, program_value value, const struct program_pair *pairs,
			  size_t count);

/*
 * Operators, with the number of operands.  Numbers of different types meet in the wider of int, long and double;
 * ints that do not fit become long.
 */
enum program_operator {
	/*
	 * Two: bool.  Numbers compare as numbers, texts by their bytes; null is equal to null and less than all
	 * else.  A text and a number are not equal, and neither is less.
	 */
	PROGRAM_EQUAL,
	PROGRAM_NOT_EQUAL,
	PROGRAM_LESS,
	PROGRAM_LESS_OR_EQUAL,
	PROGRAM_GREATER,
	PROGRAM_GREATER_OR_EQUAL,
	PROGRAM_AND, /* two: bool; the second one is not looked at if the first decides */
	PROGRAM_OR,
	PROGRAM_NOT, /* one: bool */
	PROGRAM_ADD, /* two: numbers; if one is a text, both are joined as texts */
	PROGRAM_SUBTRACT,
	PROGRAM_MULTIPLY,
	PROGRAM_DIVIDE, /* of integers: towards zero */
	PROGRAM_REMAINDER,
	PROGRAM_NEGATE,  /* one */
	PROGRAM_BIT_AND, /* two integers */
	PROGRAM_BIT_OR,
	PROGRAM_BIT_XOR,
	PROGRAM_SHIFT_LEFT,  /* two: by 0 to 63 bits */
	PROGRAM_SHIFT_RIGHT, /* the sign stays */
	PROGRAM_BIT_NOT,     /* one */
	PROGRAM_CHOOSE,      /* three: the second if the first is true, else the third */
	/* A text, the first byte that counts, from 0, and the one after the last, or null: to the end. */
	PROGRAM_SUBSTRING,
	PROGRAM_LENGTH,      /* one text: int, in bytes */
	PROGRAM_INDEX_OF,    /* two texts: where the second begins in the first, or -1: int */
	PROGRAM_STARTS_WITH, /* two texts: bool */
	PROGRAM_ENDS_WITH,
	PROGRAM_MATCHES,    /* a text and a pattern in which '*' is any text: bool */
	PROGRAM_LOWER_CASE, /* one text, ASCII only */
	PROGRAM_UPPER_CASE,
	PROGRAM_OPERATOR_COUNT,
};

/* Operands that the operator has not are PROGRAM_NOTHING. */
program_value program_operation(struct program_builder *make, enum program_operator operator, program_value first,
				program_value second, program_value third);

/* Returns how many operands an operator has, 1 to 3. */
unsigned program_operands(enum program_operator operator);

/* ---- paths ------------------------------------------------------------------------------------------------ */

enum program_base {
	PROGRAM_ROOT,
	/* The attribute of the current scenario; in handlers there is no scenario, and changes are left out. */
	PROGRAM_SCENARIO,
};

program_path program_path_create(struct program_builder *make, enum program_base base);

/* One more component: the value as text. */
void program_path_add(struct program_builder *make, program_path path, program_value name);

/* One more component: the lowest number that no other scenario uses below there, given back when it ends. */
void program_path_add_pool(struct program_builder *make, program_path path);

/* ---- blocks: what is done ------------------------------------------------------------------------------------ */

program_block program_block_create(struct program_builder *make);

enum program_change {
	PROGRAM_SET,       /* the attribute has the value from the event on */
	PROGRAM_REPLACE,   /* the ongoing state had the value all along */
	PROGRAM_INCREMENT, /* the number is added; null counts as 0 */
	PROGRAM_PUSH,      /* on the stack that the attribute is: its depth, below it 1, 2, ... */
	PROGRAM_POP,       /* the value is not used, and may be PROGRAM_NOTHING; an emptied stack is null */
	PROGRAM_POP_ALL,
	PROGRAM_DELETE, /* the attribute and what is below it are null; no value */
};

/*
 * `at`: the time of the change, if it is later than the event, and then for PROGRAM_SET, PROGRAM_PUSH and
 * PROGRAM_POP only; such a change is made before the first event that is not before it.  A change in the past is
 * left out.
 */
void program_add_change(struct program_builder *make, program_block block, enum program_change change,
			program_path path, program_value value, program_value at);

/* One of two blocks, which may be PROGRAM_NOTHING. */
void program_add_if(struct program_builder *make, program_block block, program_value condition, program_block then,
		    program_block otherwise);

/*
 * A field that segments of this program have besides "name"; every program has one segment store with all fields,
 * of which a segment has those that it gives.  Once more with the same name: the same field; two types become the
 * wider one, or string.  Returns its number.
 */
uint32_t program_segment_field(struct program_builder *make, const char *name, enum histree_type type);

struct program_field_value {
	uint32_t field;
	program_value value; /* as the type of the field, as program_convert() does */
};

/*
 * A segment: from `start` (PROGRAM_NOTHING: since the scenario left its first state, or the event) to `end`
 * (PROGRAM_NOTHING: the event).  An `end` before the start is ignored.
 */
void program_add_segment(struct program_builder *make, program_block block, program_value name, program_value start,
			 program_value end, const struct program_field_value *fields, size_t field_count);

/*
 * A kind of segments by a beginning and an end with the same key.  At the beginning the key and fields are kept
 * under it, at the end more fields are added and the segment is made.  A second beginning with a key that is open
 * replaces the first one.  What has only one of them is counted.
 */
program_span program_span_create(struct program_builder *make, const char *name);

/* `key`: up to 8 values.  `name` PROGRAM_NOTHING: at the beginning that of the span, at the end the one it has. */
void program_add_span_begin(struct program_builder *make, program_block block, program_span span,
			    const program_value *key, size_t key_count, program_value name,
			    const struct program_field_value *fields, size_t field_count);
void program_add_span_end(struct program_builder *make, program_block block, program_span span,
			  const program_value *key, size_t key_count, program_value name,
			  const struct program_field_value *fields, size_t field_count);

/*
 * A step on the way from the beginning of a span to its end: an event takes one at most.  They are taken in the
 * order in which they were added, and without the last of them there is no end.
 */
void program_add_span_step(struct program_builder *make, program_block block, program_span span,
			   const program_value *key, size_t key_count, program_value name,
			   const struct program_field_value *fields, size_t field_count);

/* ---- stacks of calls ---------------------------------------------------------------------------------------- */

/* What says of which thread, or on which host, a call is, when it begins. */
enum program_call_origin {
	PROGRAM_CALL_UNSAID,
	PROGRAM_CALL_NAME,  /* the name of the attribute at a level */
	PROGRAM_CALL_VALUE, /* its state */
	PROGRAM_CALL_CPU,   /* of threads: whichever runs on the CPU that is the state of an attribute */
};

struct program_call_whose {
	enum program_call_origin origin;
	uint32_t level;   /* from 0; one that does not exist is silently ignored */
	const char *path; /* of PROGRAM_CALL_CPU: below the last level */
};

/*
 * A stack that is the attribute "CallStack" below the last of these levels is a call stack: each value, from its
 * push to its pop, is also a segment.  Its fields are those of function calls: "name", "tid", "depth" (1 is the
 * outermost), "self" (the duration without the calls that it made) and "caller"; in addition "stack", the path of
 * the last level, and "host" if it is given.  A level is a path below the level before it, in which '*' stands for
 * any text in a component.  If several groups match, the first one counts.
 */
void program_call_group(struct program_builder *make, const char *const *levels, size_t level_count,
			const struct program_call_whose *thread, const struct program_call_whose *host);

/* ---- handlers ----------------------------------------------------------------------------------------------- */

/*
 * What is done at events with a name that fits: patterns with '*' for any text, several of them with '|' between.
 * PROGRAM_NOTHING as condition: always.
 */
void program_on(struct program_builder *make, const char *events, program_value condition, program_block block);

/* ---- scenarios: state machines of which many may be under way ----------------------------------------------- */

/*
 * These are the scenarios of Trace Compass.  At each event a machine without a pending scenario gets one (if
 * `is_multiple`, else only the first time).  Then, if a precondition holds or there is none, the active scenarios,
 * oldest first, and then the pending one take the first transition of their state whose event and condition hold;
 * if `is_consuming`, only the first scenario that can.  A scenario in a final state is over; the attributes below
 * its own are then null.
 *
 * Its attribute is "scenarios/NAME/N"; below it are "status" (int: 0 pending, 1 under way, 2 over), "state" (the
 * name), "startTime" (long: when it left its first state) and "state/NAME/startTime" (when it entered it).
 */
struct program_fsm_options {
	const char *name;
	bool is_multiple, is_consuming;
};

program_fsm program_fsm_create(struct program_builder *make, const struct program_fsm_options *options);

/* `events` and `condition` as in program_on(); NULL: all events. */
void program_fsm_precondition(struct program_builder *make, program_fsm fsm, const char *events,
			      program_value condition);

/* The first state is the one that scenarios begin in, unless program_fsm_begin() says another one. */
program_state program_fsm_state(struct program_builder *make, program_fsm fsm, const char *name, bool is_final);
void program_fsm_begin(struct program_builder *make, program_fsm fsm, program_state state);

/* What is done when a scenario enters or leaves a state; PROGRAM_NOTHING: nothing. */
void program_fsm_on_change(struct program_builder *make, program_state state, program_block entry,
			   program_block exit);

/* Transitions of a state are tried in the order in which they were added. */
void program_fsm_transition(struct program_builder *make, program_fsm fsm, program_state from, program_state to,
			    const char *events, program_value condition, program_block block);

/* ---- the end ------------------------------------------------------------------------------------------------ */

/*
 * The program is complete; the builder is gone, whatever the result.  Returns HISTREE_ERR_ARGUMENT with a sentence
 * for what a program cannot hold, such as more segment fields than HISTREE_SEGMENT_FIELDS_MAX or a path within
 * itself.
 */
enum histree_status program_finish(struct program_builder *make, struct program **out, struct histree_error *error);
void program_free(struct program *program);

/* Returns a number that says what the program does: another one when it would do something else. */
uint32_t program_version(const struct program *program);
bool program_makes_states(const struct program *program);
bool program_makes_segments(const struct program *program);

/* The schema of its segments: "name", and then the fields from program_segment_field(). */
const struct histree_segment_field *program_segment_fields(const struct program *program, size_t *count);

enum {
	PROGRAM_KEY_MAX = 8,
	PROGRAM_DEPTH_MAX = 100, /* of values within values, and blocks within blocks */
	PROGRAM_ROWS_MAX = 1 << 20,
};

enum program_value_kind {
	VALUE_CONSTANT,
	/* first: number of the field; second: 1 + the value that it is where a class has none; 0: null */
	VALUE_FIELD,
	VALUE_FACT,
	VALUE_LOOK_UP, /* first: path */
	VALUE_CONVERT, /* first: value; detail: type */
	VALUE_MAP,     /* first: value; second: first pair; third: their number */
	VALUE_OPERATION,
};

struct value_row {
	uint8_t kind;
	uint8_t detail;   /* fact, look, type or operator */
	uint8_t operands; /* of an operation: how many */
	bool creates;
	uint32_t first, second, third;
	struct histree_value constant;
};

struct path_row {
	enum program_base base;
	uint32_t first, last; /* steps */
	uint32_t
		fixed; /* of a scenario, and all steps are constants: its number among such; PROGRAM_NOTHING: not */
};

struct step_row {
	program_value name; /* PROGRAM_NOTHING: of a pool */
	uint32_t next;
};

enum action_kind {
	ACTION_CHANGE,
	ACTION_IF,
	ACTION_SEGMENT,
	ACTION_SPAN_BEGIN,
	ACTION_SPAN_END,
	ACTION_SPAN_STEP,
};

struct span_row {
	const char *name;
	uint32_t steps;
};

struct action_row {
	uint8_t kind;
	uint8_t change;
	uint32_t next;
	program_path path;
	program_value value; /* of a change; the condition; the name of a segment */
	program_value at;    /* of a change; the start of a segment */
	program_value end;   /* of a segment */
	program_block then, otherwise;
	uint32_t span;
	uint32_t step;                     /* of a span, from 1 on */
	uint32_t first_key, key_count;     /* in `keys` */
	uint32_t first_field, field_count; /* in `field_values` */
};

struct block_row {
	uint32_t first, last; /* actions */
};

struct handler_row {
	const char *events; /* NULL: all */
	program_value condition;
	program_block block;
};

struct fsm_row {
	const char *name;
	bool is_multiple, is_consuming;
	program_state begin;
	uint32_t first_precondition, last_precondition;
	uint32_t first_state, last_state;
	uint32_t state_count;
};

struct precondition_row {
	const char *events;
	program_value condition;
	uint32_t next;
};

struct state_row {
	const char *name;
	uint32_t name_size;
	bool is_final;
	uint32_t number; /* within its machine */
	uint32_t next;
	program_block entry, exit;
	uint32_t first_transition, last_transition;
};

struct transition_row {
	const char *events;
	program_value condition;
	program_block block;
	program_state to;
	uint32_t next;
};

/* Stacks of calls: what stands below the levels of a group. */
struct call_group_row {
	const char *const *components; /* of the paths of all levels; '*' is any text */
	uint32_t component_count;
	enum program_call_origin thread, host;
	uint32_t thread_components, host_components; /* down to the level that says it; 0: there is no such level */
	const char *cpu;                             /* the path of PROGRAM_CALL_CPU */
	uint32_t tid_field, host_field;              /* of segments */
};

/* A table of rows: PROGRAM_TABLES(X) has X(type, name) for each. */
#define PROGRAM_TABLES(X)                           \
	X(struct value_row, values)                 \
	X(struct program_pair, pairs)               \
	X(struct path_row, paths)                   \
	X(struct step_row, steps)                   \
	X(struct action_row, actions)               \
	X(struct block_row, blocks)                 \
	X(program_value, keys)                      \
	X(struct program_field_value, field_values) \
	X(struct span_row, spans)                   \
	X(struct handler_row, handlers)             \
	X(struct fsm_row, fsms)                     \
	X(struct precondition_row, preconditions)   \
	X(struct state_row, states)                 \
	X(struct transition_row, transitions)       \
	X(struct call_group_row, call_groups)       \
	X(struct histree_segment_field, segment_fields)
#define PROGRAM_TABLE(type, name) \
	type *name;               \
	size_t name##_count, name##_capacity;

struct program {
	PROGRAM_TABLES(PROGRAM_TABLE)
	struct intern fields; /* of events, by name */
	struct arena texts;
	uint32_t version;
	uint32_t fixed_count; /* of paths */
	bool makes_states, makes_segments;
	bool has_columns; /* it asks for threads or processes of events */
	/* Of segments that are calls; there are none without groups. */
	uint32_t call_stack_field, call_depth_field, call_self_field, call_caller_field;
};

/* Number 0 of the segment fields. */
#define SEGMENT_NAME_FIELD 0

/* ---- program_values.c ----------------------------------------------------------------------------------- */

struct scratch;

/* The result of an operator that looks at all its operands.  Texts that it makes are in the scratch memory. */
struct histree_value operator_apply(enum program_operator operator, const struct histree_value operands[3],
				    struct scratch *scratch);
bool value_is_true(const struct histree_value *value);
bool values_are_equal(const struct histree_value *first, const struct histree_value *second);
struct histree_value value_convert(struct histree_value value, enum histree_type type, struct scratch *scratch);

enum { NUMBER_NAME_SIZE = 40 };

/* Writes a number as text; returns its length. */
size_t number_name(const struct histree_value *value, char text[NUMBER_NAME_SIZE]);

/* Whether a text fits a pattern: '*' is any text, and '|' stands between several. */
bool pattern_fits(const char *patterns, const char *text, size_t size);

/* The same of a pattern alone. */
bool stars_fit(const char *pattern, const char *text, size_t size);

/* ---- memory that lasts until the next event ------------------------------------------------------------------ */

struct scratch {
	char **chunks;
	size_t chunk_count, chunk_capacity;
	size_t chunk, used; /* the one in use, and how much of it */
	bool failed;        /* memory was out */
};

/* Returns NULL, and `failed` is set, if memory runs out or the size is more than a text can have. */
char *scratch_allocate(struct scratch *scratch, size_t size);
struct histree_value scratch_text(struct scratch *scratch, const void *bytes, size_t size);
void scratch_clear(struct scratch *scratch);
void scratch_release(struct scratch *scratch);

#endif
