/* SPDX-License-Identifier: MIT */
/*
 * pyramid.h - the pyramids beside a history: the same attributes in cells, level above level, each level of fewer
 * and larger cells than the one below (docs/design/05-pyramid.md).
 *
 * The kind says what is in a cell.  For rows, it is the values that lasted longest, and a level is a file:
 * FILE.overview1, FILE.overview2, ..., each made of the one below.  Its attribute W/Q has the cells of 2^W ns of
 * quark Q of the history, in the order of Q; a custom value of no bytes stands for several other values together.
 *
 * All other kinds are one file, FILE.NAME.  Its provider identifies the history and gives the size of a cell of
 * level 1: 2^N states, or ns; a cell of each further level covers 2^PYRAMID_STEP_LOG2 cells of the level below.
 * Attribute L/Q is level L, from 1 on, of quark Q. The attributes of a level are in the order of Q, so a tree puts
 * them into leaves of their own.
 *
 * 	numbers	summaries of states that follow one another, as number_summary_put() writes them; the last one of
 * 		a level may be of fewer (docs/design/05-pyramid.md)
 * 	sums	for how long the attribute had each of its values (docs/design/05-pyramid.md); what is behind the
 * 		last whole cell is null.  A state is
 *
 * 			custom		a cell, as state_sum_put() writes it
 * 			int, null	cells that have this value all the time, in which no state begins
 * 			custom ""	the same of unknown
 * 			custom "\0"	cells of an attribute of other values, or of too many: of no use
 *
 * 	cube	for how long all threads of a kernel together did what (docs/design/05-pyramid.md).  Q is the quark
 * 		of `Threads`, for the cells of calls, or of `CPUs`, for those of owners; the last cell of a level
 * 		ends with FILE.  A state is
 *
 * 			custom		a cell, as cube_cell_put() writes it
 * 			null		cells in which there is no thread, or nobody waits
 * 			custom "\0"	a cell too large for a node: the cells of the level below say it
 *
 * 	names	what the threads of a kernel are called and whose they are: the states of Q, an Exec_name, PID,
 * 		PPID or Process, or the status of a thread, as they are.  N is 0, and there is one level, which
 * 		has all such attributes but the statuses of many states; as these may be very many, it has no
 * 		entries here (query/thread_names.h)
 *
 * Pyramids only make answers faster: if there is none, or it belongs to another file, the history itself is read.
 */
#ifndef STATE_PYRAMID_H
#define STATE_PYRAMID_H

#include "histree/history.h"

enum pyramid_id { PYRAMID_ROWS, PYRAMID_NUMBERS, PYRAMID_SUMS, PYRAMID_CUBE, PYRAMID_NAMES, PYRAMIDS };

enum {
	PYRAMID_STEP_LOG2 = 3,
	PYRAMID_LEVELS_MAX = 16, /* of rows; */
	PYRAMID_STEPS_MAX = 12,  /* of the other kinds */
	PYRAMID_ROWS_WIDTH_LOG2_MAX = 62,
};

/* What one kind differs from the others in: all of it is part of the format. */
struct pyramid_kind {
	const char *name; /* "sums" */
	const char *unit; /* of cells: "states", "ns"; NULL: each level is a file, of cells of any width */
	uint32_t version; /* of its files; those of earlier versions are not used, except older ones of rows */
	unsigned log2_min, log2_max; /* N */
	unsigned last_log2_max;      /* of the last level */
	uint32_t node_size;          /* of its file; 0: the default */
	/* For kinds with cells of ns and all attributes in all levels: */
	uint64_t cells_enough; /* a level of this many cells has no level above it */
	/* the last cell of a level holds the remainder, and may be shorter than the others */
	bool has_rest;
};

extern const struct pyramid_kind pyramid_kinds[PYRAMIDS];

enum {
	CUBE_NODE_SIZE_MAX = 1 << 20, /* those of a cube become so large as a cell of level 1 needs them */
	CUBE_CELLS_MAX = 1 << 12,     /* of level 1 */
};

/* The bytes of the largest cell that a file of such nodes has: two in a node, or one where no nodes are larger. */
static inline size_t cube_cell_bytes_max(uint32_t node_size)
{
	return node_size / 8 * (node_size < CUBE_NODE_SIZE_MAX ? 3 : 7);
}

/* An attribute of a level. */
struct pyramid_entry {
	histree_quark quark; /* in the history */
	histree_quark own;   /* in the level's own */
	uint32_t width_log2; /* of a cell, in the unit of the kind */
};

struct pyramid_level {
	struct histree_history *history; /* its own, which all levels of a file share */
	struct pyramid_entry *entries;   /* by quark */
	size_t count, capacity;
};

/* A zeroed one has no levels. */
struct pyramid {
	struct pyramid_level levels[PYRAMID_LEVELS_MAX]; /* the one with the smallest cells first */
	uint32_t level_count;                            /* 0: there is no pyramid */
	unsigned log2;                                   /* N */
};

/* Returns NULL if the level does not have the attribute. */
const struct pyramid_entry *pyramid_level_find(const struct pyramid_level *level, histree_quark quark);

/* Find the attributes that stand for one of the history, that of level 1 first.  Returns how many levels it has. */
uint32_t pyramid_find(const struct pyramid *pyramid, histree_quark quark, histree_quark own[PYRAMID_LEVELS_MAX]);

/*
 * Returns the level in which an attribute has the widest cells up to `cell_ns`; UINT32_MAX: there is no such
 * level.
 */
uint32_t pyramid_find_width(const struct pyramid *pyramid, histree_quark quark, uint64_t cell_ns,
			    const struct pyramid_entry **entry);

/* A value of rows that stands for several. */
static inline bool pyramid_value_is_rest(const struct histree_value *value)
{
	return value->type == HISTREE_CUSTOM && value->size == 0;
}

/* A cell that says nothing: that of another level, or the states, say it. */
static inline bool pyramid_value_is_of_no_use(const struct histree_value *value)
{
	return value->type == HISTREE_CUSTOM && value->size == 1 && *(const char *)value->bytes == '\0';
}

/* ---- how cells divide a history --------------------------------------------------------------------------- */

struct pyramid_grid {
	histree_time origin, end; /* of the history */
	unsigned width_log2;      /* N */
	uint32_t level_count;
	bool has_rest;
};

/* For a kind with cells of ns. */
struct pyramid_grid pyramid_grid(enum pyramid_id id, const struct histree_history_info *of, unsigned width_log2);

/* How many cells a level has, 0 being level 1, and the times of one, both inclusive. */
uint64_t pyramid_grid_cells(const struct pyramid_grid *grid, uint32_t level);
void pyramid_grid_times(const struct pyramid_grid *grid, uint32_t level, uint64_t cell, histree_time *start,
			histree_time *end);

/*
 * Find the cells of level 1 inside a range, from *first up to *after.  A cell counts what begins in it, so the
 * first cell begins after `from`, unless it is the first of the history.  Returns false if there are no cells.
 */
bool pyramid_grid_inside(const struct pyramid_grid *grid, histree_time from, histree_time to, uint64_t *first,
			 uint64_t *after);

/*
 * Hand out the cells that say the same as those of level 1 from `first` up to `after`: of each level what does not
 * fill a cell of the next one, from the ends to the middle.
 */
enum histree_status pyramid_grid_walk(const struct pyramid_grid *grid, uint64_t first, uint64_t after,
				      enum histree_status (*take)(void *context, uint32_t level, uint64_t first,
								  uint64_t after, struct histree_error *error),
				      void *context, struct histree_error *error);

/* ---- files ------------------------------------------------------------------------------------------------- */

/* Write the path of a file of the history at a path; `room` has pyramid_path_size() bytes; `level` is 1, 2, ... */
size_t pyramid_path_size(const char *history);
void pyramid_path(enum pyramid_id id, const char *history, uint32_t level, char *room);

/* How many files a pyramid has at most: levels of rows, else 1. */
uint32_t pyramid_files_max(enum pyramid_id id);

/* Write the provider by which it says whose it is; `room` is as large as histree_history_info.provider. */
void pyramid_provider(enum pyramid_id id, const struct histree_history_info *of, unsigned log2, char *room,
		      size_t size);

/* The levels from `count` on are not there any more, and their file is closed: 0 closes it (history.c). */
void pyramid_drop_levels(struct pyramid *pyramid, uint32_t count);

#endif
