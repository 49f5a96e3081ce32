/* SPDX-License-Identifier: MIT */
/*
 * history_numbers.h - the number overview of a history: a history of its own whose states are summaries of the
 * numbers of states that follow one another (docs/design/0031-number-overviews.md).
 *
 * That of FILE is FILE.numbers (leveled_overview.h).  Its attribute 1/Q has a state for each 2^B states of quark
 * Q of the history, 2/Q one for each eight of 1/Q, and so on; the last one of each may be of fewer.  The
 * attributes of a level follow one another by Q, so that a tree has them in leaves of their own.  A state is of
 * type custom and as number_summary_put() writes it.
 */
#ifndef STATE_HISTORY_NUMBERS_H
#define STATE_HISTORY_NUMBERS_H

#include "state/leveled_overview.h"

enum { NUMBERS_VERSION = 1, NUMBERS_STATES_LOG2_MAX = 24 };

extern const struct leveled_kind numbers_kind;

#endif
