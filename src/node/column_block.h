/* SPDX-License-Identifier: MIT */
/*
 * column_block.h - an open block of a leaf of columns: any property of any of its series.
 */
#ifndef NODE_COLUMN_BLOCK_H
#define NODE_COLUMN_BLOCK_H

#include "node/column_view.h"

struct column_block {
	const struct column_view *view;
	uint32_t number, series_count;
	unsigned edges; /* enum column_edge: of its series, what is not in their payload */
	unsigned widths[COLUMN_COUNT_OF_COLUMNS];
	uint64_t minima[COLUMN_COUNT_OF_COLUMNS];
	size_t columns[COLUMN_COUNT_OF_COLUMNS]; /* bits, from the beginning of the node */
	size_t payload;                          /* of the first series */
	size_t end;                              /* of the block: where the next one begins */
};

/* The properties of a series, by enum column, and where its payload is, in bits; all of it lies in the block. */
struct column_series {
	uint64_t fields[COLUMN_COUNT_OF_COLUMNS];
	size_t steps, values;
};

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
 * Open a block.  Returns false if it is malformed; then nothing has changed.  Its columns lie between its
 * beginning and that of the next one, so that no byte is of two blocks, but no field is checked.
 */
bool column_block_open(struct column_block *block, const struct column_view *view, uint32_t number);

static inline uint64_t column_block_field(const struct column_block *block, enum column column, uint32_t series)
{
	unsigned width = block->widths[column];
	uint64_t min = block->minima[column];
	/* Most columns are of no width. */
	return width == 0
		       ? min
		       : min + bits_get(block->view->block, block->columns[column] + series * (size_t)width, width);
}

/* Unpack one series, whose payload begins at a bit.  Returns false if it is malformed. */
bool column_block_series(const struct column_block *block, uint32_t number, size_t payload,
			 struct column_series *series);

/* Unpack all series into `series`, which has room for SERIES_PER_BLOCK.  Returns false if one is malformed. */
bool column_block_unpack(const struct column_block *block, struct column_series *series);

/* Returns the bits of the payload of the series from `from` up to `to`, or any number if one is malformed. */
size_t column_block_payload(const struct column_block *block, uint32_t from, uint32_t to);

/*
 * Returns whether searches in a leaf can rely on it: its times ascend, and each head has the key of its block.  For
 * verification.
 */
bool column_is_searchable(const struct column_view *view);

#endif
