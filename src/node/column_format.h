/* SPDX-License-Identifier: MIT */
/*
 * column_format.h - the bytes of a leaf of columns (docs/design/01-tree.md).  For node/ only.
 *
 * After the header of every node (node_format.h):
 *
 *	OFFSET	SIZE
 *	48	4	1: times are direct, 0: there is a table of times
 *	52	4	number of times
 *	56	4	number of blocks
 *	60	4	number of values in the dictionary
 *	64	4	offset of the table of times
 *	68	4	offset of the index of blocks
 *	72	4	offset of the dictionary
 *	76	4	number of series
 *
 * Table of times: for every 64 of them a head: the first, above the node's start (8), offset of the others (4),
 * their width (4).  The others are bits: 64 numbers above the first.
 *
 * Dictionary: the offset of each value (4), then the values (item/value_codec.h).
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
 */
#ifndef NODE_COLUMN_FORMAT_H
#define NODE_COLUMN_FORMAT_H

#include "node/node_format.h"

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

/* Steps in the payload of a series of `count` intervals. */
static inline uint32_t column_step_count(uint32_t count, unsigned edges)
{
	uint32_t apart = ((edges & EDGE_FIRST) != 0) + ((edges & EDGE_LAST) != 0);
	return count > apart ? count - apart : 0;
}

#endif
