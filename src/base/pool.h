/* SPDX-License-Identifier: MIT */
/*
 * pool.h - memory that is given back, of an arena: blocks of 16, 32, 64 ... bytes.
 *
 * A block that was given back is the next one of its size, so that memory grows with what is in use at a time.
 * The caller that gives a block back says how large it was asked for; so a block has no header, and a text of
 * twelve bytes takes sixteen.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum { POOL_SIZES = 40 };

/* A zeroed one is empty. */
struct pool {
	struct arena memory;
	void *spare[POOL_SIZES]; /* by size: each block begins with the address of the next */
};

/* Returns a block for `size` bytes, NULL if memory is out. */
void *pool_take(struct pool *pool, size_t size);

/* The block was taken for `size` bytes; NULL is allowed. */
void pool_give(struct pool *pool, void *block, size_t size);

/*
 * Make room for `needed` elements, as array_reserve() does; the room is twice what it was at least.  Returns false
 * if memory is out.
 */
bool pool_reserve_bytes(struct pool *pool, void *array, uint32_t *capacity, size_t needed, size_t element_size);

#define pool_reserve(pool, array, capacity, needed) \
	pool_reserve_bytes((pool), (array), (capacity), (needed), sizeof(**(array)))

void pool_release(struct pool *pool);

#endif
