// SPDX-License-Identifier: MIT
#include "base/hash_index.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 64, ADDED_PER_LOOK = 2048 };

/* Every element is in a slot of its own, and a free slot ends every look-up. */
static void hash_index_assert(const struct hash_index *index)
{
	assert((index->slot_count & (index->slot_count - 1)) == 0);
	assert((index->slots == NULL) == (index->slot_count == 0));
	assert(index->count <= index->slot_count / 2);
	(void)index;
}

bool hash_index_reserve(struct hash_index *index, size_t count, hash_index_hash *hash_of, const void *elements)
{
	if (count <= index->slot_count / 2)
		return true;
	if (count > UINT32_MAX / 2)
		return false;
	struct hash_index grown = { .slot_count = index->slot_count > 0 ? index->slot_count : SLOTS_MIN };
	while (count > grown.slot_count / 2)
		grown.slot_count *= 2;
	grown.table.space = index->table.space;
	grown.slots = table_allocate(&grown.table, grown.slot_count * sizeof(*grown.slots));
	if (grown.slots == NULL)
		return false;
	uint32_t number;
	for (size_t slot = 0; (number = hash_index_next(index, &slot)) != HASH_INDEX_NONE;) {
		hash_index_add(&grown, hash_of(elements, number), number);
		if (grown.count % ADDED_PER_LOOK == 0)
			table_space_look(grown.table.space);
	}
	assert(grown.count == index->count);
	table_release(&index->table, index->slots);
	*index = grown;
	hash_index_assert(index);
	return true;
}

uint32_t hash_index_next(const struct hash_index *index, size_t *slot)
{
	while (*slot < index->slot_count) {
		uint32_t entry = index->slots[(*slot)++];
		if (entry != 0)
			return entry - 1;
	}
	return HASH_INDEX_NONE;
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
