// SPDX-License-Identifier: MIT
/*
 * Blocks of memory that programs have: found by process and address while they are live, in memory that does not
 * grow with the addresses that ever were.
 */
#include "analysis/ust/heap.h"
#include "base/hash_index.h"
#include "support/test.h"

static struct heap_block block_at(int32_t process, uint64_t address, uint64_t bytes)
{
	return (struct heap_block){ .process = process, .address = address, .bytes = bytes };
}

TEST(a_block_is_found_until_it_is_freed)
{
	struct heap_blocks blocks = { 0 };
	const struct heap_block block = block_at(5, 0x1000, 24), other = block_at(6, 0x1000, 7);
	assert_null(heap_blocks_find(&blocks, 5, 0x1000));
	assert_true(heap_blocks_add(&blocks, &block));
	assert_null(heap_blocks_find(&blocks, 6, 0x1000));
	assert_true(heap_blocks_add(&blocks, &other));
	assert_int_equal(heap_blocks_find(&blocks, 5, 0x1000)->bytes, 24);
	heap_blocks_remove(&blocks, heap_blocks_find(&blocks, 5, 0x1000));
	assert_null(heap_blocks_find(&blocks, 5, 0x1000));
	assert_int_equal(heap_blocks_find(&blocks, 6, 0x1000)->bytes, 7);
	heap_blocks_clear(&blocks);
	assert_null(heap_blocks_find(&blocks, 6, 0x1000));
	assert_int_equal(blocks.live, 0);
	heap_blocks_release(&blocks);
}

TEST(memory_grows_with_what_is_live)
{
	enum { LIVE = 40, ADDRESSES = 100000 };
	struct heap_blocks blocks = { 0 };
	for (uint64_t address = 0; address < ADDRESSES; address++) {
		const struct heap_block block = block_at(1, address, 1);
		assert_true(heap_blocks_add(&blocks, &block));
		if (address >= LIVE)
			heap_blocks_remove(&blocks, heap_blocks_find(&blocks, 1, address - LIVE));
	}
	assert_int_equal(blocks.live, LIVE);
	assert_true(blocks.capacity <= 256);
	heap_blocks_release(&blocks);
}

TEST(they_are_those_of_an_array)
{
	enum { KEYS = 300, STEPS = 100000 };
	uint64_t bytes[KEYS], live = 0;
	memset(bytes, 0, sizeof(bytes)); /* 0: not live */
	struct random random = { .state = 1 };
	struct heap_blocks blocks = { 0 };
	for (uint64_t step = 1; step <= STEPS; step++) {
		uint64_t key = random_below(&random, KEYS);
		int32_t process = (int32_t)(key % 3) - 1;
		struct heap_block *block = heap_blocks_find(&blocks, process, key * 64);
		assert_int_equal(block == NULL ? 0 : block->bytes, bytes[key]);
		bytes[key] = block == NULL ? step : 0;
		const struct heap_block fresh = block_at(process, key * 64, step);
		if (block != NULL)
			heap_blocks_remove(&blocks, block);
		else
			assert_true(heap_blocks_add(&blocks, &fresh));
		live = block == NULL ? live + 1 : live - 1;
		assert_int_equal(blocks.live, live);
	}
	uint64_t walked = 0;
	const struct heap_block *block;
	for (size_t at = 0; (block = heap_blocks_next(&blocks, &at)) != NULL; walked++)
		assert_int_equal(block->bytes, bytes[block->address / 64]);
	assert_int_equal(walked, live);
	heap_blocks_release(&blocks);
}
