// SPDX-License-Identifier: MIT
#include "query/active_states.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

bool active_states_init(struct active_states *active, uint32_t attribute_count)
{
	*active = (struct active_states){ .places = calloc((size_t)attribute_count + 1, sizeof(*active->places)) };
	return active->places != NULL;
}

static bool has_bytes(const struct histree_value *value)
{
	return value->type == HISTREE_STRING || value->type == HISTREE_CUSTOM;
}

static void release(struct histree_interval *state)
{
	if (has_bytes(&state->value))
		free((char *)(uintptr_t)state->value.bytes);
}

/* The last one takes its place. */
void active_states_drop(struct active_states *active, histree_quark quark)
{
	uint32_t place = active->places[quark];
	if (place == 0)
		return;
	active->places[quark] = 0;
	release(&active->states[place - 1]);
	active->count--;
	if (place - 1 == active->count)
		return;
	active->states[place - 1] = active->states[active->count];
	active->places[active->states[place - 1].quark] = place;
}

bool active_states_set(struct active_states *active, const struct histree_interval *interval)
{
	struct histree_interval state = *interval;
	if (!array_reserve(&active->states, &active->capacity, active->count + 1))
		return false;
	if (has_bytes(&interval->value)) {
		void *bytes = malloc((size_t)interval->value.size + 1);
		if (bytes == NULL)
			return false;
		if (interval->value.size > 0)
			memcpy(bytes, interval->value.bytes, interval->value.size);
		state.value.bytes = bytes;
	}
	active_states_drop(active, interval->quark);
	active->states[active->count++] = state;
	active->places[interval->quark] = (uint32_t)active->count;
	return true;
}

void active_states_clear(struct active_states *active)
{
	while (active->count > 0)
		active_states_drop(active, active->states[active->count - 1].quark);
}

void active_states_release(struct active_states *active)
{
	active_states_clear(active);
	free(active->states);
	free(active->places);
}
