// SPDX-License-Identifier: MIT
/*
 * test_lives.c - the section LIFE: each life that comes back, alone and with its block, is that of a plain array.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "attribute_helpers.h"
#include "support/memory_io.h"
#include "tree/lives_view.h"

enum { START = -5000, END = 1000000, KEYS_MAX = 700, NODE_SIZE = 4096 };

static bool same_life(struct life one, struct life other)
{
	bool none = one.birth > one.death;
	return none ? other.birth > other.death : one.birth == other.birth && one.death == other.death;
}

/* Many are born or die with one of the two before them, as a thread's attributes do. */
static struct life random_life(uint64_t *seed, const struct life *before, uint32_t known)
{
	struct life life = { .birth = START + (histree_time)random_below(seed, END - START) };
	life.death = life.birth + (histree_time)random_below(seed, (uint32_t)(END - life.birth) + 1);
	uint32_t choice = random_below(seed, 10), which = 1 + random_below(seed, 2);
	if (choice == 0)
		return life_none;
	if (choice == 1)
		life.death = END;
	if (choice < 6 && known >= which && before[-(int)which].birth <= life.death)
		life.birth = before[-(int)which].birth;
	if (choice > 3 && known >= which && before[-(int)which].death >= life.birth)
		life.death = before[-(int)which].death;
	return life;
}

static struct block_file *write_lives(struct memory_io *memory, const struct lives *lives, uint32_t key_count)
{
	static const uint8_t block[NODE_SIZE];
	struct block_file *file;
	memory_io_init(memory);
	assert_int_equal(block_file_create(&memory->io, "f", NODE_SIZE, &file, NULL), HISTREE_OK);
	assert_int_equal(block_file_write(file, 0, block, NULL), HISTREE_OK);
	assert_int_equal(lives_write(lives, key_count, START, END, file, NULL), HISTREE_OK);
	assert_int_equal(block_file_complete(file, NULL), HISTREE_OK);
	block_file_close(file);
	assert_int_equal(block_file_open(&memory->io, "f", &file, NULL), HISTREE_OK);
	return file;
}

static void assert_lives(const struct lives_view *view, const struct life *expected, uint32_t key_count)
{
	struct life around[LIVES_IN_BLOCK];
	assert_int_equal(view->count, key_count);
	for (uint32_t key = 0; key < key_count; key++) {
		if (key % LIVES_IN_BLOCK == 0)
			lives_view_get_block(view, key, around);
		assert_true(same_life(expected[key], lives_view_get(view, key)));
		assert_true(same_life(expected[key], around[key % LIVES_IN_BLOCK]));
	}
}

static void lives_come_back(void **state)
{
	(void)state;
	uint64_t seed = seed_of_run();
	for (unsigned i = 0; i < 60; i++) {
		static struct life expected[KEYS_MAX];
		struct lives lives = { 0 };
		struct lives_view view;
		struct memory_io memory;
		uint32_t key_count = 1 + random_below(&seed, KEYS_MAX);
		for (uint32_t key = 0; key < key_count; key++) {
			expected[key] = random_life(&seed, expected + key, key);
			if (expected[key].birth > expected[key].death)
				continue;
			/* In two pieces, the later one first. */
			histree_time middle = expected[key].birth + (expected[key].death - expected[key].birth) / 2;
			struct life late = { middle, expected[key].death }, early = { expected[key].birth, middle };
			assert_int_equal(lives_add(&lives, key, late), HISTREE_OK);
			assert_int_equal(lives_add(&lives, key, early), HISTREE_OK);
		}
		struct block_file *file = write_lives(&memory, &lives, key_count);
		assert_int_equal(lives_view_open(&view, key_count, START, END, file, NULL), HISTREE_OK);
		assert_lives(&view, expected, key_count);
		lives_view_release(&view);

		/* It is that of so many keys and of no others. */
		struct histree_error error = { 0 };
		assert_int_equal(lives_view_open(&view, key_count + 64 * 9, START, END, file, &error),
				 HISTREE_ERR_FORMAT);
		assert_non_null(strstr(error.message, "LIFE"));
		assert_int_equal(view.count, 0);
		lives_release(&lives);
		block_file_close(file);
		memory_io_release(&memory);
	}
}

/* The same for all: one number a column. */
static void a_life_that_all_have_takes_no_bits(void **state)
{
	(void)state;
	struct lives lives = { 0 };
	struct memory_io memory;
	uint8_t *bytes;
	size_t size;
	for (uint32_t key = 0; key < 6400; key++)
		assert_int_equal(lives_add(&lives, key, (struct life){ START, END }), HISTREE_OK);
	struct block_file *file = write_lives(&memory, &lives, 6400);
	assert_int_equal(block_file_section(file, SECTION_LIVES, &bytes, &size, NULL), HISTREE_OK);
	assert_true(size < 100 * 8 + 8); /* of a hundred blocks */
	free(bytes);
	lives_release(&lives);
	block_file_close(file);
	memory_io_release(&memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lives_come_back),
		cmocka_unit_test(a_life_that_all_have_takes_no_bits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
