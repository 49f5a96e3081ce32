// SPDX-License-Identifier: MIT
/*
 * ongoing_states.c - the ongoing state of each attribute, and the bytes of their values.
 */
#include "state/ongoing_states.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "histree/value.h"

/* ---- value pool ---------------------------------------------------------------------------------------------- */

enum { UNHELD_BYTES_MIN = 64 << 10 };

/* What a value costs; the overhead makes values without bytes count too. */
static size_t cost_of(const struct pooled_value *value)
{
	return sizeof(*value) + value->size;
}

struct wanted {
	const void *bytes;
	uint32_t size;
};

static bool has_bytes(const void *values, uint32_t id, const void *key)
{
	const struct pooled_value *value = (const struct pooled_value *)values + id;
	const struct wanted *wanted = key;
	return value->size == wanted->size &&
	       (wanted->size == 0 || memcmp(value->bytes, wanted->bytes, wanted->size) == 0);
}

static uint64_t hash_of(const void *values, uint32_t id)
{
	const struct pooled_value *value = (const struct pooled_value *)values + id;
	return hash_bytes(value->bytes, value->size);
}

static void forget_unheld(struct value_pool *pool)
{
	hash_index_clear(&pool->index);
	for (uint32_t id = 0; id < pool->count; id++) {
		struct pooled_value *value = &pool->values[id];
		if (value->holders > 0)
			hash_index_add(&pool->index, hash_of(pool->values, id), id);
		if (value->bytes == NULL || value->holders > 0)
			continue;
		free(value->bytes);
		*value = (struct pooled_value){ .size = pool->free_id };
		pool->free_id = id + 1;
	}
	pool->unheld_bytes = 0;
}

/* The arrays count as well, because forgetting goes through all of them: that keeps its share constant. */
static bool worth_forgetting(const struct value_pool *pool)
{
	size_t kept = pool->held_bytes + pool->count * sizeof(*pool->values) +
		      pool->index.slot_count * sizeof(*pool->index.slots);
	return pool->unheld_bytes > UNHELD_BYTES_MIN + kept / 4;
}

static bool take_id(struct value_pool *pool, uint32_t *id)
{
	if (pool->free_id != 0) {
		*id = pool->free_id - 1;
		pool->free_id = pool->values[*id].size;
		return true;
	}
	if (pool->count == UINT32_MAX / 4 ||
	    !table_reserve(&pool->table, &pool->values, &pool->capacity, (size_t)pool->count + 1))
		return false;
	*id = pool->count++;
	return true;
}

static bool insert(struct value_pool *pool, uint64_t hash, const void *bytes, uint32_t size, uint32_t *id)
{
	unsigned char *copy = malloc(size > 0 ? size : 1);
	if (copy == NULL)
		return false;
	if (size > 0)
		memcpy(copy, bytes, size);
	/* Only now: `bytes` may be part of a value without a holder. */
	if (worth_forgetting(pool))
		forget_unheld(pool);
	if (!hash_index_reserve(&pool->index, (size_t)pool->index.count + 1, hash_of, pool->values) ||
	    !take_id(pool, id)) {
		free(copy);
		return false;
	}
	pool->values[*id] = (struct pooled_value){ .bytes = copy, .size = size, .holders = 1 };
	hash_index_add(&pool->index, hash, *id);
	pool->held_bytes += cost_of(&pool->values[*id]);
	return true;
}

/*
 * Hold these bytes, which may be bytes of the pool itself.  Returns false if memory is out, which never happens
 * for bytes that the pool has already.
 */
static bool value_pool_hold(struct value_pool *pool, const void *bytes, uint32_t size, uint32_t *id)
{
	uint64_t hash = hash_bytes(bytes, size);
	uint32_t known =
		hash_index_find(&pool->index, hash, has_bytes, pool->values, &(struct wanted){ bytes, size });
	if (known == HASH_INDEX_NONE)
		return insert(pool, hash, bytes, size, id);
	struct pooled_value *value = &pool->values[known];
	if (value->holders++ == 0) {
		assert(pool->unheld_bytes >= cost_of(value));
		pool->unheld_bytes -= cost_of(value);
		pool->held_bytes += cost_of(value);
	}
	*id = known;
	return true;
}

static void value_pool_drop(struct value_pool *pool, uint32_t id)
{
	assert(id < pool->count);
	struct pooled_value *value = &pool->values[id];
	assert(value->holders > 0 && value->bytes != NULL);
	if (--value->holders == 0) {
		assert(pool->held_bytes >= cost_of(value));
		pool->held_bytes -= cost_of(value);
		pool->unheld_bytes += cost_of(value);
	}
}

static void value_pool_release(struct value_pool *pool)
{
	for (uint32_t id = 0; id < pool->count; id++)
		free(pool->values[id].bytes);
	table_release(&pool->table, pool->values);
	hash_index_release(&pool->index);
	*pool = (struct value_pool){ 0 };
}

/* ---- ongoing states ------------------------------------------------------------------------------------------ */

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
	assert(count <= ongoing->capacity || count <= ongoing->count);
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
	if (value->type == HISTREE_INT) { /* most are */
		held->bits = (uint32_t)value->int32;
		return true;
	}
	switch (value->type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
	case HISTREE_INT:
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
	assert(quark < ongoing->count);
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
