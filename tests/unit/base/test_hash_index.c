// SPDX-License-Identifier: MIT
/*
 * test_hash_index.c - the hash index against an array that is searched linearly, and the map of records on it.
 */
#include "base/hash_index.h"
#include "support/test.h"

enum { KEYS = 3000, RANGE = 9000, MANY = 100000 };

/* Keys by number, and how many of the hash's bits are used: few bits make elements collide. */
struct keys {
	uint64_t at[KEYS];
	unsigned hash_bits;
};

static uint64_t hash_of_key(const struct keys *keys, uint64_t key)
{
	return hash_mix(key) >> (64 - keys->hash_bits);
}

static uint64_t hash_of(const void *elements, uint32_t number)
{
	const struct keys *keys = elements;
	return hash_of_key(keys, keys->at[number]);
}

static bool has_key(const void *elements, uint32_t number, const void *key)
{
	return ((const struct keys *)elements)->at[number] == *(const uint64_t *)key;
}

static uint32_t find(const struct hash_index *index, const struct keys *keys, uint64_t key)
{
	return hash_index_find(index, hash_of_key(keys, key), has_key, keys, &key);
}

/* The element is its number. */
static bool is_number(const void *elements, uint32_t number, const void *key)
{
	(void)elements;
	return number == *(const uint32_t *)key;
}

/* The same, and it is known how often elements were looked at, and in which order they were hashed. */
struct touches {
	unsigned count;
	uint32_t next;
};

static bool is_touched(const void *elements, uint32_t number, const void *key)
{
	(void)number;
	(void)key;
	((struct touches *)(uintptr_t)elements)->count++;
	return false;
}

static uint64_t hash_in_order(const void *elements, uint32_t number)
{
	struct touches *touches = (struct touches *)(uintptr_t)elements;
	assert_int_equal(number, touches->next++);
	return hash_mix(number);
}

static void add(struct hash_index *index, struct keys *keys, uint32_t number, uint64_t key)
{
	assert_true(hash_index_reserve(index, (size_t)index->count + 1, hash_of, keys));
	keys->at[number] = key;
	hash_index_add(index, hash_of_key(keys, key), number);
}

TEST(an_index_finds_what_was_added_and_nothing_else)
{
	static const unsigned hash_bits[] = { 1, 8, 12, 63 };
	static struct keys keys;
	for (size_t round = 0; round < sizeof(hash_bits) / sizeof(hash_bits[0]); round++) {
		struct random random = { round + 1 };
		struct hash_index index = { 0 };
		static uint32_t expected[RANGE];
		keys.hash_bits = hash_bits[round];
		for (size_t key = 0; key < RANGE; key++)
			expected[key] = HASH_INDEX_NONE;
		for (uint32_t number = 0; number < KEYS;) {
			uint64_t key = random_below(&random, RANGE);
			assert_int_equal(find(&index, &keys, key), expected[key]);
			if (expected[key] == HASH_INDEX_NONE) {
				add(&index, &keys, number, key);
				expected[key] = number++;
			}
		}
		for (uint64_t key = 0; key < RANGE; key++)
			assert_int_equal(find(&index, &keys, key), expected[key]);
		assert_int_equal(index.count, KEYS);
		assert_true(3 * index.slot_count >= 4 * (size_t)KEYS && index.slot_count < 4 * (size_t)KEYS);
		hash_index_release(&index);
	}
}

/* Numbers need not be dense, nor count up: fewer and fewer bits of the hash are left. */
TEST(numbers_of_any_size_are_told_apart)
{
	struct hash_index index = { 0 };
	static const uint32_t numbers[] = { 5, 0, 1, 2, 3, 7, 8, 65535, 65536, 1000000, 65534, 4, UINT32_MAX - 1 };
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		assert_true(hash_index_reserve(&index, i + 1, NULL, NULL));
		hash_index_add(&index, hash_mix(numbers[i]), numbers[i]);
		for (size_t j = 0; j <= i; j++)
			assert_int_equal(
				hash_index_find(&index, hash_mix(numbers[j]), is_number, NULL, &numbers[j]),
				numbers[j]);
	}
	hash_index_release(&index);
}

/* Elements may be in a file: a look-up does not go there in vain, and growing goes through them once. */
static void touch_hardly(struct table_space *space)
{
	static struct touches touches;
	struct hash_index index = { .table.space = space };
	touches = (struct touches){ 0 };
	for (uint32_t number = 0; number < MANY; number++) {
		touches.next = 0;
		assert_true(hash_index_reserve(&index, (size_t)number + 1, hash_in_order, &touches));
		hash_index_add(&index, hash_mix(number), number);
	}
	assert_true((index.table.map != NULL) == (space != NULL));
	for (uint32_t number = 0; number < MANY; number++)
		assert_int_equal(hash_index_find(&index, hash_mix(number), is_number, NULL, &number), number);
	for (uint64_t key = MANY; key < 2 * (uint64_t)MANY; key++)
		assert_int_equal(hash_index_find(&index, hash_mix(key), is_touched, &touches, &key),
				 HASH_INDEX_NONE);
	assert_true(touches.count < MANY / 500);
	hash_index_release(&index);
}

TEST(elements_are_hardly_touched_whether_slots_are_in_memory_or_in_a_file)
{
	struct table_space space;
	touch_hardly(NULL);
	assert_true(table_space_init(&space, "./table", 1 << 19));
	touch_hardly(&space);
	table_space_release(&space);
}

TEST(a_cleared_index_keeps_its_room)
{
	static struct keys keys = { .hash_bits = 40 };
	struct hash_index index = { 0 };
	for (uint32_t number = 0; number < KEYS; number++)
		add(&index, &keys, number, number);
	const uint32_t *slots = index.slots;
	hash_index_clear(&index);
	assert_int_equal(index.count, 0);
	assert_int_equal(find(&index, &keys, 5), HASH_INDEX_NONE);
	/* Every second one stays. */
	for (uint32_t number = 0; number < KEYS; number += 2)
		add(&index, &keys, number, number);
	assert_ptr_equal(index.slots, slots);
	for (uint32_t number = 0; number < KEYS; number++)
		assert_int_equal(find(&index, &keys, number), number % 2 == 0 ? number : HASH_INDEX_NONE);
	hash_index_release(&index);
	hash_index_clear(&index);
	assert_null(index.slots);
}

TEST(an_index_that_cannot_grow_stays_as_it_was)
{
	static struct keys keys = { .hash_bits = 40 };
	struct hash_index index = { 0 };
	assert_false(hash_index_reserve(&index, SIZE_MAX, hash_of, &keys));
	assert_null(index.slots);
	add(&index, &keys, 0, 11);
	const struct hash_index before = index;
	assert_false(hash_index_reserve(&index, (size_t)UINT32_MAX / 2 + 1, hash_of, &keys));
	assert_memory_equal(&index, &before, sizeof(index));
	assert_int_equal(find(&index, &keys, 11), 0);
	hash_index_release(&index);
}

TEST(a_map_gives_the_record_of_any_id)
{
	static int records[KEYS];
	struct id_map map = { 0 };
	assert_null(id_map_find(&map, 0));
	for (uint64_t i = 0; i < KEYS; i++) {
		uint64_t id = i * UINT64_C(0x1000000010000001); /* 0, large ones and small ones */
		assert_null(id_map_find(&map, id));
		assert_true(id_map_add(&map, id, &records[i]));
		assert_ptr_equal(id_map_find(&map, id), &records[i]);
	}
	assert_int_equal(map.count, KEYS);
	const struct id_entry *entry;
	for (size_t position = 0; (entry = id_map_next(&map, &position)) != NULL;) {
		int *record = entry->record;
		assert_int_equal(entry->id, (uint64_t)(record - records) * UINT64_C(0x1000000010000001));
		++*record;
	}
	for (size_t i = 0; i < KEYS; i++)
		assert_int_equal(records[i], 1);
	id_map_release(&map);
	assert_null(id_map_find(&map, 0));
}
