/* SPDX-License-Identifier: MIT */
/*
 * overview_levels.h - the attributes of an overview that has levels: L/Q is level L, from 1 on, of quark Q of the
 * history that it is of.  Those of a level follow one another by Q, so that a tree has them in leaves of their own.
 */
#ifndef STATE_OVERVIEW_LEVELS_H
#define STATE_OVERVIEW_LEVELS_H

#include "histree/history.h"

struct level_entry {
	histree_quark quark; /* in the history */
	histree_quark own;
};

/* A zeroed one is empty. */
struct overview_level {
	struct level_entry *entries; /* by quark */
	size_t count, capacity;
};

/*
 * Read the levels of an overview, `levels_max` at most, of a history with so many attributes.  Returns
 * HISTREE_ERR_FORMAT if it has other attributes too.  What was read is to be released in any case.
 */
enum histree_status overview_levels_read(struct histree_history *overview, uint32_t attribute_count,
					 struct overview_level *levels, uint32_t levels_max, uint32_t *level_count,
					 struct histree_error *error);
void overview_levels_release(struct overview_level *levels, uint32_t level_count);

/* Returns NULL if the level does not have the attribute. */
const struct level_entry *overview_level_find(const struct overview_level *level, histree_quark quark);

#endif
