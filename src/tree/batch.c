// SPDX-License-Identifier: MIT
/*
 * batch.c - the batches of a cluster tree: how large they are, and how they are sorted into leaves.
 */
#include "tree/batch.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/costly.h"
#include "base/error.h"
#include "base/table.h"
#include "histree/history.h"
#include "item/value.h"
#include "node/column_builder.h"
#include "tree/lifetimes.h"

/* ---- batch length -------------------------------------------------------------------------------------------- */

/*
 * Measured on the model of the papers and on many-threads, whose leaves share their times.  Balance: the largest
 * size that does not slow down the full query.  Single: as large as two-dimensional queries still gain, with leaves
 * in which a query for one key, not in the cache, reads little that it does not need.  Full: as small as it still
 * gains; with fewer than 4 intervals of a key, states that began in another batch cost more than is won.  Space: as
 * large as bytes still fall.
 */
static const struct batch_length lengths[] = {
	[HISTREE_PREFER_BALANCE] = { .per_key = 64, .per_key_min = 4, .per_key_min_direct = 4, .leaf_share = 16 },
	[HISTREE_PREFER_SINGLE] = { .per_key = 64,
				    .per_key_min = 16,
				    .per_key_min_direct = 16,
				    .leaf_share = 16,
				    .node_size = 64 << 10 },
	[HISTREE_PREFER_FULL] = { .per_key = 16, .per_key_min = 4, .per_key_min_direct = 4, .leaf_share = 64 },
	[HISTREE_PREFER_SPACE] = { .per_key = 64, .per_key_min = 4, .per_key_min_direct = 64, .leaf_share = 16 },
};

const struct batch_length *batch_length_of(enum histree_preference preference)
{
	return &lengths[preference];
}

/*
 * With few keys a leaf would be long in time, and a full query would read much for little; with many, a batch is
 * several leaves, so that a query for one key reads one of them.
 */
size_t batch_length_items(const struct batch_length *length, size_t keys, size_t leaf_items, bool is_direct)
{
	size_t of_leaf = leaf_items / length->leaf_share + 1, items = length->per_key * keys;
	size_t of_keys = keys * (is_direct ? length->per_key_min_direct : length->per_key_min);
	items = items < leaf_items ? items : leaf_items;
	items = items > of_leaf ? items : of_leaf;
	return items > of_keys ? items : of_keys;
}

/* ---- batch --------------------------------------------------------------------------------------------------- */

enum {
	SLAB_BYTES = 2 << 20, /* a large page, where the system has them: items go to many addresses at once */
	BUCKET_KEYS_BITS_MIN = 10,
	BUCKETS_MAX = 1024,        /* about: more keys may come than are known */
	CHUNKS_PER_BUCKET_MIN = 4, /* in a batch that is large */
};

/* ---- chunks ----------------------------------------------------------------------------------------- */

void chunk_pool_init(struct chunk_pool *pool)
{
	*pool = (struct chunk_pool){ .free = NULL };
	pthread_mutex_init(&pool->mutex, NULL);
}

/*
 * Returns a slab, or NULL if memory runs out.  It is from the system, not from malloc(), which would keep what a
 * copy gave back and fragment it: so publishing does not leave a build larger than it was.
 */
static struct chunk *map_slab(void)
{
	const size_t twice = 2 * (size_t)SLAB_BYTES; /* one begins in it at a multiple of its size */
	uint8_t *mapped = mmap(NULL, twice, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mapped == MAP_FAILED)
		return NULL;
	size_t before = -(uintptr_t)mapped % SLAB_BYTES;
	if (before > 0)
		munmap(mapped, before);
	munmap(mapped + before + SLAB_BYTES, SLAB_BYTES - before);
	return (struct chunk *)(void *)(mapped + before);
}

/* The first chunk of a slab links it to the others. */
static bool add_slab(struct chunk_pool *pool)
{
	struct chunk *slab = map_slab();
	if (slab == NULL)
		return false;
	madvise(slab, SLAB_BYTES, MADV_HUGEPAGE); /* only a wish */
	slab->next = pool->slabs;
	pool->slabs = slab;
	for (size_t i = SLAB_BYTES / CHUNK_BYTES - 1; i > 0; i--) {
		slab[i].next = pool->free;
		pool->free = &slab[i];
	}
	return true;
}

struct chunk *chunk_pool_take(struct chunk_pool *pool)
{
	pthread_mutex_lock(&pool->mutex);
	struct chunk *chunk = NULL;
	if (pool->free != NULL || add_slab(pool)) {
		chunk = pool->free;
		pool->free = chunk->next;
		chunk->next = NULL;
	}
	pthread_mutex_unlock(&pool->mutex);
	return chunk;
}

void chunk_pool_give(struct chunk_pool *pool, struct chunk *first, struct chunk *last)
{
	pthread_mutex_lock(&pool->mutex);
	last->next = pool->free;
	pool->free = first;
	pthread_mutex_unlock(&pool->mutex);
}

void chunk_pool_release(struct chunk_pool *pool)
{
	while (pool->slabs != NULL) {
		struct chunk *slab = pool->slabs;
		pool->slabs = slab->next;
		munmap(slab, SLAB_BYTES);
	}
	pthread_mutex_destroy(&pool->mutex);
}

/* ---- adding ----------------------------------------------------------------------------------------- */

void batch_begin(struct batch *batch, struct chunk_pool *pool, size_t key_room, size_t chunks_max)
{
	size_t buckets_max = chunks_max / CHUNKS_PER_BUCKET_MIN + 1;
	buckets_max = buckets_max < BUCKETS_MAX ? buckets_max : BUCKETS_MAX;
	batch->pool = pool;
	batch->chunks_max = chunks_max;
	batch->shift = BUCKET_KEYS_BITS_MIN;
	while (key_room >> batch->shift > buckets_max)
		batch->shift++;
	batch->start = INT64_MAX;
	batch->end = INT64_MIN;
}

static bool reserve_keys(struct batch *batch, histree_quark key)
{
	size_t buckets = ((size_t)key >> batch->shift) + 1, keys = batch->keys_capacity;
	if (!array_reserve(&batch->buckets, &batch->buckets_capacity, buckets) ||
	    !array_reserve(&batch->keys, &batch->keys_capacity, (buckets << batch->shift) / 64) ||
	    !array_reserve(&batch->positions, &batch->positions_capacity, (size_t)1 << batch->shift))
		return false;
	memset(batch->keys + keys, 0, (batch->keys_capacity - keys) * sizeof(*batch->keys));
	memset(batch->buckets + batch->bucket_count, 0, (buckets - batch->bucket_count) * sizeof(*batch->buckets));
	batch->bucket_count = buckets;
	batch->key_room = buckets << batch->shift;
	return true;
}

/* Give a bucket whose chunks are full one more.  Returns false if memory runs out. */
static bool add_chunk(struct batch *batch, struct bucket *bucket)
{
	struct chunk *chunk = chunk_pool_take(batch->pool);
	if (chunk == NULL)
		return false;
	if (bucket->last == NULL) {
		bucket->first = chunk;
	} else {
		bucket->last->next = chunk;
		bucket->full_chunks++;
	}
	bucket->last = chunk;
	bucket->next = chunk->items;
	bucket->limit = chunk->items + CHUNK_ITEMS;
	return true;
}

bool batch_reserve(struct batch *batch, histree_quark key)
{
	if (key >= batch->key_room && !reserve_keys(batch, key))
		return false;
	struct bucket *bucket = &batch->buckets[key >> batch->shift];
	if (bucket->next != bucket->limit)
		return true;
	if (!add_chunk(batch, bucket))
		return false;
	batch->chunks++;
	if (bucket->full_chunks + 1 > batch->largest)
		batch->largest = bucket->full_chunks + 1;
	if (batch_is_large(batch))
		batch->full = 0;
	return true;
}

size_t batch_add_integers(struct batch *batch, const struct histree_interval *intervals, size_t count,
			  histree_time since)
{
	struct bucket *const buckets = batch->buckets;
	uint64_t *const keys = batch->keys;
	const unsigned shift = batch->shift;
	const size_t key_room = batch->key_room;
	size_t room = batch->full > batch->count ? batch->full - batch->count : 0, key_count = batch->key_count;
	size_t most = count < room ? count : room, added = 0;
	histree_time start = batch->start, end = batch->end;
	for (; added < most; added++) {
		const struct histree_interval *interval = &intervals[added];
		const histree_quark key = interval->quark;
		if (interval->value.type != HISTREE_INT || interval->start < since || key >= key_room)
			break;
		struct bucket *bucket = &buckets[key >> shift];
		struct column_item *next = bucket->next;
		if (next == bucket->limit)
			break;
		__builtin_prefetch((char *)next + 192, 1); /* as in batch_add() */
		*next = column_item(interval->start, interval->end, key, ITEM_INT, (uint32_t)interval->value.int32);
		bucket->next = next + 1;
		uint64_t word = keys[key / 64];
		key_count += (word >> key % 64 & 1) == 0;
		keys[key / 64] = word | UINT64_C(1) << key % 64;
		start = interval->start < start ? interval->start : start;
		end = interval->end > end ? interval->end : end;
	}
	batch->count += added;
	batch->key_count = key_count;
	batch->start = start;
	batch->end = end;
	return added;
}

/* ---- copying ---------------------------------------------------------------------------------------- */

/*
 * Lend all chunks but the last to a copy, which goes on filling a chunk of its own: so it needs as many chunks for
 * what comes as `bucket` would, and cuts its leaves at the same items.  Returns false if memory runs out.
 */
static bool lend_bucket(const struct bucket *bucket, struct batch *copy, size_t number)
{
	struct bucket *own = &copy->buckets[number];
	if (bucket->last == NULL)
		return true;
	if (!add_chunk(copy, own))
		return false;
	size_t count = (size_t)(bucket->next - bucket->last->items);
	memcpy(own->next, bucket->last->items, count * sizeof(*own->next));
	own->next += count;
	own->full_chunks = bucket->full_chunks;
	if (bucket->first == bucket->last)
		return true;
	copy->lent[number].first = copy->lent[number].last = bucket->first;
	while (copy->lent[number].last->next != bucket->last)
		copy->lent[number].last = copy->lent[number].last->next;
	return true;
}

enum histree_status batch_copy(const struct batch *batch, struct chunk_pool *pool, struct batch *copy)
{
	copy->pool = pool;
	copy->shift = batch->shift;
	copy->chunks_max = batch->chunks_max;
	copy->start = batch->start;
	copy->end = batch->end;
	if (batch->key_room > 0 && !reserve_keys(copy, (histree_quark)(batch->key_room - 1)))
		return HISTREE_ERR_MEMORY;
	if (batch->key_room > 0)
		memcpy(copy->keys, batch->keys, batch->key_room / 64 * sizeof(*copy->keys));
	copy->lent_count = batch->bucket_count;
	copy->lent = calloc(copy->lent_count + 1, sizeof(*copy->lent));
	if (copy->lent == NULL)
		return HISTREE_ERR_MEMORY;
	for (size_t i = 0; i < batch->bucket_count; i++)
		if (!lend_bucket(&batch->buckets[i], copy, i))
			return HISTREE_ERR_MEMORY;
	copy->key_count = batch->key_count;
	copy->count = batch->count;
	copy->full = batch->full;
	copy->chunks = batch->chunks;
	copy->largest = batch->largest;
	return intern_copy(&batch->values, &copy->values) ? HISTREE_OK : HISTREE_ERR_MEMORY;
}

/* ---- taking ----------------------------------------------------------------------------------------- */

/* The chunks of a bucket in the order of arrival: those that are lent, then its own. */
struct chunk_walk {
	const struct bucket *bucket;
	struct lent_chunks lent;
	const struct chunk *chunk; /* NULL: no more */
};

static struct chunk_walk walk_chunks(const struct batch *batch, size_t number)
{
	struct chunk_walk walk = { .bucket = &batch->buckets[number] };
	if (number < batch->lent_count)
		walk.lent = batch->lent[number];
	walk.chunk = walk.lent.first != NULL ? walk.lent.first : walk.bucket->first;
	return walk;
}

static void walk_on(struct chunk_walk *walk)
{
	walk->chunk = walk->chunk == walk->lent.last ? walk->bucket->first : walk->chunk->next;
}

/* Returns the end of the items of the chunk. */
static const struct column_item *walk_end(const struct chunk_walk *walk)
{
	return walk->chunk == walk->bucket->last ? walk->bucket->next : walk->chunk->items + CHUNK_ITEMS;
}

/* Sort what callers inserted out of order; there is mostly nothing to do. */
static void order_by_start(struct column_item *items, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (items[i - 1].start <= items[i].start ||
		    column_item_key(&items[i - 1]) != column_item_key(&items[i]))
			continue;
		struct column_item item = items[i];
		size_t position = i;
		for (; position > 0 && column_item_key(&items[position - 1]) == column_item_key(&item) &&
		       items[position - 1].start > item.start;
		     position--)
			items[position] = items[position - 1];
		items[position] = item;
	}
}

/* Find at which position the items of each key begin when they are sorted. */
static void find_positions(struct batch *batch, size_t number)
{
	uint32_t mask = (1u << batch->shift) - 1, sum = 0;
	memset(batch->positions, 0, ((size_t)mask + 1) * sizeof(*batch->positions));
	for (struct chunk_walk walk = walk_chunks(batch, number); walk.chunk != NULL; walk_on(&walk)) {
		/*
		 * The processor foresees accesses within a chunk, but not the beginning of the next one, hence the
		 * prefetch.  The chunk may be NULL: a prefetch of it is harmless, but nothing may be added to the
		 * pointer.
		 */
		for (size_t line = 0; line < 8; line++)
			__builtin_prefetch((const void *)((uintptr_t)walk.chunk->next + line * 64));
		for (const struct column_item *item = walk.chunk->items, *end = walk_end(&walk); item < end; item++)
			batch->positions[column_item_key(item) & mask]++;
	}
	for (uint32_t key = 0; key <= mask; key++) {
		uint32_t here = batch->positions[key];
		batch->positions[key] = sum;
		sum += here;
	}
}

/* The items of a bucket are sorted by (key, start), are of its keys, and lie within the times of the batch. */
static void assert_order(const struct batch *batch, size_t number, const struct column_item *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		assert(column_item_key(&items[i]) >> batch->shift == number);
		assert(items[i].start >= batch->start && items[i].end <= batch->end);
		assert(i == 0 || column_item_key(&items[i - 1]) < column_item_key(&items[i]) ||
		       (column_item_key(&items[i - 1]) == column_item_key(&items[i]) &&
			items[i - 1].start <= items[i].start));
	}
}

void batch_take(struct batch *batch, size_t number, struct column_item *items)
{
	struct bucket *bucket = &batch->buckets[number];
	size_t count = bucket_item_count(bucket);
	if (count == 0)
		return;
	uint32_t mask = (1u << batch->shift) - 1;
	find_positions(batch, number);
	for (struct chunk_walk walk = walk_chunks(batch, number); walk.chunk != NULL; walk_on(&walk))
		for (const struct column_item *item = walk.chunk->items, *end = walk_end(&walk); item < end; item++)
			items[batch->positions[column_item_key(item) & mask]++] = *item;
	order_by_start(items, count);
	if (COSTLY_ASSERTIONS)
		assert_order(batch, number, items, count);
	chunk_pool_give(batch->pool, bucket->first, bucket->last);
	*bucket = (struct bucket){ 0 };
	if (number < batch->lent_count)
		batch->lent[number] = (struct lent_chunks){ 0 };
	batch->count -= count;
}

void batch_assert(const struct batch *batch)
{
	size_t count = 0;
	for (size_t i = 0; i < batch->bucket_count; i++)
		count += bucket_item_count(&batch->buckets[i]);
	assert(count == batch->count);
	assert(count == 0 || (batch->key_count > 0 && batch->start <= batch->end));
}

void batch_clear(struct batch *batch)
{
	assert(batch->count == 0);
	if (batch->key_room > 0)
		memset(batch->keys, 0, batch->key_room / 64 * sizeof(*batch->keys));
	intern_release(&batch->values);
	free(batch->lent);
	batch->lent = NULL;
	batch->lent_count = 0;
	batch->bucket_count = batch->key_room = batch->key_count = batch->chunks = batch->largest = 0;
}

void batch_release(struct batch *batch)
{
	free(batch->buckets);
	free(batch->lent);
	free(batch->keys);
	free(batch->positions);
	intern_release(&batch->values);
	*batch = (struct batch){ 0 };
}

/* ---- batch writer -------------------------------------------------------------------------------------------- */

/* A guess, before the first leaf is known. */
static const double item_bytes_first = 3.0;

/* The share of a node that a leaf is meant to fill; nodes are only as long in the file as they are filled. */
static const double leaf_fill = 0.75;

enum { KEYS_PER_LOOK = 2048 }; /* at what is resident of their lifetimes */

void batch_writer_init(struct batch_writer *writer, const struct leaf_taker *taker, struct table_space *tables)
{
	writer->taker = *taker;
	writer->tables = tables;
	writer->item_bytes = item_bytes_first;
}

size_t batch_writer_leaf_items(const struct batch_writer *writer)
{
	return (size_t)((double)writer->taker.node_size * leaf_fill / writer->item_bytes) + 1;
}

/* Report the lifetimes of a leaf's items, which are sorted, so that lifetimes come in the order of keys. */
static bool tell_lifetimes(const struct batch_writer *writer, const struct column_item *items, size_t count)
{
	for (size_t first = 0, keys = 0; first < count;) {
		size_t last = first;
		while (last + 1 < count && column_item_key(&items[last + 1]) == column_item_key(&items[first]))
			last++;
		struct lifetime lifetime = { .first = items[first].start, .last = items[last].end };
		if (!writer->taker.live(writer->taker.context, column_item_key(&items[first]), lifetime))
			return false;
		first = last + 1;
		if (++keys % KEYS_PER_LOOK == 0)
			table_space_look(writer->tables);
	}
	return true;
}

/* Encode a leaf of `count` items or of as many as fit.  Returns how many, 0 if memory runs out. */
static size_t encode_leaf(struct batch_writer *writer, const struct column_item *items, size_t count,
			  const struct histree_value *values, size_t value_count)
{
	double limit = writer->taker.node_size;
	for (;;) {
		size_t size = column_builder_encode(&writer->builder, items, count, values, value_count);
		if (size == 0)
			return 0;
		writer->item_bytes = (double)size / (double)count;
		if ((double)size <= limit)
			return count;
		size_t fewer = (size_t)((double)count * limit / (double)size * leaf_fill);
		count = fewer > 0 ? fewer : 1;
	}
}

/* Returns how many of the items that are left the next leaf is to take. */
static size_t leaf_share(const struct batch_writer *writer, size_t left)
{
	/* A node has room for a third more than what is aimed at: rather a fuller leaf than two half ones. */
	size_t aim = batch_writer_leaf_items(writer);
	size_t leaves = left <= aim ? 1 : (left + aim / 3 * 2) / aim;
	return (left + leaves - 1) / leaves;
}

/* Write one leaf of at most `count` items that are ready. */
static enum histree_status write_leaf(struct batch_writer *writer, const struct batch *batch, size_t count,
				      struct histree_error *error)
{
	const struct column_item *items = writer->items + writer->written;
	size_t taken = encode_leaf(writer, items, count, writer->values, batch->values.count);
	if (taken == 0 || !tell_lifetimes(writer, items, taken))
		return error_memory(error, "a leaf");
	writer->written += taken;
	return writer->taker.take(writer->taker.context, &writer->builder, batch->start, error);
}

/* Sort the items of the next bucket behind those that are ready. */
static enum histree_status take_bucket(struct batch_writer *writer, struct batch *batch,
				       struct histree_error *error)
{
	size_t bucket = writer->bucket++, more = bucket_item_count(&batch->buckets[bucket]);
	if (more == 0)
		return HISTREE_OK;
	size_t left = writer->ready - writer->written;
	if (writer->written > 0)
		memmove(writer->items, writer->items + writer->written, left * sizeof(*writer->items));
	writer->ready = left;
	writer->written = 0;
	if (!array_reserve(&writer->items, &writer->items_capacity, left + more))
		return error_memory(error, "sorting a batch");
	batch_take(batch, bucket, writer->items + left);
	writer->ready += more;
	return HISTREE_OK;
}

/* Take the items bucket by bucket until there are enough of them for a leaf, or all there are, and write these. */
static enum histree_status write_leaves(struct batch_writer *writer, struct batch *batch,
					struct histree_error *error)
{
	bool has_written = false;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && !has_written && writer->bucket < batch->bucket_count) {
		status = take_bucket(writer, batch, error);
		while (status == HISTREE_OK && writer->written < writer->ready) {
			size_t ready = writer->ready - writer->written;
			size_t share = leaf_share(writer, ready + batch->count);
			if (share > ready && batch->count > 0)
				break;
			status = write_leaf(writer, batch, share, error);
			has_written = true;
		}
	}
	if (status != HISTREE_OK)
		return status;
	return writer->bucket < batch->bucket_count ? HISTREE_OK : HISTREE_END;
}

enum histree_status batch_writer_write(struct batch_writer *writer, struct batch *batch,
				       struct histree_error *error)
{
	if (writer->values == NULL) { /* it begins */
		writer->values = malloc(((size_t)batch->values.count + 1) * sizeof(*writer->values));
		if (writer->values == NULL)
			return error_memory(error, "the values of a batch");
		for (uint32_t number = 0; number < batch->values.count; number++) {
			size_t size;
			const char *bytes = intern_get(&batch->values, number, &size);
			struct byte_reader reader = byte_reader(bytes, size);
			writer->values[number] = value_decode(&reader);
		}
		writer->bucket = writer->written = writer->ready = 0;
	}
	enum histree_status status = write_leaves(writer, batch, error);
	if (status != HISTREE_OK) {
		free(writer->values);
		writer->values = NULL;
	}
	return status;
}

void batch_writer_copy(const struct batch_writer *writer, const struct leaf_taker *taker, struct batch_writer *copy)
{
	copy->taker = *taker;
	copy->tables = writer->tables;
	copy->item_bytes = writer->item_bytes;
	copy->builder.direct = writer->builder.direct;
	copy->builder.leaves = writer->builder.leaves;
}

void batch_writer_release(struct batch_writer *writer)
{
	column_builder_release(&writer->builder);
	free(writer->items);
	free(writer->values);
}
