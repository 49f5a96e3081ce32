/* SPDX-License-Identifier: MIT */
/*
 * union_cut.h - the parts of a region that are of one host each, in the words of the host's own history.
 */
#ifndef QUERY_UNION_CUT_H
#define QUERY_UNION_CUT_H

#include "histree/query.h"
#include "state/history_union.h"

/* A zeroed one has nothing. */
struct union_cut {
	const struct history_union *joined;
	struct histree_region region; /* its lists are the caller's */
	histree_time from, to;
	size_t next; /* of the list of attributes, or, if all are asked for, the host */
	/* The list in the words of the shards, as far as it was cut; of no use if all are asked for. */
	histree_quark *shifted;
	size_t shifted_capacity;
};

struct host_part {
	uint32_t number;   /* of the host */
	bool wants_folder; /* its folder is asked for */
	bool asks_shard;   /* the shard has something to say */
	/* The attributes that are asked for: from `first` to `end` of the list, or all of the shard. */
	size_t first, end;
	struct histree_region own; /* what the shard is asked */
};

/* Something is asked for. */
enum histree_status union_cut_begin(struct union_cut *cut, const struct history_union *joined,
				    const struct histree_region *region, struct histree_error *error);
void union_cut_release(struct union_cut *cut);

/* Get the part of the next host of which something is asked for.  Returns false if there is none. */
bool union_cut_next(struct union_cut *cut, struct host_part *part);

/* Returns whether a time that is asked for lies in a range. */
bool union_cut_asks_for(const struct union_cut *cut, histree_time start, histree_time end);

#endif
