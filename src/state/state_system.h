/* SPDX-License-Identifier: MIT */
/*
 * state_system.h - the inside of a state system: names, ongoing states, the rules of a change, and a sink for
 * intervals.
 *
 *
 * An operation is checked as a whole before it changes anything.  Only the sink (disk, memory) can fail after that.
 * Its first failure ends the history: the file lacks an interval, so every later change is refused with the same
 * status.
 */
#ifndef STATE_STATE_SYSTEM_H
#define STATE_STATE_SYSTEM_H

#include "histree/history.h"
#include "state/attributes.h"
#include "state/ongoing_states.h"

enum { KNOWN_SLOTS = 64 /* a power of two */ };

/* A slot of a stack that was looked up before; a depth of 0: none. */
struct known_slot {
	histree_quark stack, slot;
	int32_t depth;
};

struct histree_state_system {
	struct attribute_tree attributes;
	struct ongoing_states ongoing;      /* as many as attributes */
	struct undecided_states *undecided; /* NULL: there were none */
	struct interval_sink sink;
	histree_time start;
	/* The last time of which something is known; no `since` is greater, except of null */
	histree_time current_end;
	bool closed;
	bool shares_names;               /* state_file.h: they are not ours, and all that there will be */
	bool null_empty_stacks;          /* histree_history_options */
	enum histree_status sink_status; /* the first failure of the sink */
	struct known_slot slots[KNOWN_SLOTS];
};

/* Create a state system, which then owns the sink; after a failure the caller still does. */
enum histree_status state_system_create(histree_time start, const struct interval_sink *sink,
					struct histree_state_system **out, struct histree_error *error);

/*
 * Returns the space of the tables that grow with the system's attributes.  A producer may put its own such tables
 * there.
 */
static inline struct table_space *state_system_tables(const struct histree_state_system *system)
{
	return system->sink.tables;
}

/* Returns the ongoing value of what is an attribute, borrowed as by histree_state_ongoing(). */
static inline struct histree_value state_system_value(const struct histree_state_system *system,
						      histree_quark quark)
{
	return ongoing_states_value(&system->ongoing, quark);
}

/* Whether that is an int and this one, as most are. */
static inline bool state_system_has_int(const struct histree_state_system *system, histree_quark quark,
					const struct histree_value *value)
{
	const struct ongoing_state *state = &system->ongoing.states[quark];
	return state->type == HISTREE_INT && value->type == HISTREE_INT && state->bits == (uint32_t)value->int32;
}

/* Return HISTREE_OK if the system takes changes, and if `quark` is an attribute as well. */
enum histree_status state_check_open(const struct histree_state_system *system, struct histree_error *error);

/* Hand an interval to the sink, whose first failure ends the history. */
enum histree_status state_add_interval(struct histree_state_system *system, const struct histree_interval *interval,
				       struct histree_error *error);

/* The same for several intervals; *added becomes the number of those that were added. */
enum histree_status state_add_intervals(struct histree_state_system *system,
					const struct histree_interval *intervals, size_t count, size_t *added,
					struct histree_error *error);

/* ---- one change: state_system.h ------------------------------------------------------------------- */

/* Check that `quark`, which is an attribute, may become `value` at `t`. */
enum histree_status state_check_change(const struct histree_state_system *system, histree_time t,
				       histree_quark quark, const struct histree_value *value,
				       struct histree_error *error);

/*
 * Make a change that was checked.  Without memory nothing changes; numbers, null and what is held already need
 * none.
 */
enum histree_status state_apply_change(struct histree_state_system *system, histree_time t, histree_quark quark,
				       const struct histree_value *value, struct histree_error *error);

/* Check that an attribute and everything below it may become null, and make it so. */
enum histree_status state_check_removal(const struct histree_state_system *system, histree_time t,
					histree_quark top, struct histree_error *error);
enum histree_status state_apply_removal(struct histree_state_system *system, histree_time t, histree_quark top,
					struct histree_error *error);

/* ---- what is not decided yet: ongoing_states.h ----------------------------------------------------- */

/*
 * The attribute has the believed value from `t` on, which a fact decides.  Returns HISTREE_NOT_FOUND if there is no
 * room to keep it back: then it is as believed.  Else as histree_state_modify().
 */
enum histree_status state_modify_undecided(struct histree_state_system *system, histree_time t, histree_quark quark,
					   const struct undecided_value *value, struct histree_error *error);

/* As undecided_decide(). */
enum histree_status state_decide(struct histree_state_system *system, histree_quark fact,
				 enum undecided_outcome outcome, histree_time since, struct histree_error *error);

/* As undecided_count() and undecided_resume(). */
static inline uint32_t state_undecided_total(const struct histree_state_system *system)
{
	return system->undecided == NULL ? 0 : system->undecided->total;
}

uint32_t state_undecided_count(const struct histree_state_system *system, histree_quark fact);
bool state_resume_undecided(struct histree_state_system *system, histree_quark fact, uint32_t count);

/* ---- stacks: state_system.h -------------------------------------------------------------------------- */

/* Get the depth of any quark.  Returns HISTREE_NOT_FOUND if the stack is empty. */
enum histree_status state_stack_occupied(const struct histree_state_system *system, histree_quark quark,
					 int32_t *depth, struct histree_error *error);

/* Returns what a stack holds that is so deep now, and was deeper. */
struct histree_value state_stack_depth_value(const struct histree_state_system *system, int32_t depth);

/* Get the sub-attribute of a slot in the stack, 1 being the deepest; it exists if the stack is that deep. */
enum histree_status state_stack_slot(struct histree_state_system *system, histree_quark quark, int32_t slot,
				     histree_quark *out, struct histree_error *error);

/* Like histree_state_pop(); here the caller says whether an emptied stack is null. */
enum histree_status state_stack_pop(struct histree_state_system *system, histree_time t, histree_quark quark,
				    bool null_empty, struct histree_value *popped, struct histree_error *error);

#endif
