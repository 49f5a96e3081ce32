/* SPDX-License-Identifier: MIT */
/*
 * bench_engine.h - something that answers the queries of a benchmark: a history, its model, or a peer.
 *
 * Two engines that hold the same intervals give the same answer to the same question, whatever the order in
 * which they find the intervals: an answer is a count and a sum of hashes.
 */
#ifndef CLI_BENCH_ENGINE_H
#define CLI_BENCH_ENGINE_H

#include "base/hash.h"
#include "histree/query.h"

enum bench_shape {
	BENCH_SINGLE, /* one attribute, one time */
	BENCH_FULL,   /* all attributes, one time */
	BENCH_TIMES,  /* some attributes, a list of times */
	BENCH_RANGE,  /* some attributes, a range of times */
	BENCH_SHAPE_COUNT,
};

struct bench_answer {
	uint64_t intervals;
	uint64_t sum;                         /* of the hashes of the intervals */
	uint64_t nodes_visited, nodes_loaded; /* 0 from an engine that does not count them */
};

struct bench_engine {
	const char *name;
	/* `question` is one of `shape`; the answer is zeroed before. */
	enum histree_status (*ask)(void *self, enum bench_shape shape, const struct histree_region *question,
				   struct bench_answer *answer, struct histree_error *error);
	void *self;
};

static inline uint64_t bench_value_hash(const struct histree_value *value)
{
	switch (value->type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		return 0;
	case HISTREE_INT:
		return (uint64_t)value->int32 + 1;
	case HISTREE_BOOL:
		return (uint64_t)value->boolean + 1;
	case HISTREE_LONG:
	case HISTREE_DOUBLE:
		return (uint64_t)value->int64 + 1; /* a double by its bits */
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		return hash_bytes(value->bytes, value->size);
	}
	return 0;
}

/* Takes a few ns: it is part of what is measured, and the same for every engine. */
static inline void bench_answer_add(struct bench_answer *answer, const struct histree_interval *interval)
{
	answer->intervals++;
	answer->sum +=
		hash_mix((uint64_t)interval->start * UINT64_C(0x9e3779b97f4a7c15) +
			 (uint64_t)interval->end * UINT64_C(0xc2b2ae3d27d4eb4f) +
			 interval->quark * UINT64_C(0x165667b19e3779f9) +
			 bench_value_hash(&interval->value) * UINT64_C(0x27d4eb2f165667c5) + interval->value.type);
}

#endif
