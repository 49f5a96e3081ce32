// SPDX-License-Identifier: MIT
#include "tree/cluster.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "item/value_codec.h"

enum {
	/* Intervals in a batch for each attribute that is alive, that is, has intervals in it. */
	INTERVALS_PER_ATTRIBUTE_MIN = 4,
	INTERVALS_PER_ATTRIBUTE = 64, /* if that is no more than a leaf */
	LEAF_SHARE_MIN = 16,          /* of a leaf is a batch at least */
	VALUES_SHARE = 8,             /* of the memory is for values */
};

/*
 * Items that are a batch.  With few attributes a leaf would be long in time, and a full query would read much for
 * little; with many a batch is several leaves, so that a query for one attribute reads one of them.
 */
static size_t batch_items(const struct cluster *cluster, size_t keys)
{
	size_t least = cluster->leaf_items / LEAF_SHARE_MIN + 1, items = INTERVALS_PER_ATTRIBUTE * keys;
	items = items < cluster->leaf_items ? items : cluster->leaf_items;
	items = items > least ? items : least;
	return items > INTERVALS_PER_ATTRIBUTE_MIN * keys ? items : INTERVALS_PER_ATTRIBUTE_MIN * keys;
}

static void begin_batch(struct cluster *cluster, struct cluster_tier *tier)
{
	size_t share = tier == cluster->tiers ? cluster->chunks_max : cluster->chunks_max / CLUSTER_TIER_SHARE;
	batch_begin(&tier->filling, &cluster->pool, 64 * cluster->lived_capacity, share);
	tier->filling.full = batch_items(cluster, 0);
}

void cluster_init(struct cluster *cluster, histree_time start, size_t memory, bool parallel)
{
	/* The first tier, its share in each other, and as much as the first once more, that is being written. */
	size_t shares = 2 * CLUSTER_TIER_SHARE + CLUSTER_TIERS - 1;
	size_t for_values = memory / VALUES_SHARE;
	cluster->start = start;
	cluster->chunks_max = (memory - for_values) * CLUSTER_TIER_SHARE / (shares * CHUNK_BYTES);
	cluster->values_max = for_values / (CLUSTER_TIERS + 1);
	batch_writer_init(&cluster->writer);
	cluster->leaf_items = batch_writer_leaf_items(&cluster->writer);
	chunk_pool_init(&cluster->pool);
	for (unsigned i = 0; i < CLUSTER_TIERS; i++) {
		struct cluster_tier *tier = &cluster->tiers[i];
		tier->flushed = tier->flushed_before = start;
		begin_batch(cluster, tier);
	}
	/* Without one, the caller's thread writes. */
	cluster->has_worker = parallel && worker_create(&cluster->worker);
}

void cluster_release(struct cluster *cluster)
{
	if (cluster->has_worker)
		worker_stop(&cluster->worker);
	for (unsigned i = 0; i < CLUSTER_TIERS; i++)
		batch_release(&cluster->tiers[i].filling);
	batch_release(&cluster->writing);
	batch_writer_release(&cluster->writer);
	chunk_pool_release(&cluster->pool);
	free(cluster->lived);
}

static enum histree_status copy_tier(const struct cluster_tier *tier, struct chunk_pool *pool,
				     struct cluster_tier *copy)
{
	copy->flushed = tier->flushed;
	copy->flushed_before = tier->flushed_before;
	return batch_copy(&tier->filling, pool, &copy->filling);
}

enum histree_status cluster_copy(const struct cluster *cluster, struct cluster *copy)
{
	copy->start = cluster->start;
	copy->chunks_max = cluster->chunks_max;
	copy->values_max = cluster->values_max;
	copy->leaf_items = cluster->leaf_items;
	chunk_pool_init(&copy->pool);
	enum histree_status status = batch_writer_copy(&cluster->writer, &copy->writer);
	copy->lived = array_copy(cluster->lived, cluster->lived_capacity);
	if (copy->lived != NULL)
		copy->lived_capacity = cluster->lived_capacity;
	else if (cluster->lived_capacity > 0)
		status = HISTREE_ERR_MEMORY;
	for (unsigned i = 0; i < CLUSTER_TIERS && status == HISTREE_OK; i++)
		status = copy_tier(&cluster->tiers[i], &copy->pool, &copy->tiers[i]);
	return status;
}

/* ---- handing over --------------------------------------------------------------------------------- */

static void write_batch(void *context)
{
	struct cluster *cluster = context;
	cluster->written = batch_writer_write(&cluster->writer, &cluster->writing, &cluster->written_error);
}

enum histree_status cluster_settle(struct cluster *cluster, struct histree_error *error)
{
	if (cluster->has_worker)
		worker_wait(&cluster->worker);
	if (cluster->written != HISTREE_OK)
		return error_set(error, cluster->written, "%s", cluster->written_error.message);
	return HISTREE_OK;
}

/* Before the next batch is handed over. */
static enum histree_status wait_for_writer(struct cluster *cluster, struct histree_error *error)
{
	enum histree_status status = cluster_settle(cluster, error);
	if (status != HISTREE_OK)
		return status;
	batch_clear(&cluster->writing);
	cluster->leaf_items = batch_writer_leaf_items(&cluster->writer);
	return HISTREE_OK;
}

static bool remember_keys(struct cluster *cluster, const struct batch *batch)
{
	size_t before = cluster->lived_capacity, words = batch->key_room / 64;
	if (!array_reserve(&cluster->lived, &cluster->lived_capacity, words))
		return false;
	memset(cluster->lived + before, 0, (cluster->lived_capacity - before) * sizeof(*cluster->lived));
	for (size_t word = 0; word < words; word++)
		cluster->lived[word] |= batch->keys[word];
	return true;
}

static enum histree_status flush_tier(struct cluster *cluster, struct cluster_tier *tier,
				      struct histree_error *error)
{
	enum histree_status status = wait_for_writer(cluster, error);
	if (status == HISTREE_OK && !remember_keys(cluster, &tier->filling))
		status = error_memory(error, "a batch");
	if (status != HISTREE_OK)
		return status;
	tier->flushed_before = tier->flushed;
	tier->flushed = tier->filling.end > tier->flushed ? tier->filling.end : tier->flushed;
	struct batch full = tier->filling;
	tier->filling = cluster->writing;
	cluster->writing = full;
	begin_batch(cluster, tier);
	if (cluster->has_worker) {
		worker_start(&cluster->worker, write_batch, cluster);
		return HISTREE_OK;
	}
	write_batch(cluster);
	return cluster->written == HISTREE_OK ? HISTREE_OK : wait_for_writer(cluster, error);
}

/* Flush a tier that seemed full, if it is: it is known now of how many keys its items are. */
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

/* The number of a value in the batch's list; INTERN_NONE when memory is out. */
static uint32_t list_value(struct batch *batch, const struct histree_value *value)
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

/* Whether an interval of this key was added before the history began to close. */
static bool has_lived(const struct cluster *cluster, histree_quark key)
{
	if (key / 64 < cluster->lived_capacity && (cluster->lived[key / 64] >> key % 64 & 1) != 0)
		return true;
	for (unsigned i = 0; i < CLUSTER_TIERS; i++)
		if (batch_has(&cluster->tiers[i].filling, key))
			return true;
	return false;
}

/* Whether the section LIFE says that the key is null then: no leaf needs to. */
static bool is_outside_lifetime(const struct cluster *cluster, const struct histree_interval *interval)
{
	return interval->start == cluster->start ||
	       (cluster->closing && interval->end == cluster->closing_end && has_lived(cluster, interval->quark));
}

static inline struct cluster_tier *tier_of(struct cluster *cluster, histree_time start)
{
	struct cluster_tier *tier = cluster->tiers, *last = tier + CLUSTER_TIERS - 1;
	while (start < tier->flushed_before && tier < last)
		tier++;
	return tier;
}

enum histree_status cluster_add(struct cluster *cluster, const struct histree_interval *interval,
				struct histree_error *error)
{
	if (interval->value.type == HISTREE_NULL && is_outside_lifetime(cluster, interval))
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
		value = list_value(&tier->filling, &interval->value);
		if (value == INTERN_NONE)
			return error_memory(error, "a value");
		if (tier->filling.values.bytes.bytes_total >= cluster->values_max)
			tier->filling.full = 0;
	}
	struct column_item item = column_item(interval->start, interval->end, interval->quark, kind, value);
	return batch_add(&tier->filling, item) ? HISTREE_OK : error_memory(error, "the buffer of the tree");
}

void cluster_close_at(struct cluster *cluster, histree_time end)
{
	cluster->closing = true;
	cluster->closing_end = end;
}

enum histree_status cluster_finish(struct cluster *cluster, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (unsigned i = 0; i < CLUSTER_TIERS && status == HISTREE_OK; i++)
		if (cluster->tiers[i].filling.count > 0)
			status = flush_tier(cluster, &cluster->tiers[i], error);
	return status == HISTREE_OK ? wait_for_writer(cluster, error) : status;
}
