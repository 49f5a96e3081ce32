// SPDX-License-Identifier: MIT
#include "overview/cube_cells.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum histree_status cube_cells_init(struct cube_cells *cells, const struct histree_history_info *of,
				    unsigned width_log2, struct histree_error *error)
{
	*cells = (struct cube_cells){ .of = *of, .levels = cube_levels(of, width_log2) };
	const uint64_t count = cube_level_cells(&cells->levels, 0);
	for (int part = 0; part < CUBE_PARTS; part++) {
		cells->cells[part] = calloc(count, sizeof(*cells->cells[part]));
		if (cells->cells[part] == NULL)
			return error_memory(error, "an overview");
	}
	return HISTREE_OK;
}

/* ---- one cell ----------------------------------------------------------------------------------------------- */

static uint64_t ns_of(const struct cube_cells *cells, uint64_t cell)
{
	histree_time start, end;
	cube_level_times(&cells->levels, 0, cell, &start, &end);
	return (uint64_t)end - (uint64_t)start + 1;
}

/* Add what a cell says to another one.  The bytes are our own. */
static enum histree_status add_cell(struct cube_cells *cells, enum cube_part part, uint64_t cell,
				    struct cube_cell *to, struct histree_error *error)
{
	const struct cube_bytes *from = &cells->cells[part][cell];
	if (from->size == 0 || cube_cell_get(to, part, &cells->texts, ns_of(cells, cell), cells->of.attribute_count,
					     from->bytes, from->size) == HISTREE_OK)
		return HISTREE_OK;
	return error_memory(error, "an overview");
}

enum histree_status cube_cells_open(struct cube_cells *cells, enum cube_part part, uint64_t cell,
				    struct histree_error *error)
{
	cube_cell_clear(&cells->open);
	return add_cell(cells, part, cell, &cells->open, error);
}

enum histree_status cube_cells_close(struct cube_cells *cells, enum cube_part part, uint64_t cell,
				     struct histree_error *error)
{
	struct cube_bytes *into = &cells->cells[part][cell];
	struct saved_bytes saved = { 0 };
	cube_cell_put(&cells->open, part, &cells->texts, &saved);
	uint8_t *bytes = saved.no_memory ? NULL : realloc(saved.bytes, saved.size + 1);
	if (bytes == NULL) {
		saved_release(&saved);
		return error_memory(error, "an overview");
	}
	cells->bytes[part] += saved.size - into->size;
	cells->largest[part] = saved.size > cells->largest[part] ? saved.size : cells->largest[part];
	free(into->bytes);
	*into = (struct cube_bytes){ bytes, saved.size };
	return HISTREE_OK;
}

static void forget(struct cube_cells *cells, enum cube_part part, uint64_t cell)
{
	struct cube_bytes *bytes = &cells->cells[part][cell];
	cells->bytes[part] -= bytes->size;
	free(bytes->bytes);
	*bytes = (struct cube_bytes){ 0 };
}

void cube_cells_drop(struct cube_cells *cells, enum cube_part part)
{
	for (uint64_t cell = 0; cell < cube_level_cells(&cells->levels, 0); cell++)
		forget(cells, part, cell);
	cells->largest[part] = 0;
}

/* The two become the first of them. */
static enum histree_status join(struct cube_cells *cells, enum cube_part part, uint64_t cell,
				struct histree_error *error)
{
	enum histree_status status = cube_cells_open(cells, part, cell, error);
	if (status == HISTREE_OK)
		status = add_cell(cells, part, cell + 1, &cells->open, error);
	if (status == HISTREE_OK)
		status = cube_cells_close(cells, part, cell, error);
	if (status == HISTREE_OK)
		forget(cells, part, cell + 1);
	return status;
}

enum histree_status cube_cells_widen(struct cube_cells *cells, struct histree_error *error)
{
	const uint64_t count = cube_level_cells(&cells->levels, 0);
	for (int part = 0; part < CUBE_PARTS; part++) {
		struct cube_bytes *all = cells->cells[part];
		cells->largest[part] = 0;
		for (uint64_t cell = 0; cell < count; cell += 2) {
			enum histree_status status = cell + 1 < count && all[cell].size + all[cell + 1].size > 0
							     ? join(cells, (enum cube_part)part, cell, error)
							     : HISTREE_OK;
			if (status != HISTREE_OK)
				return status;
			const struct cube_bytes bytes = all[cell];
			all[cell] = (struct cube_bytes){ 0 };
			all[cell / 2] = bytes;
			cells->largest[part] =
				bytes.size > cells->largest[part] ? bytes.size : cells->largest[part];
		}
	}
	cells->levels = cube_levels(&cells->of, cells->levels.width_log2 + 1);
	return HISTREE_OK;
}

/* ---- all levels --------------------------------------------------------------------------------------------- */

struct handing {
	struct cube_cells *cells;
	struct cube_cell above[LEVELED_LEVELS_MAX]; /* what is known of the cell of each level that is not over */
	enum histree_status (*take)(void *context, const struct cube_state *state, struct histree_error *error);
	void *context;
};

static enum histree_status hand_out(const struct handing *handing, enum cube_part part, uint32_t level,
				    uint64_t cell, const uint8_t *bytes, size_t size, struct histree_error *error)
{
	struct cube_state state = { .part = part, .level = level, .cell = cell };
	cube_level_times(&handing->cells->levels, level, cell, &state.start, &state.end);
	state.value = size == 0                           ? histree_null()
		      : size <= handing->cells->bytes_max ? histree_custom(bytes, size)
							  : histree_custom("", 1);
	return handing->take(handing->context, &state, error);
}

/* A cell of a level ends, and so may that above it. */
static enum histree_status end_cells(struct handing *handing, enum cube_part part, uint64_t cell,
				     struct histree_error *error)
{
	struct cube_cells *cells = handing->cells;
	const bool is_last = cell + 1 == cube_level_cells(&cells->levels, 0);
	enum histree_status status = HISTREE_OK;
	for (uint32_t level = 1; level < cells->levels.count && status == HISTREE_OK; level++) {
		const uint64_t at = cell >> (level * LEVELED_STEP_LOG2);
		struct cube_cell *above = &handing->above[level];
		struct saved_bytes saved = { 0 };
		if (!is_last && (cell + 1) >> (level * LEVELED_STEP_LOG2) == at)
			break;
		cube_cell_put(above, part, &cells->texts, &saved);
		status = saved.no_memory ? error_memory(error, "an overview")
					 : hand_out(handing, part, level, at, saved.bytes, saved.size, error);
		for (size_t i = 0; status == HISTREE_OK && level + 1 < cells->levels.count && i < above->count; i++)
			if (!cube_cell_add(&handing->above[level + 1], &above->rows[i]))
				status = error_memory(error, "an overview");
		cube_cell_clear(above);
		saved_release(&saved);
	}
	return status;
}

static enum histree_status hand_out_part(struct handing *handing, enum cube_part part, uint64_t cell,
					 struct histree_error *error)
{
	struct cube_cells *cells = handing->cells;
	const struct cube_bytes *bytes = &cells->cells[part][cell];
	enum histree_status status = hand_out(handing, part, 0, cell, bytes->bytes, bytes->size, error);
	if (status == HISTREE_OK && cells->levels.count > 1)
		status = add_cell(cells, part, cell, &handing->above[1], error);
	return status == HISTREE_OK ? end_cells(handing, part, cell, error) : status;
}

enum histree_status cube_cells_each(struct cube_cells *cells,
				    enum histree_status (*take)(void *context, const struct cube_state *state,
								struct histree_error *error),
				    void *context, struct histree_error *error)
{
	struct handing parts[CUBE_PARTS];
	enum histree_status status = HISTREE_OK;
	for (int part = 0; part < CUBE_PARTS; part++)
		parts[part] = (struct handing){ .cells = cells, .take = take, .context = context };
	for (uint64_t cell = 0; cell < cube_level_cells(&cells->levels, 0) && status == HISTREE_OK; cell++)
		for (int part = 0; part < CUBE_PARTS && status == HISTREE_OK; part++)
			status = hand_out_part(&parts[part], (enum cube_part)part, cell, error);
	for (int part = 0; part < CUBE_PARTS; part++)
		for (uint32_t level = 0; level < LEVELED_LEVELS_MAX; level++)
			cube_cell_release(&parts[part].above[level]);
	return status;
}

void cube_cells_release(struct cube_cells *cells)
{
	for (int part = 0; part < CUBE_PARTS; part++) {
		if (cells->cells[part] != NULL)
			cube_cells_drop(cells, (enum cube_part)part);
		free(cells->cells[part]);
	}
	cube_cell_release(&cells->open);
	intern_release(&cells->texts);
	*cells = (struct cube_cells){ 0 };
}
