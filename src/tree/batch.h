/* SPDX-License-Identifier: MIT */
/*
 * batch.h - the batches of a cluster tree: how many intervals are collected, how they are kept, and how they
 * become leaves of columns, cut by key (docs/design/01-tree.md).
 *
 * A batch has K intervals for each of the A keys that have states at that time, in leaves of L intervals, ordered
 * by key.  Then
 *
 * 	single query	reads a leaf, and another one where batches overlap: 1 + O(1 / K);
 * 	range of time	of some attributes: a leaf a batch, one batch for each K changes of an attribute;
 * 	full query	goes through the series of all A keys, which are K long;
 * 	interval	takes its bytes, plus those of a series / K if leaves keep times directly.  Where the
 * 			intervals of a leaf share times they do so the more, the fewer intervals of a key it has.
 *
 * Intervals that become leaves together are kept in buckets by key as soon as they arrive.  Sorting many items by
 * key is limited by memory bandwidth: each pass moves all of them.  An item that is put into its bucket immediately
 * is moved only once more, within the processor's cache, when its bucket is sorted.  Buckets are lists of chunks
 * from a pool that batches share; only the pool may be used by two threads.
 */
#ifndef TREE_BATCH_H
#define TREE_BATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "histree/history.h"
#include "node/column_builder.h"
#include "tree/lifetimes.h"

struct batch_length {
	size_t per_key;            /* intervals for each key, if that is no more than a leaf */
	size_t per_key_min;        /* at least, if the last leaf shared its times */
	size_t per_key_min_direct; /* at least, if it did not */
	size_t leaf_share;         /* a batch is at least this share of a leaf, with few keys */
	uint32_t node_size;        /* of the tree, unless it is chosen; 0: that of the variant */
};

/* Returns the lengths for what is preferred, one of enum histree_preference. */
const struct batch_length *batch_length_of(enum histree_preference preference);

/* Returns how many intervals of `keys` keys make a batch. `leaf_items` is the number of intervals of a leaf. */
size_t batch_length_items(const struct batch_length *length, size_t keys, size_t leaf_items, bool is_direct);

enum {
	CHUNK_BYTES = 4096,
	CHUNK_ITEMS = (CHUNK_BYTES - (int)sizeof(void *)) / (int)sizeof(struct column_item),
};

struct chunk {
	struct chunk *next;
	struct column_item items[CHUNK_ITEMS];
};

struct chunk_pool {
	pthread_mutex_t mutex;
	struct chunk *free;
	void *slabs; /* a list, through the first bytes of each */
};

void chunk_pool_init(struct chunk_pool *pool);

/* Nothing of the pool may be in use any more. */
void chunk_pool_release(struct chunk_pool *pool);

/* Returns a chunk that is the caller's, NULL if memory runs out; give back a list of them, first to last. */
struct chunk *chunk_pool_take(struct chunk_pool *pool);
void chunk_pool_give(struct chunk_pool *pool, struct chunk *first, struct chunk *last);

/* Items in the order of arrival; all chunks but the last are full. */
struct bucket {
	struct column_item *next, *limit; /* room in the last chunk */
	struct chunk *first, *last;
	size_t full_chunks;
};

/* Full chunks of another batch that come before a bucket's own; NULL: it has no such chunks. */
struct lent_chunks {
	const struct chunk *first, *last;
};

struct batch {
	struct chunk_pool *pool;  /* borrowed */
	struct bucket *buckets;   /* by key >> shift */
	struct lent_chunks *lent; /* to a copy, by bucket; NULL: to no bucket */
	size_t lent_count;
	size_t bucket_count, buckets_capacity;
	unsigned shift;
	uint64_t *keys; /* a bit a key: those that have items */
	size_t keys_capacity;
	uint32_t *positions; /* for sorting a bucket: by key within it */
	size_t positions_capacity;
	size_t key_room;  /* keys below it have a bucket and a bit */
	size_t key_count; /* bits that are set */
	size_t count;
	size_t full;       /* number of items at which the owner has to act */
	size_t chunks;     /* of all buckets */
	size_t largest;    /* of the largest bucket */
	size_t chunks_max; /* with those of the largest bucket once more, for sorting; then `full` is 0 */
	histree_time start, end;
	struct intern values; /* encoded, of the items that are ITEM_LISTED */
};

/* Begin to fill a zeroed or cleared batch; keys below `key_room` are likely. */
void batch_begin(struct batch *batch, struct chunk_pool *pool, size_t key_room, size_t chunks_max);

static inline bool batch_is_large(const struct batch *batch)
{
	return batch->chunks + batch->largest >= batch->chunks_max;
}

/* Make room for an item of this key if there is no room.  Returns false if memory runs out. */
bool batch_reserve(struct batch *batch, histree_quark key);

/* Returns false if memory runs out. */
static inline bool batch_add(struct batch *batch, struct column_item item)
{
	histree_quark key = column_item_key(&item);
	if (key >= batch->key_room && !batch_reserve(batch, key))
		return false;
	struct bucket *bucket = &batch->buckets[key >> batch->shift];
	if (bucket->next == bucket->limit && !batch_reserve(batch, key))
		return false;
	/* Too many buckets are written for the processor to foresee where each of them goes on. */
	__builtin_prefetch((const void *)((uintptr_t)bucket->next + 192), 1);
	*bucket->next++ = item;
	uint64_t *word = &batch->keys[key / 64], bit = UINT64_C(1) << key % 64;
	batch->key_count += (*word & bit) == 0;
	*word |= bit;
	batch->count++;
	batch->start = item.start < batch->start ? item.start : batch->start;
	batch->end = item.end > batch->end ? item.end : batch->end;
	return true;
}

/*
 * Add intervals from the first on as long as they are integers that began at `since` or later, the batch is not
 * full, and there is room for them.  Returns how many.
 */
size_t batch_add_integers(struct batch *batch, const struct histree_interval *intervals, size_t count,
			  histree_time since);

static inline size_t bucket_item_count(const struct bucket *bucket)
{
	return bucket->last == NULL
		       ? 0
		       : bucket->full_chunks * CHUNK_ITEMS + (size_t)(bucket->next - bucket->last->items);
}

static inline bool batch_has(const struct batch *batch, histree_quark key)
{
	return key < batch->key_room && (batch->keys[key / 64] >> key % 64 & 1) != 0;
}

/* Move the items of a bucket, sorted by (key, start), to where there is room for bucket_item_count(). */
void batch_take(struct batch *batch, size_t bucket, struct column_item *items);

/*
 * Copy a batch into a zeroed one.  Full chunks are not copied but lent: until they are taken from `copy`, or it
 * was released, nothing may be added to `batch` or taken from it.  The copy's own chunks are from `pool`.  Fails
 * with HISTREE_ERR_MEMORY only; `copy` is to be released also then.
 */
enum histree_status batch_copy(const struct batch *batch, struct chunk_pool *pool, struct batch *copy);

/* Forget the values and keys of a batch without items, but keep its memory for the next. */
void batch_clear(struct batch *batch);

/* Assert that the buckets have as many items as the batch counts, and that its times enclose something. */
void batch_assert(const struct batch *batch);
void batch_release(struct batch *batch);

/* Where leaves go: to a tree (leaf_sources.c), or to a pack (leaf_pack.h). */
struct leaf_taker {
	void *context; /* borrowed */
	uint32_t node_size;
	/* Learn how long a key of the next leaf has states in it.  Returns false if memory runs out. */
	bool (*live)(void *context, histree_quark key, struct lifetime lifetime);
	/* Take the leaf that was encoded last, from a batch that starts at `start`. */
	enum histree_status (*take)(void *context, struct column_builder *leaf, histree_time start,
				    struct histree_error *error);
};

struct batch_writer {
	struct leaf_taker taker;
	struct table_space *tables; /* looked at now and then, as the taker has lifetimes there */
	double item_bytes;          /* on disk, as the last leaf had them */
	struct column_builder builder;
	struct column_item *items; /* sorted, on their way from a bucket to a leaf */
	size_t items_capacity;
	/* Of the current batch: its values, its next bucket, how many items are written, and how many sorted. */
	struct histree_value *values;
	size_t bucket, written, ready;
};

/* Begin to write leaves with a zeroed writer. */
void batch_writer_init(struct batch_writer *writer, const struct leaf_taker *taker, struct table_space *tables);

/* Returns how many items make a good leaf. */
size_t batch_writer_leaf_items(const struct batch_writer *writer);

/*
 * Write some leaves of a batch, one after another.  Returns HISTREE_OK if more are to be written, HISTREE_END if
 * the batch is empty now.  If this fails, some items are left in it.
 */
enum histree_status batch_writer_write(struct batch_writer *writer, struct batch *batch,
				       struct histree_error *error);

/* Copy what a writer learnt of the leaves that it wrote to a zeroed one whose leaves go to another taker. */
void batch_writer_copy(const struct batch_writer *writer, const struct leaf_taker *taker,
		       struct batch_writer *copy);
void batch_writer_release(struct batch_writer *writer);

#endif
