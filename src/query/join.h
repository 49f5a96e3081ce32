/* SPDX-License-Identifier: MIT */
/*
 * join.h - joins on a key and a time: states with segments, segments with segments.
 *
 * The partners of a state or a segment that arrives at the sweep line have the same key, and keep their order.
 */
#ifndef QUERY_JOIN_H
#define QUERY_JOIN_H

#include "base/hash_index.h"
#include "histree/segments.h"
#include "histree/value.h"

struct partner {
	uint64_t order; /* of what did not arrive, among all of its kind */
	const struct histree_interval *state;
	const struct histree_segment *segment;
};

#endif
