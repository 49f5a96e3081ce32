/* SPDX-License-Identifier: MIT */
/*
 * column_builder.h - makes a leaf of columns from intervals that are all in memory, sorted by (key, start).
 *
 * A block holds up to 32 series, cut from the items and written with each column as wide as this block needs
 * (column_block.h).  An interval on its way into a leaf takes 24 bytes, because many of them are moved about.
 */
#ifndef NODE_COLUMN_BUILDER_H
#define NODE_COLUMN_BUILDER_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/search.h"
#include "histree/value.h"
#include "node/column_block.h"
#include "node/node.h"

struct column_item {
	histree_time start, end;
	uint32_t key_and_kind; /* the kind is in the two upper bits */
	uint32_t value;        /* ITEM_INT: the number; ITEM_LISTED: its number in a list of values; ITEM_NULL: 0 */
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

/* The values of a leaf that are not integers.  Entry 0 is null, for series that have null among other values. */
struct column_dictionary {
	uint32_t *entries; /* by value of the list: its entry; 0: none yet */
	size_t entries_capacity;
	uint32_t *values; /* by entry: the value of the list */
	size_t count, capacity;
};

struct built_series {
	uint32_t count;                /* of intervals */
	uint64_t first, last;          /* steps */
	uint64_t inner_min, inner_max; /* of the steps between, if there are any */
};

struct column_block_builder {
	uint32_t count; /* of series */
	unsigned edges;
	struct built_series series[SERIES_PER_BLOCK];
	uint64_t fields[COLUMN_COUNT_OF_COLUMNS][SERIES_PER_BLOCK];
	/* those of each series, one series after the other */
	uint64_t steps[SERIES_PER_BLOCK * SERIES_INTERVALS_MAX];
	uint64_t codes[SERIES_PER_BLOCK * SERIES_INTERVALS_MAX]; /* of values */
};

/* Where a block begins in the leaf, and its first key. */
struct block_entry {
	uint32_t key, offset;
};

/* Scratch that is kept from leaf to leaf.  A zeroed one is fine. */
struct column_builder {
	struct column_block_builder block; /* the one being made */
	struct block_entry *block_index;
	size_t block_count, block_index_capacity;
	struct keyed_index *ticks, *spare_ticks; /* distinct boundaries, being sorted */
	size_t tick_count, ticks_capacity, spare_capacity;
	/* a hash table of them: 1 + the number of each in the order of first occurrence; 0: free */
	uint32_t *slots;
	size_t slots_capacity;
	unsigned slot_bits;
	uint64_t *times; /* the ticks, above the leaf's start, once they are sorted: where the spare ones were */
	size_t time_count;
	uint32_t *starts, *ends; /* with a table: by item, the ticks at which it starts and ends */
	size_t starts_capacity, ends_capacity;
	struct column_dictionary dictionary;
	bool direct;     /* what the last comparison of the two ways to store times chose */
	size_t bits_max; /* of a body that is worth to be encoded */
	unsigned leaves; /* so far */

	/* The leaf that was encoded last. */
	struct bit_buffer bits; /* its body */
	struct node_child bounds;
	uint32_t item_count;
	size_t series_count;
	size_t times_offset, dictionary_offset, block_index_offset;
};

/*
 * Encode at least one item.  Returns the bytes of the leaf with its header, or 0 if memory runs out.  If that is
 * more than a node holds, the caller tries fewer intervals.
 */
size_t column_builder_encode(struct column_builder *builder, const struct column_item *items, size_t count,
			     const struct histree_value *values, size_t value_count);

/* Write the leaf just encoded, which must fit, into `block`; see node_builder_seal(). */
uint32_t column_builder_seal(struct column_builder *builder, const struct node_layout *layout, uint32_t number,
			     uint8_t *block, struct node_child *child);
void column_builder_release(struct column_builder *builder);

#endif
