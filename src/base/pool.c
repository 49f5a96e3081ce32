// SPDX-License-Identifier: MIT
#include "base/pool.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

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
