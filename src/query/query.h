/* SPDX-License-Identifier: MIT */
/*
 * query.h - a query of states, answered through a table of functions: by the tree of a file with the slices of a
 * partial history, by a source outside this process (query.c), or by the hosts of a union (union_query.c), which
 * query their histories through the same table.
 */
#ifndef QUERY_QUERY_H
#define QUERY_QUERY_H

#include <assert.h>

#include "base/cursor.h"
#include "histree/states.h"
#include "tree/tree_reader.h"

struct query;

struct query_kind {
	/* Lists are sorted, times and attributes are the history's, something is asked for; and it was stopped. */
	enum histree_status (*start)(struct query *query, const struct histree_region *region,
				     struct histree_error *error);
	enum histree_status (*read)(struct query *query, struct histree_interval *out, size_t room, size_t *count,
				    struct histree_error *error);
	/* Drops what was started.  The attribute and the time are the history's. */
	enum histree_status (*single)(struct query *query, histree_quark quark, histree_time t,
				      struct histree_interval *out, struct histree_error *error);
	/* NULL: it has threads where it is, or none. */
	enum histree_status (*set_threads)(struct query *query, unsigned threads, struct histree_error *error);
	struct tree_counts (*counts)(const struct query *query);
	/* Drop what is left of an answer, and the node that is held. */
	void (*stop)(struct query *query);
	void (*free)(struct query *query);
};

/* What all kinds have; theirs begin with it. */
struct query {
	struct histree_cursor base;
	const struct query_kind *kind;
	struct histree_interval row;   /* the last of histree_cursor_next() */
	struct histree_interval *rows; /* of histree_cursor_read(); NULL: not needed yet */
	size_t rows_room;
	struct histree_history *history;
	const struct histree_history_info *info;
	struct histree_cursor *numbers; /* of the number overview; NULL: not needed yet */
};

extern const struct cursor_kind query_cursor_kind;

static inline struct query *query_of(const struct histree_cursor *cursor)
{
	assert(cursor->kind == &query_cursor_kind);
	return (struct query *)(uintptr_t)cursor;
}

/*
 * Make the query of a kind.  Its struct has `size` bytes, zeroed except for the common part; NULL: memory runs out.
 */
struct query *query_new(const struct query_kind *kind, size_t size, struct histree_history *history);

/* A query of a history that is no union. */
enum histree_status query_of_host_create(struct histree_history *history, struct histree_cursor **out,
					 struct histree_error *error);

/*
 * Get the query of the number overview, which the history has.  It belongs to `cursor`, which makes it when it is
 * first asked.
 */
enum histree_status query_numbers(struct histree_cursor *cursor, struct histree_cursor **out,
				  struct histree_error *error);

/*
 * Get the query of a host's own history from that of a union, whose statistics it counts in from here on.  It
 * belongs to `cursor`, whose answer is dropped.
 */
enum histree_status union_query_of_host(struct histree_cursor *cursor, size_t host, struct histree_cursor **out,
					struct histree_error *error);

#endif
