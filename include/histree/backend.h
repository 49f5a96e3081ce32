/* SPDX-License-Identifier: MIT */
/*
 * backend.h - where the intervals of a state system go, other than into a history file (thesis 1.2).
 *
 * A backend is a table of functions.  Its caller writes what it likes with them: a database, a socket, an array.
 * The null backend forgets everything, and measures what the states themselves cost.
 *
 *	static enum histree_status count(void *context, const struct histree_interval *interval,
 *					 struct histree_error *error)
 *	{
 *		++*(uint64_t *)context;
 *		return HISTREE_OK;
 *	}
 *
 *	histree_state_create_for(&(struct histree_backend){ .add = count, .context = &counter }, start, &system,
 *				 &error);
 *
 * Threads: the functions are called by the thread that uses the state system, one at a time.
 */
#ifndef HISTREE_BACKEND_H
#define HISTREE_BACKEND_H

#include "state_system.h"

/* Each of the functions may be NULL: there is nothing to do. */
struct histree_backend {
	/*
	 * Takes an interval, whose bytes are borrowed during the call.  The intervals of one attribute come in the
	 * order of time and leave nothing out; all of them come by their ends, but for what was inserted out of
	 * that order.  A failure, negative, ends the history: no more intervals come, and later changes are
	 * refused with that status.
	 */
	enum histree_status (*add)(void *context, const struct histree_interval *interval,
				   struct histree_error *error);
	/* All intervals were added; the last of them end at `end`.  The attributes are borrowed for the call. */
	enum histree_status (*finish)(void *context, const struct histree_attributes *attributes, histree_time end,
				      struct histree_error *error);
	/* Called once, by histree_state_free(), whether the history was finished or not. */
	void (*free)(void *context);
	void *context;
};

/*
 * Make a state system whose intervals go to a backend, which is copied.  With NULL that is the null backend.  The
 * rules are those of histree_state_create(), with two exceptions: it takes values of any size, and it can neither
 * be published nor opened, as only the backend knows what became of the intervals (HISTREE_ERR_ARGUMENT).  If the
 * call fails, `free` is not called.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_create_for(const struct histree_backend *backend,
									    histree_time start,
									    struct histree_state_system **out,
									    struct histree_error *error);

#endif
