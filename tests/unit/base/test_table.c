// SPDX-License-Identifier: MIT
/*
 * test_table.c - tables in memory and in files hold the same, and memory has its ceiling.
 */
#include "base/arena.h"
#include "base/hash_index.h"
#include "base/table.h"
#include "support/effort.h"
#include "support/test.h"

enum { MEMORY = 1 << 20 };

static void begin(struct table_space *space)
{
	assert_true(table_space_init(space, "./table", MEMORY));
}

/* Arrays grow side by side, and keep what they have wherever it is. */
TEST(what_is_in_a_table_stays)
{
	enum { TABLES = 4, ELEMENTS = 400000 };
	struct table_space space;
	struct table tables[TABLES] = { 0 };
	uint64_t *arrays[TABLES] = { NULL };
	size_t capacities[TABLES] = { 0 };
	begin(&space);
	for (size_t t = 0; t < TABLES; t++)
		tables[t].space = &space;
	for (size_t i = 0; i < ELEMENTS; i++) {
		for (size_t t = 0; t < TABLES; t++) {
			assert_true(table_reserve(&tables[t], &arrays[t], &capacities[t], i + 1));
			arrays[t][i] = hash_mix(i * TABLES + t);
		}
		if (i % 1000 == 0)
			table_space_look(&space);
	}
	assert_true(space.in_memory <= MEMORY / 4);
	assert_non_null(space.maps);
	for (size_t t = 0; t < TABLES; t++) {
		for (size_t i = 0; i < ELEMENTS; i++)
			assert_true(arrays[t][i] == hash_mix(i * TABLES + t));
		table_release(&tables[t], arrays[t]);
	}
	assert_null(space.maps);
	assert_int_equal(space.in_memory, 0);
	table_space_release(&space);
}

/* What is reached by a hash has memory where what grows at its end has none any more, and never all of it. */
TEST(tables_of_hashes_have_memory_longest)
{
	struct table_space space;
	begin(&space);
	struct table grown = { .space = &space }, hashed = { .space = &space, .is_random = true }, large = hashed;
	void *of_grown = table_allocate(&grown, MEMORY / 2), *of_hashed = table_allocate(&hashed, MEMORY / 2);
	void *of_large = table_allocate(&large, MEMORY / 2);
	assert_non_null(grown.map);
	assert_null(hashed.map);
	assert_non_null(large.map);
	table_release(&grown, of_grown);
	table_release(&hashed, of_hashed);
	table_release(&large, of_large);
	table_space_release(&space);
}

/* What is let go is only out of the process. */
TEST(pages_leave_when_they_are_many)
{
	struct table_space space;
	struct table table = { .space = &space };
	begin(&space);
	size_t size = 64 * MEMORY;
	uint8_t *bytes = table_allocate(&table, size);
	assert_non_null(bytes);
	for (size_t at = 0; at < size; at += 4096) {
		bytes[at] = (uint8_t)(at / 4096 % 251);
		table_space_look(&space);
		if (at % MEMORY == 0)
			assert_true(table_space_resident(&space) <= MEMORY);
	}
	for (size_t at = 0; at < size; at += 4096)
		assert_int_equal(bytes[at], at / 4096 % 251);
	table_release(&table, bytes);
	table_space_release(&space);
}

TEST(maps_of_ids_and_texts_are_the_same)
{
	enum { RECORDS = 120000 };
	struct random random = { test_seed() };
	struct table_space space;
	struct id_map map = { 0 };
	struct arena records = { 0 };
	struct intern texts = { 0 };
	begin(&space);
	id_map_use_space(&map, &space);
	intern_use_space(&texts, &space);
	records.space = &space;
	for (uint32_t i = 0; i < RECORDS; i++) {
		char text[24];
		uint64_t *record = arena_allocate(&records, sizeof(*record), _Alignof(uint64_t));
		*record = random_bits(&random);
		snprintf(text, sizeof(text), "%llx", (unsigned long long)*record);
		assert_true(id_map_add(&map, *record, record));
		assert_int_equal(intern_add(&texts, text, strlen(text)), i);
	}
	assert_non_null(space.maps);
	table_space_look(&space);
	random.state = test_seed();
	for (uint32_t i = 0; i < RECORDS; i++) {
		char text[24];
		uint64_t id = random_bits(&random), *record = id_map_find(&map, id);
		snprintf(text, sizeof(text), "%llx", (unsigned long long)id);
		assert_true(record != NULL && *record == id);
		assert_int_equal(intern_find(&texts, text, strlen(text)), i);
	}
	id_map_release(&map);
	intern_release(&texts);
	arena_release(&records);
	table_space_release(&space);
}

static int by_number(const void *one, const void *other, void *context)
{
	const uint64_t *a = one, *b = other;
	(*(size_t *)context)++;
	return (*a > *b) - (*a < *b);
}

/* Numbers of any order, of many runs and of few, and those that are in order but for the last. */
TEST(tables_are_sorted_where_they_are)
{
	struct random random = { test_seed() };
	for (unsigned round = 0; round < 12; round++) {
		struct table_space space;
		begin(&space);
		struct table table = { .space = &space };
		size_t compared = 0, count = 1 + random_below(&random, round % 2 == 0 ? 1000 : 400000);
		uint64_t *array = table_allocate(&table, count * sizeof(*array)), sum = 0, sorted = 0;
		bool in_order = round % 3 == 2;
		for (size_t i = 0; i < count; i++) {
			array[i] = in_order && i + 1 < count ? i : random_below(&random, count);
			sum += hash_mix(array[i]);
		}
		assert_true(table_sort(&space, array, count, sizeof(*array), by_number, &compared));
		for (size_t i = 0; i < count; i++) {
			sorted += hash_mix(array[i]);
			assert_true(i == 0 || array[i - 1] <= array[i]);
		}
		assert_true(sum == sorted);
		assert_true(!in_order || compared < 16 * count + 1000000);
		table_space_look(&space);
		assert_true(table_space_resident(&space) <= MEMORY);
		table_release(&table, array);
		assert_null(space.maps);
		table_space_release(&space);
	}
}

/* No file can be made there: the ceiling does not hold, but the tables do. */
TEST(without_files_tables_stay_in_memory)
{
	enum { ELEMENTS = 1 << 20 };
	struct table_space space;
	struct table table = { .space = &space };
	uint32_t *array = NULL;
	size_t capacity = 0;
	assert_true(table_space_init(&space, "./there/is/no/such/folder", MEMORY));
	for (uint32_t i = 0; i < ELEMENTS; i++) {
		assert_true(table_reserve(&table, &array, &capacity, i + 1));
		array[i] = i;
	}
	assert_null(space.maps);
	assert_true(space.in_memory >= ELEMENTS * sizeof(*array));
	for (uint32_t i = 0; i < ELEMENTS; i++)
		assert_int_equal(array[i], i);
	table_release(&table, array);
	table_space_release(&space);
}

TEST(a_dense_record_is_found_and_no_other)
{
	struct dense_records dense = { 0 };
	int records[3];
	assert_null(dense_find(&dense, 0));
	assert_true(dense_put(&dense, 1000, &records[0]));
	assert_true(dense_put(&dense, 2, &records[1]));
	assert_ptr_equal(dense_find(&dense, 1000), &records[0]);
	assert_ptr_equal(dense_find(&dense, 2), &records[1]);
	assert_null(dense_find(&dense, 3));
	assert_null(dense_find(&dense, 1001));
	assert_true(dense_put(&dense, 2, &records[2]));
	assert_ptr_equal(dense_find(&dense, 2), &records[2]);
	dense_release(&dense);
}
