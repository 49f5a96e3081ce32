/* SPDX-License-Identifier: MIT */
/*
 * cluster.h - intervals on their way into leaves of columns: the buffers, and when they become leaves
 * (docs/design/01-tree.md).
 *
 * A tier is a buffer: the batch that is being filled.  When it is full it is written, while another one is filled.
 * What began more than one batch ago belongs to the next tier, so that every leaf covers a time of the order of its
 * batch's.
 *
 * One batch at a time may be written by a crew.  From the hand-over until it was waited for, the task owns
 * `writing`, `writer`, `written` and the taker of leaves; all else is the caller's.  The caller waits before it
 * hands over the next batch, and only then takes from the writer what it must know: so the leaves do not depend on
 * how fast either is.
 */
#ifndef TREE_CLUSTER_H
#define TREE_CLUSTER_H

#include "base/crew.h"
#include "tree/batch.h"
#include "tree/tree_shape.h"

enum { CLUSTER_TIERS = 4, RECENT_VALUES = 256 /* a power of two */ };

/* A value that the batch has in its list already, by which it is found without being encoded. */
struct recent_value {
	uint64_t key;    /* a long itself; of other types the hash of their bytes */
	uint32_t number; /* in the list */
	uint8_t type;    /* HISTREE_NULL: none */
};

struct cluster_tier {
	struct batch filling;
	struct recent_value recent[RECENT_VALUES]; /* by key */
	histree_time flushed, flushed_before;      /* where the last two batches ended */
};

struct cluster {
	histree_time start; /* of the tree */
	bool leaves_out_nulls;
	size_t chunks_max; /* of the first tier, by memory */
	size_t values_max; /* bytes of the values of a tier */
	const struct batch_length *length;
	/* How leaves of the batch before the last were: */
	size_t leaf_items; /* that made one */
	bool is_direct;    /* the last one did not share times */
	struct cluster_tier tiers[CLUSTER_TIERS];
	struct chunk_pool *pool; /* borrowed */
	uint64_t *known_keys;    /* a bit a key: those that had intervals in no batch that is being filled */
	size_t known_keys_capacity;
	bool closing; /* a null that ends at `closing_end` is after a lifetime */
	histree_time closing_end;

	struct batch writing;
	struct batch_writer writer;
	struct crew *crew;           /* NULL: the caller's thread writes */
	struct crew_task write;      /* the batch that was handed over */
	bool handed_over;            /* and has not been waited for */
	enum histree_status written; /* what became of the last batch that was handed over */
	struct histree_error written_error;
};

/* Prepare a zeroed cluster, which must not move.  Its chunks are from the pool, which outlives it. */
void cluster_init(struct cluster *cluster, const struct tree_options *options, const struct leaf_taker *taker,
		  struct chunk_pool *pool);

/* Take intervals.  The bytes of their values are copied. */
enum histree_status cluster_add(struct cluster *cluster, const struct histree_interval *intervals, size_t count,
				struct histree_error *error);

/*
 * Take items that are sorted in no way, and are to be of other keys: `keys` has these by their own.  `values` has
 * those of the items that are ITEM_LISTED.
 */
enum histree_status cluster_add_items(struct cluster *cluster, const struct column_item *items, size_t count,
				      const histree_quark *keys, const struct histree_value *values,
				      struct histree_error *error);

/* Returns whether the section LIFE says that a key is null in this interval, so that no leaf needs to. */
bool cluster_leaves_out(const struct cluster *cluster, const struct histree_interval *interval);

/* A key has intervals that are not added here.  Returns false if memory is out. */
bool cluster_know_key(struct cluster *cluster, histree_quark key);

/*
 * Wait until no task is at work; returns its error.  This changes nothing that leaves depend on: who looks at a
 * history while it grows does not change it.
 */
enum histree_status cluster_wait(struct cluster *cluster, struct histree_error *error);

/* Have all that is buffered written, and wait for it. */
enum histree_status cluster_flush(struct cluster *cluster, struct histree_error *error);

/*
 * Copy a cluster that was waited for into a zeroed one whose leaves go elsewhere, without a crew.  It is lent
 * most of what is buffered (batch.h).  Fails with HISTREE_ERR_MEMORY only; `copy` is to be released also then.
 */
enum histree_status cluster_copy(const struct cluster *cluster, const struct leaf_taker *taker,
				 struct chunk_pool *pool, struct cluster *copy);

/* What the task owns after a hand-over, the caller may use only now. */
void cluster_assert_waited_for(const struct cluster *cluster);

/* Finish the task and free the buffers.  A zeroed cluster has neither. */
void cluster_release(struct cluster *cluster);

#endif
