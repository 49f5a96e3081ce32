/* SPDX-License-Identifier: MIT */
/*
 * column_builder.h - make a leaf of columns from intervals that are all at hand, sorted by (key, start).
 */
#ifndef NODE_COLUMN_BUILDER_H
#define NODE_COLUMN_BUILDER_H

#include <stdbool.h>

#include "base/bits.h"
#include "base/radix_sort.h"
#include "node/node.h"

/* An interval on its way to disk, in 24 bytes: many of them are moved about. */
struct column_item {
	histree_time start, end;
	uint32_t key_and_kind; /* the kind is in the two upper bits */
	uint32_t value;        /* ITEM_INT: the number; ITEM_LISTED: its place in a list of values */
};

enum column_item_kind {
	ITEM_NULL,
	ITEM_INT,
	ITEM_LISTED,
};

/* Keys are below it. */
#define COLUMN_KEY_LIMIT (UINT32_C(1) << 30)

static inline struct column_item column_item(histree_time start, histree_time end, histree_quark key,
					     enum column_item_kind kind, uint32_t value)
{
	return (struct column_item){
		.start = start, .end = end, .key_and_kind = key | (uint32_t)kind << 30, .value = value
	};
}

static inline histree_quark column_item_key(const struct column_item *item)
{
	return item->key_and_kind & (COLUMN_KEY_LIMIT - 1);
}

static inline enum column_item_kind column_item_kind(const struct column_item *item)
{
	return (enum column_item_kind)(item->key_and_kind >> 30);
}

/* Scratch that is kept from leaf to leaf.  A zeroed one is fine. */
struct column_builder {
	struct column_segment *segments;
	size_t segment_count, segments_capacity;
	struct keyed_index *moments, *spare_moments; /* boundaries, being sorted */
	size_t moments_capacity, spare_capacity;
	uint64_t *times; /* distinct, above the leaf's start */
	size_t time_count, times_capacity;
	uint64_t *ends; /* by item: the moment at which it ends */
	size_t ends_capacity;
	uint32_t *entries; /* by value of the list: its entry in the leaf's dictionary + 1; 0: none yet */
	size_t entries_capacity;
	uint32_t *dictionary; /* by entry: the value of the list */
	size_t dictionary_count, dictionary_capacity;
	bool direct;     /* what the last comparison of the two ways to store times chose */
	unsigned leaves; /* so far */

	/* The leaf that was encoded last. */
	struct bit_buffer bits; /* its body */
	struct node_child bounds;
	uint32_t item_count;
	size_t times_offset, dictionary_offset, blocks_offset;
};

/*
 * Encode `count` > 0 items.  Returns the bytes of the leaf with its header; it may be more than a node has, then
 * the caller tries fewer.  0: memory is out.
 */
size_t column_builder_encode(struct column_builder *builder, const struct column_item *items, size_t count,
			     const struct histree_value *values, size_t value_count);

/* Write the leaf just encoded, which must fit, into `block`; see node_builder_seal(). */
uint32_t column_builder_seal(struct column_builder *builder, const struct node_layout *layout, uint32_t number,
			     uint8_t *block, struct node_child *child);

void column_builder_release(struct column_builder *builder);

#endif
