// SPDX-License-Identifier: MIT
/*
 * test_address_space.c - what lies where in a process, against an array that says it of each address.
 */
#include "analysis/samples/sample_processes.h"
#include "base/hash_index.h"
#include "support/effort.h"
#include "support/test.h"

enum { CELLS = 300, NOTHING = 0 };

/* Of each address, the binary and the offset in it. */
struct cell {
	uint32_t binary;
	uint64_t offset;
};

static void compare(const struct address_space *space, const struct cell *cells, uint64_t base)
{
	for (uint64_t i = 0; i < CELLS; i++) {
		const struct space_image *image = address_space_find(space, base + i);
		assert_int_equal(image != NULL ? image->binary : NOTHING, cells[i].binary);
		if (image != NULL)
			assert_int_equal(image->offset + (base + i - image->begin), cells[i].offset);
	}
	for (size_t i = 1; i < space->count; i++)
		assert_true(space->images[i - 1].last < space->images[i].begin);
}

static void random_images(struct random *random, uint64_t base)
{
	struct address_space space = { 0 }, copy = { 0 };
	struct cell cells[CELLS] = { 0 };
	for (uint32_t number = 1; number < 60; number++) {
		const uint64_t begin = random_below(random, CELLS);
		const uint64_t size = 1 + random_below(random, random_percent(random, 80) ? 20 : CELLS - begin);
		const struct space_image image = { .begin = base + begin,
						   .last = base + (begin + size < CELLS ? begin + size : CELLS) - 1,
						   .offset = random_below(random, 1000),
						   .binary = number };
		assert_true(address_space_add(&space, &image));
		for (uint64_t at = image.begin; at - base < CELLS && at <= image.last; at++)
			cells[at - base] = (struct cell){ number, image.offset + (at - image.begin) };
		compare(&space, cells, base);
	}
	assert_true(address_space_copy(&copy, &space));
	address_space_release(&space);
	compare(&copy, cells, base);
	assert_true(address_space_copy(&copy, &space));
	assert_null(address_space_find(&copy, base));
	address_space_release(&copy);
}

TEST(the_later_image_is_there)
{
	struct random random = { test_seed() };
	for (unsigned i = 0; i < 50; i++)
		random_images(&random, i % 3 == 0 ? 0 : i % 3 == 1 ? 0x7f0000000000 : UINT64_MAX - CELLS + 1);
}

TEST(an_image_that_ends_before_it_begins_is_none)
{
	struct address_space space = { 0 };
	assert_true(address_space_add(&space, &(struct space_image){ .begin = 5, .last = 4, .binary = 1 }));
	assert_null(address_space_find(&space, 5));
	address_space_release(&space);
}
