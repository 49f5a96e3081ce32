// SPDX-License-Identifier: MIT
/*
 * What goes into a batch comes out sorted, bucket by bucket, whatever the order of its arrival.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"
#include "tree/batch.h"

static int by_key_and_start(const void *one, const void *other)
{
	const struct column_item *a = one, *b = other;
	if (column_item_key(a) != column_item_key(b))
		return column_item_key(a) < column_item_key(b) ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

enum { SEED = 20161121 };

/* Of items that are sorted. */
static size_t distinct_keys(const struct column_item *items, size_t count)
{
	size_t keys = 1;
	for (size_t i = 1; i < count; i++)
		keys += column_item_key(&items[i]) != column_item_key(&items[i - 1]);
	return keys;
}

/* Few keys and many, close and far apart, in the order of time and not. */
static void buckets_agree_with_comparison(void **state)
{
	(void)state;
	struct chunk_pool pool;
	chunk_pool_init(&pool);
	static const uint64_t ranges[] = { 1, 2, 1000, 5000, 1 << 20, 1 << 24 };
	static const size_t counts[] = { 1, 2, 1000, 200000 };
	for (size_t r = 0; r < sizeof(ranges) / sizeof(*ranges); r++)
		for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++) {
			struct random random = { .state = SEED + r * 10 + c };
			size_t count = ranges[r] < 1000 && counts[c] > 1000 ? 1000 : counts[c];
			struct column_item *items = calloc(count, sizeof(*items));
			struct column_item *expected = calloc(count, sizeof(*expected));
			struct batch batch = { 0 };
			batch_begin(&batch, &pool, 0, 1 + random_below(&random, 3000));
			for (size_t i = 0; i < count; i++) {
				histree_quark key = (histree_quark)random_below(&random, ranges[r]);
				/* Mostly in the order of time; starts are unique, so that there is one order. */
				histree_time start =
					(histree_time)(random_percent(&random, 1) ? i * 4 - 4001 : i * 4);
				items[i] = column_item(start, start + 1, key, ITEM_INT, (uint32_t)i);
				assert_true(batch_add(&batch, items[i]));
				assert_true(batch_has(&batch, key));
			}
			memcpy(expected, items, count * sizeof(*items));
			qsort(expected, count, sizeof(*expected), by_key_and_start);
			assert_int_equal(batch.count, count);
			assert_int_equal(batch.key_count, distinct_keys(expected, count));
			size_t taken = 0;
			for (size_t bucket = 0; bucket < batch.bucket_count; bucket++) {
				size_t more = bucket_item_count(&batch.buckets[bucket]);
				batch_take(&batch, bucket, items + taken);
				taken += more;
			}
			assert_int_equal(taken, count);
			assert_int_equal(batch.count, 0);
			assert_memory_equal(items, expected, count * sizeof(*items));
			batch_release(&batch);
			free(items);
			free(expected);
		}
	chunk_pool_release(&pool);
}

/* A batch that was cleared is like a new one. */
static void a_cleared_batch_forgets(void **state)
{
	(void)state;
	struct chunk_pool pool;
	chunk_pool_init(&pool);
	struct batch batch = { 0 };
	for (unsigned round = 0; round < 3; round++) {
		batch_begin(&batch, &pool, 0, 1000);
		assert_int_equal(batch.count, 0);
		assert_int_equal(batch.key_count, 0);
		assert_false(batch_has(&batch, 5000 + round));
		assert_true(batch_add(&batch, column_item(10, 20 + round, 5000 + round, ITEM_INT, 7)));
		assert_int_equal(batch.key_count, 1);
		assert_true(batch.start == 10 && batch.end == 20 + (histree_time)round);
		struct column_item item;
		for (size_t bucket = 0; bucket < batch.bucket_count; bucket++)
			batch_take(&batch, bucket, &item);
		assert_int_equal(column_item_key(&item), 5000 + round);
		batch_clear(&batch);
	}
	batch_release(&batch);
	chunk_pool_release(&pool);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_agree_with_comparison),
		cmocka_unit_test(a_cleared_batch_forgets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
