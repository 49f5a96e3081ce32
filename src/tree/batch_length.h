/* SPDX-License-Identifier: MIT */
/*
 * batch_length.h - how many intervals a cluster tree collects before it writes them, and into leaves of which size:
 * what an answer costs, and what an interval does (docs/design/0029-preferences.md).
 *
 * A batch has K intervals for each of the A keys that have states at the time, in leaves of L intervals by key.
 * Then
 *
 *	single query	reads a leaf, and another one where batches overlap: 1 + O(1 / K);
 *	range of time	of some attributes: a leaf a batch, one batch for each K changes of an attribute;
 *	full query	goes through the series of all A keys, which are K long;
 *	interval	takes its bytes, plus those of a series / K if leaves keep times directly.  Where the
 *			intervals of a leaf share times they do so the more, the fewer intervals of a key it has.
 */
#ifndef TREE_BATCH_LENGTH_H
#define TREE_BATCH_LENGTH_H

#include <stdbool.h>
#include <stddef.h>

#include "histree/state_system.h"

struct batch_length {
	size_t per_key;            /* intervals for each key, if that is no more than a leaf */
	size_t per_key_min;        /* at least, if the last leaf shared its times */
	size_t per_key_min_direct; /* at least, if it did not */
	size_t leaf_share;         /* a batch is at least this share of a leaf, with few keys */
	uint32_t node_size;        /* of the tree, unless it is chosen; 0: that of the variant */
};

/* Returns the lengths for what is preferred, one of enum histree_preference. */
const struct batch_length *batch_length_of(enum histree_preference preference);

/* Returns how many intervals of so many keys are a batch.  `leaf_items` are those that make a leaf. */
size_t batch_length_items(const struct batch_length *length, size_t keys, size_t leaf_items, bool is_direct);

#endif
