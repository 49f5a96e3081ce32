/* SPDX-License-Identifier: MIT */
/*
 * arena.h - memory for things that are released together.
 *
 * Chunks grow with the arena, so that small arenas are small and large ones have few chunks.  What was allocated
 * never moves.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

#include "base/table.h"

struct arena_chunk;

struct arena {
	struct arena_chunk *chunk; /* the one being filled, which links to the earlier ones */
	size_t used, size;         /* of that chunk */
	size_t bytes_total;        /* of all chunks */
	struct table_space *space; /* borrowed: that the chunks are tables of; NULL: none */
};

/* A zeroed struct arena is an empty one. */
void *arena_allocate(struct arena *arena, size_t size, size_t alignment);

/* Returns a copy of `size` bytes with a terminating zero after them, or NULL if memory is out. */
char *arena_copy(struct arena *arena, const void *bytes, size_t size);

/* It is then an empty one, without a space. */
void arena_release(struct arena *arena);

#endif
