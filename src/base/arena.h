/* SPDX-License-Identifier: MIT */
/*
 * arena.h - memory that is released together, and byte strings that are kept once each in such memory.
 *
 * An *arena* is released as a whole; blocks of its pools can be given back earlier.
 *
 * Chunks grow with the arena, so that small arenas are small and large ones have few chunks.  What was allocated
 * never moves.
 *
 * A *pool* hands out blocks of 16, 32, 64 ... bytes, which it takes from an arena.
 *
 * A block that was given back is handed out again for the next request of its size, so memory follows what is in
 * use at a time.  The caller that gives a block back states the size that it asked for; so a block needs no header,
 * and a text of twelve bytes takes sixteen.
 *
 * *Interned* is one copy of each byte string, known by a dense id.
 *
 * A string takes about 16 bytes besides its own.  Ids are 0, 1, 2, ... in the order in which strings were first
 * added.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"
#include "base/table.h"

struct arena_chunk;

struct arena {
	struct arena_chunk *chunk; /* the one being filled, which links to the earlier ones */
	size_t used, size;         /* bytes in use of that chunk */
	size_t bytes_total;        /* bytes of all chunks */
	struct table_space *space; /* borrowed; chunks are tables of it; NULL: malloc() */
};

/* A zeroed struct arena is an empty one. */
void *arena_allocate(struct arena *arena, size_t size, size_t alignment);

/* Returns a copy of `size` bytes with a terminating zero after them, or NULL if memory runs out. */
char *arena_copy(struct arena *arena, const void *bytes, size_t size);

/* The arena is empty afterwards, and has no space. */
void arena_release(struct arena *arena);

enum { POOL_SIZES = 40 };

/* A zeroed one is empty. */
struct pool {
	struct arena memory;
	void *spare[POOL_SIZES]; /* by size: each block begins with the address of the next */
};

/* Returns a block for `size` bytes, NULL if memory runs out. */
void *pool_take(struct pool *pool, size_t size);

/* The block was taken for `size` bytes; NULL is allowed. */
void pool_give(struct pool *pool, void *block, size_t size);

/*
 * Make room for `needed` elements, as array_reserve() does; the room is twice what it was at least.  Returns false
 * if memory runs out.
 */
bool pool_reserve_bytes(struct pool *pool, void *array, uint32_t *capacity, size_t needed, size_t element_size);

#define pool_reserve(pool, array, capacity, needed) \
	pool_reserve_bytes((pool), (array), (capacity), (needed), sizeof(**(array)))

void pool_release(struct pool *pool);

#define INTERN_NONE UINT32_MAX

/* A zeroed struct intern is an empty one. */
struct intern {
	struct arena bytes;
	const char **strings; /* by id; four bytes before each are its size */
	size_t strings_capacity;
	struct table table; /* of `strings` */
	uint32_t count;
	struct hash_index index; /* of ids, by the bytes */
};

/* Take the memory of the strings from this space.  The intern must still be empty. */
void intern_use_space(struct intern *intern, struct table_space *space);

/* Returns the id of these bytes, or INTERN_NONE if memory runs out. */
uint32_t intern_add(struct intern *intern, const void *bytes, size_t size);

/* Returns the id of these bytes if they were added, else INTERN_NONE. */
uint32_t intern_find(const struct intern *intern, const void *bytes, size_t size);

/* Returns the bytes of an id, with a terminating zero after them.  They never move. */
const char *intern_get(const struct intern *intern, uint32_t id, size_t *size);

/* Copy all strings with their ids.  Returns false if memory runs out; `copy` is then empty. */
bool intern_copy(const struct intern *intern, struct intern *copy);
void intern_release(struct intern *intern);

#endif
