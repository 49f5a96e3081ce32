/* SPDX-License-Identifier: MIT */
/*
 * effort.h - how much a test does, and where its random numbers begin.
 *
 *	HISTREE_TESTS	quick: a sample, as `make check` takes it; full, or nothing: all of it
 *	HISTREE_SEED	another seed than the one that is always the same
 *	HISTREE_ROUNDS	that many times the rounds, each with a seed one greater
 *
 * The first test of a program that asks for the seed prints it, so that a fault can be had again.
 */
#ifndef SUPPORT_EFFORT_H
#define SUPPORT_EFFORT_H

#include <stdbool.h>
#include <stdint.h>

uint64_t test_seed(void);
uint64_t test_rounds(void);
bool test_is_quick(void);

/* The number for a full run or the one for a quick run: of rounds, or of steps from one case to the next. */
uint64_t test_effort(uint64_t full, uint64_t quick);

#endif
