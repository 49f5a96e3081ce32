/* SPDX-License-Identifier: MIT */
/*
 * change_log.h - the changes of a part of a trace, by somebody who does not know the states before it.
 *
 * Whoever analyses a slice of a trace has a state system of its own, in which every attribute begins as it was
 * before, whatever that is.  What it does is kept here in its order, and done in the true system once that has come
 * to the beginning of the slice.  There it makes the intervals, in the order, that one pass makes:
 *
 * - The first changes of an attribute are kept as changes, as the state that they end is not known.
 * - From its second value on, an attribute is *exact*: its state and since when it has it are those of one pass.
 *   What it changes is kept as the interval that ended, and costs the true system nothing but to take it.
 * - A change whose value depends on an attribute that is still as it was before names that attribute instead.
 *
 * To read an attribute that is as before fails the slice, which is then analysed again by whoever knows.
 */
#ifndef ANALYSIS_CHANGE_LOG_H
#define ANALYSIS_CHANGE_LOG_H

#include "base/intern.h"
#include "histree/state_system.h"

/* What is known of an attribute in a slice. */
enum change_known {
	KNOWN_AS_BEFORE, /* nothing */
	KNOWN_GUESS,     /* a value that whoever made the log will check */
	KNOWN_CHOSEN,    /* that it was set, but not to what */
	KNOWN_VALUE,     /* the value, but not since when */
	KNOWN_EXACT,
};

/* An attribute becomes `null` if attribute `of` is null, else `other`, both not negative. */
struct change_choice {
	histree_quark of;
	int32_t null, other;
};

struct logged_change {
	histree_time time; /* of the change; of an interval the start */
	uint64_t bits;     /* of the value, as ongoing_states.h has it, a text as its id; or another attribute */
	histree_time end;  /* of an interval; or the values to choose from */
	histree_quark quark;
	uint8_t kind, type;
};

/* A zeroed one is empty. */
struct change_log {
	struct histree_state_system *system; /* of the slice: its names, and values as far as they are known */
	struct logged_change *changes;
	size_t count, capacity;
	uint8_t *known; /* enum change_known by quark */
	size_t known_count, known_capacity;
	struct intern texts;
	struct change_choice choice; /* that a value stands for */
	bool is_muted;               /* intervals of the slice's system are none: their beginning is not known */
	const char *why;             /* the slice has failed; NULL: not yet */
	bool no_memory;
};

/* Begin; the history starts then, and takes values of that size. */
enum histree_status change_log_init(struct change_log *log, histree_time start, size_t value_size_max,
				    struct histree_error *error);
void change_log_release(struct change_log *log);

/* The slice is of no use, for this reason, a constant; the first one stays. */
void change_log_fail(struct change_log *log, const char *why);

static inline bool change_log_has_failed(const struct change_log *log)
{
	return log->why != NULL || log->no_memory;
}

enum change_known change_log_known(const struct change_log *log, histree_quark quark);

/* Whether the value of an attribute can be read. */
bool change_log_knows(const struct change_log *log, histree_quark quark);

/* Returns a value that is known; else fails the slice, and returns null. */
struct histree_value change_log_value(struct change_log *log, histree_quark quark);

/* An attribute that is as before is believed to have this value; the last guess stays. */
void change_log_guess(struct change_log *log, histree_quark quark, struct histree_value value);

/* Changes. */
void change_log_set(struct change_log *log, histree_time time, histree_quark quark, struct histree_value value);

/* Returns a value for the next change_log_set(): which one it is, another attribute says. */
struct histree_value change_log_choice(struct change_log *log, const struct change_choice *choice);

/* It gets the value that another attribute has. */
void change_log_copy(struct change_log *log, histree_time time, histree_quark quark, histree_quark of);

/* A child of an attribute becomes null, if there is such a child. */
void change_log_end_child(struct change_log *log, histree_time time, histree_quark parent, const char *name);

/* The ongoing value becomes this one if that is less, or greater; such an attribute is changed in no other way. */
void change_log_widen(struct change_log *log, histree_quark quark, bool is_least, int64_t value);

/* ---- in the true system -------------------------------------------------------------------------------------- */

/*
 * Have all attributes of the slice in a system, made in their order where they are missing.  The array is the
 * caller's to free: by the quark of the slice, that in the system.
 */
enum histree_status change_log_map(const struct change_log *log, struct histree_state_system *system,
				   histree_quark **map, struct histree_error *error);

/* Do all changes in a system.  A failure ends the history. */
enum histree_status change_log_apply(const struct change_log *log, struct histree_state_system *system,
				     const histree_quark *map, struct histree_error *error);

#endif
