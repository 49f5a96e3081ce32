/* SPDX-License-Identifier: MIT */
/*
 * history_source.h - a history whose states another process or machine hands out.  It is asked like every
 * history, and can be a part of a union (history.h).
 *
 * It is made from two things.  The *description* has what does not depend on a question: the info of the history,
 * the names of its attributes, its labels, and the same of its overviews; the process that has the history makes
 * it once.  The *source* is a table of functions that answer regions.
 *
 * A description comes from outside: its sizes are checked against the bytes that there are.  It can be read only
 * by the version of the library that made it.
 */
#ifndef HISTREE_HISTORY_SOURCE_H
#define HISTREE_HISTORY_SOURCE_H

#include "cursor.h"
#include "history.h"

struct histree_region; /* of query.h */

/*
 * Make the description of a history of one host, which the caller frees with free().  Returns HISTREE_ERR_ARGUMENT
 * for a union.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_history_describe(struct histree_history *history, void **bytes, size_t *size, struct histree_error *error);

/*
 * Returns a part of a history, borrowed: 0 is the history itself, others are its overviews in the order of
 * descriptions; NULL: there is no such part.
 */
HISTREE_API struct histree_history *histree_history_part_of(struct histree_history *history, uint32_t part);

/*
 * A cursor reads one part.  Started with a region (query.h), which is borrowed during that call alone, it hands
 * out what a query of the part does, in that order; it may be started again, or stopped.  Values are borrowed
 * until the next call.  Starting should send the request and not wait for the answer: a query of a union starts
 * all of its parts first.
 *
 * Some questions about the whole history its holder can answer itself, so that its states need not travel: what
 * threads did with their time (histree_time_use_answer()).  Questions and answers are bytes of the library.
 * `view_ask` may keep a question until `view_send` or `view_take` is called; the bytes of an answer are borrowed
 * until `view_drop`, which also drops unanswered questions.  If these functions are NULL, states are asked for.
 *
 * Threads: the functions of one history are called by one thread at a time.
 */
struct histree_history_source {
	void *context;
	enum histree_status (*cursor_create)(void *context, uint32_t part, void **cursor,
					     struct histree_error *error);
	enum histree_status (*cursor_start)(void *cursor, const struct histree_region *region,
					    struct histree_error *error);
	enum histree_status (*cursor_read)(void *cursor, struct histree_interval *out, size_t room, size_t *count,
					   struct histree_error *error);
	struct histree_statistics (*cursor_statistics)(const void *cursor);
	struct histree_loss (*cursor_loss)(const void *cursor);
	void (*cursor_stop)(void *cursor);
	void (*cursor_free)(void *cursor);
	enum histree_status (*view_ask)(void *context, const void *question, size_t size, void **asked,
					struct histree_error *error);
	enum histree_status (*view_send)(void *context, struct histree_error *error);
	enum histree_status (*view_take)(void *asked, const void **answer, size_t *size,
					 struct histree_error *error);
	void (*view_drop)(void *asked);
	void (*free)(void *context);
};

/*
 * Make a history from a description and a source, which it owns and frees if the call fails.  It cannot be
 * verified, and has no nodes to visit.  Returns HISTREE_ERR_FORMAT if the description is malformed.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_history_of_source(const struct histree_history_source *source, const void *description, size_t size,
			  struct histree_history **out, struct histree_error *error);

#endif
