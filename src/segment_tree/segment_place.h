/* SPDX-License-Identifier: MIT */
/*
 * segment_place.h - where a segment lies in a tree, as one number: node (32 bits), block (20), segment of the
 * block (7).  Places ascend as a scan goes.
 */
#ifndef SEGMENT_TREE_SEGMENT_PLACE_H
#define SEGMENT_TREE_SEGMENT_PLACE_H

#include "node/segment_view.h"
#include "store/block_file.h"

enum { PLACE_SEGMENT_BITS = 7, PLACE_BLOCK_BITS = 20, PLACE_NODE_SHIFT = PLACE_SEGMENT_BITS + PLACE_BLOCK_BITS };

#define PLACE_MASK ((UINT64_C(1) << (PLACE_NODE_SHIFT + 32)) - 1)

_Static_assert(SEGMENT_BLOCK_MAX <= 1 << PLACE_SEGMENT_BITS, "a segment's index has its bits");
_Static_assert(BLOCK_SIZE_MAX / SEGMENT_BLOCK_BYTES_MIN <= 1 << PLACE_BLOCK_BITS, "a block's index has its bits");

static inline uint64_t segment_place(uint32_t node, uint32_t block, uint32_t segment)
{
	return (uint64_t)node << PLACE_NODE_SHIFT | (uint64_t)block << PLACE_SEGMENT_BITS | segment;
}

/* What is above the place in the number is of no matter to these. */
static inline uint32_t segment_place_node(uint64_t place)
{
	return (uint32_t)(place >> PLACE_NODE_SHIFT);
}

static inline uint32_t segment_place_block(uint64_t place)
{
	return (uint32_t)(place >> PLACE_SEGMENT_BITS) & ((1u << PLACE_BLOCK_BITS) - 1);
}

static inline uint32_t segment_place_segment(uint64_t place)
{
	return (uint32_t)place & ((1u << PLACE_SEGMENT_BITS) - 1);
}

#endif
