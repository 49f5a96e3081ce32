// SPDX-License-Identifier: MIT
/*
 * arena.c - memory that is released together, and byte strings that are kept once each in such memory.
 *
 * Allocations are cut from chunks that grow, and large ones get a chunk of their own.  Nothing is moved or
 * released before the arena is.
 *
 * Interned strings are a table of their bytes, and a hash index that finds equal ones.  An id and its bytes stay
 * as they are until the release.
 */
#include "base/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/table.h"

/* ---- arena --------------------------------------------------------------------------------------------------- */

enum { CHUNK_MIN = 4 << 10, CHUNK_MAX = 1 << 20 };

enum { CHUNK_IN_FILE_MAX = 16 << 20 }; /* each table is a file */

struct arena_chunk {
	struct arena_chunk *before;
	struct table table; /* the memory of the chunk */
	max_align_t bytes[];
};

static struct arena_chunk *make_chunk(struct arena *arena, size_t size)
{
	if (size > SIZE_MAX - sizeof(struct arena_chunk))
		return NULL;
	struct table table = { .space = arena->space };
	struct arena_chunk *chunk = arena->space != NULL ? table_allocate(&table, sizeof(*chunk) + size)
							 : malloc(sizeof(*chunk) + size);
	if (chunk == NULL)
		return NULL;
	chunk->table = table;
	arena->bytes_total += size;
	return chunk;
}

static bool arena_grow(struct arena *arena, size_t needed)
{
	size_t size = arena->bytes_total / 2;
	if (size < CHUNK_MIN)
		size = CHUNK_MIN;
	size_t size_max = table_space_is_full(arena->space) ? CHUNK_IN_FILE_MAX : CHUNK_MAX;
	if (size > size_max)
		size = size_max;
	if (size < needed)
		size = needed;
	struct arena_chunk *chunk = make_chunk(arena, size);
	if (chunk == NULL)
		return false;
	chunk->before = arena->chunk;
	arena->chunk = chunk;
	arena->used = 0;
	arena->size = size;
	return true;
}

void *arena_allocate(struct arena *arena, size_t size, size_t alignment)
{
	assert(alignment > 0 && (alignment & (alignment - 1)) == 0 && alignment <= _Alignof(max_align_t));
	assert(arena->used <= arena->size && arena->size <= arena->bytes_total);
	size_t at = (arena->used + alignment - 1) & ~(alignment - 1);
	if (arena->chunk == NULL || at > arena->size || size > arena->size - at) {
		if (arena->chunk != NULL && size > CHUNK_MAX / 4) {
			/*
			 * In a chunk of its own, behind the one that is being filled: at most a quarter of an arena
			 * is never used.
			 */
			struct arena_chunk *chunk = make_chunk(arena, size);
			if (chunk == NULL)
				return NULL;
			chunk->before = arena->chunk->before;
			arena->chunk->before = chunk;
			return chunk->bytes;
		}
		if (!arena_grow(arena, size))
			return NULL;
		at = 0;
	}
	arena->used = at + size;
	assert(at % alignment == 0 && arena->used <= arena->size);
	return (char *)arena->chunk->bytes + at;
}

char *arena_copy(struct arena *arena, const void *bytes, size_t size)
{
	if (size == SIZE_MAX)
		return NULL;
	char *copy = arena_allocate(arena, size + 1, 1);
	if (copy == NULL)
		return NULL;
	if (size > 0)
		memcpy(copy, bytes, size);
	copy[size] = '\0';
	return copy;
}

void arena_release(struct arena *arena)
{
	while (arena->chunk != NULL) {
		struct arena_chunk *before = arena->chunk->before;
		struct table table = arena->chunk->table;
		table_release(&table, arena->chunk);
		arena->chunk = before;
	}
	*arena = (struct arena){ 0 };
}

/* ---- pool ---------------------------------------------------------------------------------------------------- */

enum { SMALLEST = 4 }; /* 2^4 bytes */

/* Returns the number of the smallest size class that fits `size` bytes: 2^(number + SMALLEST) bytes. */
static unsigned number_of(size_t size)
{
	return size <= (size_t)1 << SMALLEST ? 0 : 64 - SMALLEST - (unsigned)__builtin_clzll((uint64_t)size - 1);
}

void *pool_take(struct pool *pool, size_t size)
{
	unsigned number = number_of(size);
	if (number >= POOL_SIZES)
		return NULL;
	void *block = pool->spare[number];
	if (block == NULL)
		return arena_allocate(&pool->memory, (size_t)1 << (number + SMALLEST), alignof(max_align_t));
	memcpy(&pool->spare[number], block, sizeof(block));
	return block;
}

void pool_give(struct pool *pool, void *block, size_t size)
{
	unsigned number = number_of(size);
	if (block == NULL)
		return;
	assert(number < POOL_SIZES);
	memcpy(block, &pool->spare[number], sizeof(block));
	pool->spare[number] = block;
}

bool pool_reserve_bytes(struct pool *pool, void *array, uint32_t *capacity, size_t needed, size_t element_size)
{
	size_t count = *capacity, wanted = count * 2 > needed ? count * 2 : needed;
	void *before, *block;
	if (needed <= count)
		return true;
	if (wanted > UINT32_MAX || wanted > SIZE_MAX / element_size)
		return false;
	block = pool_take(pool, wanted * element_size);
	if (block == NULL)
		return false;
	memcpy(&before, array, sizeof(before));
	if (count > 0)
		memcpy(block, before, count * element_size);
	pool_give(pool, before, count * element_size);
	memcpy(array, &block, sizeof(block));
	*capacity = (uint32_t)wanted;
	return true;
}

void pool_release(struct pool *pool)
{
	arena_release(&pool->memory);
	*pool = (struct pool){ 0 };
}

/* ---- intern -------------------------------------------------------------------------------------------------- */

static_assert(INTERN_NONE == HASH_INDEX_NONE, "what the index does not find is no id");

static uint32_t size_of(const char *string)
{
	uint32_t size;
	memcpy(&size, string - sizeof(size), sizeof(size));
	return size;
}

struct wanted {
	const void *bytes;
	size_t size;
};

static bool has_bytes(const void *strings, uint32_t id, const void *key)
{
	const struct wanted *wanted = key;
	const char *string = ((const char *const *)strings)[id];
	return size_of(string) == wanted->size &&
	       (wanted->size == 0 || memcmp(string, wanted->bytes, wanted->size) == 0);
}

static uint64_t hash_of(const void *strings, uint32_t id)
{
	const char *string = ((const char *const *)strings)[id];
	return hash_bytes(string, size_of(string));
}

static uint32_t find(const struct intern *intern, uint64_t hash, const void *bytes, size_t size)
{
	const struct wanted wanted = { bytes, size };
	return hash_index_find(&intern->index, hash, has_bytes, intern->strings, &wanted);
}

void intern_use_space(struct intern *intern, struct table_space *space)
{
	intern->bytes.space = intern->table.space = intern->index.table.space = space;
}

uint32_t intern_add(struct intern *intern, const void *bytes, size_t size)
{
	if (size > UINT32_MAX - 8 || intern->count >= UINT32_MAX / 2)
		return INTERN_NONE;
	uint64_t hash = hash_bytes(bytes, size);
	uint32_t known = find(intern, hash, bytes, size);
	if (known != HASH_INDEX_NONE)
		return known;

	size_t needed = (size_t)intern->count + 1;
	if (!table_reserve(&intern->table, &intern->strings, &intern->strings_capacity, needed) ||
	    !hash_index_reserve(&intern->index, needed, hash_of, intern->strings))
		return INTERN_NONE;
	uint32_t size32 = (uint32_t)size;
	char *string = arena_allocate(&intern->bytes, sizeof(size32) + size + 1, 1);
	if (string == NULL)
		return INTERN_NONE;
	memcpy(string, &size32, sizeof(size32));
	string += sizeof(size32);
	if (size > 0)
		memcpy(string, bytes, size);
	string[size] = '\0';
	intern->strings[intern->count] = string;
	hash_index_add(&intern->index, hash, intern->count);
	return intern->count++;
}

uint32_t intern_find(const struct intern *intern, const void *bytes, size_t size)
{
	return find(intern, hash_bytes(bytes, size), bytes, size);
}

const char *intern_get(const struct intern *intern, uint32_t id, size_t *size)
{
	const char *string = intern->strings[id];
	if (size != NULL)
		*size = size_of(string);
	return string;
}

bool intern_copy(const struct intern *intern, struct intern *copy)
{
	*copy = (struct intern){ 0 };
	for (uint32_t id = 0; id < intern->count; id++) {
		size_t size;
		const char *bytes = intern_get(intern, id, &size);
		if (intern_add(copy, bytes, size) == INTERN_NONE) {
			intern_release(copy);
			return false;
		}
	}
	return true;
}

void intern_release(struct intern *intern)
{
	arena_release(&intern->bytes);
	table_release(&intern->table, (void *)intern->strings);
	hash_index_release(&intern->index);
	*intern = (struct intern){ 0 };
}
