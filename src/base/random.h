/* SPDX-License-Identifier: MIT */
/*
 * random.h - numbers that look random and are the same for the same seed, on every machine (SplitMix64).
 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"

struct random {
	uint64_t state;
};

static inline uint64_t random_bits(struct random *random)
{
	random->state += UINT64_C(0x9e3779b97f4a7c15);
	return hash_mix(random->state);
}

/* 0 .. bound - 1; the bias is too small for a test to see. */
static inline uint64_t random_below(struct random *random, uint64_t bound)
{
	return random_bits(random) % bound;
}

/* Returns a number from 0 to bound - 1 of 32 bits. */
static inline uint32_t random_index(struct random *random, uint32_t bound)
{
	return (uint32_t)random_below(random, bound);
}

static inline bool random_percent(struct random *random, unsigned percent)
{
	return random_below(random, 100) < percent;
}

#endif
