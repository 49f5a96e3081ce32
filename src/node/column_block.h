/* SPDX-License-Identifier: MIT */
/*
 * column_block.h - the bytes of a leaf of columns (docs/design/01-tree.md).  For node/ only.
 *
 * After the header of every node (node.h):
 *
 * 	OFFSET	SIZE
 * 	48	4	1: times are direct, 0: there is a table of times
 * 	52	4	number of times
 * 	56	4	number of blocks
 * 	60	4	number of values in the dictionary
 * 	64	4	offset of the table of times
 * 	68	4	offset of the index of blocks
 * 	72	4	offset of the dictionary
 * 	76	4	number of series
 *
 * Table of times: for every 64 of them a head: the first, above the node's start (8), offset of the others (4),
 * their width (4).  The others are bits: 64 numbers above the first.
 *
 * Dictionary: the offset of each value (4), then the values (value.h).
 *
 * Index of blocks: the key of the first series (4), offset of the block (4).
 *
 * A block: number of series - 1 and the edges of its series, enum column_edge (1), the width of each column (1
 * each), the minimum of each column (varint each); then the columns as bits, one after the other: for each series
 * its number above the minimum; then for each series its payload: steps, then values.
 *
 * A tick is the index of a time in the table, or where times are direct, the time above the node's start; the
 * last tick is that of the node's end + 1.  The intervals of a series lie between count + 1 ticks: its start,
 * and each the one before plus a step.  The first and the last state of an attribute are often of another length
 * than those between: where EDGE_FIRST is set, the first step is in a column and not in the payload, and where
 * EDGE_LAST is set, how far the series ends before the last tick instead of its last step.
 *
 * A view of a leaf, an open block in it, and the place of a state in it.
 *
 * A view gives the parts, times and dictionary of a leaf; an open block gives any property of any of its series.
 * Nothing is unpacked: every access computes where its bits are.  Everything from the block is checked before it is
 * used as an offset, so a hostile leaf gives HISTREE_ERR_FORMAT at worst.
 *
 * A place is the first interval of a key that ends at a tick or later.  Its series is the last of the key that
 * begins before that tick, or the first of the key if none does: the search goes by where series begin, and a
 * series may reach as far as the next one of its key.
 */
#ifndef NODE_COLUMN_BLOCK_H
#define NODE_COLUMN_BLOCK_H

#include "base/bytes.h"
#include "node/node.h"

enum column {
	COLUMN_KEY,
	COLUMN_START,       /* the first tick */
	COLUMN_COUNT,       /* of intervals, less one */
	COLUMN_STEP_MIN,    /* the smallest step */
	COLUMN_STEP_WIDTH,  /* bits of each step, above the smallest */
	COLUMN_KIND,        /* of values: enum value_kind */
	COLUMN_BASE,        /* of values */
	COLUMN_VALUE_WIDTH, /* bits of each value's code */
	COLUMN_FIRST,       /* EDGE_FIRST: the first step */
	COLUMN_LAST,        /* EDGE_LAST: ticks from the end of the series to the last of the leaf */
	COLUMN_COUNT_OF_COLUMNS,
};

enum value_kind {
	VALUES_INT,         /* base (zigzag) + code */
	VALUES_INT_OR_NULL, /* code 0: null; else base (zigzag) + code - 1 */
	VALUES_DICTIONARY,  /* the entry base + code of the dictionary */
	VALUES_NULL,        /* all of them */
	VALUE_KIND_COUNT,
};

/* In the byte of a block that says how many series it has. */
enum column_edge {
	EDGE_FIRST = 1 << 6,
	EDGE_LAST = 1 << 7,
	EDGES = EDGE_FIRST | EDGE_LAST,
};

/* Where things are in a leaf of columns, behind the header of its node. */
enum {
	COLUMN_AT_DIRECT = 48, /* times are not in a table */
	COLUMN_AT_TIME_COUNT = 52,
	COLUMN_AT_BLOCK_COUNT = 56,
	COLUMN_AT_VALUE_COUNT = 60, /* of the dictionary */
	COLUMN_AT_TIMES = 64,
	COLUMN_AT_BLOCK_INDEX = 68,
	COLUMN_AT_DICTIONARY = 72,
	COLUMN_AT_SERIES_COUNT = 76,
};

enum {
	COLUMN_HEADER_SIZE = 80,
	TIMES_PER_ENTRY = 64,
	TIME_ENTRY_SIZE = 16,
	BLOCK_ENTRY_SIZE = 8,
	SERIES_PER_BLOCK = 32,
	SERIES_INTERVALS_MAX = 64,
	COLUMN_BLOCK_PREFIX_SIZE = 1 + COLUMN_COUNT_OF_COLUMNS, /* before the minima */
	COLUMN_LEAF_OVERHEAD_MAX = 1024, /* bytes of a leaf with one interval, except its value */
};

/* Returns how many of the steps of a series are outside its payload, if it has that many. */
static inline uint32_t column_edge_count(unsigned edges)
{
	return ((edges & EDGE_FIRST) != 0) + ((edges & EDGE_LAST) != 0);
}

static inline uint64_t column_less(uint64_t count, uint32_t apart)
{
	return count > apart ? count - apart : 0;
}

/* Returns the steps in the payload of a series of `count` intervals. */
static inline uint32_t column_step_count(uint32_t count, unsigned edges)
{
	return (uint32_t)column_less(count, column_edge_count(edges));
}

struct column_view {
	const uint8_t *block;
	uint32_t used;
	histree_time start;
	uint64_t length;    /* of the node, end - start */
	uint64_t last_tick; /* that of the end of the node + 1 */
	histree_quark key_min, key_max;
	bool direct;
	uint32_t time_count, block_count, value_count;
	const uint8_t *time_index, *block_index, *dictionary;
	double blocks_per_key; /* to guess where a key is */
};

/* Check sizes against each other; the checksum was checked before. */
enum histree_status column_check(const uint8_t *block, uint32_t used, uint32_t node_size,
				 struct histree_error *error);

/* The block must have passed column_check(). */
struct column_view column_view(const uint8_t *block);

/*
 * Returns the first tick whose time, above the start of the leaf, is greater than `time`, or the number of ticks
 * if no time is.
 */
uint64_t column_tick_above(const struct column_view *view, uint64_t time);
bool column_dictionary_value(const struct column_view *view, uint64_t entry, struct histree_value *out);

/* Returns the key of the first series of a block. */
static inline histree_quark column_block_key(const struct column_view *view, uint32_t block)
{
	return get_le32(view->block_index + (size_t)block * BLOCK_ENTRY_SIZE);
}

/* Get the time of a tick in the table, above the start of the leaf.  Returns false if it lies outside the leaf. */
static inline bool column_time_of(const struct column_view *view, uint64_t tick, uint64_t *time)
{
	if (tick >= view->time_count)
		return false;
	const uint8_t *entry = view->time_index + tick / TIMES_PER_ENTRY * TIME_ENTRY_SIZE;
	unsigned width = get_le32(entry + 12);
	size_t at = (size_t)get_le32(entry + 8) * 8 + tick % TIMES_PER_ENTRY * (size_t)width;
	if (width > 64 || at + width > (size_t)view->used * 8)
		return false;
	*time = get_le64(entry) + bits_get(view->block, at, width);
	return true;
}

/* The same of a tick, whether times are direct or in the table. */
static inline bool column_tick_time(const struct column_view *view, uint64_t tick, uint64_t *time)
{
	if (!view->direct)
		return column_time_of(view, tick, time);
	*time = tick;
	return true;
}

struct column_block {
	const struct column_view *view;
	uint32_t number, series_count;
	unsigned edges; /* enum column_edge: of its series, what is not in their payload */
	uint8_t widths[COLUMN_COUNT_OF_COLUMNS];
	uint64_t minima[COLUMN_COUNT_OF_COLUMNS];
	size_t columns[COLUMN_COUNT_OF_COLUMNS]; /* bits, from the beginning of the node */
	size_t payload;                          /* where the payload of the first series begins */
	size_t end;                              /* of the block: where the next one begins */
};

/* The properties of a series, by enum column, and where its payload is, in bits; all of it lies in the block. */
struct column_series {
	uint64_t fields[COLUMN_COUNT_OF_COLUMNS];
	size_t steps, values;
};

/*
 * The series of a block side by side: each property of all of them, and where their steps and values begin, in
 * bits. A table of zeros is empty; one that is used for block after block keeps the columns that are alike in
 * both.
 */
struct column_table {
	uint64_t fields[COLUMN_COUNT_OF_COLUMNS][SERIES_PER_BLOCK];
	size_t steps[SERIES_PER_BLOCK], values[SERIES_PER_BLOCK];
	uint32_t alike; /* a bit a column: every element of it is that of series 0 */
};

/* Sets of columns, a bit each: what places the payload of a series in its block, and what values are. */
enum {
	COLUMNS_OF_PAYLOAD = 1 << COLUMN_COUNT | 1 << COLUMN_STEP_WIDTH | 1 << COLUMN_VALUE_WIDTH,
	COLUMNS_OF_VALUES = 1 << COLUMN_KIND | 1 << COLUMN_BASE | 1 << COLUMN_VALUE_WIDTH,
};

/* Returns whether the series have all of these properties in common. */
static inline bool column_table_is_alike(const struct column_table *table, uint32_t columns)
{
	return (~table->alike & columns) == 0;
}

/* Returns the tick after an interval of a series of this block if the interval starts at `tick`. */
static inline uint64_t column_tick_after(const struct column_block *block, const struct column_series *series,
					 uint32_t interval, uint64_t tick)
{
	const uint64_t *fields = series->fields;
	if (block->edges != 0) {
		if ((block->edges & EDGE_LAST) != 0 && interval == fields[COLUMN_COUNT])
			return block->view->last_tick - fields[COLUMN_LAST];
		if ((block->edges & EDGE_FIRST) != 0 && interval-- == 0)
			return tick + fields[COLUMN_FIRST];
	}
	unsigned width = (unsigned)fields[COLUMN_STEP_WIDTH];
	return tick + fields[COLUMN_STEP_MIN] +
	       bits_get(block->view->block, series->steps + interval * (size_t)width, width);
}

/* Returns where the payload of a series ends. */
static inline size_t column_series_end(const struct column_series *series)
{
	return series->values + (series->fields[COLUMN_COUNT] + 1) * series->fields[COLUMN_VALUE_WIDTH];
}

/*
 * Open a block.  Returns false if it is malformed; then nothing has changed.  Its columns lie between its beginning
 * and that of the next one, so no byte belongs to two blocks, but no field is checked.
 */
bool column_block_open(struct column_block *block, const struct column_view *view, uint32_t number);

static inline uint64_t column_block_field(const struct column_block *block, enum column column, uint32_t series)
{
	unsigned width = block->widths[column];
	uint64_t min = block->minima[column];
	/* Most columns have width 0. */
	return width == 0
		       ? min
		       : min + bits_get(block->view->block, block->columns[column] + series * (size_t)width, width);
}

/* Unpack one series, whose payload begins at a bit.  Returns false if it is malformed. */
bool column_block_series(const struct column_block *block, uint32_t number, size_t payload,
			 struct column_series *series);

/*
 * Unpack where all series are: their keys and first ticks.  Then, if one of them is of interest, the rest.  Return
 * false if a series is malformed.
 */
bool column_block_unpack_places(const struct column_block *block, struct column_table *table);
bool column_block_unpack_rest(const struct column_block *block, struct column_table *table);

/* Returns one of the series that were unpacked. */
static inline struct column_series column_table_series(const struct column_table *table, uint32_t number)
{
	struct column_series series;
	for (unsigned c = 0; c < COLUMN_COUNT_OF_COLUMNS; c++)
		series.fields[c] = table->fields[c][number];
	series.steps = table->steps[number];
	series.values = table->values[number];
	return series;
}

/* Returns the bits of the payload of the series from `from` up to `to`, or any number if one is malformed. */
size_t column_block_payload(const struct column_block *block, uint32_t from, uint32_t to);

/*
 * Returns whether searches in a leaf can rely on it: its times ascend, and each head has the key of its block.  For
 * verification.
 */
bool column_is_searchable(const struct column_view *view);

struct column_target {
	histree_quark key; /* a key within the leaf's bounds, from key_min to key_max */
	uint64_t ends_from;
};

/*
 * Find the last block that begins before the target, at `open` or later.  If there is none, the block is `open`
 * itself, or block 0 if no block is open (UINT32_MAX).  The leaf has blocks.  Returns false if one of them is
 * malformed.
 */
bool column_find_block(const struct column_view *view, uint32_t open, const struct column_target *target,
		       uint32_t *number);

/*
 * Find, in this block and from series `low` on, the target's own series.  If the block does not have it, the result
 * is the next series, which may be the first of the next block.
 */
uint32_t column_find_series(const struct column_block *block, uint32_t low, const struct column_target *target);

#endif
