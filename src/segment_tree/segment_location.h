/* SPDX-License-Identifier: MIT */
/*
 * segment_location.h - where a segment lies in a tree, as one number: node (32 bits), block (20), segment of the
 * block (7).  Locations ascend as a scan proceeds.
 */
#ifndef SEGMENT_TREE_SEGMENT_LOCATION_H
#define SEGMENT_TREE_SEGMENT_LOCATION_H

#include "node/segment_node.h"
#include "store/block_file.h"

enum {
	LOCATION_SEGMENT_BITS = 7,
	LOCATION_BLOCK_BITS = 20,
	LOCATION_NODE_SHIFT = LOCATION_SEGMENT_BITS + LOCATION_BLOCK_BITS
};

#define LOCATION_MASK ((UINT64_C(1) << (LOCATION_NODE_SHIFT + 32)) - 1)

_Static_assert(SEGMENT_BLOCK_MAX <= 1 << LOCATION_SEGMENT_BITS, "a segment's index has its bits");
_Static_assert(BLOCK_SIZE_MAX / SEGMENT_BLOCK_BYTES_MIN <= 1 << LOCATION_BLOCK_BITS,
	       "a block's index has its bits");

static inline uint64_t segment_location(uint32_t node, uint32_t block, uint32_t segment)
{
	return (uint64_t)node << LOCATION_NODE_SHIFT | (uint64_t)block << LOCATION_SEGMENT_BITS | segment;
}

/* What is above the location in the number is of no matter to these. */
static inline uint32_t segment_location_node(uint64_t location)
{
	return (uint32_t)(location >> LOCATION_NODE_SHIFT);
}

static inline uint32_t segment_location_block(uint64_t location)
{
	return (uint32_t)(location >> LOCATION_SEGMENT_BITS) & ((1u << LOCATION_BLOCK_BITS) - 1);
}

static inline uint32_t segment_location_segment(uint64_t location)
{
	return (uint32_t)location & ((1u << LOCATION_SEGMENT_BITS) - 1);
}

#endif
