// SPDX-License-Identifier: MIT
/*
 * test_node_cache.c - blocks in memory: the ceiling, pins, refusals, and many threads.
 *
 * Reads of the file are counted: how often the cache asks is all that tells what it holds.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/error.h"
#include "store/node_cache.h"
#include "support/memory_io.h"
#include "support/random.h"

enum { BLOCK = 4096, BLOCKS = 40, REFUSED = 33, BUSY = 35 };

struct counted {
	struct memory_io memory;
	struct io io; /* that of `memory`, but counting reads */
	atomic_uint reads;
	struct block_file *file;
	struct node_cache *cache;
};

static int counted_open(void *context, const char *path, int flags, mode_t mode)
{
	struct counted *counted = context;
	return counted->memory.io.open(&counted->memory, path, flags, mode);
}

static ssize_t counted_pread(void *context, int file, void *bytes, size_t size, off_t offset)
{
	struct counted *counted = context;
	counted->reads++;
	return counted->memory.io.pread(&counted->memory, file, bytes, size, offset);
}

static int counted_size(void *context, int file, off_t *size)
{
	struct counted *counted = context;
	return counted->memory.io.size(&counted->memory, file, size);
}

static int counted_close(void *context, int file)
{
	struct counted *counted = context;
	return counted->memory.io.close(&counted->memory, file);
}

/* Each block holds its number. */
static enum histree_status check_block(const void *context, const uint8_t *block, uint32_t number,
				       struct histree_error *error)
{
	(void)context;
	if (number == REFUSED || get_le32(block) != number)
		return error_set(error, HISTREE_ERR_FORMAT, "looks wrong");
	return HISTREE_OK;
}

static void set_up(struct counted *counted, size_t bytes_max)
{
	struct block_file *file;
	uint8_t block[BLOCK] = { 0 };
	*counted = (struct counted){ 0 };
	memory_io_init(&counted->memory);
	assert_int_equal(block_file_create(&counted->memory.io, "f", BLOCK, &file, NULL), HISTREE_OK);
	for (uint32_t number = 0; number < BLOCKS; number++) {
		put_le32(block, number);
		assert_int_equal(block_file_write(file, number, block, NULL), HISTREE_OK);
	}
	assert_int_equal(block_file_complete(file, NULL), HISTREE_OK);
	block_file_close(file);
	counted->io = (struct io){ .open = counted_open,
				   .pread = counted_pread,
				   .size = counted_size,
				   .close = counted_close,
				   .context = counted };
	assert_int_equal(block_file_open(&counted->io, "f", &counted->file, NULL), HISTREE_OK);
	assert_int_equal(node_cache_create(counted->file, bytes_max, (struct node_check){ .check = check_block },
					   &counted->cache, NULL),
			 HISTREE_OK);
	counted->reads = 0;
}

static void tear_down(struct counted *counted)
{
	node_cache_free(counted->cache);
	block_file_close(counted->file);
	memory_io_release(&counted->memory);
}

static struct node_frame *pin(struct counted *counted, uint32_t number)
{
	struct node_frame *frame;
	bool loaded;
	unsigned before = counted->reads;
	assert_int_equal(node_cache_pin(counted->cache, number, &frame, &loaded, NULL), HISTREE_OK);
	assert_int_equal(get_le32(node_frame_block(frame)), number);
	assert_int_equal(loaded, counted->reads > before);
	return frame;
}

static void touch(struct counted *counted, uint32_t number)
{
	node_cache_unpin(counted->cache, pin(counted, number));
}

static void what_fits_is_read_once(void **state)
{
	(void)state;
	struct counted counted;
	set_up(&counted, (size_t)BLOCK * 10);
	for (int turn = 0; turn < 5; turn++)
		for (uint32_t number = 0; number < 10; number++)
			touch(&counted, number);
	assert_int_equal(counted.reads, 10);
	tear_down(&counted);
}

static void the_ceiling_is_kept(void **state)
{
	(void)state;
	struct counted counted;
	set_up(&counted, (size_t)BLOCK * 10 + BLOCK - 1);
	for (uint32_t number = 0; number < BLOCKS - 8; number++)
		touch(&counted, number);
	/* At most ten of them can be there still. */
	unsigned before = counted.reads, found = 0;
	for (uint32_t number = BLOCKS - 8; number-- > 0;) {
		unsigned reads = counted.reads;
		if (found + (counted.reads - before) >= 10)
			break;
		touch(&counted, number);
		found += counted.reads == reads;
	}
	assert_in_range(found, 1, 10);
	tear_down(&counted);

	set_up(&counted, 0); /* one block is always there */
	touch(&counted, 4);
	touch(&counted, 4);
	assert_int_equal(counted.reads, 1);
	touch(&counted, 5);
	touch(&counted, 4);
	assert_int_equal(counted.reads, 3);
	tear_down(&counted);
}

static void what_is_used_again_stays(void **state)
{
	(void)state;
	struct counted counted;
	set_up(&counted, (size_t)BLOCK * 4);
	touch(&counted, 0);
	for (uint32_t number = 1; number < 30; number++) {
		touch(&counted, number);
		touch(&counted, 0);
	}
	/* The clock may take it when its hand has gone round, but not each time. */
	assert_in_range(counted.reads, 30, 30 + 29 / 2);
	tear_down(&counted);
}

static void pinned_blocks_stay_and_the_cache_grows(void **state)
{
	(void)state;
	struct counted counted;
	struct node_frame *frames[20], *again;
	const uint8_t *blocks[20];
	set_up(&counted, (size_t)BLOCK * 3);
	for (uint32_t number = 0; number < 20; number++) {
		frames[number] = pin(&counted, number);
		blocks[number] = node_frame_block(frames[number]);
	}
	assert_int_equal(counted.reads, 20);
	for (uint32_t number = 0; number < 20; number++) {
		again = pin(&counted, number);
		assert_ptr_equal(again, frames[number]);
		assert_ptr_equal(node_frame_block(again), blocks[number]);
		assert_int_equal(get_le32(blocks[number]), number);
		node_cache_unpin(counted.cache, again);
	}
	assert_int_equal(counted.reads, 20);
	for (uint32_t number = 0; number < 20; number++)
		node_cache_unpin(counted.cache, frames[number]);
	tear_down(&counted);
}

static void what_the_check_refuses_is_not_kept(void **state)
{
	(void)state;
	struct counted counted;
	struct node_frame *frame;
	bool loaded;
	struct histree_error error;
	set_up(&counted, (size_t)BLOCK * 10);
	for (int turn = 0; turn < 3; turn++) {
		assert_int_equal(node_cache_pin(counted.cache, REFUSED, &frame, &loaded, &error),
				 HISTREE_ERR_FORMAT);
		assert_null(frame);
		assert_false(loaded);
		assert_string_equal(error.message, "'f': node 33: looks wrong");
	}
	assert_int_equal(counted.reads, 3);
	assert_int_equal(node_cache_pin(counted.cache, BLOCKS, &frame, &loaded, &error), HISTREE_ERR_FORMAT);
	assert_string_equal(error.message, "'f': node 40 of 40");
	touch(&counted, 1);
	tear_down(&counted);
}

/* ---- threads ------------------------------------------------------------------------------------------- */

struct worker {
	struct counted *counted;
	uint64_t seed;
	unsigned wrong;
};

static void *work(void *context)
{
	struct worker *worker = context;
	struct random random = { worker->seed };
	for (int turn = 0; turn < 3000; turn++) {
		struct node_frame *frames[3];
		uint32_t numbers[3];
		int held = 0, wanted = 1 + (int)random_below(&random, 3);
		while (held < wanted) {
			bool loaded;
			numbers[held] = (uint32_t)random_below(&random, BUSY);
			enum histree_status status =
				node_cache_pin(worker->counted->cache, numbers[held], &frames[held], &loaded, NULL);
			if (numbers[held] == REFUSED) {
				worker->wrong += status != HISTREE_ERR_FORMAT;
				wanted--;
				continue;
			}
			worker->wrong += status != HISTREE_OK;
			if (status != HISTREE_OK)
				break;
			held++;
		}
		while (held-- > 0) {
			worker->wrong += get_le32(node_frame_block(frames[held])) != numbers[held];
			node_cache_unpin(worker->counted->cache, frames[held]);
		}
	}
	return NULL;
}

static void many_threads_get_the_right_blocks(void **state)
{
	(void)state;
	enum { THREADS = 4 };
	static const size_t sizes[] = { 1, 8, BLOCKS };
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct counted counted;
		pthread_t threads[THREADS];
		struct worker workers[THREADS];
		set_up(&counted, BLOCK * sizes[i]);
		for (int t = 0; t < THREADS; t++) {
			workers[t] = (struct worker){ .counted = &counted, .seed = (uint64_t)t };
			assert_int_equal(pthread_create(&threads[t], NULL, work, &workers[t]), 0);
		}
		for (int t = 0; t < THREADS; t++) {
			pthread_join(threads[t], NULL);
			assert_int_equal(workers[t].wrong, 0);
		}
		if (sizes[i] == BLOCKS) { /* then each is loaded once, but for the one that is never kept */
			unsigned reads = counted.reads;
			for (uint32_t number = 0; number < BUSY; number++)
				if (number != REFUSED)
					touch(&counted, number);
			assert_int_equal(counted.reads, reads);
		}
		tear_down(&counted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_is_read_once),
		cmocka_unit_test(the_ceiling_is_kept),
		cmocka_unit_test(what_is_used_again_stays),
		cmocka_unit_test(pinned_blocks_stay_and_the_cache_grows),
		cmocka_unit_test(what_the_check_refuses_is_not_kept),
		cmocka_unit_test(many_threads_get_the_right_blocks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
