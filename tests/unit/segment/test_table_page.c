// SPDX-License-Identifier: MIT
/*
 * test_table_page.c - a page of a side table comes back as it was written, and only where it belongs.
 */
#include "segment/segment_table.h"
#include "segment_tree/segment_scan.h"
#include "support/test.h"

enum { NUMBER = 7, COUNT = 5 };

static const uint32_t nodes[COUNT] = { 3, 900, 3, 70000, 4 };

static void fill(uint64_t locations[COUNT])
{
	for (uint32_t i = 0; i < COUNT; i++)
		locations[i] = segment_location(nodes[i], i * 3, i * 17);
}

TEST(a_page_comes_back)
{
	uint64_t locations[COUNT], found[TABLE_PAGE_LOCATIONS];
	uint8_t page[TABLE_PAGE_SIZE];
	fill(locations);
	uint32_t used = table_page_put(page, NUMBER, locations, COUNT);
	assert_in_range(used, 20, TABLE_PAGE_SIZE);
	for (uint32_t i = used; i < TABLE_PAGE_SIZE; i++)
		assert_int_equal(page[i], 0);
	assert_true(table_page_get(page, NUMBER, COUNT, found));
	assert_memory_equal(found, locations, sizeof(locations));
}

/* A page that is whole is still of no use in the place of another one. */
TEST(a_page_of_another_place_is_refused)
{
	uint64_t locations[COUNT], found[TABLE_PAGE_LOCATIONS];
	uint8_t page[TABLE_PAGE_SIZE];
	fill(locations);
	table_page_put(page, NUMBER, locations, COUNT);
	assert_false(table_page_get(page, NUMBER + 1, COUNT, found));
	assert_false(table_page_get(page, NUMBER, COUNT - 1, found));
	assert_false(table_page_get(page, NUMBER, COUNT + 1, found));
	assert_false(table_page_get(page, NUMBER, TABLE_PAGE_LOCATIONS + 1, found));
}

TEST(damage_anywhere_is_noticed)
{
	uint64_t locations[COUNT], found[TABLE_PAGE_LOCATIONS];
	uint8_t page[TABLE_PAGE_SIZE];
	fill(locations);
	uint32_t used = table_page_put(page, NUMBER, locations, COUNT);
	for (uint32_t i = 0; i < used; i++) {
		page[i] ^= 0x10;
		assert_false(table_page_get(page, NUMBER, COUNT, found));
		page[i] ^= 0x10;
	}
	assert_true(table_page_get(page, NUMBER, COUNT, found));
}
