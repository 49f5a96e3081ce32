/* SPDX-License-Identifier: MIT */
/*
 * history_sums.h - the overview of sums of a history: a history of its own whose states say for how long an
 * attribute had each of its values in a cell of time (docs/design/0078-sums.md).
 *
 * That of FILE is FILE.sums (leveled_overview.h).  Its attribute 1/Q has the cells of 2^W ns of quark Q of the
 * history, counted from the start of that, 2/Q those of eight times as many ns, and so on; what is behind the last
 * whole cell is null.  A state is
 *
 *	custom		a cell, as state_sum_put() writes it
 *	int, null	cells in which the attribute has this value all the time and no state begins
 *	custom ""	the same of unknown
 *	custom "\0"	cells of an attribute whose values are other ones, or too many: of no use
 */
#ifndef STATE_HISTORY_SUMS_H
#define STATE_HISTORY_SUMS_H

#include "state/leveled_overview.h"

enum { SUMS_VERSION = 1, SUMS_WIDTH_LOG2_MAX = 60 };

extern const struct leveled_kind sums_kind;

#endif
