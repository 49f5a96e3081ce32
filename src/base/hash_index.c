// SPDX-License-Identifier: MIT
/*
 * hash_index.c - numbers of elements found by a hash, the functions that mix bits for it, and random numbers made
 * by them.
 *
 * This file makes the table grow and fills it again.  Look-ups are inline, in the header.  At most three quarters
 * of the slots are in use, so a search always meets an empty one.
 */
#include "base/hash_index.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/costly.h"
#include "base/table.h"

/* ---- hash index ---------------------------------------------------------------------------------------------- */

enum { SLOTS_MIN = 64, SMALL_MAX = 1 << 16 };
enum { ADDED_AT_ONCE = 64, ADDED_PER_LOOK = 32 * ADDED_AT_ONCE, SLOTS_PER_LOOK = 1 << 18 };

/* Every element is in a slot of its own, and a free slot ends every look-up. */
static void hash_index_assert(const struct hash_index *index)
{
	assert((index->slot_count & (index->slot_count - 1)) == 0);
	assert((index->slots == NULL) == (index->slot_count == 0));
	assert(index->count <= hash_index_room(index->slot_count));
	assert((index->number_mask & (index->number_mask + 1)) == 0);
}

void hash_index_widen(struct hash_index *index, uint32_t number)
{
	uint32_t mask = index->number_mask;
	while (number >= mask)
		mask = mask << 1 | 1;
	/* The bits of a hash that stay are where they were. */
	for (size_t slot = 0; slot < index->slot_count; slot++) {
		index->slots[slot] &= ~mask | index->number_mask;
		if (slot % SLOTS_PER_LOOK == 0)
			table_space_look(index->table.space);
	}
	index->number_mask = mask;
}

/* ---- growing --------------------------------------------------------------------------------------- */

/* Elements whose slots are prefetched together, so that the waits for memory overlap. */
struct ahead {
	uint64_t hashes[ADDED_AT_ONCE];
	uint32_t numbers[ADDED_AT_ONCE];
	size_t count;
};

static void add_ahead(struct hash_index *grown, struct ahead *ahead)
{
	for (size_t i = 0; i < ahead->count; i++)
		hash_index_add(grown, ahead->hashes[i], ahead->numbers[i]);
	ahead->count = 0;
	if (grown->count % ADDED_PER_LOOK == 0)
		table_space_look(grown->table.space);
}

/* In the order of numbers, since that is how the elements lie in memory, or in a file. */
static bool add_all(struct hash_index *grown, const struct hash_index *index, hash_index_hash *hash_of,
		    const void *elements)
{
	struct ahead ahead = { .count = 0 };
	size_t words = (size_t)index->number_mask / 64 + 1;
	uint64_t *numbers = calloc(words, sizeof(*numbers));
	for (size_t slot = 0; numbers != NULL && slot < index->slot_count; slot++) {
		uint32_t number = (index->slots[slot] & index->number_mask) - 1;
		if (index->slots[slot] != 0)
			numbers[number / 64] |= UINT64_C(1) << number % 64;
		if (slot % SLOTS_PER_LOOK == 0)
			table_space_look(index->table.space);
	}
	if (numbers == NULL)
		return false;
	for (size_t word = 0; word < words; word++)
		for (uint64_t left = numbers[word]; left != 0; left &= left - 1) {
			uint32_t number = (uint32_t)(word * 64 + (size_t)__builtin_ctzll(left));
			uint64_t hash = hash_of(elements, number);
			__builtin_prefetch(&grown->slots[hash & (grown->slot_count - 1)], 1);
			ahead.hashes[ahead.count] = hash;
			ahead.numbers[ahead.count++] = number;
			if (ahead.count == ADDED_AT_ONCE)
				add_ahead(grown, &ahead);
		}
	add_ahead(grown, &ahead);
	free(numbers);
	assert(grown->count == index->count);
	return true;
}

bool hash_index_reserve(struct hash_index *index, size_t count, hash_index_hash *hash_of, const void *elements)
{
	if (count <= hash_index_room(index->slot_count))
		return true;
	if (count > UINT32_MAX / 2)
		return false;
	struct hash_index grown = { .slot_count = index->slot_count > 0 ? index->slot_count : SLOTS_MIN,
				    .number_mask = index->number_mask };
	/* Small ones grow by a larger factor, so that growing is not most of their cost. */
	while (count > hash_index_room(grown.slot_count))
		grown.slot_count *= grown.slot_count < SMALL_MAX ? 4 : 2;
	/* Numbers mostly count up to the room. */
	while (hash_index_room(grown.slot_count) > grown.number_mask)
		grown.number_mask = grown.number_mask << 1 | 1;
	grown.table.space = index->table.space;
	grown.table.is_random = true;
	grown.slots = table_allocate(&grown.table, grown.slot_count * sizeof(*grown.slots));
	if (grown.slots == NULL)
		return false;
	if (!add_all(&grown, index, hash_of, elements)) {
		table_release(&grown.table, grown.slots);
		return false;
	}
	table_release(&index->table, index->slots);
	*index = grown;
	hash_index_assert(index);
	return true;
}

void hash_index_clear(struct hash_index *index)
{
	if (index->slots != NULL)
		memset(index->slots, 0, index->slot_count * sizeof(*index->slots));
	index->count = 0;
}

void hash_index_release(struct hash_index *index)
{
	hash_index_assert(index);
	table_release(&index->table, index->slots);
	*index = (struct hash_index){ 0 };
}

/* ---- id map -------------------------------------------------------------------------------------------------- */

enum { ENTRIES_PER_LOOK = 1024 }; /* between two checks of what is resident of the tables */

static uint64_t hash_of_entry(const void *entries, uint32_t number)
{
	return hash_mix(((const struct id_entry *)entries)[number].id);
}

void *id_map_find_anew(struct id_map *map, uint64_t id)
{
	uint32_t number = hash_index_find(&map->index, hash_mix(id), id_map_entry_has_id, map->entries, &id);
	if (number == HASH_INDEX_NONE)
		return NULL;
	*id_map_recent(map, id) = number;
	return map->entries[number].record;
}

bool id_map_add(struct id_map *map, uint64_t id, void *record)
{
	assert(record != NULL);
	costly_assert(id_map_find(map, id) == NULL);
	if (!table_reserve(&map->table, &map->entries, &map->capacity, map->count + 1) ||
	    !hash_index_reserve(&map->index, map->count + 1, hash_of_entry, map->entries))
		return false;
	map->entries[map->count] = (struct id_entry){ .id = id, .record = record };
	hash_index_add(&map->index, hash_mix(id), (uint32_t)map->count);
	*id_map_recent(map, id) = (uint32_t)map->count;
	map->count++;
	return true;
}

const struct id_entry *id_map_next(const struct id_map *map, size_t *position)
{
	if (*position % ENTRIES_PER_LOOK == 0)
		table_space_look(map->table.space);
	return *position < map->count ? &map->entries[(*position)++] : NULL;
}

void id_map_release(struct id_map *map)
{
	table_release(&map->table, map->entries);
	hash_index_release(&map->index);
	*map = (struct id_map){ 0 };
}
