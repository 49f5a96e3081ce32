// SPDX-License-Identifier: MIT
/*
 * What goes into a batch comes out sorted, bucket by bucket, whatever the order of its arrival; a copy is as the
 * batch was, and goes on by itself.
 */
#include "base/hash_index.h"
#include "support/test.h"
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
TEST(buckets_agree_with_comparison)
{
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
TEST(a_cleared_batch_forgets)
{
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

/* ---- copies ---------------------------------------------------------------------------------------- */

enum { COPY_KEYS = 5000, COPY_ITEMS = 40000, COPY_CHUNKS_MAX = 300 };

static void add_some(struct batch *batch, struct random *random, size_t first, size_t count)
{
	for (size_t i = first; i < first + count; i++) {
		histree_quark key = (histree_quark)random_below(random, COPY_KEYS + i / 8);
		histree_time start = (histree_time)i * 4;
		assert_true(batch_add(batch, column_item(start, start + 1, key, ITEM_INT, (uint32_t)i)));
		if (i % 1000 == 0)
			assert_int_not_equal(intern_add(&batch->values, &i, sizeof(i)), INTERN_NONE);
	}
}

/* All that decides when a batch is written and where its leaves are cut. */
static void assert_alike(const struct batch *batch, const struct batch *other)
{
	assert_int_equal(batch->count, other->count);
	assert_int_equal(batch->full, other->full);
	assert_int_equal(batch->chunks, other->chunks);
	assert_int_equal(batch->largest, other->largest);
	assert_int_equal(batch_is_large(batch), batch_is_large(other));
	assert_int_equal(batch->key_count, other->key_count);
	assert_int_equal(batch->bucket_count, other->bucket_count);
	assert_int_equal(batch->values.count, other->values.count);
	assert_true(batch->start == other->start && batch->end == other->end);
	for (size_t bucket = 0; bucket < batch->bucket_count; bucket++)
		assert_int_equal(bucket_item_count(&batch->buckets[bucket]),
				 bucket_item_count(&other->buckets[bucket]));
}

static void assert_same_items(struct batch *batch, struct batch *other)
{
	assert_alike(batch, other);
	struct column_item *items = calloc(batch->count + 1, sizeof(*items));
	struct column_item *others = calloc(batch->count + 1, sizeof(*others));
	for (size_t bucket = 0; bucket < batch->bucket_count; bucket++) {
		size_t count = bucket_item_count(&batch->buckets[bucket]);
		batch_take(batch, bucket, items);
		batch_take(other, bucket, others);
		assert_memory_equal(items, others, count * sizeof(*items));
	}
	assert_int_equal(batch->count, 0);
	assert_int_equal(other->count, 0);
	free(items);
	free(others);
}

/*
 * `plain` gets the same items as `batch`, which is copied at some moment: the copy with more items is what `plain`
 * becomes with these, and `batch` is then what it was before.
 */
static void copy_at(size_t count, uint64_t seed)
{
	struct chunk_pool pool, copy_pool;
	struct batch batch = { 0 }, plain = { 0 }, before = { 0 }, copy = { 0 };
	struct random random = { .state = seed }, same = random, also = random;
	chunk_pool_init(&pool);
	chunk_pool_init(&copy_pool);
	batch_begin(&batch, &pool, 0, COPY_CHUNKS_MAX);
	batch_begin(&plain, &pool, 0, COPY_CHUNKS_MAX);
	batch_begin(&before, &pool, 0, COPY_CHUNKS_MAX);
	batch.full = plain.full = before.full = COPY_ITEMS;
	add_some(&batch, &random, 0, count);
	add_some(&plain, &same, 0, count);
	add_some(&before, &also, 0, count);

	assert_ok(batch_copy(&batch, &copy_pool, &copy));
	assert_alike(&batch, &copy);
	add_some(&copy, &random, count, COPY_ITEMS / 4);
	add_some(&plain, &same, count, COPY_ITEMS / 4);
	assert_same_items(&copy, &plain);
	batch_release(&copy);
	chunk_pool_release(&copy_pool);
	assert_same_items(&batch, &before);

	batch_release(&batch);
	batch_release(&plain);
	batch_release(&before);
	chunk_pool_release(&pool);
}

TEST(a_copy_goes_on_by_itself)
{
	static const size_t counts[] = { 0, 1, CHUNK_ITEMS - 1, CHUNK_ITEMS, CHUNK_ITEMS + 1, COPY_ITEMS };
	struct random random = { .state = SEED };
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		copy_at(counts[i], random_bits(&random));
	for (unsigned i = 0; i < 20; i++)
		copy_at(random_below(&random, COPY_ITEMS), random_bits(&random));
}

/* A copy is empty after its items were taken, and can be filled again as any other. */
TEST(a_cleared_copy_forgets)
{
	struct chunk_pool pool;
	struct batch batch = { 0 }, copy = { 0 }, plain = { 0 };
	struct random random = { .state = SEED }, same = random;
	chunk_pool_init(&pool);
	batch_begin(&batch, &pool, 0, COPY_CHUNKS_MAX);
	add_some(&batch, &random, 0, COPY_ITEMS);
	assert_ok(batch_copy(&batch, &pool, &copy));
	struct column_item *items = calloc(COPY_ITEMS, sizeof(*items));
	for (size_t bucket = 0; bucket < copy.bucket_count; bucket++)
		batch_take(&copy, bucket, items);
	batch_clear(&copy);
	batch_begin(&copy, &pool, 0, COPY_CHUNKS_MAX);
	batch_begin(&plain, &pool, 0, COPY_CHUNKS_MAX);
	copy.full = plain.full = 0;
	same = random;
	add_some(&copy, &random, 0, 1000);
	add_some(&plain, &same, 0, 1000);
	assert_same_items(&copy, &plain);
	free(items);
	batch_release(&batch);
	batch_release(&copy);
	batch_release(&plain);
	chunk_pool_release(&pool);
}
