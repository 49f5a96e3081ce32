// SPDX-License-Identifier: MIT
/*
 * arena.c - memory that is released together: allocations are cut from chunks that grow, and large ones get a
 * chunk of their own.  Nothing is moved or released before the arena is.
 */
#include "base/arena.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_MIN = 4 << 10, CHUNK_MAX = 1 << 20 };
enum { CHUNK_IN_FILE_MAX = 16 << 20 }; /* each is a file */

struct arena_chunk {
	struct arena_chunk *before;
	struct table table; /* that the chunk is */
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

/* In a chunk of its own, behind the one that is being filled: so at most a quarter of an arena is never used. */
static void *allocate_large(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk = make_chunk(arena, size);
	if (chunk == NULL)
		return NULL;
	chunk->before = arena->chunk->before;
	arena->chunk->before = chunk;
	return chunk->bytes;
}

void *arena_allocate(struct arena *arena, size_t size, size_t alignment)
{
	assert(alignment > 0 && (alignment & (alignment - 1)) == 0 && alignment <= _Alignof(max_align_t));
	assert(arena->used <= arena->size && arena->size <= arena->bytes_total);
	size_t at = (arena->used + alignment - 1) & ~(alignment - 1);
	if (arena->chunk == NULL || at > arena->size || size > arena->size - at) {
		if (arena->chunk != NULL && size > CHUNK_MAX / 4)
			return allocate_large(arena, size);
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
