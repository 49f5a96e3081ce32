/* SPDX-License-Identifier: MIT */
/*
 * history_cube.h - the cube of a kernel history: a history of its own whose states say for how long all threads
 * together did what in a cell of time (docs/design/0083-cube.md).
 *
 * That of FILE is FILE.cube (leveled_overview.h).  Its attribute 1/Q has the cells of 2^W ns, counted from the
 * start of FILE, 2/Q those of eight times as many ns, and so on; the last cell of a level ends with FILE.  Q is the
 * quark of `Threads`, for the cells of calls, or of `CPUs`, for those of owners.  A state is
 *
 *	custom		a cell, as cube_cell_put() writes it
 *	null		cells in which there is no thread, or nobody waits
 *	custom "\0"	a cell that is too large for a node: the cells of the level below say it
 */
#ifndef STATE_HISTORY_CUBE_H
#define STATE_HISTORY_CUBE_H

#include "histree/history.h"
#include "state/cube_cell.h"
#include "state/leveled_overview.h"

enum {
	CUBE_VERSION = 1,
	CUBE_WIDTH_LOG2_MAX = 60,
	CUBE_NODE_SIZE = 256 << 10,   /* unless a cell of level 1 is too large for it; */
	CUBE_NODE_SIZE_MAX = 1 << 20, /* then twice that, and so on */
	CUBE_CELLS_MAX = 1 << 12,     /* of level 1 */
	CUBE_TOP_CELLS_MAX = 16,      /* of the last level, unless there are no more of them */
};

extern const struct leveled_kind cube_kind;

/* The bytes of the largest cell that a file of such nodes has: two in a node, or one where no nodes are larger. */
static inline size_t cube_cell_bytes_max(uint32_t node_size)
{
	return node_size / 8 * (node_size < CUBE_NODE_SIZE_MAX ? 3 : 7);
}

/* How the cells of a cube divide a history. */
struct cube_levels {
	histree_time origin, end; /* of the history */
	unsigned width_log2;      /* W */
	uint32_t count;
};

struct cube_levels cube_levels(const struct histree_history_info *of, unsigned width_log2);

/* How many cells a level has, 0 being level 1, and the times of one, both inclusive. */
uint64_t cube_level_cells(const struct cube_levels *levels, uint32_t level);
void cube_level_times(const struct cube_levels *levels, uint32_t level, uint64_t cell, histree_time *start,
		      histree_time *end);

#endif
