/* SPDX-License-Identifier: MIT */
/*
 * segment_format.h - the bytes of a leaf of segments (docs/design/0005-segments.md).  For node/ only.
 *
 * After the header of every node (node_format.h):
 *
 *	OFFSET	SIZE
 *	48	8	greatest start
 *	56	8	smallest end
 *	64	8	smallest duration
 *	72	8	greatest duration
 *	80	4	number of blocks
 *	84	4	number of strings
 *	88	4	offset of the strings
 *	92	4	number of fields
 *	96		block headers
 *
 * A block header: offset of the block (4), number of segments - 1 (1), width of a start (1), width of a duration
 * (1), zero (1), first start (8), last start (8), smallest duration (8), greatest duration (8).
 *
 * A block: for each field its smallest code (8), the width of a code (1), whether there are nulls (1); then bits:
 * for each segment but the first its start above the one before; for each its duration above the smallest; then for
 * each field, where there are nulls, for each segment one bit that is set if it is null, and for each its code
 * above the smallest.  The code of a string is its number.
 *
 * Strings: for each its offset (4), and where the last one ends (4); then their bytes.
 *
 * A core node keeps of a child, after its start and end: greatest start, smallest end, smallest and greatest
 * duration (8 each).
 */
#ifndef NODE_SEGMENT_FORMAT_H
#define NODE_SEGMENT_FORMAT_H

#include "node/node_format.h"

enum {
	SEGMENT_HEADER_SIZE = 96,
	SEGMENT_BLOCK_HEADER_SIZE = 40, /* of a block */
	SEGMENT_FIELD_HEADER_SIZE = 10,
};

#endif
