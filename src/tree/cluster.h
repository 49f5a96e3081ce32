/* SPDX-License-Identifier: MIT */
/*
 * cluster.h - the buffers below the branch of a cluster tree, and when they become leaves of columns
 * (docs/design/0002-columns.md).
 *
 * A tier is a buffer, the batch that is being filled.  Full, it is written, while another one is filled.  What
 * began more than one batch ago belongs to the next tier, so that every leaf covers a time of the order of its
 * batch's.
 *
 * Threads: one batch at a time may be written by a worker, which then owns `writing`, `writer` and whatever
 * attach() uses; the rest is the caller's.  The caller waits for it before it hands over the next one, and takes
 * from the writer then what it must know: so the file does not depend on how fast either is.
 */
#ifndef TREE_CLUSTER_H
#define TREE_CLUSTER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/worker.h"
#include "tree/batch_writer.h"

enum {
	CLUSTER_TIERS = 4,
	CLUSTER_TIER_SHARE = 8, /* the first tier may hold so many times the items of each other */
};

struct cluster_tier {
	struct batch filling;
	histree_time flushed, flushed_before; /* where the last two batches ended */
};

struct cluster {
	histree_time start; /* of the tree */
	size_t chunks_max;  /* of the first tier, by memory */
	size_t values_max;  /* bytes of the values of a tier */
	size_t leaf_items;  /* that make a leaf, as the batch before the last had them */
	struct cluster_tier tiers[CLUSTER_TIERS];
	struct chunk_pool pool;
	uint64_t *lived; /* a bit a key: those that had intervals in batches */
	size_t lived_capacity;
	bool closing; /* a null that ends at `closing_end` is after a lifetime */
	histree_time closing_end;

	struct batch writing;
	struct batch_writer writer;
	bool has_worker;
	struct worker worker;
	enum histree_status written; /* what became of the last batch that was handed over */
	struct histree_error written_error;
};

/*
 * A zeroed cluster with the writer's output, attach and context set.  `start` is the tree's; buffers and what is
 * being written take `memory` bytes at most; `parallel`: batches are written by a thread of their own.
 */
void cluster_init(struct cluster *cluster, histree_time start, size_t memory, bool parallel);

/* Nulls before a lifetime, and from cluster_close_at() on those after it, are left out. */
enum histree_status cluster_add(struct cluster *cluster, const struct histree_interval *interval,
				struct histree_error *error);

/* Intervals that end at `end` are the last of their keys. */
void cluster_close_at(struct cluster *cluster, histree_time end);

/* Write whatever is left; from then on there is one thread. */
enum histree_status cluster_finish(struct cluster *cluster, struct histree_error *error);

/*
 * What was handed over is written, or why it could not be.  Changes nothing that the file depends on: who looks at
 * a history while it grows does not change it.
 */
enum histree_status cluster_settle(struct cluster *cluster, struct histree_error *error);

/*
 * Of a settled cluster: as it is now, to be finished by itself and without a thread of its own.  Most of what is
 * buffered is lent (batch.h): until `copy` is released, nothing may be added to `cluster`.  `copy` is zeroed but
 * for the writer's output, attach and context.  HISTREE_ERR_MEMORY only; `copy` is to be released also then.
 */
enum histree_status cluster_copy(const struct cluster *cluster, struct cluster *copy);

void cluster_release(struct cluster *cluster);

#endif
