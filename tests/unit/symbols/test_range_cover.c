// SPDX-License-Identifier: MIT
/*
 * test_range_cover.c - random ranges, nested as those of functions are or not, against a look at all of them for
 * each address.
 */
#include "base/hash_index.h"
#include "support/effort.h"
#include "support/test.h"
#include "symbols/elf_names.h"

enum { RANGES = 80, ADDRESSES = 300 };

static uint32_t item_at(const struct cover_range *ranges, size_t count, uint64_t address)
{
	const struct cover_range *best = NULL;
	for (size_t i = 0; i < count; i++) {
		const struct cover_range *range = &ranges[i];
		if (address < range->start || address >= range->end)
			continue;
		const uint64_t size = range->end - range->start,
			       best_size = best != NULL ? best->end - best->start : 0;
		if (best == NULL || range->depth > best->depth ||
		    (range->depth == best->depth &&
		     (size < best_size || (size == best_size && range->item < best->item))))
			best = range;
	}
	return best != NULL ? best->item : COVER_NONE;
}

static void check(const struct cover_range *ranges, size_t count)
{
	struct cover_range copy[RANGES + 1];
	struct range_cover cover = { .pieces = NULL };
	if (count > 0)
		memcpy(copy, ranges, count * sizeof(*ranges));
	assert_true(range_cover_make(&cover, copy, count));
	for (uint64_t address = 0; address < ADDRESSES + 10; address++)
		assert_int_equal(range_cover_find(&cover, address), item_at(ranges, count, address));
	for (size_t i = 1; i < cover.count; i++) {
		assert_true(cover.pieces[i - 1].start < cover.pieces[i].start);
		assert_int_not_equal(cover.pieces[i - 1].item, cover.pieces[i].item);
	}
	assert_int_equal(range_cover_find(&cover, UINT64_MAX), item_at(ranges, count, UINT64_MAX));
	range_cover_release(&cover);
}

TEST(any_ranges_are_covered_by_the_deepest)
{
	struct random random = { test_seed() };
	for (uint64_t round = test_effort(3000, 300) * test_rounds(); round > 0; round--) {
		struct cover_range ranges[RANGES];
		const size_t count = random_below(&random, RANGES + 1);
		const uint64_t width = 1 + random_below(&random, ADDRESSES);
		for (size_t i = 0; i < count; i++) {
			const uint64_t start = random_below(&random, width);
			ranges[i] = (struct cover_range){ start, start + random_below(&random, width - start + 1),
							  (uint32_t)random_below(&random, 4), (uint32_t)i };
		}
		check(ranges, count);
	}
}

/* Each range within one that was made before, one deeper: what compilers write. */
TEST(nested_ranges_are_covered_by_the_innermost)
{
	struct random random = { test_seed() };
	for (uint64_t round = test_effort(3000, 300) * test_rounds(); round > 0; round--) {
		struct cover_range ranges[RANGES] = { { 10, ADDRESSES, 0, 0 } };
		const size_t count = 1 + random_below(&random, RANGES);
		for (size_t i = 1; i < count; i++) {
			const struct cover_range *around = &ranges[random_below(&random, i)];
			const uint64_t room = around->end - around->start;
			const uint64_t start = around->start + random_below(&random, room);
			ranges[i] =
				(struct cover_range){ start, start + 1 + random_below(&random, around->end - start),
						      around->depth + 1, (uint32_t)i };
		}
		check(ranges, count);
	}
}

TEST(ranges_may_end_where_addresses_do)
{
	check(NULL, 0);
	check((struct cover_range[]){ { 5, UINT64_MAX, 0, 1 }, { 3, 3, 9, 2 }, { 9, 2, 9, 3 } }, 3);
	check((struct cover_range[]){ { 0, 100, 0, 1 }, { 0, 100, 1, 2 }, { 100, 200, 0, 1 }, { 200, 201, 0, 1 } },
	      4);
}
