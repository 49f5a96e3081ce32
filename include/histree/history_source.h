/* SPDX-License-Identifier: MIT */
/*
 * history_source.h - a history whose states somebody else hands out: another process, another machine.  It is
 * asked as every history is, and can be a part of a union (history.h).
 *
 * Two things make one.  The *description* of the history has what does not depend on a question: its info, the
 * names of its attributes, its labels, and those of its overviews; whoever has the history makes it once.  The
 * *source* is a table of functions that answer regions.
 *
 * A description comes from outside: its sizes are checked against the bytes that there are.  It is for the version
 * of the library that made it.
 */
#ifndef HISTREE_HISTORY_SOURCE_H
#define HISTREE_HISTORY_SOURCE_H

#include "history.h"

/* Both are those of query.h. */
struct histree_region;
struct histree_query_stats;

/*
 * Make the description of a history of one host, which the caller frees with free().  Returns HISTREE_ERR_ARGUMENT
 * for a union.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_history_describe(struct histree_history *history, void **bytes, size_t *size, struct histree_error *error);

/*
 * Returns a part of a history, borrowed: 0 is the history itself, others are its overviews, as descriptions count
 * them; NULL: there is no such part.
 */
HISTREE_API struct histree_history *histree_history_part_of(struct histree_history *history, uint32_t part);

/*
 * A cursor is of a part.  Started with a region (query.h), which is borrowed during that call alone, it hands out
 * what a query of the part does, in that order; it may be started again, or stopped.  Values are borrowed until the
 * next call.  What is started need not be asked for before it is read: a query of a union starts all of its parts
 * first.
 *
 * Some questions about all of the history its holder can answer itself, so that its states need not travel: what
 * threads did with their time (histree_time_use_answer()).  Questions and answers are bytes of the library.
 * `view_ask` may keep a question until `view_send` or `view_take` is called; the bytes of an answer are borrowed
 * until `view_drop`, which also drops what was not answered.  If they are NULL, states are asked for.
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
	struct histree_query_stats (*cursor_stats)(const void *cursor);
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
 * Make a history of a description and a source, which it owns.  The source is freed if it fails.  It cannot be
 * verified, nor are there nodes to visit.  Returns HISTREE_ERR_FORMAT if the description is none.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_history_of_source(const struct histree_history_source *source, const void *description, size_t size,
			  struct histree_history **out, struct histree_error *error);

#endif
