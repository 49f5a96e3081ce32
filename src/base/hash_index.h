/* SPDX-License-Identifier: MIT */
/*
 * hash_index.h - numbers of elements found by a hash, the functions that mix bits for it, and random numbers made
 * by them.
 *
 * What mixes bits is for tables in memory, and never written to disk.
 *
 * Numbers that look random and are the same for the same seed, on every machine (SplitMix64).
 *
 * An *index* finds the elements of an array of the caller's by a hash of their keys.
 *
 * The index holds numbers of elements and some bits of their hashes: the caller keeps the elements, says how their
 * keys are hashed, and compares keys.  It is a table with open addressing and linear probing, at most three
 * quarters full; it takes 5 to 11 bytes an element.  Elements are not removed one by one: a caller that drops some
 * clears the index and adds the others again.
 *
 * A slot is the number of an element plus 1 in its low bits, as many as the greatest number needs, and in the
 * others those of the hash (upper half, which does not choose the slot).  So a look-up seldom goes to an element
 * that is not the one it looks for, which matters where elements lie in a file (base/table.h): of a million
 * elements, to one in two thousand of those that it passes.
 *
 * The functions of a look-up are inline, so that the caller's comparison is compiled into the loop.
 *
 * A *map* finds records by a number that comes from elsewhere: threads by tid, CPUs by number.
 *
 * The numbers may be any: the map grows with the records, not with the numbers.  It does not own the records.
 */
#ifndef BASE_HASH_INDEX_H
#define BASE_HASH_INDEX_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/table.h"

/* A bijection of 64 bits in which every input bit moves every output bit (Stafford's variant 13). */
static inline uint64_t hash_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* Both halves of a product: cheaper than a mix, and enough for a step that is followed by others. */
static inline uint64_t hash_step(uint64_t hash, uint64_t word)
{
	__extension__ typedef unsigned __int128 product;
	const product wide = (product)(hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint64_t)wide ^ (uint64_t)(wide >> 64);
}

static inline uint64_t hash_bytes(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint64_t hash = (size + 1) * UINT64_C(0xbf58476d1ce4e5b9);
	while (size >= 8) {
		uint64_t word;
		memcpy(&word, at, 8);
		hash = hash_step(hash, word);
		at += 8;
		size -= 8;
	}
	/* The tail by overlapping or single loads: a memcpy of variable size costs more than the hash. */
	if (size >= 4) {
		uint32_t low, high;
		memcpy(&low, at, 4);
		memcpy(&high, at + size - 4, 4);
		hash = hash_step(hash, (uint64_t)high << 32 | low);
	} else if (size > 0) {
		hash = hash_step(hash, (uint64_t)at[0] << 16 | (uint64_t)at[size / 2] << 8 | at[size - 1]);
	}
	return hash_step(hash, hash >> 32);
}

/*
 * A number made of the first and last bytes and the size.  Byte strings may share it: it finds one that was used
 * lately, which is then compared.
 */
static inline uint64_t hash_ends(const void *bytes, size_t size)
{
	uint64_t first, last;
	if (size < 8)
		return hash_bytes(bytes, size);
	memcpy(&first, bytes, 8);
	memcpy(&last, (const char *)bytes + size - 8, 8);
	return hash_step(first * UINT64_C(0xbf58476d1ce4e5b9) + size, last);
}

struct random {
	uint64_t state;
};

static inline uint64_t random_bits(struct random *random)
{
	random->state += UINT64_C(0x9e3779b97f4a7c15);
	return hash_mix(random->state);
}

/* 0 .. bound - 1; the bias is too small for a test to see. */
static inline uint64_t random_below(struct random *random, uint64_t bound)
{
	return random_bits(random) % bound;
}

/* Returns a number from 0 to bound - 1 of 32 bits. */
static inline uint32_t random_index(struct random *random, uint32_t bound)
{
	return (uint32_t)random_below(random, bound);
}

static inline bool random_percent(struct random *random, unsigned percent)
{
	return random_below(random, 100) < percent;
}

#define HASH_INDEX_NONE UINT32_MAX

/* A zeroed struct hash_index is an empty one. */
struct hash_index {
	uint32_t *slots;      /* 0 means free */
	size_t slot_count;    /* 0 or a power of two */
	uint32_t count;       /* slots in use */
	uint32_t number_mask; /* of a slot: those that hold the number */
	struct table table;   /* memory of the slots */
};

/* Returns whether element `number` has this key. `elements` and `key` are what was passed to the search. */
typedef bool hash_index_has_key(const void *elements, uint32_t number, const void *key);

/* Returns the hash under which element `number` was added. */
typedef uint64_t hash_index_hash(const void *elements, uint32_t number);

/* How many elements a table of this many slots may have. */
static inline size_t hash_index_room(size_t slot_count)
{
	return slot_count / 4 * 3;
}

/* The bits of a hash for which a slot has room. */
static inline uint32_t hash_index_tag(const struct hash_index *index, uint64_t hash)
{
	return (uint32_t)(hash >> 32) & ~index->number_mask;
}

/* Returns the number of the element that has the key, whose hash is `hash`, or HASH_INDEX_NONE. */
static inline uint32_t hash_index_find(const struct hash_index *index, uint64_t hash, hash_index_has_key *has_key,
				       const void *elements, const void *key)
{
	if (index->count == 0)
		return HASH_INDEX_NONE;
	size_t mask = index->slot_count - 1;
	uint32_t tag = hash_index_tag(index, hash), entry;
	for (size_t slot = (size_t)hash & mask; (entry = index->slots[slot]) != 0; slot = (slot + 1) & mask) {
		uint32_t number = (entry & index->number_mask) - 1;
		if ((entry & ~index->number_mask) == tag && has_key(elements, number, key))
			return number;
	}
	return HASH_INDEX_NONE;
}

/* Give more bits of a slot to numbers, up to `number`, and fewer to hashes. */
void hash_index_widen(struct hash_index *index, uint32_t number);

/* Add an element whose key no other element has.  Room for it was reserved. */
static inline void hash_index_add(struct hash_index *index, uint64_t hash, uint32_t number)
{
	assert(number != HASH_INDEX_NONE && (size_t)index->count + 1 <= hash_index_room(index->slot_count));
	if (number >= index->number_mask)
		hash_index_widen(index, number);
	size_t mask = index->slot_count - 1, slot = (size_t)hash & mask;
	while (index->slots[slot] != 0)
		slot = (slot + 1) & mask;
	index->slots[slot] = hash_index_tag(index, hash) | (number + 1);
	index->count++;
}

/*
 * Make room for `count` elements in all.  Returns false if memory runs out or there are more elements than a slot
 * can number; the index is then unchanged.  `elements` is passed to `hash_of` for each element of the index, in the
 * order of their numbers.
 */
bool hash_index_reserve(struct hash_index *index, size_t count, hash_index_hash *hash_of, const void *elements);

/* Forget all elements, but keep the room. */
void hash_index_clear(struct hash_index *index);
void hash_index_release(struct hash_index *index);

struct id_entry {
	uint64_t id;
	void *record; /* never NULL */
};

enum { ID_MAP_RECENT = 64 };

/* A zeroed struct id_map is an empty one. */
struct id_map {
	struct id_entry *entries; /* in the order of their addition */
	size_t count, capacity;
	uint32_t recent[ID_MAP_RECENT]; /* entries that were found lately, by some bits of the id */
	struct table table;             /* of `entries` */
	struct hash_index index;        /* of entries, by id */
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

static inline uint32_t *id_map_recent(struct id_map *map, uint64_t id)
{
	return &map->recent[(id ^ id >> 32) % ID_MAP_RECENT];
}

/* As id_map_find(), and the record can be found again. */
void *id_map_find_anew(struct id_map *map, uint64_t id);

/*
 * The same, faster for a record that was found lately, as the owner of a map asks; not for maps that several
 * threads read.
 */
static inline void *id_map_find_again(struct id_map *map, uint64_t id)
{
	const uint32_t recent = *id_map_recent(map, id);
	if (recent < map->count && map->entries[recent].id == id)
		return map->entries[recent].record;
	return id_map_find_anew(map, id);
}

/* Take the memory of the map from this space.  The map must still be empty. */
static inline void id_map_use_space(struct id_map *map, struct table_space *space)
{
	map->table.space = map->index.table.space = space;
}

/* Add the record of an id that the map does not have yet.  Returns false if memory runs out. */
bool id_map_add(struct id_map *map, uint64_t id, void *record);

/*
 * Walk over all entries, in the order in which they were added.  `*position` is 0 at first and belongs to the walk;
 * returns NULL after the last entry.
 */
const struct id_entry *id_map_next(const struct id_map *map, size_t *position);
void id_map_release(struct id_map *map);

#endif
