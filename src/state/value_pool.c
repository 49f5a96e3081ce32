// SPDX-License-Identifier: MIT
#include "state/value_pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

enum { SLOTS_MIN = 64, UNHELD_BYTES_MIN = 64 << 10 };

/* What a value costs; the overhead makes values without bytes count too. */
static size_t cost_of(const struct pooled_value *value)
{
	return sizeof(*value) + value->size;
}

/* The slot that holds these bytes, or the free slot where they belong. */
static uint32_t slot_of(const struct value_pool *pool, const void *bytes, uint32_t size)
{
	uint32_t slot = (uint32_t)hash_bytes(bytes, size) & pool->slot_mask;
	for (;; slot = (slot + 1) & pool->slot_mask) {
		uint32_t entry = pool->slots[slot];
		if (entry == 0)
			return slot;
		const struct pooled_value *value = &pool->values[entry - 1];
		if (value->size == size && (size == 0 || memcmp(value->bytes, bytes, size) == 0))
			return slot;
	}
}

static void fill_slots(struct value_pool *pool)
{
	pool->used_slots = 0;
	for (uint32_t id = 0; id < pool->count; id++) {
		const struct pooled_value *value = &pool->values[id];
		if (value->bytes == NULL)
			continue;
		pool->slots[slot_of(pool, value->bytes, value->size)] = id + 1;
		pool->used_slots++;
	}
}

static bool grow_slots(struct value_pool *pool)
{
	size_t count = pool->slots == NULL ? SLOTS_MIN : 2 * ((size_t)pool->slot_mask + 1);
	uint32_t *slots = calloc(count, sizeof(*slots));
	if (slots == NULL)
		return false;
	free(pool->slots);
	pool->slots = slots;
	pool->slot_mask = (uint32_t)(count - 1);
	fill_slots(pool);
	return true;
}

static void forget_unheld(struct value_pool *pool)
{
	for (uint32_t id = 0; id < pool->count; id++) {
		struct pooled_value *value = &pool->values[id];
		if (value->bytes == NULL || value->holders > 0)
			continue;
		free(value->bytes);
		*value = (struct pooled_value){ .size = pool->free_id };
		pool->free_id = id + 1;
	}
	pool->unheld_bytes = 0;
	memset(pool->slots, 0, ((size_t)pool->slot_mask + 1) * sizeof(*pool->slots));
	fill_slots(pool);
}

/* The arrays count as well, because forgetting goes through all of them: that keeps its share constant. */
static bool worth_forgetting(const struct value_pool *pool)
{
	size_t kept = pool->held_bytes + pool->count * sizeof(*pool->values) +
		      (size_t)pool->slot_mask * sizeof(*pool->slots);
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
	    !array_reserve(&pool->values, &pool->capacity, (size_t)pool->count + 1))
		return false;
	*id = pool->count++;
	return true;
}

static bool insert(struct value_pool *pool, const void *bytes, uint32_t size, uint32_t *id)
{
	unsigned char *copy = malloc(size > 0 ? size : 1);
	if (copy == NULL)
		return false;
	if (size > 0)
		memcpy(copy, bytes, size);
	/* Only now: `bytes` may be part of a value without a holder. */
	if (worth_forgetting(pool))
		forget_unheld(pool);
	/* At most three quarters full. */
	bool full = pool->slots == NULL || pool->used_slots >= pool->slot_mask / 4 * 3;
	if ((full && !grow_slots(pool)) || !take_id(pool, id)) {
		free(copy);
		return false;
	}
	pool->values[*id] = (struct pooled_value){ .bytes = copy, .size = size, .holders = 1 };
	pool->slots[slot_of(pool, copy, size)] = *id + 1;
	pool->used_slots++;
	pool->held_bytes += cost_of(&pool->values[*id]);
	return true;
}

bool value_pool_hold(struct value_pool *pool, const void *bytes, uint32_t size, uint32_t *id)
{
	uint32_t entry = pool->slots == NULL ? 0 : pool->slots[slot_of(pool, bytes, size)];
	if (entry == 0)
		return insert(pool, bytes, size, id);
	struct pooled_value *value = &pool->values[entry - 1];
	if (value->holders++ == 0) {
		pool->unheld_bytes -= cost_of(value);
		pool->held_bytes += cost_of(value);
	}
	*id = entry - 1;
	return true;
}

void value_pool_drop(struct value_pool *pool, uint32_t id)
{
	struct pooled_value *value = &pool->values[id];
	if (--value->holders == 0) {
		pool->held_bytes -= cost_of(value);
		pool->unheld_bytes += cost_of(value);
	}
}

void value_pool_release(struct value_pool *pool)
{
	for (uint32_t id = 0; id < pool->count; id++)
		free(pool->values[id].bytes);
	free(pool->values);
	free(pool->slots);
	*pool = (struct value_pool){ 0 };
}
