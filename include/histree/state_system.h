/* SPDX-License-Identifier: MIT */
/*
 * state_system.h - build a history: name attributes, change their states, close.
 *
 * A state system keeps the attribute tree and the ongoing state of each attribute.  A change at t ends the ongoing
 * state at t - 1, hands that interval to the history, and begins the new state at t (thesis, section 1.2).  The
 * rules are those of Trace Compass's builder:
 *
 *  - A new attribute is null from the start of the HISTORY, whenever it is created.
 *  - A change to the value that the attribute already has does nothing.
 *  - A change at exactly the start of the ongoing state replaces its value: no interval of zero
 *    length is made, and the result is not merged with an equal interval before it.
 *  - A change at t before the start of the ongoing state is refused with HISTREE_ERR_TIME_BACKWARDS.  A caller
 * whose clock steps back decides what to do; Trace Compass does what histree_state_update() does.
 *  - The first value that is neither null nor unknown fixes the type of an attribute; a value of another type is
 *    refused with HISTREE_ERR_TYPE.
 *
 * A call that fails changes nothing, with one exception: when the history can no longer be written, because the
 * disk or the memory for the tree is exhausted, every later change is refused with that status, and the caller can
 * only call histree_state_free().  After histree_state_close() every change is refused with HISTREE_ERR_CLOSED.
 *
 *	histree_state_create(&(struct histree_history_options){ .path = "kernel.sht", .start = t0,
 *			     .provider = "kernel", .provider_version = 1 }, &system, &error);
 *	histree_state_attribute(system, HISTREE_ROOT, "Threads/42", &quark, &error);
 *	histree_state_modify(system, t, quark, histree_int(2), &error);
 *	histree_state_close(system, t_end, &error);
 *	histree_state_free(system);
 *
 * Threads: one thread at a time uses a state system.  It copies the values and names that it is given.
 */
#ifndef HISTREE_STATE_SYSTEM_H
#define HISTREE_STATE_SYSTEM_H

#include "history.h"
#include "value.h"

struct histree_state_system;

/* What becomes of the null before the first state of an attribute, and after its last (thesis 5.3). */
enum histree_nulls {
	HISTREE_NULLS_OF_VARIANT, /* cluster leaves them out, the others keep them */
	HISTREE_NULLS_KEPT,       /* they are intervals like others */
	HISTREE_NULLS_LEFT_OUT,   /* a table of first and last times stands for them */
};

/*
 * What a history is to be good at.  Every query works with each; they differ in the nodes that queries read and
 * in the bytes of an interval (thesis 7.3).
 */
enum histree_preference {
	HISTREE_PREFER_BALANCE, /* the default */
	HISTREE_PREFER_SINGLE,  /* one attribute, and some attributes over a range of time */
	HISTREE_PREFER_FULL,    /* all attributes at a time */
	HISTREE_PREFER_SPACE,   /* the size of the file */
};

/* How a history is laid out on disk.  A zero selects the default. */
struct histree_tree_options {
	const char *variant; /* "cluster" (the default), "sht", "osht", "esht", "rsht" or "vrsht" */
	uint32_t r_depth; /* levels of an R-tree, 2 or more; default 2 for rsht; for vrsht the maximum, default 4 */
	/*
	 * vrsht: the most nodes that a single query is to read, 2 to 1000, as far as r_depth allows.  Default:
	 * R-trees of log_c(A / n) levels, for A attributes and n intervals in a node.
	 */
	uint32_t r_nodes;
	/* Bytes, a power of two, 4 KiB to 1 MiB; default 64 KiB, for cluster 256 KiB unless it prefers single. */
	uint32_t node_size;
	uint32_t fan_out; /* maximum number of children of a node, 2 to 1000; default 50, for cluster 1000 */
	/*
	 * Bytes for buffers, approximately; default 64 MiB, for cluster 256 MiB.  The tables of names, ongoing
	 * states and lifetimes may take as many again, and go to a file beyond that; default 256 MiB.
	 */
	size_t memory_max;
	/*
	 * 1: the caller's thread does all of it.  cluster: 2 lets another thread sort and write, 3 yet another
	 * one insert; the others: 2 lets another thread insert and write.  More is refused.  Default: 2 for
	 * cluster on two processors or more; else 1.  The file is the same.
	 */
	uint32_t threads;
	enum histree_nulls nulls;       /* answers do not depend on it */
	enum histree_preference prefer; /* cluster; the others refuse all but balance */
};

struct histree_history_options {
	const char *path;     /* the file to make; must not exist unless `resume` is set */
	const char *provider; /* name of the analysis, kept in the file */
	uint32_t provider_version;
	histree_time start; /* where the history starts: no state begins before it */
	/*
	 * The file may exist, published by a builder that is gone.  The caller repeats the same changes from
	 * their beginning; until they pass the end of the file, it stays as it is and nothing is written or
	 * published.
	 */
	bool resume;
	/* An emptied stack or queue is null, as in the code of Trace Compass; else its depth is 0. */
	bool null_empty_stacks;
	struct histree_tree_options tree;
};

/* Make a history file and a state system that fills it.  If the call fails, no file is left. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_state_create(const struct histree_history_options *options, struct histree_state_system **out,
		     struct histree_error *error);

/*
 * End every ongoing state at `end` (inclusive), write what remains and complete the file.  Returns
 * HISTREE_ERR_TIME_RANGE if an ongoing state starts after `end`.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_state_close(struct histree_state_system *system, histree_time end, struct histree_error *error);

/*
 * Publish the history as it is now, ended at `end`: a process that opens the file from now on sees that, with
 * histree_history_info.complete being false, even after a crash or a power failure.  `end` may be one less than
 * the greatest time of a change; what begins after it is left out.  Choose that end if another change at the same
 * time may follow.  The new state replaces what was published before once it is on disk; if the call fails, the
 * old one stays.  The cost is about that of writing all that is buffered, and the memory of one more state for
 * each attribute; the R-SHT variants need as much memory as they have buffered.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_state_publish(struct histree_state_system *system, histree_time end, struct histree_error *error);

/*
 * Open the history as it is now, ended at `end`, for this process alone; it contains everything inserted so far.
 * The caller closes it, before or after the state system.  Any thread may query it while this one continues to
 * build.  The cost is that of histree_state_publish().
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_history(struct histree_state_system *system,
									 histree_time end,
									 const struct histree_open_options *options,
									 struct histree_history **out,
									 struct histree_error *error);

/*
 * Free the state system, or do nothing if it is NULL.  A history neither closed nor published is removed from
 * disk.
 */
HISTREE_API void histree_state_free(struct histree_state_system *system);

HISTREE_API histree_time histree_state_start(const struct histree_state_system *system);

/* Returns the greatest time of any change so far, and once the history is closed, its end. */
HISTREE_API histree_time histree_state_current_end(const struct histree_state_system *system);

/* ---- attributes -------------------------------------------------------------------------------- */

/*
 * Find the attribute at `path` below `from`, and create it and its parents where they are missing.  The path is
 * absolute if `from` is HISTREE_ROOT.  Components are separated by '/'; inside a component "\/" is a slash and "\\"
 * a backslash.  Returns HISTREE_ERR_ARGUMENT if the path or a component is empty, a component has more than 65535
 * bytes, or there is a stray backslash.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_attribute(struct histree_state_system *system,
									   histree_quark from, const char *path,
									   histree_quark *out,
									   struct histree_error *error);

/* Find or create the child of `parent` with this name: 1 to 65535 bytes, of any value, not escaped. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_child(struct histree_state_system *system,
								       histree_quark parent, const char *name,
								       size_t name_size, histree_quark *out,
								       struct histree_error *error);

/*
 * Declare that an attribute is a folder: it groups others and never has a state (thesis 5.1).  Only its name is
 * kept; a change of it is refused, a query says that it is null.  Declaring it again changes nothing.  Returns
 * HISTREE_ERR_TYPE if the attribute had a state before.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_state_folder(struct histree_state_system *system, histree_quark quark, struct histree_error *error);

struct histree_attributes;

/* Returns the attribute tree (attributes.h), borrowed from the state system. */
HISTREE_API const struct histree_attributes *histree_state_attributes(const struct histree_state_system *system);

/* ---- changes ------------------------------------------------------------------------------------ */

/* Give the attribute `value` from `t` on.  Returns HISTREE_ERR_TOO_LARGE if no node can hold the value. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_modify(struct histree_state_system *system,
									histree_time t, histree_quark quark,
									struct histree_value value,
									struct histree_error *error);

/*
 * Insert whole intervals: the attribute has the value from start to end (inclusive), and null after that.  An
 * interval equals two changes and costs a third of them.  The intervals of one attribute must come in the order of
 * time; those of different attributes may come in any order, but the closer they are to the order of their ends,
 * the better the tree is.  *inserted, unless `inserted` is NULL, becomes the number of intervals that the history
 * now has; if it is less than `count`, the next one was refused and the error says why.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_insert(struct histree_state_system *system,
									const struct histree_interval *intervals,
									size_t count, size_t *inserted,
									struct histree_error *error);

/*
 * Replace the value of the ongoing state from its start on, without a state change.  The type is checked, and
 * fixed, as it is by a change.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_update(struct histree_state_system *system,
									histree_quark quark,
									struct histree_value value,
									struct histree_error *error);

/*
 * An attribute can be a stack: `quark` holds the depth (an int) and its sub-attributes "1", "2", ... hold the
 * values; the deepest is the top.  Popping makes the top and everything below it in the attribute tree null; the
 * depth of an emptied stack is 0, or null with histree_history_options.null_empty_stacks. Popping returns
 * HISTREE_NOT_FOUND and changes nothing if the stack is empty, its depth being null or 0.  Both return
 * HISTREE_ERR_TYPE if the attribute is not a stack, and HISTREE_ERR_ARGUMENT if its depth does not fit its
 * sub-attributes.  `*popped`, unless `popped` is NULL, becomes the value, whose bytes are borrowed until the next
 * change.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_push(struct histree_state_system *system,
								      histree_time t, histree_quark quark,
								      struct histree_value value,
								      struct histree_error *error);
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_pop(struct histree_state_system *system,
								     histree_time t, histree_quark quark,
								     struct histree_value *popped,
								     struct histree_error *error);

/* Look at the top of the stack.  Returns HISTREE_NOT_FOUND if the stack is empty. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_top(struct histree_state_system *system,
								     histree_quark quark, struct histree_value *top,
								     struct histree_error *error);

/*
 * An attribute laid out as a stack can also be a queue, first in, first out: offer adds a value at the end, poll
 * takes "1" and moves the others up by one, peek looks at "1".  Poll and peek return HISTREE_NOT_FOUND if the queue
 * is empty.
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

/* Make the attribute and everything below it null at `t`. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_remove(struct histree_state_system *system,
									histree_time t, histree_quark quark,
									struct histree_error *error);

/*
 * Add `increment`, an int, long or double, to a number.  Null counts as zero of that type; an unknown value stays
 * unknown.  Returns HISTREE_ERR_TYPE if the attribute has another type than the increment, and HISTREE_ERR_ARGUMENT
 * if an integer overflows.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_increment(struct histree_state_system *system,
									   histree_time t, histree_quark quark,
									   struct histree_value increment,
									   struct histree_error *error);

/* ---- ongoing states --------------------------------------------------------------------------------- */

/*
 * Get the ongoing state and when it began.  `value` and `since` may be NULL; bytes are borrowed until the next
 * change.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_state_ongoing(const struct histree_state_system *system, histree_quark quark, struct histree_value *value,
		      histree_time *since, struct histree_error *error);

#endif
