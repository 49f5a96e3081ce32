// SPDX-License-Identifier: MIT
#include "query/range_cube.h"

#include "base/error.h"
#include "histree/query.h"
#include "state/history.h"

struct reading {
	const struct leveled_overview *of;
	struct cube_levels levels;
	uint32_t threads_max;
	enum cube_part part;
	histree_quark quark;
	struct range_cube *cube;
	struct intern *texts;
	struct histree_query *query;
};

/* ---- cells -------------------------------------------------------------------------------------------------- */

/* The cells of level 1 that lie inside. */
static bool find_cells(const struct cube_levels *levels, histree_time from, histree_time to, uint64_t *first,
		       uint64_t *after)
{
	const uint64_t start = (uint64_t)from - (uint64_t)levels->origin;
	const uint64_t end = (uint64_t)to - (uint64_t)levels->origin;
	const uint64_t width = UINT64_C(1) << levels->width_log2;
	*first = start == 0 ? 0 : (start >> levels->width_log2) + 1;
	*after = (end >> levels->width_log2) + (to == levels->end || end % width == width - 1);
	return *first < *after;
}

static bool is_of_no_use(const struct histree_value *value)
{
	return value->type == HISTREE_CUSTOM && value->size == 1 && ((const char *)value->bytes)[0] == '\0';
}

static enum histree_status read_cells(const struct reading *reading, uint32_t level, uint64_t first, uint64_t after,
				      struct histree_error *error);

/* HISTREE_ERR_FORMAT: it is of no use. */
static enum histree_status read_cell(const struct reading *reading, uint32_t level, uint64_t cell,
				     struct histree_error *error)
{
	const struct level_entry *entry = overview_level_find(&reading->of->levels[level], reading->quark);
	struct histree_interval state;
	histree_time start, end;
	if (entry == NULL)
		return HISTREE_ERR_FORMAT;
	cube_level_times(&reading->levels, level, cell, &start, &end);
	enum histree_status status = histree_query_single(reading->query, entry->own, start, &state, error);
	if (status != HISTREE_OK)
		return status;
	if (state.value.type == HISTREE_NULL)
		return state.end >= end ? HISTREE_OK : HISTREE_ERR_FORMAT;
	if (state.value.type != HISTREE_CUSTOM || state.start != start || state.end != end)
		return HISTREE_ERR_FORMAT;
	if (!is_of_no_use(&state.value)) {
		status = cube_cell_get(&reading->cube->parts[reading->part], reading->part, reading->texts,
				       (uint64_t)end - (uint64_t)start + 1, reading->threads_max,
				       (const uint8_t *)state.value.bytes, state.value.size);
		return status == HISTREE_ERR_MEMORY ? error_memory(error, "a cube") : status;
	}
	if (level == 0)
		return HISTREE_ERR_FORMAT;
	const uint64_t below = cube_level_cells(&reading->levels, level - 1);
	const uint64_t after = (cell + 1) << LEVELED_STEP_LOG2;
	return read_cells(reading, level - 1, cell << LEVELED_STEP_LOG2, after < below ? after : below, error);
}

static enum histree_status read_cells(const struct reading *reading, uint32_t level, uint64_t first, uint64_t after,
				      struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint64_t cell = first; cell < after && status == HISTREE_OK; cell++)
		status = read_cell(reading, level, cell, error);
	return status;
}

/* From the ends to the middle: at each level what does not fill a cell of the next. */
static enum histree_status read_levels(const struct reading *reading, uint64_t first, uint64_t after,
				       struct histree_error *error)
{
	const uint64_t step = 1 << LEVELED_STEP_LOG2;
	enum histree_status status = HISTREE_OK;
	for (uint32_t level = 0; status == HISTREE_OK; level++) {
		const bool is_to_end = after == cube_level_cells(&reading->levels, level);
		const uint64_t next_first = (first + step - 1) / step;
		const uint64_t next_after = is_to_end ? (after + step - 1) / step : after / step;
		if (level + 1 == reading->levels.count || next_first >= next_after)
			return read_cells(reading, level, first, after, error);
		status = read_cells(reading, level, first, next_first * step, error);
		if (status == HISTREE_OK && !is_to_end)
			status = read_cells(reading, level, next_after * step, after, error);
		first = next_first;
		after = next_after;
	}
	return status;
}

/* ------------------------------------------------------------------------------------------------------------- */

static enum histree_status read_part(struct reading *reading, const struct histree_history *history,
				     enum cube_part part, uint64_t first, uint64_t after,
				     struct histree_error *error)
{
	static const char *const above[CUBE_PARTS] = { "Threads", "CPUs" };
	reading->part = part;
	if (histree_attributes_find(histree_history_attributes(history), HISTREE_ROOT, above[part],
				    &reading->quark) != HISTREE_OK)
		return HISTREE_ERR_FORMAT;
	return read_levels(reading, first, after, error);
}

static enum histree_status read_parts(struct reading *reading, const struct histree_history *history,
				      bool needs_owners, uint64_t first, uint64_t after,
				      struct histree_error *error)
{
	enum histree_status status = histree_query_create(reading->of->history, &reading->query, error);
	if (status == HISTREE_OK)
		status = read_part(reading, history, CUBE_OF_CALLS, first, after, error);
	if (status == HISTREE_OK && needs_owners)
		status = read_part(reading, history, CUBE_OF_OWNERS, first, after, error);
	histree_query_free(reading->query);
	return status;
}

/* Whatever is wrong with it, the history says the same. */
enum histree_status range_cube_read(struct range_cube *cube, struct histree_history *history, histree_time from,
				    histree_time to, bool needs_owners, struct intern *texts,
				    struct histree_error *error)
{
	const struct leveled_overview *of = history_cube(history);
	const struct histree_history_info *info = histree_history_info(history);
	uint64_t first, after;
	histree_time ignored;
	*cube = (struct range_cube){ 0 };
	if (of->history == NULL)
		return HISTREE_OK;
	struct reading reading = {
		.of = of,
		.levels = cube_levels(info, of->log2),
		.threads_max = info->attribute_count,
		.cube = cube,
		.texts = texts,
	};
	if (of->level_count != reading.levels.count || cube_level_cells(&reading.levels, 0) > CUBE_CELLS_MAX ||
	    !find_cells(&reading.levels, from, to, &first, &after))
		return HISTREE_OK;
	cube_level_times(&reading.levels, 0, first, &cube->from, &ignored);
	cube_level_times(&reading.levels, 0, after - 1, &ignored, &cube->to);
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
