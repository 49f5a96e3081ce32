// SPDX-License-Identifier: MIT
/*
 * test_lifetimes.c - the section LIFE: each lifetime that comes back, alone and with its block, is that of a plain
 * array.
 */
#include "support/memory_io.h"
#include "support/test.h"
#include "tree/lifetimes.h"
#include "unit/state/attribute_helpers.h"

enum { START = -5000, END = 1000000, KEYS_MAX = 700, NODE_SIZE = 4096 };

static bool same_lifetime(struct lifetime one, struct lifetime other)
{
	bool none = one.first > one.last;
	return none ? other.first > other.last : one.first == other.first && one.last == other.last;
}

/* Many are born or die with one of the two before them, as a thread's attributes do. */
static struct lifetime random_lifetime(struct random *random, const struct lifetime *before, uint32_t known)
{
	struct lifetime lifetime = { .first = START + (histree_time)random_index(random, END - START) };
	lifetime.last = lifetime.first + (histree_time)random_index(random, (uint32_t)(END - lifetime.first) + 1);
	uint32_t choice = random_index(random, 10), which = 1 + random_index(random, 2);
	if (choice == 0)
		return lifetime_none;
	if (choice == 1)
		lifetime.last = END;
	if (choice < 6 && known >= which && before[-(int)which].first <= lifetime.last)
		lifetime.first = before[-(int)which].first;
	if (choice > 3 && known >= which && before[-(int)which].last >= lifetime.first)
		lifetime.last = before[-(int)which].last;
	return lifetime;
}

static struct block_file *write_lifetimes(struct memory_io *memory, const struct lifetimes *lifetimes,
					  uint32_t key_count)
{
	static const uint8_t block[NODE_SIZE];
	struct block_file *file;
	memory_io_init(memory);
	assert_ok(block_file_create(&memory->io, "f", NODE_SIZE, &file, NULL));
	assert_ok(block_file_write_part(file, 0, block, file->block_size, NULL));
	assert_ok(lifetimes_write(lifetimes, key_count, START, END, file, NULL));
	assert_ok(block_file_complete(file, NULL));
	block_file_close(file);
	assert_ok(block_file_open(&memory->io, "f", &file, NULL));
	return file;
}

static void assert_lifetimes(const struct lifetimes_view *view, const struct lifetime *expected, uint32_t key_count)
{
	struct lifetime around[LIFETIMES_IN_BLOCK];
	assert_int_equal(view->count, key_count);
	for (uint32_t key = 0; key < key_count; key++) {
		if (key % LIFETIMES_IN_BLOCK == 0)
			lifetimes_view_get_block(view, key, around);
		assert_true(same_lifetime(expected[key], lifetimes_view_get(view, key)));
		assert_true(same_lifetime(expected[key], around[key % LIFETIMES_IN_BLOCK]));
	}
}

TEST(lifetimes_come_back)
{
	struct random random = { test_seed() };
	for (unsigned i = 0; i < 60; i++) {
		static struct lifetime expected[KEYS_MAX];
		struct lifetimes lifetimes = { 0 };
		struct lifetimes_view view;
		struct memory_io memory;
		uint32_t key_count = 1 + random_index(&random, KEYS_MAX);
		for (uint32_t key = 0; key < key_count; key++) {
			expected[key] = random_lifetime(&random, expected + key, key);
			if (expected[key].first > expected[key].last)
				continue;
			/* In two pieces, the later one first. */
			histree_time middle = expected[key].first + (expected[key].last - expected[key].first) / 2;
			struct lifetime late = { middle, expected[key].last },
					early = { expected[key].first, middle };
			assert_ok(lifetimes_add(&lifetimes, key, late));
			assert_ok(lifetimes_add(&lifetimes, key, early));
		}
		struct block_file *file = write_lifetimes(&memory, &lifetimes, key_count);
		assert_ok(lifetimes_view_open(&view, key_count, START, END, file, NULL));
		assert_lifetimes(&view, expected, key_count);
		lifetimes_view_release(&view);

		/* It is that of so many keys and of no others. */
		struct histree_error error = { 0 };
		assert_int_equal(lifetimes_view_open(&view, key_count + 64 * 9, START, END, file, &error),
				 HISTREE_ERR_FORMAT);
		assert_non_null(strstr(error.message, "LIFE"));
		assert_int_equal(view.count, 0);
		lifetimes_release(&lifetimes);
		block_file_close(file);
		memory_io_release(&memory);
	}
}

/* The same for all: one number a column. */
TEST(a_lifetime_that_all_have_takes_no_bits)
{
	struct lifetimes lifetimes = { 0 };
	struct memory_io memory;
	uint8_t *bytes;
	size_t size;
	for (uint32_t key = 0; key < 6400; key++)
		assert_ok(lifetimes_add(&lifetimes, key, (struct lifetime){ START, END }));
	struct block_file *file = write_lifetimes(&memory, &lifetimes, 6400);
	assert_ok(block_file_section(file, SECTION_LIFETIMES, &bytes, &size, NULL));
	assert_true(size < 100 * 8 + 8); /* of a hundred blocks */
	free(bytes);
	lifetimes_release(&lifetimes);
	block_file_close(file);
	memory_io_release(&memory);
}
