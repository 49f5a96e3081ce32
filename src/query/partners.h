/* SPDX-License-Identifier: MIT */
/*
 * partners.h - what shares a key with a state or a segment that arrives at the sweep line, in the order of all.
 */
#ifndef QUERY_PARTNERS_H
#define QUERY_PARTNERS_H

#include "query/active_segments.h"
#include "query/active_states.h"
#include "query/join_keys.h"

struct partner {
	uint64_t order; /* of what did not arrive, among all of its kind */
	const struct histree_interval *state;
	const struct histree_segment *segment;
};

/* A zeroed one is empty.  What is in it is borrowed until the next arrival. */
struct partners {
	struct partner *partners;
	size_t count, capacity;
};

/* Find the segments of a state.  Those that have ended leave the lists.  Returns false if memory is out. */
bool partners_of_state(struct partners *partners, const struct join_keys *keys,
		       const struct histree_interval *state);

/* Find the states of a segment that has this key.  Returns false if memory is out. */
bool partners_of_segment(struct partners *partners, const struct join_keys *keys, uint32_t key,
			 const struct active_states *states, const struct histree_segment *segment);

void partners_release(struct partners *partners);

#endif
