// SPDX-License-Identifier: MIT
#include "overview/ladder_states.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

enum histree_status ladder_states_add(struct ladder_states *states, const struct histree_interval *state,
				      struct histree_error *error)
{
	const struct histree_value *value = &state->value;
	const size_t size = value->type == HISTREE_CUSTOM ? value->size : 0;
	if (!array_reserve(&states->states, &states->capacity, states->count + 1) ||
	    !array_reserve(&states->bytes, &states->bytes_capacity, states->size + size + 1))
		return error_memory(error, "an overview");
	states->states[states->count++] = (struct ladder_state){
		.start = state->start,
		.end = state->end,
		.own = state->quark,
		.type = value->type,
		.value = value->type == HISTREE_INT ? value->int32 : 0,
		.size = (uint32_t)size,
		.at = states->size,
	};
	if (size > 0)
		memcpy(states->bytes + states->size, value->bytes, size);
	states->size += size;
	return HISTREE_OK;
}

struct histree_interval ladder_states_get(const struct ladder_states *states, size_t index)
{
	const struct ladder_state *state = &states->states[index];
	struct histree_interval interval = {
		.quark = state->own, .start = state->start, .end = state->end, .value = histree_null()
	};
	if (state->type == HISTREE_CUSTOM)
		interval.value = histree_custom(states->bytes + state->at, state->size);
	else if (state->type == HISTREE_INT)
		interval.value = histree_int(state->value);
	return interval;
}

void ladder_states_clear(struct ladder_states *states)
{
	states->count = states->size = 0;
}

void ladder_states_release(struct ladder_states *states)
{
	free(states->states);
	free(states->bytes);
	*states = (struct ladder_states){ 0 };
}
