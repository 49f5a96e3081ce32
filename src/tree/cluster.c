// SPDX-License-Identifier: MIT
/*
 * cluster.c - the buffers of a cluster tree: intervals by key, in tiers, which become batches of leaves when
 * memory or time says so (docs/design/01-tree.md).  While a task writes a batch, what it writes belongs to the
 * task; everything else stays with the caller.
 */
#include "tree/cluster.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "item/value.h"

enum {
	CLUSTER_TIER_SHARE = 8, /* the first tier may hold this many times the items of each other tier */
	VALUES_SHARE = 8,       /* this share of the memory is for values */
};

void cluster_assert_waited_for(const struct cluster *cluster)
{
	(void)cluster;
	assert(!cluster->handed_over);
}

static void assert_task_owns_writing(const struct cluster *cluster)
{
	assert(cluster->handed_over);
	batch_assert(&cluster->writing);
}

static size_t batch_items(const struct cluster *cluster, size_t keys)
{
	return batch_length_items(cluster->length, keys, cluster->leaf_items, cluster->is_direct);
}

static void begin_batch(struct cluster *cluster, struct cluster_tier *tier)
{
	size_t share = tier == cluster->tiers ? cluster->chunks_max : cluster->chunks_max / CLUSTER_TIER_SHARE;
	batch_begin(&tier->filling, cluster->pool, 64 * cluster->known_keys_capacity, share);
	tier->filling.full = batch_items(cluster, 0);
	memset(tier->recent, 0, sizeof(tier->recent));
}

void cluster_release(struct cluster *cluster)
{
	if (cluster->crew != NULL)
		crew_finish(cluster->crew, &cluster->write);
	for (unsigned i = 0; i < CLUSTER_TIERS; i++)
		batch_release(&cluster->tiers[i].filling);
	batch_release(&cluster->writing);
	batch_writer_release(&cluster->writer);
	free(cluster->known_keys);
}

/* Buffers and what is being written take `memory` bytes at most. */
static void share_memory(struct cluster *cluster, size_t memory)
{
	/* The first tier, its share in each other, and as much as the first once more, that is being written. */
	size_t shares = 2 * CLUSTER_TIER_SHARE + CLUSTER_TIERS - 1;
	size_t for_values = memory / VALUES_SHARE;
	cluster->chunks_max = (memory - for_values) * CLUSTER_TIER_SHARE / (shares * CHUNK_BYTES);
	cluster->values_max = for_values / (CLUSTER_TIERS + 1);
}

static bool write_batch(void *context);

void cluster_init(struct cluster *cluster, const struct tree_options *options, const struct leaf_taker *taker,
		  struct chunk_pool *pool)
{
	cluster->start = options->start;
	cluster->leaves_out_nulls = options->leaves_out_nulls;
	cluster->length = batch_length_of(options->prefer);
	cluster->pool = pool;
	share_memory(cluster, options->memory_max);
	batch_writer_init(&cluster->writer, taker, options->tables);
	cluster->leaf_items = batch_writer_leaf_items(&cluster->writer);
	for (unsigned i = 0; i < CLUSTER_TIERS; i++) {
		struct cluster_tier *tier = &cluster->tiers[i];
		tier->flushed = tier->flushed_before = options->start;
		begin_batch(cluster, tier);
	}
	cluster->crew = options->crew;
	cluster->write = (struct crew_task){ .step = write_batch, .context = cluster };
}

static enum histree_status copy_tier(const struct cluster_tier *tier, struct chunk_pool *pool,
				     struct cluster_tier *copy)
{
	copy->flushed = tier->flushed;
	copy->flushed_before = tier->flushed_before;
	return batch_copy(&tier->filling, pool, &copy->filling);
}

enum histree_status cluster_copy(const struct cluster *cluster, const struct leaf_taker *taker,
				 struct chunk_pool *pool, struct cluster *copy)
{
	enum histree_status status = HISTREE_OK;
	cluster_assert_waited_for(cluster);
	copy->start = cluster->start;
	copy->leaves_out_nulls = cluster->leaves_out_nulls;
	copy->chunks_max = cluster->chunks_max;
	copy->values_max = cluster->values_max;
	copy->length = cluster->length;
	copy->leaf_items = cluster->leaf_items;
	copy->is_direct = cluster->is_direct;
	copy->pool = pool;
	batch_writer_copy(&cluster->writer, taker, &copy->writer);
	copy->known_keys = array_copy(cluster->known_keys, cluster->known_keys_capacity);
	if (copy->known_keys != NULL)
		copy->known_keys_capacity = cluster->known_keys_capacity;
	else if (cluster->known_keys_capacity > 0)
		status = HISTREE_ERR_MEMORY;
	for (unsigned i = 0; i < CLUSTER_TIERS && status == HISTREE_OK; i++)
		status = copy_tier(&cluster->tiers[i], pool, &copy->tiers[i]);
	return status;
}

/* ---- handing over --------------------------------------------------------------------------------- */

static bool write_batch(void *context)
{
	struct cluster *cluster = context;
	assert_task_owns_writing(cluster);
	enum histree_status status =
		batch_writer_write(&cluster->writer, &cluster->writing, &cluster->written_error);
	assert(status != HISTREE_END || cluster->writing.count == 0);
	if (status < 0)
		cluster->written = status;
	return status == HISTREE_OK;
}

enum histree_status cluster_wait(struct cluster *cluster, struct histree_error *error)
{
	if (cluster->crew != NULL)
		crew_finish(cluster->crew, &cluster->write);
	cluster->handed_over = false;
	if (cluster->written != HISTREE_OK)
		return error_set(error, cluster->written, "%s", cluster->written_error.message);
	return HISTREE_OK;
}

/* Take back what the task has written. */
static enum histree_status take_back(struct cluster *cluster, struct histree_error *error)
{
	enum histree_status status = cluster_wait(cluster, error);
	if (status != HISTREE_OK)
		return status;
	cluster_assert_waited_for(cluster);
	batch_clear(&cluster->writing);
	cluster->leaf_items = batch_writer_leaf_items(&cluster->writer);
	cluster->is_direct = cluster->writer.builder.direct;
	return HISTREE_OK;
}

/* Have the batch in `writing` written, by the crew if there is one. */
static enum histree_status hand_over(struct cluster *cluster, struct histree_error *error)
{
	cluster_assert_waited_for(cluster);
	cluster->handed_over = true;
	if (cluster->crew != NULL) {
		crew_start(cluster->crew, &cluster->write);
		return HISTREE_OK;
	}
	while (write_batch(cluster))
		;
	return cluster_wait(cluster, error);
}

static bool reserve_known_keys(struct cluster *cluster, size_t words)
{
	size_t before = cluster->known_keys_capacity;
	if (!array_reserve(&cluster->known_keys, &cluster->known_keys_capacity, words))
		return false;
	memset(cluster->known_keys + before, 0,
	       (cluster->known_keys_capacity - before) * sizeof(*cluster->known_keys));
	return true;
}

bool cluster_know_key(struct cluster *cluster, histree_quark key)
{
	if (!reserve_known_keys(cluster, (size_t)key / 64 + 1))
		return false;
	cluster->known_keys[key / 64] |= UINT64_C(1) << key % 64;
	return true;
}

static bool know_keys(struct cluster *cluster, const struct batch *batch)
{
	size_t words = batch->key_room / 64;
	if (!reserve_known_keys(cluster, words))
		return false;
	for (size_t word = 0; word < words; word++)
		cluster->known_keys[word] |= batch->keys[word];
	return true;
}

static enum histree_status flush_tier(struct cluster *cluster, struct cluster_tier *tier,
				      struct histree_error *error)
{
	enum histree_status status = take_back(cluster, error);
	if (status == HISTREE_OK && !know_keys(cluster, &tier->filling))
		status = error_memory(error, "a batch");
	if (status != HISTREE_OK)
		return status;
	tier->flushed_before = tier->flushed;
	tier->flushed = tier->filling.end > tier->flushed ? tier->filling.end : tier->flushed;
	struct batch full = tier->filling;
	tier->filling = cluster->writing;
	cluster->writing = full;
	begin_batch(cluster, tier);
	return hand_over(cluster, error);
}

/* Flush a tier that seemed full, if it is: how many keys its items have is known only now. */
static enum histree_status flush_if_full(struct cluster *cluster, struct cluster_tier *tier,
					 struct histree_error *error)
{
	struct batch *batch = &tier->filling;
	batch->full = batch_items(cluster, batch->key_count);
	bool crowded = batch_is_large(batch) || batch->values.bytes.bytes_total >= cluster->values_max;
	if (batch->count == 0 || (batch->count < batch->full && !crowded))
		return HISTREE_OK;
	return flush_tier(cluster, tier, error);
}

/* ---- adding ----------------------------------------------------------------------------------------- */

/* Returns the number of a value in the batch's list, INTERN_NONE if memory is out. */
static uint32_t encode_value(struct batch *batch, const struct histree_value *value)
{
	uint8_t room[256], *bytes = room;
	size_t size = value_encoded_size(value);
	if (size > sizeof(room) && (bytes = malloc(size)) == NULL)
		return INTERN_NONE;
	value_encode(bytes, value);
	uint32_t number = intern_add(&batch->values, bytes, size);
	if (bytes != room)
		free(bytes);
	return number;
}

/* Whether the value of a number has these bytes; two strings may have one hash. */
static bool has_bytes(const struct batch *batch, uint32_t number, const struct histree_value *value)
{
	size_t size, head = 1 + varint_size(value->size);
	const char *encoded = intern_get(&batch->values, number, &size);
	return size == head + value->size && memcmp(encoded + head, value->bytes, value->size) == 0;
}

/* The same, soon for longs and strings that were there lately: times and names are of several attributes. */
static inline uint32_t list_value(struct cluster_tier *tier, const struct histree_value *value)
{
	bool is_long = value->type == HISTREE_LONG;
	if (!is_long && (value->type != HISTREE_STRING || value->size == 0))
		return encode_value(&tier->filling, value);
	uint64_t key = is_long ? (uint64_t)value->int64 : hash_bytes(value->bytes, value->size);
	struct recent_value *recent = &tier->recent[key * 0x9e3779b97f4a7c15u >> 56 & (RECENT_VALUES - 1)];
	if (recent->key == key && recent->type == (uint8_t)value->type &&
	    (is_long || has_bytes(&tier->filling, recent->number, value)))
		return recent->number;
	uint32_t number = encode_value(&tier->filling, value);
	if (number != INTERN_NONE)
		*recent = (struct recent_value){ key, number, (uint8_t)value->type };
	return number;
}

/* Returns whether an interval of this key was added before the history began to close. */
static bool has_intervals(const struct cluster *cluster, histree_quark key)
{
	if (key / 64 < cluster->known_keys_capacity && (cluster->known_keys[key / 64] >> key % 64 & 1) != 0)
		return true;
	for (unsigned i = 0; i < CLUSTER_TIERS; i++)
		if (batch_has(&cluster->tiers[i].filling, key))
			return true;
	return false;
}

bool cluster_leaves_out(const struct cluster *cluster, const struct histree_interval *interval)
{
	return interval->value.type == HISTREE_NULL && cluster->leaves_out_nulls &&
	       (interval->start == cluster->start || (cluster->closing && interval->end == cluster->closing_end &&
						      has_intervals(cluster, interval->quark)));
}

static inline struct cluster_tier *tier_of(struct cluster *cluster, histree_time start)
{
	struct cluster_tier *tier = cluster->tiers, *last = tier + CLUSTER_TIERS - 1;
	while (start < tier->flushed_before && tier < last)
		tier++;
	return tier;
}

static inline enum histree_status add_one(struct cluster *cluster, const struct histree_interval *interval,
					  struct histree_error *error)
{
	if (cluster_leaves_out(cluster, interval))
		return HISTREE_OK;
	struct cluster_tier *tier = tier_of(cluster, interval->start);
	if (tier->filling.count >= tier->filling.full) {
		enum histree_status status = flush_if_full(cluster, tier, error);
		if (status != HISTREE_OK)
			return status;
		tier = tier_of(cluster, interval->start);
	}
	enum column_item_kind kind = ITEM_INT;
	uint32_t value = (uint32_t)interval->value.int32;
	if (interval->value.type == HISTREE_NULL) {
		kind = ITEM_NULL;
		value = 0;
	} else if (interval->value.type != HISTREE_INT) {
		kind = ITEM_LISTED;
		value = list_value(tier, &interval->value);
		if (value == INTERN_NONE)
			return error_memory(error, "a value");
		if (tier->filling.values.bytes.bytes_total >= cluster->values_max)
			tier->filling.full = 0;
	}
	struct column_item item = column_item(interval->start, interval->end, interval->quark, kind, value);
	return batch_add(&tier->filling, item) ? HISTREE_OK : error_memory(error, "the buffer of the tree");
}

enum histree_status cluster_add(struct cluster *cluster, const struct histree_interval *intervals, size_t count,
				struct histree_error *error)
{
	struct cluster_tier *first = cluster->tiers;
	enum histree_status status = HISTREE_OK;
	if (count == 1) /* as state systems add them */
		return add_one(cluster, intervals, error);
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		if (count - i > 1)
			i += batch_add_integers(&first->filling, &intervals[i], count - i, first->flushed_before);
		if (i < count)
			status = add_one(cluster, &intervals[i], error);
	}
	return status;
}

static struct histree_interval interval_of(const struct column_item *item, histree_quark key,
					   const struct histree_value *values)
{
	struct histree_interval interval = { .start = item->start, .end = item->end, .quark = key };
	if (column_item_kind(item) == ITEM_INT)
		interval.value = histree_int((int32_t)item->value);
	else if (column_item_kind(item) == ITEM_LISTED)
		interval.value = values[item->value];
	return interval;
}

enum histree_status cluster_add_items(struct cluster *cluster, const struct column_item *items, size_t count,
				      const histree_quark *keys, const struct histree_value *values,
				      struct histree_error *error)
{
	struct cluster_tier *first = cluster->tiers;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		const struct column_item *item = &items[i];
		const histree_quark key = keys[column_item_key(item)];
		const enum column_item_kind kind = column_item_kind(item);
		if (kind == ITEM_INT && item->start >= first->flushed_before &&
		    first->filling.count < first->filling.full) {
			if (!batch_add(&first->filling,
				       column_item(item->start, item->end, key, kind, item->value)))
				return error_memory(error, "the buffer of the tree");
			continue;
		}
		const struct histree_interval interval = interval_of(item, key, values);
		status = add_one(cluster, &interval, error);
	}
	return status;
}

enum histree_status cluster_flush(struct cluster *cluster, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (unsigned i = 0; i < CLUSTER_TIERS && status == HISTREE_OK; i++)
		if (cluster->tiers[i].filling.count > 0)
			status = flush_tier(cluster, &cluster->tiers[i], error);
	return status == HISTREE_OK ? take_back(cluster, error) : status;
}
