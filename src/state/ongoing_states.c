// SPDX-License-Identifier: MIT
#include "state/ongoing_states.h"

#include <string.h>

_Static_assert(sizeof(struct ongoing_state) == 24, "the memory an attribute takes is promised above");

void ongoing_states_use_space(struct ongoing_states *ongoing, struct table_space *space)
{
	ongoing->table.space = ongoing->pool.table.space = ongoing->pool.index.table.space = space;
}

bool ongoing_states_reserve(struct ongoing_states *ongoing, size_t count)
{
	return table_reserve(&ongoing->table, &ongoing->states, &ongoing->capacity, count);
}

void ongoing_states_extend(struct ongoing_states *ongoing, uint32_t count, histree_time since)
{
	while (ongoing->count < count)
		ongoing->states[ongoing->count++] = (struct ongoing_state){ .since = since, .type = HISTREE_NULL };
}

static bool is_text(unsigned type)
{
	return type == HISTREE_STRING || type == HISTREE_CUSTOM;
}

bool ongoing_states_hold(struct ongoing_states *ongoing, const struct histree_value *value, struct held_value *held)
{
	*held = (struct held_value){ .type = (uint8_t)value->type };
	switch (value->type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	case HISTREE_INT:
		held->bits = (uint32_t)value->int32;
		break;
	case HISTREE_LONG:
		held->bits = (uint64_t)value->int64;
		break;
	case HISTREE_DOUBLE:
		memcpy(&held->bits, &value->real, sizeof(held->bits));
		break;
	case HISTREE_BOOL:
		held->bits = value->boolean;
		break;
	case HISTREE_STRING:
	case HISTREE_CUSTOM: {
		uint32_t id;
		if (!value_pool_hold(&ongoing->pool, value->bytes, value->size, &id))
			return false;
		held->bits = id;
		break;
	}
	}
	return true;
}

void ongoing_states_drop(struct ongoing_states *ongoing, const struct held_value *held)
{
	if (is_text(held->type))
		value_pool_drop(&ongoing->pool, (uint32_t)held->bits);
}

void ongoing_states_set(struct ongoing_states *ongoing, histree_quark quark, histree_time since,
			const struct held_value *held)
{
	struct ongoing_state *state = &ongoing->states[quark];
	if (is_text(state->type))
		value_pool_drop(&ongoing->pool, (uint32_t)state->bits);
	state->since = since;
	state->bits = held->bits;
	state->type = held->type;
	if (state->fixed_type == HISTREE_NULL && held->type != HISTREE_UNKNOWN)
		state->fixed_type = held->type;
}

void ongoing_states_release(struct ongoing_states *ongoing)
{
	value_pool_release(&ongoing->pool);
	table_release(&ongoing->table, ongoing->states);
	*ongoing = (struct ongoing_states){ 0 };
}
