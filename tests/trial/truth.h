/* SPDX-License-Identifier: MIT */
/*
 * truth.h - all that a sound history says, to hold others against.
 */
#ifndef TRIAL_TRUTH_H
#define TRIAL_TRUTH_H

#include "base/arena.h"
#include "histree/histree.h"

struct truth {
	struct histree_interval *intervals; /* by (quark, start) */
	size_t count, capacity;
	size_t *first; /* by quark, and one more */
	uint32_t key_count;
	struct arena bytes;
	char **paths; /* by quark */
	histree_time start, end;
};

/* Say why, and exit with 2: it could not be tried. */
__attribute__((format(printf, 1, 2), noreturn)) void give_up(const char *format, ...);

void truth_learn(struct truth *truth, struct histree_history *history);
void truth_release(struct truth *truth);

/* The interval that begins as `wanted` does; NULL if there is none. */
const struct histree_interval *truth_find(const struct truth *truth, const struct histree_interval *wanted);

/* The interval of the attribute at a time. */
const struct histree_interval *truth_at(const struct truth *truth, histree_quark quark, histree_time time);

/* A query for everything that a history has. */
struct histree_cursor *truth_ask_all(struct histree_history *history);

/* Of an attribute; the caller frees it. */
char *truth_path(const struct histree_attributes *attributes, histree_quark quark);

#endif
