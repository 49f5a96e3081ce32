// SPDX-License-Identifier: MIT
/*
 * heap_blocks.c - the blocks that programs have allocated and not freed yet, by process and address.
 */
#include "analysis/ust/heap_blocks.h"

#include "base/hash.h"

enum {
	KEPT_MIN = 64,       /* the least number of blocks that are kept before any is dropped */
	LOOK_EVERY = 1 << 12 /* blocks of a walk: pages that it has passed may leave memory */
};

struct block_key {
	uint64_t address;
	int32_t process;
};

static uint64_t hash_key(int32_t process, uint64_t address)
{
	return hash_mix(address ^ hash_mix((uint32_t)process));
}

static bool has_key(const void *elements, uint32_t number, const void *key)
{
	const struct heap_block *block = &((const struct heap_block *)elements)[number];
	const struct block_key *wanted = key;
	return block->address == wanted->address && block->process == wanted->process;
}

static uint64_t hash_of(const void *elements, uint32_t number)
{
	const struct heap_block *block = &((const struct heap_block *)elements)[number];
	return hash_key(block->process, block->address);
}

void heap_blocks_use_space(struct heap_blocks *blocks, struct table_space *space)
{
	blocks->table.space = blocks->index.table.space = space;
}

/* Returns the block of a key, live or not. */
static struct heap_block *block_of(const struct heap_blocks *blocks, int32_t process, uint64_t address)
{
	const struct block_key key = { address, process };
	uint32_t number =
		hash_index_find(&blocks->index, hash_key(process, address), has_key, blocks->blocks, &key);
	return number == HASH_INDEX_NONE ? NULL : &blocks->blocks[number];
}

struct heap_block *heap_blocks_find(const struct heap_blocks *blocks, int32_t process, uint64_t address)
{
	struct heap_block *block = block_of(blocks, process, address);
	return block != NULL && block->is_live ? block : NULL;
}

static void drop_freed(struct heap_blocks *blocks)
{
	size_t kept = 0;
	hash_index_clear(&blocks->index);
	for (size_t i = 0; i < blocks->count; i++) {
		if (i % LOOK_EVERY == 0)
			table_space_look(blocks->table.space);
		if (!blocks->blocks[i].is_live)
			continue;
		blocks->blocks[kept] = blocks->blocks[i];
		hash_index_add(&blocks->index, hash_of(blocks->blocks, (uint32_t)kept), (uint32_t)kept);
		kept++;
	}
	blocks->count = kept;
}

/* Returns false when memory is out. */
static bool make_room(struct heap_blocks *blocks)
{
	if (blocks->count >= KEPT_MIN && blocks->count == blocks->capacity && blocks->live <= blocks->count / 2)
		drop_freed(blocks);
	return table_reserve(&blocks->table, &blocks->blocks, &blocks->capacity, blocks->count + 1) &&
	       hash_index_reserve(&blocks->index, blocks->count + 1, hash_of, blocks->blocks);
}

bool heap_blocks_add(struct heap_blocks *blocks, const struct heap_block *block)
{
	struct heap_block *place = block_of(blocks, block->process, block->address);
	if (place == NULL) {
		if (!make_room(blocks))
			return false;
		place = &blocks->blocks[blocks->count];
		hash_index_add(&blocks->index, hash_key(block->process, block->address), (uint32_t)blocks->count++);
	}
	*place = *block;
	place->is_live = true;
	blocks->live++;
	return true;
}

void heap_blocks_remove(struct heap_blocks *blocks, struct heap_block *block)
{
	block->is_live = false;
	blocks->live--;
}

void heap_blocks_renew(struct heap_blocks *blocks)
{
	drop_freed(blocks);
}

void heap_blocks_clear(struct heap_blocks *blocks)
{
	hash_index_clear(&blocks->index);
	blocks->count = 0;
	blocks->live = 0;
}

struct heap_block *heap_blocks_next(const struct heap_blocks *blocks, size_t *position)
{
	while (*position < blocks->count) {
		if (*position % LOOK_EVERY == 0)
			table_space_look(blocks->table.space);
		struct heap_block *block = &blocks->blocks[(*position)++];
		if (block->is_live)
			return block;
	}
	return NULL;
}

void heap_blocks_release(struct heap_blocks *blocks)
{
	table_release(&blocks->table, blocks->blocks);
	hash_index_release(&blocks->index);
	*blocks = (struct heap_blocks){ 0 };
}
