// SPDX-License-Identifier: MIT
/*
 * range_cube.c - the cells of a cube that lie within a range, added up.
 */
#include "query/range_cube.h"

#include "base/error.h"
#include "histree/states.h"
#include "state/history.h"
#include "state/pyramid.h"

struct range_cube_reading {
	const struct pyramid *of;
	struct pyramid_grid grid;
	uint32_t threads_max;
	enum cube_part part;
	histree_quark quark;
	struct range_cube *cube;
	struct intern *texts;
	struct histree_cursor *query;
};

/* ---- cells -------------------------------------------------------------------------------------------------- */

static enum histree_status range_cube_read_cells(void *context, uint32_t level, uint64_t first, uint64_t after,
						 struct histree_error *error);

/* HISTREE_ERR_FORMAT: it is of no use. */
static enum histree_status read_cell(struct range_cube_reading *reading, uint32_t level, uint64_t cell,
				     struct histree_error *error)
{
	const struct pyramid_entry *entry = pyramid_level_find(&reading->of->levels[level], reading->quark);
	struct histree_interval state;
	histree_time start, end;
	if (entry == NULL)
		return HISTREE_ERR_FORMAT;
	pyramid_grid_times(&reading->grid, level, cell, &start, &end);
	enum histree_status status = histree_query_single(reading->query, entry->own, start, &state, error);
	if (status != HISTREE_OK)
		return status;
	if (state.value.type == HISTREE_NULL)
		return state.end >= end ? HISTREE_OK : HISTREE_ERR_FORMAT;
	if (state.value.type != HISTREE_CUSTOM || state.start != start || state.end != end)
		return HISTREE_ERR_FORMAT;
	if (!pyramid_value_is_of_no_use(&state.value)) {
		status = cube_cell_get(&reading->cube->parts[reading->part], reading->part, reading->texts,
				       (uint64_t)end - (uint64_t)start + 1, reading->threads_max,
				       (const uint8_t *)state.value.bytes, state.value.size);
		return status == HISTREE_ERR_MEMORY ? error_memory(error, "a cube") : status;
	}
	if (level == 0)
		return HISTREE_ERR_FORMAT;
	const uint64_t below = pyramid_grid_cells(&reading->grid, level - 1);
	const uint64_t after = (cell + 1) << PYRAMID_STEP_LOG2;
	return range_cube_read_cells(reading, level - 1, cell << PYRAMID_STEP_LOG2, after < below ? after : below,
				     error);
}

static enum histree_status range_cube_read_cells(void *context, uint32_t level, uint64_t first, uint64_t after,
						 struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint64_t cell = first; cell < after && status == HISTREE_OK; cell++)
		status = read_cell(context, level, cell, error);
	return status;
}

/* ------------------------------------------------------------------------------------------------------------- */

static enum histree_status read_part(struct range_cube_reading *reading, const struct histree_history *history,
				     enum cube_part part, uint64_t first, uint64_t after,
				     struct histree_error *error)
{
	static const char *const above[CUBE_PARTS] = { "Threads", "CPUs" };
	reading->part = part;
	if (histree_attributes_find(histree_history_attributes(history), HISTREE_ROOT, above[part],
				    &reading->quark) != HISTREE_OK)
		return HISTREE_ERR_FORMAT;
	return pyramid_grid_walk(&reading->grid, first, after, range_cube_read_cells, reading, error);
}

static enum histree_status read_parts(struct range_cube_reading *reading, const struct histree_history *history,
				      bool needs_owners, uint64_t first, uint64_t after,
				      struct histree_error *error)
{
	enum histree_status status = histree_query_create(reading->of->levels[0].history, &reading->query, error);
	if (status == HISTREE_OK)
		status = read_part(reading, history, CUBE_OF_CALLS, first, after, error);
	if (status == HISTREE_OK && needs_owners)
		status = read_part(reading, history, CUBE_OF_OWNERS, first, after, error);
	histree_cursor_free(reading->query);
	return status;
}

/* If the cube is wrong in any way, the caller reads the same from the history. */
enum histree_status range_cube_read(struct range_cube *cube, struct histree_history *history, histree_time from,
				    histree_time to, bool needs_owners, struct intern *texts,
				    struct histree_error *error)
{
	const struct pyramid *of = history_pyramid(history, PYRAMID_CUBE);
	const struct histree_history_info *info = histree_history_info(history);
	uint64_t first, after;
	histree_time ignored;
	*cube = (struct range_cube){ 0 };
	if (of->level_count == 0)
		return HISTREE_OK;
	struct range_cube_reading reading = {
		.of = of,
		.grid = pyramid_grid(PYRAMID_CUBE, info, of->log2),
		.threads_max = info->attribute_count,
		.cube = cube,
		.texts = texts,
	};
	if (of->level_count != reading.grid.level_count || pyramid_grid_cells(&reading.grid, 0) > CUBE_CELLS_MAX ||
	    !pyramid_grid_inside(&reading.grid, from, to, &first, &after))
		return HISTREE_OK;
	pyramid_grid_times(&reading.grid, 0, first, &cube->from, &ignored);
	pyramid_grid_times(&reading.grid, 0, after - 1, &ignored, &cube->to);
	enum histree_status status = read_parts(&reading, history, needs_owners, first, after, error);
	cube->is_any = status == HISTREE_OK;
	if (status != HISTREE_OK)
		range_cube_release(cube);
	return status == HISTREE_ERR_MEMORY || status == HISTREE_ERR_CANCELLED ? status : HISTREE_OK;
}

void range_cube_release(struct range_cube *cube)
{
	for (int part = 0; part < CUBE_PARTS; part++)
		cube_cell_release(&cube->parts[part]);
	*cube = (struct range_cube){ 0 };
}
