/* SPDX-License-Identifier: MIT */
/*
 * segment_node.h - a leaf of segments: made from a batch, and read by its bounds, its blocks and the segments of a
 * block.
 *
 * A block is one more level of the tree: it has bounds, and is read without those before it.  Everything from the
 * leaf is checked before it is used as an offset, and no segment is handed out that lies outside the bounds.
 */
#ifndef NODE_SEGMENT_NODE_H
#define NODE_SEGMENT_NODE_H

#include "base/bytes.h"
#include "item/segment_batch.h"
#include "node/node.h"

enum {
	SEGMENT_BLOCK_MAX = 128,      /* segments of a block */
	SEGMENT_BLOCK_BYTES_MIN = 40, /* bytes that a block header takes in a leaf */
};

/* Where things are in a leaf of segments, behind the header of its node and the bounds of all its segments. */
enum {
	SEGMENTS_AT_BLOCK_COUNT = 80,
	SEGMENTS_AT_STRING_COUNT = 84,
	SEGMENTS_AT_STRINGS = 88,
	SEGMENTS_AT_FIELD_COUNT = 92,
};

/*
 * Check sizes, offsets, counts and bounds against each other, and that no two blocks share a byte; the checksum was
 * checked before.
 */
enum histree_status segment_leaf_check(const uint8_t *leaf, uint32_t used, uint32_t node_size,
				       struct histree_error *error);

/*
 * Returns what is wrong with a leaf that passed the check, such as segments outside their block or bounds wider
 * than necessary; NULL if it is correct.
 */
const char *segment_leaf_fault(const uint8_t *leaf);

/* Returns the bounds of a leaf that passed node_check(). */
struct node_child segment_leaf_bounds(const uint8_t *leaf);
uint32_t segment_leaf_field_count(const uint8_t *leaf);
uint32_t segment_leaf_block_count(const uint8_t *leaf);

struct segment_block {
	const uint8_t *leaf;  /* borrowed */
	size_t field_headers; /* bytes, from the beginning of the leaf */
	size_t bits;          /* of the first start after the first; from the beginning of the leaf */
	uint32_t count;
	unsigned start_width, duration_width;
	/*
	 * The bounds are those of a node.  Ends are not kept, so end_min may be less and end more than any end, but
	 * they lie within those of the leaf.
	 */
	struct node_child bounds;
};

/* Returns the block with this index, which is below the number of blocks. */
struct segment_block segment_block(const uint8_t *leaf, uint32_t index);

/*
 * Get all times of a block, sorted by start.  Returns HISTREE_ERR_FORMAT if one is outside the bounds of the block.
 */
enum histree_status segment_block_times(const struct segment_block *block,
					struct segment_times times[SEGMENT_BLOCK_MAX]);

/*
 * Get the content of one segment of a block: these fields, or the first `wanted` of them.  Its bytes are borrowed
 * from the leaf.  Returns HISTREE_ERR_FORMAT if the leaf has fewer fields, or a value is not of its type.
 */
enum histree_status segment_block_content(const struct segment_block *block, uint32_t index,
					  const struct histree_segment_field *fields, size_t field_count,
					  size_t wanted, struct histree_value *content);

/* Scratch that is kept from leaf to leaf.  A zeroed one is fine. */
struct segment_builder {
	uint8_t *headers;
	size_t headers_size, headers_capacity;
	struct bit_buffer blocks, strings;
	uint32_t *numbers; /* by string of the batch: its number in the leaf + 1; 0: none yet */
	size_t numbers_capacity;
	uint32_t *listed; /* by number in the leaf: the string of the batch */
	size_t listed_count, listed_capacity;
	size_t field_count;

	/* The leaf that was encoded last. */
	struct node_child bounds;
	uint32_t segment_count;
};

/*
 * Encode the segments of the batch that `order` names, `run_count` runs of them one after the other, each sorted by
 * start and each cut into blocks.  Returns the bytes of the leaf, or 0 if memory runs out.  If that is more than a
 * node holds, the caller tries fewer segments.
 */
size_t segment_builder_encode(struct segment_builder *builder, const struct segment_batch *batch,
			      const uint32_t *order, const size_t *run_sizes, size_t run_count);

/* Write the leaf just encoded, which must fit, into `block`; see node_builder_seal(). */
uint32_t segment_builder_seal(struct segment_builder *builder, const struct node_layout *layout, uint32_t number,
			      uint8_t *block, struct node_child *child);
void segment_builder_release(struct segment_builder *builder);

#endif
