// SPDX-License-Identifier: MIT
/*
 * Leaves of columns below the branch of a cluster tree: the buffers of its intervals, and when they become leaves
 * (docs/design/0002-columns.md).
 *
 * A tier is a buffer: the batch that is being filled.  When it is full it is written, while another one is filled.
 * What began more than one batch ago belongs to the next tier, so that every leaf covers a time of the order of its
 * batch's.
 *
 * One batch at a time may be written by a crew.  From the hand-over until it was waited for, the task owns
 * `writing`, `writer`, `written` and the branch; all else is the caller's.  The caller waits before it hands over
 * the next batch, and only then takes from the writer what it must know: so the file does not depend on how fast
 * either is.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "item/value_codec.h"
#include "tree/batch_length.h"
#include "tree/batch_writer.h"
#include "tree/leaf_source.h"
#include "tree/tree_branch.h"

enum {
	CLUSTER_TIERS = 4,
	CLUSTER_TIER_SHARE = 8, /* the first tier may hold so many times the items of each other */
};

enum { VALUES_SHARE = 8 }; /* this share of the memory is for values */

struct cluster_tier {
	struct batch filling;
	histree_time flushed, flushed_before; /* where the last two batches ended */
};

struct cluster {
	struct tree_branch *branch; /* borrowed */
	histree_time start;         /* of the tree */
	bool leaves_out_nulls;
	size_t chunks_max; /* of the first tier, by memory */
	size_t values_max; /* bytes of the values of a tier */
	const struct batch_length *length;
	/* How leaves of the batch before the last were: */
	size_t leaf_items; /* that made one */
	bool is_direct;    /* the last one did not share times */
	struct cluster_tier tiers[CLUSTER_TIERS];
	struct chunk_pool pool;
	uint64_t *flushed_keys; /* a bit a key: those that had intervals in batches that were flushed */
	size_t flushed_keys_capacity;
	struct lifetimes counted; /* of intervals that are in no leaf */
	bool closing;             /* a null that ends at `closing_end` is after a lifetime */
	histree_time closing_end;

	struct batch writing;
	struct batch_writer writer;
	struct crew *crew;           /* NULL: the caller's thread writes */
	struct crew_task write;      /* the batch that was handed over */
	bool handed_over;            /* and has not been waited for */
	enum histree_status written; /* what became of the last batch that was handed over */
	struct histree_error written_error;
};

/* What the task owns after a hand-over, the caller may use only now. */
static void assert_caller_owns_all(const struct cluster *cluster)
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
	batch_begin(&tier->filling, &cluster->pool, 64 * cluster->flushed_keys_capacity, share);
	tier->filling.full = batch_items(cluster, 0);
}

static void free_cluster(void *leaves)
{
	struct cluster *cluster = leaves;
	if (cluster == NULL)
		return;
	if (cluster->crew != NULL)
		crew_finish(cluster->crew, &cluster->write);
	for (unsigned i = 0; i < CLUSTER_TIERS; i++)
		batch_release(&cluster->tiers[i].filling);
	batch_release(&cluster->writing);
	batch_writer_release(&cluster->writer);
	chunk_pool_release(&cluster->pool);
	lifetimes_release(&cluster->counted);
	free(cluster->flushed_keys);
	free(cluster);
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

static enum histree_status create(struct tree_branch *branch, const struct tree_options *options, void **out,
				  struct histree_error *error)
{
	struct cluster *cluster = calloc(1, sizeof(*cluster));
	*out = cluster;
	if (cluster == NULL)
		return error_memory(error, "the buffers of the tree");
	cluster->branch = branch;
	cluster->start = options->start;
	cluster->leaves_out_nulls = options->leaves_out_nulls;
	cluster->length = batch_length_of(options->prefer);
	share_memory(cluster, options->memory_max);
	batch_writer_init(&cluster->writer, branch, options->tables);
	cluster->leaf_items = batch_writer_leaf_items(&cluster->writer);
	cluster->counted.table.space = options->tables;
	chunk_pool_init(&cluster->pool);
	for (unsigned i = 0; i < CLUSTER_TIERS; i++) {
		struct cluster_tier *tier = &cluster->tiers[i];
		tier->flushed = tier->flushed_before = options->start;
		begin_batch(cluster, tier);
	}
	cluster->crew = options->crew;
	cluster->write = (struct crew_task){ .step = write_batch, .context = cluster };
	return tree_branch_open(branch, 1, error);
}

static enum histree_status copy_tier(const struct cluster_tier *tier, struct chunk_pool *pool,
				     struct cluster_tier *copy)
{
	copy->flushed = tier->flushed;
	copy->flushed_before = tier->flushed_before;
	return batch_copy(&tier->filling, pool, &copy->filling);
}

/* The copy is finished by itself, without a thread of its own.  It is lent most of what is buffered (batch.h). */
static enum histree_status copy(const void *leaves, struct tree_branch *branch, void **out)
{
	const struct cluster *cluster = leaves;
	struct cluster *copied = calloc(1, sizeof(*copied));
	*out = copied;
	if (copied == NULL)
		return HISTREE_ERR_MEMORY;
	assert_caller_owns_all(cluster);
	copied->branch = branch;
	copied->start = cluster->start;
	copied->leaves_out_nulls = cluster->leaves_out_nulls;
	copied->chunks_max = cluster->chunks_max;
	copied->values_max = cluster->values_max;
	copied->length = cluster->length;
	copied->leaf_items = cluster->leaf_items;
	copied->is_direct = cluster->is_direct;
	chunk_pool_init(&copied->pool);
	enum histree_status status = batch_writer_copy(&cluster->writer, branch, &copied->writer);
	if (status == HISTREE_OK && !lifetimes_copy(&cluster->counted, &copied->counted))
		status = HISTREE_ERR_MEMORY;
	copied->flushed_keys = array_copy(cluster->flushed_keys, cluster->flushed_keys_capacity);
	if (copied->flushed_keys != NULL)
		copied->flushed_keys_capacity = cluster->flushed_keys_capacity;
	else if (cluster->flushed_keys_capacity > 0)
		status = HISTREE_ERR_MEMORY;
	for (unsigned i = 0; i < CLUSTER_TIERS && status == HISTREE_OK; i++)
		status = copy_tier(&cluster->tiers[i], &copied->pool, &copied->tiers[i]);
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

/* Changes nothing that the file depends on: who looks at a history while it grows does not change it. */
static enum histree_status wait_for_task(void *leaves, struct histree_error *error)
{
	struct cluster *cluster = leaves;
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
	enum histree_status status = wait_for_task(cluster, error);
	if (status != HISTREE_OK)
		return status;
	assert_caller_owns_all(cluster);
	batch_clear(&cluster->writing);
	cluster->leaf_items = batch_writer_leaf_items(&cluster->writer);
	cluster->is_direct = cluster->writer.builder.direct;
	return HISTREE_OK;
}

/* Have the batch in `writing` written, by the crew if there is one. */
static enum histree_status hand_over(struct cluster *cluster, struct histree_error *error)
{
	assert_caller_owns_all(cluster);
	cluster->handed_over = true;
	if (cluster->crew != NULL) {
		crew_start(cluster->crew, &cluster->write);
		return HISTREE_OK;
	}
	while (write_batch(cluster))
		;
	return wait_for_task(cluster, error);
}

static bool remember_keys(struct cluster *cluster, const struct batch *batch)
{
	size_t before = cluster->flushed_keys_capacity, words = batch->key_room / 64;
	if (!array_reserve(&cluster->flushed_keys, &cluster->flushed_keys_capacity, words))
		return false;
	memset(cluster->flushed_keys + before, 0,
	       (cluster->flushed_keys_capacity - before) * sizeof(*cluster->flushed_keys));
	for (size_t word = 0; word < words; word++)
		cluster->flushed_keys[word] |= batch->keys[word];
	return true;
}

static enum histree_status flush_tier(struct cluster *cluster, struct cluster_tier *tier,
				      struct histree_error *error)
{
	enum histree_status status = take_back(cluster, error);
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

/* Returns whether an interval of this key was added before the history began to close. */
static bool has_intervals(const struct cluster *cluster, histree_quark key)
{
	if (key / 64 < cluster->flushed_keys_capacity && (cluster->flushed_keys[key / 64] >> key % 64 & 1) != 0)
		return true;
	for (unsigned i = 0; i < CLUSTER_TIERS; i++)
		if (batch_has(&cluster->tiers[i].filling, key))
			return true;
	return key < cluster->counted.count &&
	       cluster->counted.by_key[key].first <= cluster->counted.by_key[key].last;
}

/* Returns whether the section LIFE says that the key is null then, so that no leaf needs to. */
static bool is_outside_lifetime(const struct cluster *cluster, const struct histree_interval *interval)
{
	return interval->start == cluster->start || (cluster->closing && interval->end == cluster->closing_end &&
						     has_intervals(cluster, interval->quark));
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
	if (interval->value.type == HISTREE_NULL && cluster->leaves_out_nulls &&
	    is_outside_lifetime(cluster, interval))
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

static enum histree_status add(void *leaves, const struct histree_interval *intervals, size_t count,
			       struct histree_error *error)
{
	struct cluster *cluster = leaves;
	struct cluster_tier *first = cluster->tiers;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		if (count - i > 1)
			i += batch_add_integers(&first->filling, &intervals[i], count - i, first->flushed_before);
		if (i < count)
			status = add_one(cluster, &intervals[i], error);
	}
	return status;
}

static enum histree_status count(void *leaves, const struct histree_interval *interval)
{
	struct cluster *cluster = leaves;
	if (interval->value.type == HISTREE_NULL && cluster->leaves_out_nulls &&
	    is_outside_lifetime(cluster, interval))
		return HISTREE_OK;
	return lifetimes_add(&cluster->counted, interval->quark,
			     (struct lifetime){ .first = interval->start, .last = interval->end });
}

static void close_at(void *leaves, histree_time end)
{
	struct cluster *cluster = leaves;
	cluster->closing = true;
	cluster->closing_end = end;
}

static enum histree_status finish(void *leaves, histree_time end, struct tree_shape *shape,
				  struct histree_error *error)
{
	struct cluster *cluster = leaves;
	enum histree_status status = HISTREE_OK;
	for (unsigned i = 0; i < CLUSTER_TIERS && status == HISTREE_OK; i++)
		if (cluster->tiers[i].filling.count > 0)
			status = flush_tier(cluster, &cluster->tiers[i], error);
	if (status == HISTREE_OK)
		status = take_back(cluster, error);
	if (status != HISTREE_OK)
		return status;
	cluster->branch->end = end;
	return tree_branch_close_on_leaves(cluster->branch, &shape->root, error);
}

static enum histree_status write_section(void *leaves, const struct tree_shape *shape, struct block_file *file,
					 struct histree_error *error)
{
	struct cluster *cluster = leaves;
	assert_caller_owns_all(cluster);
	for (histree_quark key = 0; key < cluster->counted.count; key++)
		if (lifetimes_add(&cluster->writer.lifetimes, key, cluster->counted.by_key[key]) != HISTREE_OK)
			return error_memory(error, "the lifetimes of attributes");
	return lifetimes_write(&cluster->writer.lifetimes, shape->key_count, shape->start, shape->end, file, error);
}

const struct leaf_source leaves_of_clusters = {
	.key_limit = COLUMN_KEY_LIMIT,
	.create = create,
	.add = add,
	.count = count,
	.close_at = close_at,
	.wait = wait_for_task,
	.copy = copy,
	.finish = finish,
	.write_section = write_section,
	.free = free_cluster,
};
