/* SPDX-License-Identifier: MIT */
/*
 * column_format.h - the bytes of a leaf of columns (docs/design/0002-columns.md).  For node/ only.
 *
 * Behind the header of every node (node_format.h):
 *
 *	OFFSET	SIZE
 *	48	4	1: times are direct, 0: there is a table of times
 *	52	4	number of times
 *	56	4	number of blocks
 *	60	4	number of values in the dictionary
 *	64	4	offset of the table of times
 *	68	4	offset of the block heads
 *	72	4	offset of the dictionary
 *	76	4	number of segments
 *
 * Table of times: for every 64 of them a head: the first, above the node's start (8), offset of the others (4),
 *their width (4).  The others are bits: 64 numbers above the first.
 *
 * Dictionary: the offset of each value (4), then the values (item/value_codec.h).
 *
 * Block heads: the key of the first segment (4), offset of the block (4).
 *
 * A block: number of segments - 1 (1), the width of each column (1 each), the minimum of each column (varint each);
 *then the columns as bits, one after the other: for each segment its number above the minimum; then for each
 *segment its payload: steps, then values.
 *
 * A moment is the index of a time in the table, or where times are direct, the time above the node's start.  The
 * intervals of a segment lie between count + 1 moments: its start, and each the one before plus a step.
 */
#ifndef NODE_COLUMN_FORMAT_H
#define NODE_COLUMN_FORMAT_H

#include "node/node_format.h"

enum column {
	COLUMN_KEY,
	COLUMN_START,       /* the first moment */
	COLUMN_COUNT,       /* of intervals, less one */
	COLUMN_STEP_MIN,    /* the smallest step */
	COLUMN_STEP_WIDTH,  /* bits of each step, above the smallest */
	COLUMN_KIND,        /* of values: enum value_kind */
	COLUMN_BASE,        /* of values */
	COLUMN_VALUE_WIDTH, /* bits of each value's code */
	COLUMN_COUNT_OF_COLUMNS,
};

enum value_kind {
	VALUES_INT,         /* base (zigzag) + code */
	VALUES_INT_OR_NULL, /* code 0: null; else base (zigzag) + code - 1 */
	VALUES_DICTIONARY,  /* the entry base + code of the dictionary */
	VALUES_NULL,        /* all of them */
	VALUE_KIND_COUNT,
};

enum {
	COLUMN_HEADER_SIZE = 80,
	TIMES_PER_HEAD = 64,
	TIME_HEAD_SIZE = 16,
	BLOCK_HEAD_SIZE = 8,
	SEGMENTS_PER_BLOCK = 32,
	SEGMENT_INTERVALS_MAX = 64,
	BLOCK_PREFIX_SIZE = 1 + COLUMN_COUNT_OF_COLUMNS, /* before the minima */
	COLUMN_LEAF_OVERHEAD_MAX = 1024,                 /* bytes of a leaf with one interval, but for its value */
};

#endif
