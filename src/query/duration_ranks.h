/* SPDX-License-Identifier: MIT */
/*
 * duration_ranks.h - which duration has a rank in its group, exactly and without sorting.
 *
 * Counts by bucket of duration say in which bucket a rank lies.  Only the segments that last as long are read:
 * they are counted in smaller parts of the bucket, and again, until a part is one duration (a radix select from
 * the top).
 */
#ifndef QUERY_DURATION_RANKS_H
#define QUERY_DURATION_RANKS_H

#include "query/segment_summaries.h"
#include "query/value_table.h"

/* The group of all segments; that of value i is i + 1. */
enum { RANKS_OF_ALL = 0 };

/* What a group has in a bucket. */
struct rank_bucket {
	uint32_t group, bucket;
	uint64_t count, min, max;
};

struct rank_target {
	uint32_t group;
	uint64_t min, max; /* durations between which it is */
	uint64_t rank;     /* among those */
	uint64_t *out;
};

/* A zeroed one is empty. */
struct duration_ranks {
	struct rank_bucket *buckets; /* in the order in which they came; then sorted by group and bucket */
	size_t count, capacity;
	struct hash_index index;     /* of buckets, until they are sorted */
	struct rank_target *targets; /* still to be found */
	size_t target_count, targets_capacity;
};

/*
 * Count what one group has in a bucket: that of all, or any of the others.  Buckets ascend with durations.
 * Returns false if memory is out.
 */
bool duration_ranks_add(struct duration_ranks *ranks, uint32_t group, uint32_t bucket,
			const struct segment_summary *summary);

/* After all additions: sum up what all have, if they were told apart.  Returns false if memory is out. */
bool duration_ranks_sort(struct duration_ranks *ranks);

/*
 * Then ask for the duration of a rank, counted from 1, which the group has.  `*out` is set at once
 * or by duration_ranks_find().  Returns false if memory is out.
 */
bool duration_ranks_ask(struct duration_ranks *ranks, uint32_t group, uint64_t rank, uint64_t *out);

/*
 * Set all that was asked for.  `values` has those of the request's field.  Returns HISTREE_PARTIAL if the store has
 * not the segments that were counted.
 */
enum histree_status duration_ranks_find(struct duration_ranks *ranks, struct histree_segment_store *store,
					const struct histree_segment_query *query, size_t field,
					struct value_table *values, struct histree_error *error);

void duration_ranks_release(struct duration_ranks *ranks);

#endif
