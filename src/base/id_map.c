// SPDX-License-Identifier: MIT
#include "base/id_map.h"

#include "base/costly.h"

enum { ENTRIES_PER_LOOK = 1024 }; /* at what is resident of them and of their records */

static uint64_t hash_of_entry(const void *entries, uint32_t number)
{
	return hash_mix(((const struct id_entry *)entries)[number].id);
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
