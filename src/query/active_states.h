/* SPDX-License-Identifier: MIT */
/*
 * active_states.h - the states that a sweep line crosses, at most one for each attribute, each a copy.
 */
#ifndef QUERY_ACTIVE_STATES_H
#define QUERY_ACTIVE_STATES_H

#include "histree/value.h"

/* A zeroed one is empty. */
struct active_states {
	struct histree_interval *states; /* with bytes of their own */
	size_t count, capacity;
	uint32_t *places; /* by quark: place in `states` plus one, 0: none */
};

/* Have room for these many attributes; false if memory is out. */
bool active_states_init(struct active_states *active, uint32_t attribute_count);

/* The attribute has no state any more. */
void active_states_drop(struct active_states *active, histree_quark quark);

/* Make a copy the state of its attribute.  Returns false if memory is out. */
bool active_states_set(struct active_states *active, const struct histree_interval *interval);

void active_states_clear(struct active_states *active);
void active_states_release(struct active_states *active);

#endif
