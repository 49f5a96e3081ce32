/* SPDX-License-Identifier: MIT */
/*
 * union_query.h - a query of a history of several hosts, by a query of each host's history
 * (docs/design/13-hosts.md).
 *
 * The sorted list of attributes is cut at the borders of hosts, and times are clipped to those of the shard; what
 * is outside of them is null.  One host is handed out after the other; some are asked ahead of the others.
 */
#ifndef QUERY_UNION_QUERY_H
#define QUERY_UNION_QUERY_H

#include "histree/states.h"
#include "state/history_union.h"

struct host_part {
	uint32_t number;   /* of the host */
	bool wants_folder; /* its folder is asked for */
	bool asks_shard;   /* the shard has something to say */
	/* The attributes that are asked for: from `first` to `end` of the list, or all of the shard. */
	size_t first, end;
	struct histree_region own; /* what the shard is asked */
};

struct shard_readers;
struct union_query;

enum histree_status union_query_create(struct histree_history *history, struct union_query **out,
				       struct histree_error *error);
void union_query_free(struct union_query *query);

/* Lists are sorted, times and attributes are the union's: the caller checks.  Something is asked for. */
enum histree_status union_query_start(struct union_query *query, const struct histree_region *region,
				      struct histree_error *error);

/* Drop what is left. */
void union_query_stop(struct union_query *query);
enum histree_status union_query_read(struct union_query *query, struct histree_interval *out, size_t room,
				     size_t *count, struct histree_error *error);

/* Likewise: of an attribute and a time that are there. */
enum histree_status union_query_single(struct union_query *query, histree_quark quark, histree_time t,
				       struct histree_interval *out, struct histree_error *error);
enum histree_status union_query_set_threads(struct union_query *query, unsigned threads,
					    struct histree_error *error);
struct tree_counts union_query_stats(const struct union_query *query);

/*
 * Get the query of a host's own history, whose statistics are those of the union from here on.  It belongs to
 * `query`, whose answer is dropped.
 */
enum histree_status union_query_of_host(struct union_query *query, size_t host, struct histree_cursor **out,
					struct histree_error *error);

#endif
