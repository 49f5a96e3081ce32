/* SPDX-License-Identifier: MIT */
/*
 * history_sums.h - the overview of sums of a history: a history of its own whose states say for how long an
 * attribute had each of its values in a cell of time (docs/design/0078-sums.md).
 *
 * That of FILE is FILE.sums.  Its attribute 1/Q has the cells of 2^W ns of quark Q of the history, counted from
 * the start of that, 2/Q those of eight times as many ns, and so on; what is behind the last whole cell is null.
 * A state is
 *
 *	custom		a cell, as state_sum_put() writes it
 *	int, null	cells in which the attribute has this value all the time and no state begins
 *	custom ""	the same of unknown
 *	custom "\0"	cells of an attribute whose values are other ones, or too many: of no use
 *
 * It is no more than a help: where there is none, or it is not of this file, states are read from the history.
 */
#ifndef STATE_HISTORY_SUMS_H
#define STATE_HISTORY_SUMS_H

#include "base/io.h"
#include "histree/history.h"
#include "state/overview_levels.h"

enum { SUMS_VERSION = 1, SUMS_STEP_LOG2 = 3, SUMS_LEVELS_MAX = 12, SUMS_WIDTH_LOG2_MAX = 60 };

/* A zeroed one is empty. */
struct history_sums {
	struct histree_history *history; /* NULL: there is none */
	struct overview_level levels[SUMS_LEVELS_MAX];
	uint32_t level_count;
	unsigned width_log2; /* of the cells of level 1 */
};

/* As those of history_numbers.h. */
size_t sums_path_size(const char *history);
void sums_path(const char *history, char *room);
void sums_provider(const struct histree_history_info *of, unsigned width_log2, char *room, size_t size);

/* Open that of a history, if it has one.  HISTREE_ERR_MEMORY only. */
enum histree_status history_sums_open(struct history_sums *sums, const char *path,
				      const struct histree_history_info *of, size_t cache_bytes,
				      struct histree_error *error);

struct overview_faults;

/* Read all of it, whether it can be used or not; nothing is done if there is none. */
enum histree_status history_sums_verify(const struct io *io, const char *path,
					const struct histree_history_info *of, struct overview_faults *faults,
					struct histree_error *error);

void history_sums_close(struct history_sums *sums);

#endif
