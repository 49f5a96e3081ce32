/* SPDX-License-Identifier: MIT */
/*
 * lifetimes.h - the time in which each attribute has states on disk.  Outside of it the attribute is null
 * (thesis 5.3).
 *
 * Section LIFE: a lifetime block for every 64 attributes, then a directory of these blocks
 * (bytes.h), then the size of all blocks (8 bytes).  A block has two columns: `first` of each
 * lifetime, counted from the start of the history, and `last` of each, counted back from its end.  The lifetime of
 * an attribute that is always null is empty: its last lies one nanosecond before the start of the history.
 *
 * The attributes of a thread begin together, and they end together or at one of two times.  So a column stores a
 * number only where it changes to a fresh one.  Bits say where the number stays as it is and where it goes back to
 * what it was before the last change:
 *
 * 	varint	the smallest number
 * 	1 byte	how many numbers are stored, less 1
 * 	1 byte	their width; 128 more if every change is to a fresh number
 * 	8 bytes	unless only one number is stored: bit i is set if attribute i differs from the one before it
 * 	8 bytes	if some changes go back: bit i is set if attribute i has a fresh number
 * 	bits	the fresh numbers, counted from the smallest
 *
 * A reader of attribute i reads the bits and one number, not the attributes before it.  The section of a finished
 * tree is read in place.
 */
#ifndef TREE_LIFETIMES_H
#define TREE_LIFETIMES_H

#include "base/bytes.h"
#include "base/table.h"
#include "histree/value.h"
#include "node/node.h"
#include "store/block_file.h"

struct lifetime {
	histree_time first, last; /* the first start and the last end on disk; first > last: no lifetime */
};

static const struct lifetime lifetime_none = { .first = INT64_MAX, .last = INT64_MIN };

enum {
	LIFETIMES_IN_BLOCK = 64,
	LIFETIMES_BLOCK_SIZE_MIN = 6, /* two columns of three bytes */
	LIFETIMES_ALL_FRESH = 128,
	LIFETIMES_FOOTER_SIZE = 8,
};

/* The lifetimes of a tree that is being written.  A zeroed struct has no attributes. */
struct lifetimes {
	struct lifetime *by_key;
	size_t count, capacity;
	struct table table; /* of `by_key` */
};

/* Widen the lifetime of a key by this one.  Fails with HISTREE_ERR_MEMORY only. */
enum histree_status lifetimes_add(struct lifetimes *lifetimes, histree_quark key, struct lifetime lifetime);

/* Returns whether a key has a lifetime so far. */
static inline bool lifetimes_has(const struct lifetimes *lifetimes, histree_quark key)
{
	return key < lifetimes->count && lifetimes->by_key[key].first <= lifetimes->by_key[key].last;
}

/* Write the section LIFE: the lifetimes of the keys below `key_count`. */
enum histree_status lifetimes_write(const struct lifetimes *lifetimes, uint32_t key_count, histree_time start,
				    histree_time end, struct block_file *file, struct histree_error *error);

/*
 * Fill in the intervals of null before and after a lifetime, or the one that covers the history if there is no
 * lifetime.  Returns how many there are, 0 to 2.
 */
unsigned lifetime_nulls(struct lifetime lifetime, histree_quark key, histree_time start, histree_time end,
			struct histree_interval nulls[2]);

/* Returns how many these are. */
static inline unsigned lifetime_null_count(struct lifetime lifetime, histree_time start, histree_time end)
{
	if (lifetime.first > lifetime.last)
		return 1;
	return (unsigned)(lifetime.first > start) + (unsigned)(lifetime.last < end);
}

/* Copy them, in the same space.  Returns false if memory runs out; `copy` is then empty. */
bool lifetimes_copy(const struct lifetimes *lifetimes, struct lifetimes *copy);
void lifetimes_release(struct lifetimes *lifetimes);

/* A zeroed struct has no attributes. */
struct lifetimes_view {
	uint8_t *bytes;
	struct block_directory blocks;
	histree_time start, end;
	uint32_t count;
};

/* Read the section into memory and check its size.  What is in it is checked when a lifetime is asked for. */
enum histree_status lifetimes_view_open(struct lifetimes_view *view, uint32_t key_count, histree_time start,
					histree_time end, const struct block_file *file,
					struct histree_error *error);

/*
 * Returns the lifetime of a key below `count`.  It lies inside the history; an invalid one is returned as no
 * lifetime.
 */
struct lifetime lifetimes_view_get(const struct lifetimes_view *view, histree_quark key);

/* Keys of a block that follow one another and have one lifetime. */
struct lifetime_run {
	struct lifetime lifetime;
	unsigned end; /* the first key behind them, counted from that of the block */
};

/*
 * Get the lifetimes of the keys of a block, from `key` on, a multiple of LIFETIMES_IN_BLOCK.  Returns how many runs
 * they are; the last one ends at LIFETIMES_IN_BLOCK.
 */
unsigned lifetimes_view_get_runs(const struct lifetimes_view *view, histree_quark key,
				 struct lifetime_run runs[LIFETIMES_IN_BLOCK]);

/* The same, key by key: cheaper than one by one. */
void lifetimes_view_get_block(const struct lifetimes_view *view, histree_quark key,
			      struct lifetime lifetimes[LIFETIMES_IN_BLOCK]);

/*
 * Narrow a region to the lifetimes of its keys: nodes have nothing outside.  Lifetimes of a few attributes are
 * often short, as threads are, while the bounds of nodes, which hold the young and the old, keep no key out.
 * Returns false if nothing is left.  *has_nulls is false if none of the keys has a null in the region outside of
 * its lifetime; true says nothing.
 */
bool lifetimes_view_narrow(const struct lifetimes_view *lifetimes, struct node_region *region, bool *has_nulls);
void lifetimes_view_release(struct lifetimes_view *view);

#endif
