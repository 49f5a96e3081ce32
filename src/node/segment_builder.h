/* SPDX-License-Identifier: MIT */
/*
 * segment_builder.h - make a leaf of segments from a batch.
 */
#ifndef NODE_SEGMENT_BUILDER_H
#define NODE_SEGMENT_BUILDER_H

#include "base/bits.h"
#include "node/segment_view.h"

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
 * Encode the segments of the batch that `order` names, `run_count` runs of them one after the other, each sorted
 * by start and each cut into blocks.  Returns the bytes of the leaf, or 0 if memory is out.  They may be more than
 * a node has; the caller then tries fewer.
 */
size_t segment_builder_encode(struct segment_builder *builder, const struct segment_batch *batch,
			      const uint32_t *order, const size_t *run_sizes, size_t run_count);

/* Write the leaf just encoded, which must fit, into `block`; see node_builder_seal(). */
uint32_t segment_builder_seal(struct segment_builder *builder, const struct node_layout *layout, uint32_t number,
			      uint8_t *block, struct node_child *child);

void segment_builder_release(struct segment_builder *builder);

#endif
