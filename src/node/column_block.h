/* SPDX-License-Identifier: MIT */
/*
 * column_block.h - an open block of a leaf of columns: any property of any of its segments.
 */
#ifndef NODE_COLUMN_BLOCK_H
#define NODE_COLUMN_BLOCK_H

#include "node/column_view.h"

struct column_block {
	const struct column_view *view;
	uint32_t number, segment_count;
	unsigned edges; /* enum column_edge: of its segments, what is not in their payload */
	unsigned widths[COLUMN_COUNT_OF_COLUMNS];
	uint64_t least[COLUMN_COUNT_OF_COLUMNS];
	size_t columns[COLUMN_COUNT_OF_COLUMNS]; /* bits, from the beginning of the node */
	size_t payload;                          /* of the first segment */
};

/* The properties of a segment, by enum column, and where its payload is, in bits; all of it lies in the node. */
struct column_segment {
	uint64_t fields[COLUMN_COUNT_OF_COLUMNS];
	size_t steps, values;
};

/* The moment behind an interval of a segment of this block, if it starts at `moment`. */
static inline uint64_t column_moment_after(const struct column_block *block, const struct column_segment *segment,
					   uint32_t interval, uint64_t moment)
{
	const uint64_t *fields = segment->fields;
	if (block->edges != 0) {
		if ((block->edges & EDGE_LAST) != 0 && interval == fields[COLUMN_COUNT])
			return block->view->last_moment - fields[COLUMN_LAST];
		if ((block->edges & EDGE_FIRST) != 0 && interval-- == 0)
			return moment + fields[COLUMN_FIRST];
	}
	unsigned width = (unsigned)fields[COLUMN_STEP_WIDTH];
	return moment + fields[COLUMN_STEP_MIN] +
	       bits_get(block->view->block, segment->steps + interval * (size_t)width, width);
}

/* Where the payload of a segment ends. */
static inline size_t column_segment_end(const struct column_segment *segment)
{
	return segment->values + (segment->fields[COLUMN_COUNT] + 1) * segment->fields[COLUMN_VALUE_WIDTH];
}

/*
 * False if it is malformed: then nothing has changed.  Else its columns lie in the node, but no field is checked.
 */
bool column_block_open(struct column_block *block, const struct column_view *view, uint32_t number);

static inline uint64_t column_block_field(const struct column_block *block, enum column column, uint32_t segment)
{
	unsigned width = block->widths[column];
	uint64_t least = block->least[column];
	/* Most columns are of no width. */
	return width == 0 ? least
			  : least + bits_get(block->view->block, block->columns[column] + segment * (size_t)width,
					     width);
}

/* One segment, whose payload begins at a bit.  False if it is malformed. */
bool column_block_segment(const struct column_block *block, uint32_t number, size_t payload,
			  struct column_segment *segment);

/* All of them: `segments` has room for SEGMENTS_PER_BLOCK.  False if one is malformed. */
bool column_block_unpack(const struct column_block *block, struct column_segment *segments);

/* Bits of the payload of the segments from `from` up to `to`; where one is malformed, any number. */
size_t column_block_payload(const struct column_block *block, uint32_t from, uint32_t to);

/*
 * Returns whether searches in a leaf can rely on it: its times ascend, and each head has the key of its block.  For
 * verification.
 */
bool column_is_searchable(const struct column_view *view);

#endif
