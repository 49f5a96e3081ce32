/* SPDX-License-Identifier: MIT */
/*
 * id_map.h - records by a number that comes from elsewhere: threads by tid, CPUs by number.
 *
 * Numbers may be anything: the map grows with the records, not with the numbers.  It does not own the records.
 */
#ifndef BASE_ID_MAP_H
#define BASE_ID_MAP_H

#include "base/hash.h"
#include "base/hash_index.h"

struct id_entry {
	uint64_t id;
	void *record; /* never NULL */
};

/* A zeroed struct id_map is an empty one. */
struct id_map {
	struct id_entry *entries; /* in the order of their addition */
	size_t count, capacity;
	struct table table;      /* of `entries` */
	struct hash_index index; /* of entries, by id */
};

static inline bool id_map_entry_has_id(const void *entries, uint32_t number, const void *id)
{
	return ((const struct id_entry *)entries)[number].id == *(const uint64_t *)id;
}

/* Returns the record of an id, or NULL if it has none. */
static inline void *id_map_find(const struct id_map *map, uint64_t id)
{
	uint32_t number = hash_index_find(&map->index, hash_mix(id), id_map_entry_has_id, map->entries, &id);
	return number == HASH_INDEX_NONE ? NULL : map->entries[number].record;
}

/* Have its memory from this space.  It is empty yet. */
static inline void id_map_use_space(struct id_map *map, struct table_space *space)
{
	map->table.space = map->index.table.space = space;
}

/* Add the record of an id that the map does not have yet.  Returns false if memory is out. */
bool id_map_add(struct id_map *map, uint64_t id, void *record);

/*
 * Walk over all entries, in the order in which they were added.  `*position` is 0 at first and belongs to the walk;
 * returns NULL after the last entry.
 */
const struct id_entry *id_map_next(const struct id_map *map, size_t *position);

void id_map_release(struct id_map *map);

#endif
