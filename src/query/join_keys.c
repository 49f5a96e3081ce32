// SPDX-License-Identifier: MIT
#include "query/join_keys.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"

bool join_keys_init(struct join_keys *keys, uint32_t attribute_count)
{
	*keys = (struct join_keys){ .first_of = calloc((size_t)attribute_count + 1, sizeof(*keys->first_of)) };
	return keys->first_of != NULL;
}

void join_keys_clear(struct join_keys *keys)
{
	keys->count = keys->key_count = 0;
	hash_index_clear(&keys->numbers);
}

static uint64_t hash_of(const void *elements, uint32_t number)
{
	return hash_mix(((const uint64_t *)elements)[number]);
}

static bool has_key(const void *elements, uint32_t number, const void *key)
{
	return ((const uint64_t *)elements)[number] == *(const uint64_t *)key;
}

uint32_t join_keys_find(const struct join_keys *keys, uint64_t key)
{
	return hash_index_find(&keys->numbers, hash_mix(key), has_key, keys->keys, &key);
}

static bool number_key(struct join_keys *keys, uint64_t key, uint32_t *number)
{
	*number = join_keys_find(keys, key);
	if (*number != HASH_INDEX_NONE)
		return true;
	if (!array_reserve(&keys->keys, &keys->key_capacity, keys->key_count + 1) ||
	    !array_reserve(&keys->active, &keys->active_capacity, keys->key_count + 1) ||
	    !array_reserve(&keys->segments, &keys->segments_capacity, keys->key_count + 1) ||
	    !hash_index_reserve(&keys->numbers, keys->key_count + 1, hash_of, keys->keys))
		return false;
	*number = (uint32_t)keys->key_count++;
	keys->keys[*number] = key;
	keys->active[*number] = 0;
	keys->segments[*number] = NULL;
	hash_index_add(&keys->numbers, hash_mix(key), *number);
	return true;
}

bool join_keys_add(struct join_keys *keys, histree_quark quark, uint64_t key)
{
	uint32_t number;
	if (keys->count >= UINT32_MAX || !number_key(keys, key, &number) ||
	    !array_reserve(&keys->attributes, &keys->capacity, keys->count + 1))
		return false;
	if (keys->count == 0 || keys->attributes[keys->count - 1].quark != quark)
		keys->first_of[quark] = (uint32_t)keys->count;
	for (size_t place = keys->first_of[quark]; join_keys_is_of(keys, place, quark); place++)
		if (keys->attributes[place].key == number)
			return true; /* a component that a path has twice */
	keys->attributes[keys->count++] = (struct keyed_attribute){ .quark = quark, .key = number };
	return true;
}

void join_keys_enter(struct join_keys *keys, histree_quark quark)
{
	for (size_t place = keys->first_of[quark]; join_keys_is_of(keys, place, quark); place++) {
		struct keyed_attribute *entering = &keys->attributes[place];
		uint32_t *first = &keys->active[entering->key];
		entering->previous = 0;
		entering->next = *first;
		*first = (uint32_t)place + 1;
		if (entering->next != 0)
			keys->attributes[entering->next - 1].previous = *first;
	}
}

void join_keys_leave(struct join_keys *keys, histree_quark quark)
{
	for (size_t place = keys->first_of[quark]; join_keys_is_of(keys, place, quark); place++) {
		const struct keyed_attribute *leaving = &keys->attributes[place];
		if (leaving->previous != 0)
			keys->attributes[leaving->previous - 1].next = leaving->next;
		else
			keys->active[leaving->key] = leaving->next;
		if (leaving->next != 0)
			keys->attributes[leaving->next - 1].previous = leaving->previous;
	}
}

void join_keys_release(struct join_keys *keys)
{
	hash_index_release(&keys->numbers);
	free(keys->attributes);
	free(keys->first_of);
	free(keys->keys);
	free(keys->active);
	free(keys->segments);
}
