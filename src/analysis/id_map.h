/* SPDX-License-Identifier: MIT */
/*
 * id_map.h - records by a number that comes from the trace: threads by tid, CPUs by number.
 *
 * Numbers may be anything: the map grows with the records, not with the numbers.  It does not own the
 * records.
 */
#ifndef ANALYSIS_ID_MAP_H
#define ANALYSIS_ID_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct id_slot {
	uint64_t id;
	void *record; /* NULL: free */
};

/* A zeroed struct id_map is an empty one. */
struct id_map {
	struct id_slot *slots; /* open addressing, linear probing */
	size_t slot_count;     /* 0 or a power of two */
	size_t count;
};

/* NULL if there is none. */
void *id_map_find(const struct id_map *map, uint64_t id);

/* Add the record of an id that the map does not have yet.  False when memory is out. */
bool id_map_add(struct id_map *map, uint64_t id, void *record);

void id_map_release(struct id_map *map);

#endif
