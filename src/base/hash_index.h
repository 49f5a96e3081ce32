/* SPDX-License-Identifier: MIT */
/*
 * hash_index.h - finds the elements of an array of the caller's by a hash of their keys.
 *
 * The index holds numbers of elements and nothing else: the caller keeps the elements, says how their keys are
 * hashed, and compares keys.  It is a table with open addressing and linear probing, at most half full, so that
 * most look-ups end at the first slot; it takes 8 to 16 bytes an element.  Elements are not removed one by one: a
 * caller that drops some clears the index and adds the others again.
 *
 * The functions of a look-up are inline, so that the caller's comparison is compiled into the loop.
 */
#ifndef BASE_HASH_INDEX_H
#define BASE_HASH_INDEX_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

#define HASH_INDEX_NONE UINT32_MAX

/* A zeroed struct hash_index is an empty one. */
struct hash_index {
	uint32_t *slots;   /* the number of an element plus 1; 0 means free */
	size_t slot_count; /* 0 or a power of two */
	uint32_t count;    /* slots in use, at most half of them */
	struct table table; /* of the slots */
};

/* Returns whether element `number` has this key.  `elements` and `key` are what the caller of find passed. */
typedef bool hash_index_has_key(const void *elements, uint32_t number, const void *key);

/* Returns the hash under which element `number` was added. */
typedef uint64_t hash_index_hash(const void *elements, uint32_t number);

/* Returns the number of the element that has the key, whose hash is `hash`; HASH_INDEX_NONE if there is none. */
static inline uint32_t hash_index_find(const struct hash_index *index, uint64_t hash, hash_index_has_key *has_key,
				       const void *elements, const void *key)
{
	if (index->count == 0)
		return HASH_INDEX_NONE;
	size_t mask = index->slot_count - 1;
	for (size_t slot = (size_t)hash & mask; index->slots[slot] != 0; slot = (slot + 1) & mask)
		if (has_key(elements, index->slots[slot] - 1, key))
			return index->slots[slot] - 1;
	return HASH_INDEX_NONE;
}

/* Add an element whose key no other has.  Room for it was reserved. */
static inline void hash_index_add(struct hash_index *index, uint64_t hash, uint32_t number)
{
	assert(number != HASH_INDEX_NONE && (size_t)index->count + 1 <= index->slot_count / 2);
	size_t mask = index->slot_count - 1, slot = (size_t)hash & mask;
	while (index->slots[slot] != 0)
		slot = (slot + 1) & mask;
	index->slots[slot] = number + 1;
	index->count++;
}

/*
 * Make room for `count` elements in all.  Returns false if memory is out or the elements are more than numbers can
 * tell apart; the index is then as it was.  `elements` is passed to `hash_of` for each element of the index.
 */
bool hash_index_reserve(struct hash_index *index, size_t count, hash_index_hash *hash_of, const void *elements);

/*
 * Walk over all elements.  `*slot` is 0 at first and belongs to the walk; returns HASH_INDEX_NONE after the last
 * element.  The order depends on the hashes and on the order of the additions only.
 */
uint32_t hash_index_next(const struct hash_index *index, size_t *slot);

/* Forget all elements, but keep the room. */
void hash_index_clear(struct hash_index *index);

void hash_index_release(struct hash_index *index);

#endif
