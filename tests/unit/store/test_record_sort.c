// SPDX-License-Identifier: MIT
/*
 * test_record_sort.c - whatever does not fit into memory comes out as a stable sort of all of it would have it, and
 * a disk that fails is an error.
 */
#include "base/hash_index.h"
#include "store/record_sort.h"
#include "support/effort.h"
#include "support/faulty_io.h"
#include "support/memory_io.h"
#include "support/test.h"

enum { RECORDS = 60000, SIZE_MAX_OF_RECORD = 300 };

struct plain_record {
	uint64_t key;
	uint32_t number;
};

static int compare(const void *one, const void *other)
{
	const struct plain_record *a = one, *b = other;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->number < b->number ? -1 : 1;
}

/* What a record has in it follows from its number. */
static size_t size_of(uint32_t number)
{
	return 4 + number * 7919u % SIZE_MAX_OF_RECORD;
}

/* In order; of few; any; and a third in order, a third of any, and a third in order that begins anew. */
enum { IN_ORDER, FEW, ANY, THIRDS, ORDERS };

static uint64_t key_of(unsigned order, uint32_t number, struct random *random)
{
	bool is_ordered = order == IN_ORDER || (order == THIRDS && number / (RECORDS / 3) != 1);
	if (is_ordered)
		return number < RECORDS / 3 * 2 ? number : number - RECORDS / 3;
	return random_below(random, order == FEW ? 50 : order == ANY ? UINT64_MAX : RECORDS);
}

static enum histree_status add_all(struct record_sort *sort, struct plain_record *plain, unsigned order,
				   struct histree_error *error)
{
	struct random random = { order };
	for (uint32_t i = 0; i < RECORDS; i++) {
		uint64_t key = key_of(order, i, &random);
		plain[i] = (struct plain_record){ key, i };
		uint8_t *room = record_sort_room(sort, SIZE_MAX_OF_RECORD + 4, error);
		if (room == NULL)
			return error->status;
		memset(room, (int)(i & 255), size_of(i));
		memcpy(room, &i, sizeof(i));
		record_sort_add(sort, key, size_of(i));
	}
	return record_sort_finish(sort, error);
}

static enum histree_status compare_all(struct record_sort *sort, const struct plain_record *plain,
				       struct histree_error *error)
{
	struct sorted_record record;
	enum histree_status status;
	for (uint32_t i = 0; i < RECORDS; i++) {
		uint32_t number;
		status = record_sort_next(sort, &record, error);
		if (status != HISTREE_OK)
			return status;
		memcpy(&number, record.bytes, sizeof(number));
		assert_int_equal(record.key, plain[i].key);
		assert_int_equal(number, plain[i].number);
		assert_int_equal(record.size, size_of(number));
		assert_int_equal(record.bytes[record.size - 1], record.size > 4 ? number & 255 : number >> 24);
	}
	return record_sort_next(sort, &record, error);
}

static enum histree_status sort_all(const struct io *io, size_t memory, unsigned order, uint64_t *spilled,
				    struct histree_error *error)
{
	struct record_sort *sort;
	struct plain_record *plain = calloc(RECORDS, sizeof(*plain));
	assert_non_null(plain);
	enum histree_status status = record_sort_create(io, "f", memory, &sort, error);
	if (status == HISTREE_OK)
		status = add_all(sort, plain, order, error);
	qsort(plain, RECORDS, sizeof(*plain), compare);
	if (status == HISTREE_OK)
		status = compare_all(sort, plain, error);
	*spilled = record_sort_spilled_bytes(sort);
	record_sort_free(sort);
	free(plain);
	return status;
}

TEST(records_come_in_order)
{
	for (unsigned order = IN_ORDER; order < ORDERS; order += (unsigned)test_effort(1, THIRDS))
		for (size_t memory = 1 << 20; memory <= 64 << 20; memory <<= 6) {
			struct memory_io io;
			struct histree_error error = { 0 };
			uint64_t spilled;
			memory_io_init(&io);
			assert_int_equal(sort_all(&io.io, memory, order, &spilled, &error), HISTREE_END);
			assert_true((spilled > 0) == (memory == 1 << 20));
			memory_io_release(&io);
		}
}

TEST(keys_below_zero_come_first)
{
	assert_true(record_key_signed(INT64_MIN) == 0 && record_key_signed(-1) < record_key_signed(0));
	assert_true(record_key_signed(INT64_MAX) == UINT64_MAX);
}

static void fail_at_each_call(unsigned order)
{
	enum histree_status status = HISTREE_ERR_IO;
	uint64_t failures = 0, spilled;
	for (uint64_t at = 1; status != HISTREE_END; at++) {
		struct memory_io io;
		struct faulty_io faulty;
		struct histree_error error = { 0 };
		memory_io_init(&io);
		faulty_io_init(&faulty, &io.io);
		faulty.fail_at = at;
		status = sort_all(&faulty.io, 1 << 20, order, &spilled, &error);
		assert_true(status == HISTREE_END || (status == HISTREE_ERR_IO && error.message[0] != '\0'));
		failures += status != HISTREE_END;
		memory_io_release(&io);
		at += at / 8; /* not each of a thousand reads */
	}
	assert_true(failures > 5);
}

TEST(a_disk_that_fails_is_an_error)
{
	fail_at_each_call(IN_ORDER);
	fail_at_each_call(ANY);
}
