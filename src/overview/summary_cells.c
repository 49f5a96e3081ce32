// SPDX-License-Identifier: MIT
#include "overview/summary_cells.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"

static uint64_t hash_of(const struct summary_cell *cell)
{
	return hash_mix(((uint64_t)cell->value << 32 | cell->bucket) + cell->time * UINT64_C(0x9e3779b97f4a7c15));
}

static uint64_t hash_at(const void *cells, uint32_t number)
{
	return hash_of((const struct summary_cell *)cells + number);
}

static bool is_same(const void *cells, uint32_t number, const void *key)
{
	const struct summary_cell *one = (const struct summary_cell *)cells + number, *other = key;
	return one->time == other->time && one->value == other->value && one->bucket == other->bucket;
}

enum summary_added summary_cells_add(struct summary_cells *cells, const struct summary_cell *cell, size_t max)
{
	uint32_t known = hash_index_find(&cells->index, hash_of(cell), is_same, cells->cells, cell);
	if (known != HASH_INDEX_NONE)
		return segment_summary_merge(&cells->cells[known].summary, &cell->summary) ? SUMMARY_ADDED
											   : SUMMARY_NO_ROOM;
	if (cells->count >= max)
		return SUMMARY_NO_ROOM;
	if (!array_reserve(&cells->cells, &cells->capacity, cells->count + 1) ||
	    !hash_index_reserve(&cells->index, cells->count + 1, hash_at, cells->cells))
		return SUMMARY_NO_MEMORY;
	hash_index_add(&cells->index, hash_of(cell), (uint32_t)cells->count);
	cells->cells[cells->count++] = *cell;
	return SUMMARY_ADDED;
}

void summary_cells_clear(struct summary_cells *cells)
{
	cells->count = 0;
	hash_index_clear(&cells->index);
}

void summary_cells_release(struct summary_cells *cells)
{
	free(cells->cells);
	hash_index_release(&cells->index);
	*cells = (struct summary_cells){ 0 };
}
