// SPDX-License-Identifier: MIT
/*
 * pyramid.c - the kinds of pyramids, their cells, and what their files are called.
 */
#include "state/pyramid.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "histree/history.h"

enum { NUMBERS_LOG2_MAX = 24, WIDTH_LOG2_MAX = 60 };

const struct pyramid_kind pyramid_kinds[PYRAMIDS] = {
	[PYRAMID_ROWS] = { .name = "overview", .version = 2 },
	[PYRAMID_NUMBERS] = { .name = "numbers",
			      .unit = "states",
			      .version = 1,
			      .log2_max = NUMBERS_LOG2_MAX,
			      .last_log2_max = NUMBERS_LOG2_MAX + PYRAMID_STEP_LOG2 * PYRAMID_STEPS_MAX,
			      .node_size = 8 << 10 }, /* a level is read for a few states */
	[PYRAMID_SUMS] = { .name = "sums",
			   .unit = "ns",
			   .version = 1,
			   .log2_min = 1,
			   .log2_max = WIDTH_LOG2_MAX,
			   .last_log2_max = WIDTH_LOG2_MAX,
			   .node_size = 8 << 10,
			   .cells_enough = 17 },
	[PYRAMID_CUBE] = { .name = "cube",
			   .unit = "ns",
			   .version = 1,
			   .log2_max = WIDTH_LOG2_MAX,
			   .last_log2_max = WIDTH_LOG2_MAX + PYRAMID_STEP_LOG2 * PYRAMID_STEPS_MAX,
			   .node_size = 256 << 10,
			   .cells_enough = 16,
			   .has_rest = true },
	[PYRAMID_NAMES] = { .name = "names", .unit = "states", .version = 1, .node_size = 8 << 10 },
};

static bool is_rows(enum pyramid_id id)
{
	return pyramid_kinds[id].unit == NULL;
}

uint32_t pyramid_files_max(enum pyramid_id id)
{
	return is_rows(id) ? PYRAMID_LEVELS_MAX : 1;
}

/* ---- finding --------------------------------------------------------------------------------------------- */

const struct pyramid_entry *pyramid_level_find(const struct pyramid_level *level, histree_quark quark)
{
	assert(level->count == 0 || level->history != NULL);
	const size_t at = SEARCH(i, 0, level->count, level->entries[i].quark < quark);
	return at < level->count && level->entries[at].quark == quark ? &level->entries[at] : NULL;
}

uint32_t pyramid_find(const struct pyramid *pyramid, histree_quark quark, histree_quark own[PYRAMID_LEVELS_MAX])
{
	const struct pyramid_entry *entry;
	uint32_t count = 0;
	while (count < pyramid->level_count && (entry = pyramid_level_find(&pyramid->levels[count], quark)) != NULL)
		own[count++] = entry->own;
	return count;
}

uint32_t pyramid_find_width(const struct pyramid *pyramid, histree_quark quark, uint64_t cell_ns,
			    const struct pyramid_entry **entry)
{
	for (uint32_t i = pyramid->level_count; i-- > 0;) {
		*entry = pyramid_level_find(&pyramid->levels[i], quark);
		if (*entry != NULL && UINT64_C(1) << (*entry)->width_log2 <= cell_ns)
			return i;
	}
	return UINT32_MAX;
}

/* ---- cells ------------------------------------------------------------------------------------------------- */

static uint64_t length_of(const struct pyramid_grid *grid)
{
	return (uint64_t)grid->end - (uint64_t)grid->origin;
}

static unsigned width_of(const struct pyramid_grid *grid, uint32_t level)
{
	return grid->width_log2 + level * PYRAMID_STEP_LOG2;
}

struct pyramid_grid pyramid_grid(enum pyramid_id id, const struct histree_history_info *of, unsigned width_log2)
{
	const struct pyramid_kind *kind = &pyramid_kinds[id];
	struct pyramid_grid grid = { of->start, of->end, width_log2, 1, kind->has_rest };
	while (grid.level_count < PYRAMID_STEPS_MAX && width_of(&grid, grid.level_count) <= kind->last_log2_max &&
	       pyramid_grid_cells(&grid, grid.level_count - 1) > kind->cells_enough)
		grid.level_count++;
	return grid;
}

uint64_t pyramid_grid_cells(const struct pyramid_grid *grid, uint32_t level)
{
	const unsigned width = width_of(grid, level);
	return width < 64 ? (length_of(grid) >> width) + 1 : 1;
}

void pyramid_grid_times(const struct pyramid_grid *grid, uint32_t level, uint64_t cell, histree_time *start,
			histree_time *end)
{
	const unsigned width = width_of(grid, level);
	const uint64_t first = width < 64 ? cell << width : 0;
	const uint64_t ahead = width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
	assert(cell < pyramid_grid_cells(grid, level));
	const uint64_t left = length_of(grid) - first;
	*start = (histree_time)((uint64_t)grid->origin + first);
	*end = (histree_time)((uint64_t)*start + (left < ahead ? left : ahead));
}

bool pyramid_grid_inside(const struct pyramid_grid *grid, histree_time from, histree_time to, uint64_t *first,
			 uint64_t *after)
{
	assert(from >= grid->origin && from <= to && to <= grid->end);
	const uint64_t start = (uint64_t)from - (uint64_t)grid->origin,
		       mask = (UINT64_C(1) << grid->width_log2) - 1;
	const uint64_t end = (uint64_t)to - (uint64_t)grid->origin;
	const bool is_whole = (end & mask) == mask || (grid->has_rest && to == grid->end);
	*first = start == 0 ? 0 : (start >> grid->width_log2) + 1;
	*after = (end >> grid->width_log2) + is_whole;
	return *first < *after;
}

enum histree_status pyramid_grid_walk(const struct pyramid_grid *grid, uint64_t first, uint64_t after,
				      enum histree_status (*take)(void *context, uint32_t level, uint64_t first,
								  uint64_t after, struct histree_error *error),
				      void *context, struct histree_error *error)
{
	const uint64_t step = 1 << PYRAMID_STEP_LOG2;
	enum histree_status status = HISTREE_OK;
	for (uint32_t level = 0; first < after && status == HISTREE_OK; level++) {
		assert(level < grid->level_count && after <= pyramid_grid_cells(grid, level));
		const bool is_to_end = grid->has_rest && after == pyramid_grid_cells(grid, level);
		const uint64_t next_first = (first + step - 1) / step;
		const uint64_t next_after = is_to_end ? (after + step - 1) / step : after / step;
		if (level + 1 == grid->level_count || next_first >= next_after)
			return take(context, level, first, after, error);
		if (first < next_first * step)
			status = take(context, level, first, next_first * step, error);
		if (status == HISTREE_OK && next_after * step < after)
			status = take(context, level, next_after * step, after, error);
		first = next_first;
		after = next_after;
	}
	return status;
}

/* ---- whose it is ------------------------------------------------------------------------------------------- */

size_t pyramid_path_size(const char *history)
{
	return strlen(history) + sizeof(".overview4294967295"); /* the longest of all */
}

void pyramid_path(enum pyramid_id id, const char *history, uint32_t level, char *room)
{
	const int size = snprintf(room, pyramid_path_size(history), "%s.%s", history, pyramid_kinds[id].name);
	assert(size > 0 && (size_t)size < pyramid_path_size(history));
	if (is_rows(id))
		sprintf(room + size, "%" PRIu32, level);
}

/* The text is part of the format. */
void pyramid_provider(enum pyramid_id id, const struct histree_history_info *of, unsigned log2, char *room,
		      size_t size)
{
	const struct pyramid_kind *kind = &pyramid_kinds[id];
	const int used = snprintf(room, size, "%s of %016" PRIx64, kind->name, of->identity);
	if (kind->unit != NULL)
		snprintf(room + used, size - (size_t)used, ", by 2^%u %s", log2, kind->unit);
}
