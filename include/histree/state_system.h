/* SPDX-License-Identifier: MIT */
/*
 * state_system.h - build a history: name attributes, change their states, close.
 *
 * A state system keeps the attribute tree and the ongoing state of each attribute.  A change at t ends
 * the ongoing state at t - 1, hands that interval to the history, and begins the new state at t (thesis
 * section 1.2).  Rules, which are those of Trace Compass's builder:
 *
 *  - A new attribute is null from the start of the HISTORY, whenever it is created.
 *  - A change to the value that the attribute already has does nothing.
 *  - A change at exactly the start of the ongoing state replaces its value: no interval of zero
 *    length is made, and the result is not merged with an equal interval before it.
 *  - A change at t before the start of the ongoing state is refused with HISTREE_ERR_TIME_BACKWARDS; a
 *    caller whose clock steps back decides itself (histree_state_update() is what Trace Compass does).
 *  - The first value that is neither null nor unknown fixes the type of an attribute; another type is
 *    HISTREE_ERR_TYPE.
 *
 * A call that fails changes nothing.  The one exception is a history that can no longer be written (no disk,
 * no memory for the tree): then every later change is refused with that same status, and only
 * histree_state_free() is left.  After histree_state_close() every change is HISTREE_ERR_CLOSED.
 *
 *	histree_state_create(&(struct histree_history_options){ .path = "kernel.sht", .start = t0,
 *			     .provider = "kernel", .provider_version = 1 }, &system, &error);
 *	histree_state_attribute(system, HISTREE_ROOT, "Threads/42", &quark, &error);
 *	histree_state_modify(system, t, quark, histree_int(2), &error);
 *	histree_state_close(system, t_end, &error);
 *	histree_state_free(system);
 *
 * Threads: one state system is used by one thread at a time.  Values and names handed in are copied.
 */
#ifndef HISTREE_STATE_SYSTEM_H
#define HISTREE_STATE_SYSTEM_H

#include "history.h"
#include "value.h"

struct histree_state_system;

/* How a history is laid out on disk.  Every zero means: the default. */
struct histree_tree_options {
	const char *variant; /* "cluster", "sht", "osht", "esht", "rsht", "vrsht"; NULL: "cluster" */
	uint32_t r_depth;    /* levels of an R-tree, >= 2; rsht: 0 means 2; vrsht: the greatest, 0 means 4 */
	uint32_t node_size;  /* bytes, a power of two from 4 KiB to 1 MiB; 0 means 64 KiB, cluster: 256 KiB */
	uint32_t fan_out;    /* children of a node at most, 2 to 1000; 0 means 50, cluster: 1000 */
	size_t memory_max;   /* bytes for buffers at most, about; 0 means 64 MiB, cluster: 256 MiB */
	uint32_t threads;    /* cluster: 2: a thread of its own writes, 1: none; 0 means 2 where there are two
				processors */
};

struct histree_history_options {
	const char *path;     /* the file to make; must not exist, but for `resume` */
	const char *provider; /* name of the analysis, kept in the file */
	uint32_t provider_version;
	histree_time start; /* of the history: no state begins before it */
	/*
	 * The file may be there, published by a builder that is gone, and is made again by the same changes from
	 * their beginning: until they are behind what it has, it stays as it is, and nothing is written or
	 * published.
	 */
	bool resume;
	struct histree_tree_options tree;
};

/* Make a history file and a state system that fills it.  On failure no file is left. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_state_create(const struct histree_history_options *options, struct histree_state_system **out,
		     struct histree_error *error);

/*
 * End every ongoing state at `end` (inclusive), write what remains and complete the file.  `end` must
 * not be before the start of any ongoing state.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_state_close(struct histree_state_system *system, histree_time end, struct histree_error *error);

/*
 * Let everybody who opens the file from now on see the history as it is now, ended at `end`; the file is complete
 * for them but for histree_history_info.complete, and stays so after a crash and a failure of power.  `end` may
 * be one less than the greatest time of a change: what begins after it is left out.  That is the end to choose
 * where another change at that same time may follow.  What was published before is replaced when the new one is on
 * disk, and stays if this fails.  Costs about as much as writing all that is buffered, and the memory of one more
 * state for each attribute; but for the R-SHT variants, that of all that is buffered.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_state_publish(struct histree_state_system *system, histree_time end, struct histree_error *error);

/*
 * The history as it is now, ended at `end`, for this process alone: everything inserted so far is in it.  The
 * caller closes it, before or after the state system; any thread may query it, while this one goes on.  Costs as
 * above.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_history(struct histree_state_system *system,
									 histree_time end,
									 const struct histree_open_options *options,
									 struct histree_history **out,
									 struct histree_error *error);

/* Free the state system.  A history that was neither closed nor published is removed from disk.  NULL is fine. */
HISTREE_API void histree_state_free(struct histree_state_system *system);

HISTREE_API histree_time histree_state_start(const struct histree_state_system *system);

/* The greatest time of any change so far; the end once closed. */
HISTREE_API histree_time histree_state_current_end(const struct histree_state_system *system);

/* ---- attributes -------------------------------------------------------------------------------- */

/*
 * The attribute at `path` below `from` (HISTREE_ROOT: an absolute path); it and its missing parents are
 * created.  Components are separated by '/'; "\/" is a slash and "\\" a backslash inside a component.
 * An empty path, an empty component, one of more than 65535 bytes, or a stray backslash is
 * HISTREE_ERR_ARGUMENT.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_attribute(struct histree_state_system *system,
									   histree_quark from, const char *path,
									   histree_quark *out,
									   struct histree_error *error);

/* The child of `parent` with this one name (1 to 65535 bytes, any, nothing escaped), created if missing. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_child(struct histree_state_system *system,
								       histree_quark parent, const char *name,
								       size_t name_size, histree_quark *out,
								       struct histree_error *error);

struct histree_attributes;

/* The attribute tree, for look-ups, names, sub-attributes and patterns: attributes.h.  Borrowed. */
HISTREE_API const struct histree_attributes *histree_state_attributes(const struct histree_state_system *system);

/* ---- changes ------------------------------------------------------------------------------------ */

/* The attribute has `value` from `t` on.  A value that no node can hold is HISTREE_ERR_TOO_LARGE. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_modify(struct histree_state_system *system,
									histree_time t, histree_quark quark,
									struct histree_value value,
									struct histree_error *error);

/*
 * Whole intervals, for who has them: the attribute has the value from start to end (inclusive), and null from then
 * on.  Each is what two changes would be, in a third of the time; the intervals of one attribute must come in the
 * order of time, those of different ones in any order, but the tree is the better the less they differ from the
 * order of their ends.  *inserted (may be NULL): how many of the intervals there are in the history now, the first
 * ones; if not all of them, the next was refused, and the error says why.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_insert(struct histree_state_system *system,
									const struct histree_interval *intervals,
									size_t count, size_t *inserted,
									struct histree_error *error);

/*
 * The ongoing state had another value all along: replace it without a state change.  The type is checked,
 * and fixed, as by a change.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_update(struct histree_state_system *system,
									histree_quark quark,
									struct histree_value value,
									struct histree_error *error);

/*
 * Stack: `quark` holds the depth (int), the sub-attributes "1", "2", ... the values, the top being the
 * deepest.  Popping makes the top, and what is below it in the tree, null; the depth of an emptied stack is 0.
 * Popping an empty stack, whose depth is null or 0, does nothing and gives HISTREE_NOT_FOUND.  Something that
 * is no stack is HISTREE_ERR_TYPE, or HISTREE_ERR_ARGUMENT where the depth does not fit the sub-attributes.
 * `popped`, where not NULL, gets the value; its bytes are borrowed until the next change.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_push(struct histree_state_system *system,
								      histree_time t, histree_quark quark,
								      struct histree_value value,
								      struct histree_error *error);
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_pop(struct histree_state_system *system,
								     histree_time t, histree_quark quark,
								     struct histree_value *popped,
								     struct histree_error *error);

/* The top of the stack as it is now; HISTREE_NOT_FOUND if empty. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_top(struct histree_state_system *system,
								     histree_quark quark, struct histree_value *top,
								     struct histree_error *error);

/*
 * Queue, first in first out, over the layout of the stack: offer adds at the end, poll takes "1" and
 * moves the others up by one, peek looks at "1".  An empty queue: HISTREE_NOT_FOUND.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_queue_offer(struct histree_state_system *system,
									     histree_time t, histree_quark quark,
									     struct histree_value value,
									     struct histree_error *error);
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_queue_poll(struct histree_state_system *system,
									    histree_time t, histree_quark quark,
									    struct histree_value *polled,
									    struct histree_error *error);
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_queue_peek(struct histree_state_system *system,
									    histree_quark quark,
									    struct histree_value *first,
									    struct histree_error *error);

/* The attribute and everything below it becomes null at `t`. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_remove(struct histree_state_system *system,
									histree_time t, histree_quark quark,
									struct histree_error *error);

/*
 * Add to a number; what is unknown stays so; null counts as zero and takes the type of `increment` (int, long or
 * double). An increment of another type than the attribute's is HISTREE_ERR_TYPE; an integer overflow is
 * HISTREE_ERR_ARGUMENT.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_increment(struct histree_state_system *system,
									   histree_time t, histree_quark quark,
									   struct histree_value increment,
									   struct histree_error *error);

/* ---- ongoing states --------------------------------------------------------------------------------- */

/* The ongoing state and when it began; either out may be NULL.  Bytes borrowed until the next change. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_state_ongoing(const struct histree_state_system *system, histree_quark quark, struct histree_value *value,
		      histree_time *since, struct histree_error *error);

#endif
