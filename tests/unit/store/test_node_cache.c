// SPDX-License-Identifier: MIT
/*
 * test_node_cache.c - blocks in memory: the ceiling, pins, refusals, and many threads.
 *
 * Reads of the file are counted: how often the cache asks is all that tells what it holds.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "store/node_cache.h"
#include "support/memory_io.h"
#include "support/test.h"

enum { BLOCK = 4096, BLOCKS = 40, REFUSED = 33, BUSY = 35 };

struct counted {
	struct memory_io memory;
	struct io io; /* that of `memory`, but counting reads */
	atomic_uint reads;
	struct block_file *file;
	struct node_cache *cache;
	struct node_pin *pin;
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
static enum histree_status check_block(const void *context, const uint8_t *block, uint32_t number, void *beside,
				       struct histree_error *error)
{
	(void)context;
	if (number == REFUSED || get_le32(block) != number)
		return error_set(error, HISTREE_ERR_FORMAT, "looks wrong");
	uint32_t *kept = beside;
	*kept = 3 * number;
	return HISTREE_OK;
}

static size_t kept_of(const void *context, uint32_t bytes)
{
	(void)context;
	(void)bytes;
	return sizeof(uint32_t);
}

/* A ceiling with room for that many blocks of this size. */
static size_t room(size_t count, size_t size)
{
	return count * (size + NODE_FRAME_BYTES + sizeof(uint32_t));
}

static bool is_block(const struct node_pin *pin, uint32_t number)
{
	const uint32_t *kept = node_pin_companion(pin);
	return get_le32(node_pin_block(pin)) == number && *kept == 3 * number;
}

static struct node_pin *new_pin(const struct counted *counted)
{
	struct node_pin *pin;
	assert_ok(node_pin_create(counted->cache, &pin, NULL));
	return pin;
}

/* Blocks of `size` bytes, of which the file keeps `kept`. */
static void set_up_parts(struct counted *counted, uint32_t size, uint32_t kept, size_t bytes_max)
{
	struct block_file *file;
	uint8_t block[2 * BLOCK] = { 0 };
	*counted = (struct counted){ 0 };
	memory_io_init(&counted->memory);
	assert_ok(block_file_create(&counted->memory.io, "f", size, &file, NULL));
	for (uint32_t number = 0; number < BLOCKS; number++) {
		put_le32(block, number);
		block[4] = 1; /* else the first would be a hole */
		assert_ok(block_file_write_part(file, number, block, kept, NULL));
	}
	assert_ok(block_file_complete(file, NULL));
	block_file_close(file);
	counted->io = (struct io){ .open = counted_open,
				   .pread = counted_pread,
				   .size = counted_size,
				   .close = counted_close,
				   .context = counted };
	assert_ok(block_file_open(&counted->io, "f", &counted->file, NULL));
	const struct node_check check = { .check = check_block, .size = kept_of };
	assert_ok(node_cache_create(counted->file, bytes_max, check, &counted->cache, NULL));
	counted->pin = new_pin(counted);
	counted->reads = 0;
}

static void set_up_blocks(struct counted *counted, uint32_t size, size_t bytes_max)
{
	set_up_parts(counted, size, size, bytes_max);
}

static void set_up(struct counted *counted, size_t bytes_max)
{
	set_up_blocks(counted, BLOCK, bytes_max);
}

static void tear_down(struct counted *counted)
{
	node_pin_free(counted->pin);
	node_cache_free(counted->cache);
	block_file_close(counted->file);
	memory_io_release(&counted->memory);
}

static void hold(struct counted *counted, struct node_pin *pin, uint32_t number)
{
	bool loaded;
	unsigned before = counted->reads;
	assert_ok(node_pin_hold(pin, number, &loaded, NULL));
	assert_true(is_block(pin, number));
	assert_int_equal(loaded, counted->reads > before);
}

static void touch(struct counted *counted, uint32_t number)
{
	hold(counted, counted->pin, number);
	node_pin_drop(counted->pin);
}

TEST(what_fits_is_read_once)
{
	struct counted counted;
	set_up(&counted, room(10, BLOCK));
	for (int turn = 0; turn < 5; turn++)
		for (uint32_t number = 0; number < 10; number++)
			touch(&counted, number);
	assert_int_equal(counted.reads, 10);
	tear_down(&counted);
}

TEST(the_ceiling_is_kept)
{
	struct counted counted;
	set_up(&counted, room(11, BLOCK) - 1);
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

/* Blocks that were cut when they were written take what they have, in a pool with others too. */
TEST(short_blocks_take_what_they_have)
{
	enum { SHORT = 1000, COUNTED = 1024, FIT = 30 }; /* a block, its frame, and how many of those */
	struct counted counted, whole;
	set_up_parts(&counted, BLOCK, SHORT, room(FIT, COUNTED));
	for (int turn = 0; turn < 3; turn++)
		for (uint32_t number = 0; number < FIT; number++)
			touch(&counted, number);
	assert_int_equal(counted.reads, FIT);
	assert_int_equal(node_cache_block_bytes(counted.cache), FIT * COUNTED);

	set_up(&whole, room(1, BLOCK));
	node_pin_free(whole.pin);
	node_cache_share(whole.cache, counted.cache);
	whole.pin = new_pin(&whole);
	for (uint32_t number = 0; number < REFUSED; number++) {
		touch(&whole, number);
		touch(&counted, number);
		assert_in_range(node_cache_block_bytes(counted.cache) + node_cache_block_bytes(whole.cache),
				COUNTED, room(FIT, COUNTED));
	}
	tear_down(&whole);
	tear_down(&counted);
}

/* What the check keeps is under the ceiling with the blocks, however much that is. */
static size_t much_of(const void *context, uint32_t bytes)
{
	(void)context;
	return (size_t)bytes * 9;
}

TEST(what_is_kept_beside_a_block_is_counted)
{
	struct counted counted;
	set_up(&counted, 0);
	node_pin_free(counted.pin);
	node_cache_free(counted.cache);
	const struct node_check check = { .check = check_block, .size = much_of };
	const size_t bytes_max = (size_t)BLOCK * 35;
	assert_ok(node_cache_create(counted.file, bytes_max, check, &counted.cache, NULL));
	counted.pin = new_pin(&counted);
	for (uint32_t number = 0; number < REFUSED; number++)
		touch(&counted, number);
	assert_int_equal(node_cache_block_bytes(counted.cache), 3 * BLOCK);
	assert_in_range(node_cache_other_bytes(counted.cache), (size_t)BLOCK * 9 * 3, bytes_max);
	tear_down(&counted);
}

TEST(what_is_used_again_stays)
{
	struct counted counted;
	set_up(&counted, room(4, BLOCK));
	touch(&counted, 0);
	for (uint32_t number = 1; number < 30; number++) {
		touch(&counted, number);
		touch(&counted, 0);
	}
	/* The clock may take it when its hand has gone round, but not each time. */
	assert_in_range(counted.reads, 30, 30 + 29 / 2);
	tear_down(&counted);
}

TEST(held_blocks_stay_and_the_cache_grows)
{
	enum { PINS = 20, FIT = 3 };
	struct counted counted;
	struct node_pin *pins[PINS], *again;
	const uint8_t *blocks[PINS];
	set_up(&counted, room(FIT, BLOCK));
	again = new_pin(&counted);
	for (uint32_t number = 0; number < PINS; number++) {
		pins[number] = new_pin(&counted);
		hold(&counted, pins[number], number);
		blocks[number] = node_pin_block(pins[number]);
		assert_int_equal(node_cache_block_bytes(counted.cache), BLOCK * (number + 1));
	}
	assert_int_equal(counted.reads, PINS);
	for (uint32_t number = 0; number < PINS; number++) {
		hold(&counted, again, number);
		assert_ptr_equal(node_pin_block(again), blocks[number]);
		assert_true(is_block(pins[number], number));
	}
	assert_int_equal(counted.reads, PINS);
	node_pin_free(again);
	for (uint32_t number = 0; number < PINS; number++)
		node_pin_free(pins[number]);
	/* What was let go is thrown out before the cache grows again. */
	for (uint32_t number = 0; number < REFUSED; number++)
		touch(&counted, number);
	assert_int_equal(node_cache_block_bytes(counted.cache), BLOCK * PINS);
	tear_down(&counted);
}

/* A pin that goes from block to block, or lets go, keeps nothing else. */
TEST(a_pin_holds_one_block)
{
	struct counted counted;
	set_up(&counted, room(1, BLOCK));
	for (uint32_t number = 0; number < REFUSED; number++)
		hold(&counted, counted.pin, number);
	assert_int_equal(node_cache_block_bytes(counted.cache), BLOCK);
	assert_in_range(node_cache_other_bytes(counted.cache), 1, 4096);
	node_pin_drop(counted.pin);
	node_pin_drop(counted.pin);
	struct node_pin *other = new_pin(&counted);
	hold(&counted, other, 0);
	hold(&counted, counted.pin, 1);
	assert_int_equal(node_cache_block_bytes(counted.cache), 2 * BLOCK);
	node_pin_free(other);
	tear_down(&counted);
}

TEST(what_the_check_refuses_is_not_kept)
{
	struct counted counted;
	bool loaded;
	struct histree_error error;
	set_up(&counted, room(10, BLOCK));
	for (int turn = 0; turn < 3; turn++) {
		assert_int_equal(node_pin_hold(counted.pin, REFUSED, &loaded, &error), HISTREE_ERR_FORMAT);
		assert_false(loaded);
		assert_string_equal(error.message, "'f': node 33: looks wrong");
	}
	assert_int_equal(counted.reads, 3);
	assert_int_equal(node_pin_hold(counted.pin, BLOCKS, &loaded, &error), HISTREE_ERR_FORMAT);
	assert_string_equal(error.message, "'f': node 40 of 40");
	touch(&counted, 1);
	tear_down(&counted);
}

/* ---- threads ------------------------------------------------------------------------------------------- */

enum { THREADS = 4, PINS_EACH = 3 };

/* ---- several caches ------------------------------------------------------------------------------------ */

static void share(struct counted *counted, struct counted *with)
{
	node_pin_free(counted->pin);
	node_cache_share(counted->cache, with->cache);
	counted->pin = new_pin(counted);
}

static size_t bytes_of(struct counted *caches, size_t count)
{
	size_t bytes = 0;
	for (size_t i = 0; i < count; i++)
		bytes += node_cache_block_bytes(caches[i].cache);
	return bytes;
}

/* Who is asked has the room of those who are not, and all of them together have no more than the ceiling. */
TEST(caches_share_a_ceiling)
{
	enum { CACHES = 3, FIT = 12 };
	struct counted caches[CACHES];
	for (size_t i = 0; i < CACHES; i++) {
		set_up_blocks(&caches[i], i == 2 ? 2 * BLOCK : BLOCK, room(i == 1 ? FIT : 2, BLOCK));
		touch(&caches[i], 5);
		if (i > 0)
			share(&caches[i], &caches[0]);
	}
	for (size_t i = 0; i < CACHES; i++)
		for (uint32_t number = 0; number < 30; number++) {
			touch(&caches[i], number);
			assert_in_range(bytes_of(caches, CACHES), 1, BLOCK * FIT);
		}
	for (size_t i = CACHES; i-- > 0;) {
		size_t fit = i == 2 ? FIT / 2 : FIT;
		for (int turn = 0; turn < 3; turn++) {
			caches[i].reads = 0;
			for (uint32_t number = 0; number < fit; number++)
				touch(&caches[i], number);
		}
		assert_int_equal(caches[i].reads, 0);
		assert_int_equal(node_cache_block_bytes(caches[i].cache), BLOCK * FIT);
		assert_int_equal(bytes_of(caches, CACHES), BLOCK * FIT);
	}
	/* One that goes leaves its room to the others. */
	tear_down(&caches[0]);
	for (uint32_t number = 0; number < 30; number++)
		touch(&caches[1], number);
	assert_int_equal(node_cache_block_bytes(caches[1].cache), BLOCK * FIT);
	tear_down(&caches[1]);
	tear_down(&caches[2]);
}

/* A cache that somebody reads from is left as it is. */
TEST(a_cache_in_use_is_not_shared)
{
	struct counted one, other;
	set_up(&one, room(4, BLOCK));
	set_up(&other, room(4, BLOCK));
	hold(&one, one.pin, 3);
	node_cache_share(one.cache, other.cache);
	assert_true(is_block(one.pin, 3));
	for (uint32_t number = 0; number < 4; number++)
		touch(&other, number);
	assert_int_equal(node_cache_block_bytes(one.cache), BLOCK);
	tear_down(&one);
	tear_down(&other);
}

/* ---- threads ------------------------------------------------------------------------------------------- */

struct worker {
	struct counted *counted;
	struct node_pin *pins[PINS_EACH];
	uint64_t seed;
	unsigned wrong;
};

/* Each of the worker's pins goes its own way; what they hold is looked at again and again. */
static void *work(void *context)
{
	struct worker *worker = context;
	struct random random = { worker->seed };
	uint32_t held[PINS_EACH] = { BLOCKS, BLOCKS, BLOCKS }; /* none */
	for (int turn = 0; turn < 10000; turn++) {
		bool loaded;
		size_t i = random_below(&random, PINS_EACH);
		uint32_t number = (uint32_t)random_below(&random, BUSY);
		if (random_percent(&random, 10)) {
			node_pin_drop(worker->pins[i]);
			held[i] = BLOCKS;
			continue;
		}
		enum histree_status status = node_pin_hold(worker->pins[i], number, &loaded, NULL);
		worker->wrong += status != (number == REFUSED ? HISTREE_ERR_FORMAT : HISTREE_OK);
		held[i] = status == HISTREE_OK ? number : BLOCKS;
		for (i = 0; i < PINS_EACH; i++)
			worker->wrong += held[i] != BLOCKS && !is_block(worker->pins[i], held[i]);
	}
	return NULL;
}

/* Few frames, so that blocks are thrown out all the time; or room for all. */
TEST(many_threads_get_the_right_blocks)
{
	static const size_t sizes[] = { 1, 8, 16, BLOCKS };
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct counted counted;
		pthread_t threads[THREADS];
		struct worker workers[THREADS];
		set_up(&counted, room(sizes[i], BLOCK));
		for (int t = 0; t < THREADS; t++) {
			workers[t] = (struct worker){ .counted = &counted, .seed = (uint64_t)t };
			for (int p = 0; p < PINS_EACH; p++)
				workers[t].pins[p] = new_pin(&counted);
			assert_int_equal(pthread_create(&threads[t], NULL, work, &workers[t]), 0);
		}
		for (int t = 0; t < THREADS; t++) {
			pthread_join(threads[t], NULL);
			assert_int_equal(workers[t].wrong, 0);
			for (int p = 0; p < PINS_EACH; p++)
				node_pin_free(workers[t].pins[p]);
		}
		size_t most = sizes[i] > THREADS * PINS_EACH ? sizes[i] : THREADS * PINS_EACH;
		assert_in_range(node_cache_block_bytes(counted.cache), BLOCK, BLOCK * most);
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

/* The same while another cache takes the frames. */
TEST(threads_of_several_caches_get_the_right_blocks)
{
	enum { CACHES = 2 };
	struct counted caches[CACHES];
	pthread_t threads[THREADS];
	struct worker workers[THREADS];
	for (uint32_t i = 0; i < CACHES; i++)
		set_up_blocks(&caches[i], (i + 1) * BLOCK, room(20, BLOCK));
	share(&caches[1], &caches[0]);
	for (int t = 0; t < THREADS; t++) {
		workers[t] = (struct worker){ .counted = &caches[t % CACHES], .seed = (uint64_t)t };
		for (int p = 0; p < PINS_EACH; p++)
			workers[t].pins[p] = new_pin(workers[t].counted);
		assert_int_equal(pthread_create(&threads[t], NULL, work, &workers[t]), 0);
	}
	for (int t = 0; t < THREADS; t++) {
		pthread_join(threads[t], NULL);
		assert_int_equal(workers[t].wrong, 0);
		for (int p = 0; p < PINS_EACH; p++)
			node_pin_free(workers[t].pins[p]);
	}
	for (size_t i = 0; i < CACHES; i++)
		tear_down(&caches[i]);
}
