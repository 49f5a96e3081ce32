/* SPDX-License-Identifier: MIT */
/*
 * state_fact.h - what is known of a state besides its value and its times, by name: of a thread's its TID, its CPU.
 *
 * Names are those of Trace Compass, by which the filters of its clients ask.
 */
#ifndef SERVER_STATE_FACT_H
#define SERVER_STATE_FACT_H

#include "histree/query.h"

enum { STATE_FACT_TEXT_SIZE = 256, STATE_FACTS_MAX = 8 };

/* Where and when a fact is asked for. */
struct state_place {
	const void *view;
	uint32_t row;       /* of the view: the index of a thread, of a resource */
	histree_time start; /* of the state */
	struct histree_query *query;
	char *room; /* STATE_FACT_TEXT_SIZE bytes, for a text */
};

struct state_fact {
	const char *name; /* NULL ends a list */
	struct histree_value (*value)(const struct state_place *place);
};

/* The value of an attribute then, its bytes in the room; null where it cannot be said. */
struct histree_value state_fact_attribute(const struct state_place *place, histree_quark quark);

#endif
