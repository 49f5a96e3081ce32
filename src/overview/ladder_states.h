/* SPDX-License-Identifier: MIT */
/*
 * ladder_states.h - states of an overview with levels (state/leveled_overview.h) that are complete, until they are
 * written or compared.
 */
#ifndef OVERVIEW_LADDER_STATES_H
#define OVERVIEW_LADDER_STATES_H

#include <stddef.h>

#include "histree/value.h"
#include "state/leveled_overview.h"

/* The rungs of one attribute of a ladder, a level each. */
struct ladder_rungs {
	uint32_t first, count;
	histree_quark own[LEVELED_LEVELS_MAX]; /* by level, 1 first: what they are called in the overview */
};

/* Null, an int or custom. */
struct ladder_state {
	histree_time start, end;
	histree_quark own;
	enum histree_type type;
	int32_t value;
	uint32_t size; /* of a custom one */
	size_t at;     /* in `bytes` */
};

/* A zeroed one is empty. */
struct ladder_states {
	struct ladder_state *states;
	size_t count, capacity;
	uint8_t *bytes;
	size_t size, bytes_capacity;
};

enum histree_status ladder_states_add(struct ladder_states *states, const struct histree_interval *state,
				      struct histree_error *error);

/* Borrowed until states are added. */
struct histree_interval ladder_states_get(const struct ladder_states *states, size_t index);

void ladder_states_clear(struct ladder_states *states);
void ladder_states_release(struct ladder_states *states);

#endif
