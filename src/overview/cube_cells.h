/* SPDX-License-Identifier: MIT */
/*
 * cube_cells.h - the cells of a cube (state/history_cube.h) while it is made: those of level 1, as bytes.
 *
 * Whoever adds to a cell opens and closes it.  Cells may become twice as wide at any time.
 */
#ifndef OVERVIEW_CUBE_CELLS_H
#define OVERVIEW_CUBE_CELLS_H

#include "state/history_cube.h"

/* The bytes of a cell, its own. */
struct cube_bytes {
	uint8_t *bytes;
	size_t size;
};

/* A zeroed one is empty. */
struct cube_cells {
	struct histree_history_info of;
	struct cube_levels levels;
	struct cube_bytes *cells[CUBE_PARTS];
	uint64_t bytes[CUBE_PARTS]; /* that all have */
	size_t largest[CUBE_PARTS]; /* of them, as long as cells do not become wider */
	size_t bytes_max;           /* of one that is handed out */
	struct intern texts;
	struct cube_cell open; /* the one that is open */
};

enum histree_status cube_cells_init(struct cube_cells *cells, const struct histree_history_info *of,
				    unsigned width_log2, struct histree_error *error);

/* The number of the cell in which a time is. */
static inline uint64_t cube_cells_at(const struct cube_cells *cells, histree_time time)
{
	return ((uint64_t)time - (uint64_t)cells->levels.origin) >> cells->levels.width_log2;
}

/* Have what a cell of level 1 says in `open`, to add to it, and keep what is there. */
enum histree_status cube_cells_open(struct cube_cells *cells, enum cube_part part, uint64_t cell,
				    struct histree_error *error);
enum histree_status cube_cells_close(struct cube_cells *cells, enum cube_part part, uint64_t cell,
				     struct histree_error *error);

/* Forget what is said of a part. */
void cube_cells_drop(struct cube_cells *cells, enum cube_part part);

/* Make one cell of each two. */
enum histree_status cube_cells_widen(struct cube_cells *cells, struct histree_error *error);

/* A cell of a level, 0 being level 1: a value as state/history_cube.h has it. */
struct cube_state {
	enum cube_part part;
	uint32_t level;
	uint64_t cell;
	histree_time start, end;
	struct histree_value value; /* borrowed for the call */
};

/* Hand out the cells of all levels in the order of their ends. */
enum histree_status cube_cells_each(struct cube_cells *cells,
				    enum histree_status (*take)(void *context, const struct cube_state *state,
								struct histree_error *error),
				    void *context, struct histree_error *error);

void cube_cells_release(struct cube_cells *cells);

#endif
