// SPDX-License-Identifier: MIT
#include "analysis/id_map.h"

#include <stdlib.h>

#include "base/hash.h"

enum { SLOTS_MIN = 64 };

/* The slot that holds this id, or the free slot where it belongs. */
static struct id_slot *slot_of(struct id_slot *slots, size_t slot_count, uint64_t id)
{
	size_t slot = hash_mix(id) & (slot_count - 1);
	while (slots[slot].record != NULL && slots[slot].id != id)
		slot = (slot + 1) & (slot_count - 1);
	return &slots[slot];
}

void *id_map_find(const struct id_map *map, uint64_t id)
{
	return map->slot_count == 0 ? NULL : slot_of(map->slots, map->slot_count, id)->record;
}

static bool grow(struct id_map *map)
{
	size_t slot_count = map->slot_count == 0 ? SLOTS_MIN : 2 * map->slot_count;
	struct id_slot *slots = calloc(slot_count, sizeof(*slots));
	if (slots == NULL)
		return false;
	for (size_t slot = 0; slot < map->slot_count; slot++)
		if (map->slots[slot].record != NULL)
			*slot_of(slots, slot_count, map->slots[slot].id) = map->slots[slot];
	free(map->slots);
	map->slots = slots;
	map->slot_count = slot_count;
	return true;
}

bool id_map_add(struct id_map *map, uint64_t id, void *record)
{
	/* At most half full: a look-up is one probe, seldom two. */
	if (map->count >= map->slot_count / 2 && !grow(map))
		return false;
	*slot_of(map->slots, map->slot_count, id) = (struct id_slot){ .id = id, .record = record };
	map->count++;
	return true;
}

void id_map_release(struct id_map *map)
{
	free(map->slots);
	*map = (struct id_map){ 0 };
}
