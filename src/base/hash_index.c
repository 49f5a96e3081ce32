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

struct hashed {
	uint64_t hash;
	uint32_t number;
};

/*
 * Elements that are added together.  In memory these are a few, whose slots are prefetched, so that the waits for
 * memory overlap.  Where slots are in a file these are all, in the order of their slots: in any other, each would
 * need a page that has gone.
 */
struct ahead {
	struct hashed few[ADDED_AT_ONCE];
	struct hashed *hashed;
	size_t count, capacity;
	struct table table;
};

static int by_slot(const void *a, const void *b, void *context)
{
	const struct hashed *one = a, *other = b;
	const uint64_t mask = *(const size_t *)context - 1;
	const uint64_t slot = one->hash & mask, next = other->hash & mask;
	return slot != next ? (slot > next) - (slot < next)
			    : (one->number > other->number) - (one->number < other->number);
}

static bool make_ahead(struct ahead *ahead, const struct hash_index *grown, size_t count)
{
	*ahead = (struct ahead){ .capacity = ADDED_AT_ONCE, .table.space = grown->table.space };
	ahead->hashed = ahead->few;
	if (grown->table.map == NULL || count <= ADDED_AT_ONCE)
		return true;
	ahead->capacity = count;
	ahead->hashed = table_allocate(&ahead->table, count * sizeof(*ahead->hashed));
	return ahead->hashed != NULL;
}

/* Returns false without memory. */
static bool add_ahead(struct hash_index *grown, struct ahead *ahead)
{
	if (ahead->hashed != ahead->few && !table_sort(grown->table.space, ahead->hashed, ahead->count,
						       sizeof(*ahead->hashed), by_slot, &grown->slot_count))
		return false;
	for (size_t i = 0; i < ahead->count; i++) {
		hash_index_add(grown, ahead->hashed[i].hash, ahead->hashed[i].number);
		if (grown->count % ADDED_PER_LOOK == 0)
			table_space_look(grown->table.space);
	}
	ahead->count = 0;
	return true;
}

/* Have the numbers of all elements as bits, to find them in the order in which they lie in memory, or in a file. */
static uint64_t *list_numbers(const struct hash_index *index, size_t words)
{
	uint64_t *numbers = calloc(words, sizeof(*numbers));
	for (size_t slot = 0; numbers != NULL && slot < index->slot_count; slot++) {
		uint32_t number = (index->slots[slot] & index->number_mask) - 1;
		if (index->slots[slot] != 0)
			numbers[number / 64] |= UINT64_C(1) << number % 64;
		if (slot % SLOTS_PER_LOOK == 0)
			table_space_look(index->table.space);
	}
	return numbers;
}

static bool add_all(struct hash_index *grown, const struct hash_index *index, hash_index_hash *hash_of,
		    const void *elements)
{
	struct ahead ahead;
	const size_t words = (size_t)index->number_mask / 64 + 1;
	uint64_t *numbers = list_numbers(index, words);
	bool is_well = numbers != NULL && make_ahead(&ahead, grown, index->count);
	for (size_t word = 0; word < words && is_well; word++)
		for (uint64_t left = numbers[word]; left != 0 && is_well; left &= left - 1) {
			uint32_t number = (uint32_t)(word * 64 + (size_t)__builtin_ctzll(left));
			uint64_t hash = hash_of(elements, number);
			if (ahead.hashed == ahead.few)
				__builtin_prefetch(&grown->slots[hash & (grown->slot_count - 1)], 1);
			ahead.hashed[ahead.count++] = (struct hashed){ hash, number };
			if (ahead.count % ADDED_PER_LOOK == 0)
				table_space_look(grown->table.space);
			if (ahead.count == ahead.capacity)
				is_well = add_ahead(grown, &ahead);
		}
	is_well = is_well && add_ahead(grown, &ahead);
	if (numbers != NULL && ahead.hashed != ahead.few)
		table_release(&ahead.table, ahead.hashed);
	free(numbers);
	assert(!is_well || grown->count == index->count);
	return is_well;
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
