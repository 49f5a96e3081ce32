// SPDX-License-Identifier: MIT
#include "query/partners.h"

#include <stdlib.h>

#include "base/array.h"

static bool add(struct partners *partners, const struct partner *partner)
{
	if (!array_reserve(&partners->partners, &partners->capacity, partners->count + 1))
		return false;
	partners->partners[partners->count++] = *partner;
	return true;
}

static int by_order(const void *one, const void *other)
{
	uint64_t a = ((const struct partner *)one)->order, b = ((const struct partner *)other)->order;
	return a < b ? -1 : a > b;
}

static void sort(struct partners *partners)
{
	if (partners->count > 1)
		qsort(partners->partners, partners->count, sizeof(*partners->partners), by_order);
}

bool partners_of_state(struct partners *partners, const struct join_keys *keys,
		       const struct histree_interval *state)
{
	partners->count = 0;
	for (size_t place = keys->first_of[state->quark]; join_keys_is_of(keys, place, state->quark); place++) {
		struct active_segment *next, *at = keys->segments[keys->attributes[place].key];
		for (; at != NULL; at = next) {
			next = at->next;
			if (at->segment.end < state->start)
				active_segment_leave_list(at);
			else if (!add(partners, &(struct partner){ at->number, state, &at->segment }))
				return false;
		}
	}
	sort(partners);
	return true;
}

bool partners_of_segment(struct partners *partners, const struct join_keys *keys, uint32_t key,
			 const struct active_states *states, const struct histree_segment *segment)
{
	partners->count = 0;
	for (uint32_t at = keys->active[key]; at != 0; at = keys->attributes[at - 1].next) {
		uint32_t place = states->places[keys->attributes[at - 1].quark];
		if (!add(partners, &(struct partner){ place, &states->states[place - 1], segment }))
			return false;
	}
	sort(partners);
	return true;
}

void partners_release(struct partners *partners)
{
	free(partners->partners);
}
