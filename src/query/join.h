/* SPDX-License-Identifier: MIT */
/*
 * join.h - what shares a key and a time: states with segments, segments with segments.
 *
 * What shares a key with a state or a segment that arrives at the sweep line, in the order of all.
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
