/* SPDX-License-Identifier: MIT */
/*
 * program_inside.h - what a finished program is made of: tables whose rows name one another by number.
 */
#ifndef ANALYSIS_PROGRAM_PROGRAM_INSIDE_H
#define ANALYSIS_PROGRAM_PROGRAM_INSIDE_H

#include "analysis/program/program.h"
#include "base/arena.h"

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

enum action_kind { ACTION_CHANGE, ACTION_IF, ACTION_SEGMENT, ACTION_SPAN_BEGIN, ACTION_SPAN_END };

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
	X(const char *, spans)                      \
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

/* Returns NULL, and `failed` is set, if memory is out or the size is more than a text can have. */
char *scratch_allocate(struct scratch *scratch, size_t size);
struct histree_value scratch_text(struct scratch *scratch, const void *bytes, size_t size);
void scratch_clear(struct scratch *scratch);
void scratch_release(struct scratch *scratch);

#endif
