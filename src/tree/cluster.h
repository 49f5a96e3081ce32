/* SPDX-License-Identifier: MIT */
/*
 * cluster.h - the buffers below the branch of a cluster tree, and how they become leaves of columns
 * (docs/design/0002-columns.md).
 *
 * A tier is a buffer.  Full, it becomes a batch of leaves, cut by key, but for the intervals that began more than
 * one batch ago: they go to the next tier, so that every leaf covers a time of the order of its batch's.
 */
#ifndef TREE_CLUSTER_H
#define TREE_CLUSTER_H

#include <stdbool.h>

#include "base/intern.h"
#include "node/column_builder.h"
#include "tree/lives.h"
#include "tree/tree_output.h"

enum {
	CLUSTER_TIERS = 4,
	CLUSTER_TIER_SHARE = 8, /* the first tier may hold so many times the items of each other */
};

struct cluster_tier {
	struct column_item *items; /* in the order of their arrival */
	size_t count, capacity;
	histree_time start, end;        /* the smallest start and the greatest end of the items, if there are any */
	histree_quark key_min, key_max; /* likewise */
	size_t full;                    /* as many items are a batch, as far as is known */
	struct intern values;           /* encoded, of the items that are ITEM_LISTED */
	histree_time flushed, flushed_before; /* where the last two batches ended */
};

struct cluster {
	struct tree_output *output; /* borrowed */
	histree_time start;         /* of the tree */
	size_t items_max;           /* of the first tier, by memory */
	size_t values_max;          /* bytes of the values of a tier */
	double item_bytes;          /* on disk, as the last leaf had them */
	struct cluster_tier tiers[CLUSTER_TIERS];
	struct column_builder builder;
	struct column_item *spare; /* for sorting */
	size_t spare_capacity;
	uint64_t *present; /* a bit a key: those that had intervals in the tiers when closing began */
	size_t present_capacity;
	struct lives lives; /* of what is written */
	bool closing;       /* nulls that end at `closing_end` end a life */
	histree_time closing_end;

	/* Takes a leaf that was written, one of a batch that starts at `start`. */
	enum histree_status (*attach)(void *context, const struct node_child *leaf, histree_time start,
				      struct histree_error *error);
	void *context;
};

/* A zeroed cluster with output, items_max, values_max, attach and context set; `start` is the tree's. */
void cluster_init(struct cluster *cluster, histree_time start);

/* Nulls at the beginning and, from cluster_close_at() on, at the end of a life are left out. */
enum histree_status cluster_add(struct cluster *cluster, const struct histree_interval *interval,
				struct histree_error *error);

/* Intervals that end at `end` are the last of their keys.  HISTREE_ERR_MEMORY: they are then kept. */
enum histree_status cluster_close_at(struct cluster *cluster, histree_time end);

/* Write whatever is left. */
enum histree_status cluster_finish(struct cluster *cluster, struct histree_error *error);

/*
 * The cluster as it is now, to be finished by itself; its leaves go to where `copy` says: output, attach and context
 * are set.  HISTREE_ERR_MEMORY only; `copy` is to be released also then.
 */
enum histree_status cluster_copy(const struct cluster *cluster, struct cluster *copy);

void cluster_release(struct cluster *cluster);

#endif
