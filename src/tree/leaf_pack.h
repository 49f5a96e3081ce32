/* SPDX-License-Identifier: MIT */
/*
 * leaf_pack.h - the buffers of a cluster tree (intervals by key, in tiers), which become packs of leaves, and the
 * bytes of packs on their way to the thread or process that writes the tree.
 *
 * The intervals are on their way into leaves of columns (docs/design/01-tree.md).  A *tier* is a buffer: the batch
 * that is being filled.  When it is full it is written, while another one is filled.  An interval that began more
 * than one batch ago goes to the next tier, so the time that a leaf covers is of the order of that of its batch.
 *
 * One batch at a time may be written by a crew.  From the hand-over until it was waited for, the task owns
 * `writing`, `writer`, `written` and the taker of leaves; all else is the caller's.  The caller waits before it
 * hands over the next batch, and only then takes from the writer what it must know: so the leaves do not depend on
 * how fast either is.
 *
 * A *pack* has leaves that are made apart from their tree, by another thread or process.
 *
 * The producer of intervals keeps them in a pack, by keys of its own.  Once the keys of the tree are known for
 * these, the pack makes leaves as the tree would, and the writer of the tree hangs them below its branch:
 *
 * 	leaf_pack_create(tree_writer_packs(writer), &pool, kept_max, &pack, &error);
 * 	leaf_pack_keep(pack, &interval, &error);	// any number
 * 	leaf_pack_make(pack, keys, &scratch, &error);
 * 	tree_writer_take_pack(writer, pack, &error);
 * 	leaf_pack_free(pack);				// before the writer
 *
 * Threads: a pack belongs to one thread at a time, which need not be that of the writer.
 */
#ifndef TREE_LEAF_PACK_H
#define TREE_LEAF_PACK_H

#include "base/bytes.h"
#include "base/crew.h"
#include "tree/batch.h"
#include "tree/lifetimes.h"
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

/* Returns whether the section LIFE says that a key is null in this interval, so that no leaf needs to. */
bool cluster_leaves_out(const struct cluster *cluster, const struct histree_interval *interval);

/* A key has intervals that are not added here.  Returns false if memory runs out. */
bool cluster_know_key(struct cluster *cluster, histree_quark key);

/*
 * Wait until no task is running, and return its error.  This changes nothing that leaves depend on: a reader of a
 * growing history does not change its file.
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

struct leaf_pack;

/*
 * Begin one for a tree with these options, whose chunks are from a pool that outlives it.  It keeps `kept_max`
 * bytes at most; to make leaves of them takes about as much again.
 */
enum histree_status leaf_pack_create(const struct tree_options *options, struct chunk_pool *pool, size_t kept_max,
				     struct leaf_pack **out, struct histree_error *error);

/*
 * Keep an interval, which is not a null at the start or the end of the tree; the bytes of its value are copied.
 * Returns HISTREE_ERR_TOO_LARGE if the pack is full.
 */
enum histree_status leaf_pack_keep(struct leaf_pack *pack, const struct histree_interval *interval,
				   struct histree_error *error);

/* What a thread uses again from pack to pack; a zeroed one is fine. */
struct leaf_scratch {
	struct column_builder builder;
	struct column_item *items;
	size_t items_capacity;
};

void leaf_scratch_release(struct leaf_scratch *scratch);

/* Make leaves of all that is kept: by the key that it was kept by, `keys` says which one of the tree it is. */
enum histree_status leaf_pack_make(struct leaf_pack *pack, const histree_quark *keys, struct leaf_scratch *scratch,
				   struct histree_error *error);

/* ---- what was made ------------------------------------------------------------------------------------------- */

struct pack_leaf {
	struct node_child bounds;
	size_t offset;      /* in the bytes of the pack: a sealed node, with a number of no meaning */
	uint32_t used;      /* bytes */
	histree_time start; /* of its batch */
};

/* A key, and when it has states in the leaves; a key may come more than once. */
struct pack_life {
	histree_quark key;
	struct lifetime lifetime;
};

/* What the intervals are, all together. */
struct pack_sums {
	uint64_t intervals, nulls, key_count; /* the last: greatest key + 1 */
	histree_time end;
	bool has_unknown;
};

struct leaf_pack {
	struct tree_options options;
	struct chunk_pool *pool; /* borrowed */
	size_t kept_max;

	/* What is kept, in the order of arrival: all chunks but the last are full. */
	struct chunk *first, *last;
	struct column_item *next, *limit;
	size_t chunk_count;
	struct intern values; /* encoded, of the items that are ITEM_LISTED */
	histree_time start;   /* the least */
	struct pack_sums sums;

	struct pack_leaf *leaves;
	size_t leaf_count, leaf_capacity;
	uint8_t *bytes; /* of the leaves */
	size_t size, capacity;
	struct pack_life *lives;
	size_t life_count, life_capacity;
	struct node_layout layout;
	uint8_t *block; /* the leaf that is being sealed */
};

/* ---- made elsewhere (docs/design/12-build.md) --------------------------------------------------------------- */

/*
 * Write the leaves of a pack as bytes, or read them into a pack that keeps nothing.  HISTREE_ERR_FORMAT: the bytes
 * are malformed.
 */
void leaf_pack_save(const struct leaf_pack *pack, struct byte_buffer *out);
enum histree_status leaf_pack_load(struct leaf_pack *pack, uint64_t key_limit, struct byte_reader *reader,
				   struct histree_error *error);

/* NULL is fine. */
void leaf_pack_free(struct leaf_pack *pack);

#endif
