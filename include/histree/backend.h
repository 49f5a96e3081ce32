/* SPDX-License-Identifier: MIT */
/*
 * backend.h - where the intervals of a state system go, other than into a history file (thesis 1.2): into memory,
 * or wherever the caller wants them.
 *
 * A history in memory is asked as one in a file is, and gives the same answers:
 *
 *	histree_state_create_in_memory(&(struct histree_history_options){ .start = t0 }, 64 << 20, &system, &error);
 *	...
 *	histree_state_close(system, end, &error);
 *	histree_state_history(system, end, NULL, &history, &error);
 *	histree_state_free(system);
 *	...
 *	histree_history_close(history);
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

/* Each function may be NULL, which does nothing. */
struct histree_backend {
	/*
	 * Takes an interval, whose bytes are borrowed during the call.  The intervals of one attribute come in
	 * the order of time, without gaps; all intervals come in the order of their ends, except those inserted
	 * out of order.  A failure (a negative status) ends the history: no more intervals come, and later
	 * changes are refused with that status.
	 */
	enum histree_status (*add)(void *context, const struct histree_interval *interval,
				   struct histree_error *error);
	/*
	 * All intervals have been added; the last of them end at `end`.  The attributes are borrowed for the
	 * call.
	 */
	enum histree_status (*finish)(void *context, const struct histree_attributes *attributes, histree_time end,
				      struct histree_error *error);
	/* Called once, by histree_state_free(), whether the history was finished or not. */
	void (*free)(void *context);
	void *context;
};

/*
 * Make a state system whose intervals go to a backend, which is copied; NULL means the null backend.  The rules
 * are those of histree_state_create(), with two exceptions: it takes values of any size, and it can be neither
 * published nor opened (HISTREE_ERR_ARGUMENT), as only the backend knows where the intervals are.  If the call
 * fails, `free` is not called.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_create_for(const struct histree_backend *backend,
									    histree_time start,
									    struct histree_state_system **out,
									    struct histree_error *error);

/*
 * Make a history in memory.  The rules are those of histree_state_create(); `path` is only a name for messages
 * and may be NULL; `resume` is refused.  histree_state_history() opens the history while it is built and, with
 * `end` being its end, any number of times after histree_state_close().  Publishing shows it to nobody.
 *
 * Nodes and sections may take `bytes_max` bytes, 0 meaning any number; a history that would need more ends with
 * HISTREE_ERR_MEMORY and a sentence.  Other memory: the buffers of the tree (`memory_max`), the tables of names
 * and ongoing states, which stay in memory, and the cache of each open history.
 *
 * The memory is freed once the state system is freed and all its histories are closed.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_state_create_in_memory(const struct histree_history_options *options, uint64_t bytes_max,
			       struct histree_state_system **out, struct histree_error *error);

#endif
