/* SPDX-License-Identifier: MIT */
/*
 * workload.h - what a trace does to a state history, made up from a seed: changes, and the intervals that follow.
 *
 * The rules are those of histree/history.h, said once more in the plainest way: an attribute is null
 * from the start; a change ends the state at t - 1; a change to the same value is none; a change at
 * the start of a state replaces it.
 *
 * A workload stays one if any of its changes are taken out: this is what makes it shrink.
 */
#ifndef SUPPORT_WORKLOAD_H
#define SUPPORT_WORKLOAD_H

#include <stddef.h>

#include "base/arena.h"
#include "histree/value.h"

struct change {
	histree_time at;
	histree_quark quark;
	struct histree_value value;
};

struct workload {
	histree_time start, end;
	uint32_t key_count;
	struct change *changes; /* by non-decreasing time */
	size_t count;
	size_t disorder; /* places that an interval may be away from the order of ends */
	uint64_t seed;
	struct arena bytes; /* of the values */
};

/* Which attribute changes next. */
enum workload_choice {
	CHOOSE_ANY,
	CHOOSE_FEW,   /* one attribute in ten has nearly all the changes */
	CHOOSE_FIRST, /* attribute 0 at each step, the others rarely */
	CHOOSE_LATE,  /* attributes begin one after the other, over the whole length */
};

struct workload_kind {
	const char *name;
	uint32_t key_count;
	size_t changes;
	histree_time start;
	uint64_t step_max;    /* ns from one change to the next at most; 0: the history is one moment long */
	unsigned tie_percent; /* changes at the time of the one before */
	enum workload_choice choice;
	uint32_t text_size_max; /* now and then a string or custom value is that long */
	size_t disorder;
};

/* Every kind, ended by one without a name. */
extern const struct workload_kind workload_kinds[];

/* False when memory is out. */
bool workload_make(struct workload *workload, const struct workload_kind *kind, uint64_t seed);
void workload_release(struct workload *workload);

/* The intervals in the order in which a tree gets them.  NULL when memory is out; the caller frees them. */
struct histree_interval *workload_intervals(const struct workload *workload, size_t *count);

/* On stderr, for people. */
void workload_print(const struct workload *workload);

#endif
