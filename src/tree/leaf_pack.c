// SPDX-License-Identifier: MIT
/*
 * leaf_pack.c - the buffers of a cluster tree (intervals by key, in tiers), which become packs of leaves, and the
 * bytes of packs on their way to the thread or process that writes the tree.
 *
 * Batches become leaves when a limit of memory or of time is reached (docs/design/01-tree.md).  While a task writes
 * a batch, the task owns what it writes; everything else belongs to the caller.
 *
 * The bytes of a pack (docs/design/12-build.md):
 *
 * 	intervals, nulls, end, whether anything is unknown
 * 	leaves	how many; of each the bytes that it uses, the start of its batch, and these bytes
 * 	lives	how many; of each the key and the first time less those of the one before, and how long it is
 *
 * A leaf is checked like one from a file: its checksum and its sizes must be right, and its bounds must be those
 * that it states.
 */
#include "tree/leaf_pack.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/crew.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/table.h"
#include "item/value.h"
#include "node/node_view.h"
#include "tree/batch.h"
#include "tree/lifetimes.h"
#include "tree/tree_shape.h"

/* ---- cluster ------------------------------------------------------------------------------------------------- */

enum {
	CLUSTER_TIER_SHARE = 8, /* the first tier may hold this many times the items of each other tier */
	VALUES_SHARE = 8,       /* this share of the memory is for values */
};

void cluster_assert_waited_for(const struct cluster *cluster)
{
	(void)cluster;
	assert(!cluster->handed_over);
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

static bool write_batch(void *context);

void cluster_init(struct cluster *cluster, const struct tree_options *options, const struct leaf_taker *taker,
		  struct chunk_pool *pool)
{
	cluster->start = options->start;
	cluster->leaves_out_nulls = options->leaves_out_nulls;
	cluster->length = batch_length_of(options->prefer);
	cluster->pool = pool;
	/* In memory: the first tier, its share in each other, and as much as the first once more, being written. */
	size_t shares = 2 * CLUSTER_TIER_SHARE + CLUSTER_TIERS - 1;
	size_t for_values = options->memory_max / VALUES_SHARE;
	cluster->chunks_max = (options->memory_max - for_values) * CLUSTER_TIER_SHARE / (shares * CHUNK_BYTES);
	cluster->values_max = for_values / (CLUSTER_TIERS + 1);
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
	for (unsigned i = 0; i < CLUSTER_TIERS && status == HISTREE_OK; i++) {
		copy->tiers[i].flushed = cluster->tiers[i].flushed;
		copy->tiers[i].flushed_before = cluster->tiers[i].flushed_before;
		status = batch_copy(&cluster->tiers[i].filling, pool, &copy->tiers[i].filling);
	}
	return status;
}

/* ---- handing over --------------------------------------------------------------------------------- */

static bool write_batch(void *context)
{
	struct cluster *cluster = context;
	assert(cluster->handed_over);
	batch_assert(&cluster->writing);
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
static enum histree_status cluster_take_back(struct cluster *cluster, struct histree_error *error)
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
	enum histree_status status = cluster_take_back(cluster, error);
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
	/* Have the batch in `writing` written, by the crew if there is one. */
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

/* Returns the number of a value in a list, INTERN_NONE if memory runs out. */
static uint32_t list_value(struct intern *values, const struct histree_value *value)
{
	uint8_t room[256], *bytes = room;
	size_t size = value_encoded_size(value);
	if (size > sizeof(room) && (bytes = malloc(size)) == NULL)
		return INTERN_NONE;
	value_encode(bytes, value);
	uint32_t number = intern_add(values, bytes, size);
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
static inline uint32_t cluster_list_value(struct cluster_tier *tier, const struct histree_value *value)
{
	bool is_long = value->type == HISTREE_LONG;
	if (!is_long && (value->type != HISTREE_STRING || value->size == 0))
		return list_value(&tier->filling.values, value);
	uint64_t key = is_long ? (uint64_t)value->int64 : hash_bytes(value->bytes, value->size);
	struct recent_value *recent = &tier->recent[key * 0x9e3779b97f4a7c15u >> 56 & (RECENT_VALUES - 1)];
	if (recent->key == key && recent->type == (uint8_t)value->type &&
	    (is_long || has_bytes(&tier->filling, recent->number, value)))
		return recent->number;
	uint32_t number = list_value(&tier->filling.values, value);
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
		value = cluster_list_value(tier, &interval->value);
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

/*
 * Take items that are sorted in no way, and are to be of other keys: `keys` has these by their own.  `values` has
 * those of the items that are ITEM_LISTED.
 */
static enum histree_status cluster_add_items(struct cluster *cluster, const struct column_item *items, size_t count,
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
		struct histree_interval interval = { .start = item->start, .end = item->end, .quark = key };
		if (column_item_kind(item) == ITEM_INT)
			interval.value = histree_int((int32_t)item->value);
		else if (column_item_kind(item) == ITEM_LISTED)
			interval.value = values[item->value];
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
	return status == HISTREE_OK ? cluster_take_back(cluster, error) : status;
}

/* ---- leaf pack ----------------------------------------------------------------------------------------------- */

/* A cluster must be allowed this many times the bytes kept, to make one batch of all of them */
enum { BATCH_SHARES = 3 };

enum histree_status leaf_pack_create(const struct tree_options *options, struct chunk_pool *pool, size_t kept_max,
				     struct leaf_pack **out, struct histree_error *error)
{
	struct leaf_pack *pack = *out = calloc(1, sizeof(*pack));
	if (pack == NULL)
		return error_memory(error, "leaves");
	pack->options = *options;
	pack->options.tables = NULL;
	pack->options.threads = 1;
	pack->options.crew = NULL;
	pack->options.leaves_out_nulls = false;
	pack->options.memory_max = BATCH_SHARES * kept_max;
	pack->pool = pool;
	pack->kept_max = kept_max;
	pack->sums.end = options->start;
	pack->start = INT64_MAX;
	pack->layout = tree_variant_layout(options->variant, options->node_size, options->fan_out);
	return HISTREE_OK;
}

void leaf_pack_free(struct leaf_pack *pack)
{
	if (pack == NULL)
		return;
	if (pack->first != NULL)
		chunk_pool_give(pack->pool, pack->first, pack->last);
	intern_release(&pack->values);
	free(pack->leaves);
	free(pack->bytes);
	free(pack->lives);
	free(pack->block);
	free(pack);
}

/* ---- keeping ------------------------------------------------------------------------------------------------- */

static enum histree_status add_chunk(struct leaf_pack *pack, struct histree_error *error)
{
	if (pack->chunk_count * CHUNK_BYTES + pack->values.bytes.bytes_total >= pack->kept_max)
		return error_set(error, HISTREE_ERR_TOO_LARGE, "intervals of more than %zu bytes", pack->kept_max);
	struct chunk *chunk = chunk_pool_take(pack->pool);
	if (chunk == NULL)
		return error_memory(error, "intervals");
	if (pack->last == NULL)
		pack->first = chunk;
	else
		pack->last->next = chunk;
	pack->last = chunk;
	pack->next = chunk->items;
	pack->limit = chunk->items + CHUNK_ITEMS;
	pack->chunk_count++;
	return HISTREE_OK;
}

enum histree_status leaf_pack_keep(struct leaf_pack *pack, const struct histree_interval *interval,
				   struct histree_error *error)
{
	enum histree_status status = pack->next == pack->limit ? add_chunk(pack, error) : HISTREE_OK;
	if (status != HISTREE_OK)
		return status;
	enum column_item_kind kind = ITEM_NULL;
	uint32_t value = 0;
	if (interval->value.type == HISTREE_INT) {
		kind = ITEM_INT;
		value = (uint32_t)interval->value.int32;
	} else if (interval->value.type != HISTREE_NULL) {
		kind = ITEM_LISTED;
		value = list_value(&pack->values, &interval->value);
		if (value == INTERN_NONE)
			return error_memory(error, "a value");
	}
	*pack->next++ = column_item(interval->start, interval->end, interval->quark, kind, value);
	pack->start = interval->start < pack->start ? interval->start : pack->start;
	pack->sums.intervals++;
	pack->sums.nulls += kind == ITEM_NULL;
	pack->sums.has_unknown |= interval->value.type == HISTREE_UNKNOWN;
	pack->sums.end = interval->end > pack->sums.end ? interval->end : pack->sums.end;
	return HISTREE_OK;
}

/* ---- making -------------------------------------------------------------------------------------------------- */

/* Add the leaf that is sealed in `block`, and a life.  Return false if memory runs out. */
static bool leaf_pack_put(struct leaf_pack *pack, const struct node_child *bounds, uint32_t used,
			  histree_time start)
{
	if (!array_reserve(&pack->leaves, &pack->leaf_capacity, pack->leaf_count + 1) ||
	    !array_reserve(&pack->bytes, &pack->capacity, pack->size + used))
		return false;
	assert(used <= pack->layout.node_size && bounds->key_min <= bounds->key_max && start <= bounds->start);
	memcpy(pack->bytes + pack->size, pack->block, used);
	pack->leaves[pack->leaf_count++] =
		(struct pack_leaf){ .bounds = *bounds, .offset = pack->size, .used = used, .start = start };
	pack->size += used;
	return true;
}

static bool leaf_pack_live(struct leaf_pack *pack, histree_quark key, struct lifetime lifetime)
{
	if (!array_reserve(&pack->lives, &pack->life_capacity, pack->life_count + 1))
		return false;
	pack->lives[pack->life_count++] = (struct pack_life){ .key = key, .lifetime = lifetime };
	if (key >= pack->sums.key_count)
		pack->sums.key_count = (uint64_t)key + 1;
	return true;
}

static bool live(void *context, histree_quark key, struct lifetime lifetime)
{
	return leaf_pack_live(context, key, lifetime);
}

static enum histree_status take_leaf(void *context, struct column_builder *builder, histree_time start,
				     struct histree_error *error)
{
	struct leaf_pack *pack = context;
	struct node_child bounds;
	uint32_t used = column_builder_seal(builder, &pack->layout, 0, pack->block, &bounds);
	return leaf_pack_put(pack, &bounds, used, start) ? HISTREE_OK : error_memory(error, "a leaf");
}

/* All that is kept goes to the cluster, and its chunks go back as that takes others. */
static enum histree_status add_all(struct leaf_pack *pack, struct cluster *cluster, const histree_quark *keys,
				   const struct histree_value *values, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	while (pack->first != NULL && status == HISTREE_OK) {
		struct chunk *chunk = pack->first;
		size_t count = chunk == pack->last ? (size_t)(pack->next - chunk->items) : CHUNK_ITEMS;
		status = cluster_add_items(cluster, chunk->items, count, keys, values, error);
		pack->first = chunk == pack->last ? NULL : chunk->next;
		chunk_pool_give(pack->pool, chunk, chunk);
	}
	if (pack->first == NULL)
		pack->last = NULL;
	pack->next = pack->limit = NULL;
	return status;
}

void leaf_scratch_release(struct leaf_scratch *scratch)
{
	column_builder_release(&scratch->builder);
	free(scratch->items);
}

enum histree_status leaf_pack_make(struct leaf_pack *pack, const histree_quark *keys, struct leaf_scratch *scratch,
				   struct histree_error *error)
{
	struct cluster cluster = { 0 };
	const struct leaf_taker taker = {
		.context = pack, .node_size = pack->layout.node_size, .live = live, .take = take_leaf
	};
	struct histree_value *values = malloc(((size_t)pack->values.count + 1) * sizeof(*values));
	pack->block = malloc(pack->layout.node_size);
	enum histree_status status =
		values != NULL && pack->block != NULL ? HISTREE_OK : error_memory(error, "leaves");
	for (uint32_t number = 0; number < pack->values.count && status == HISTREE_OK; number++) {
		size_t size;
		const char *bytes = intern_get(&pack->values, number, &size);
		struct byte_reader reader = byte_reader(bytes, size);
		values[number] = value_decode(&reader);
	}
	pack->options.start = pack->start;
	cluster_init(&cluster, &pack->options, &taker, pack->pool);
	/*
	 * What a cluster has learnt from other leaves is not lent, so that leaves do not depend on who made them.
	 */
	cluster.writer.builder = scratch->builder;
	cluster.writer.builder.direct = false;
	cluster.writer.builder.leaves = 0;
	cluster.writer.items = scratch->items;
	cluster.writer.items_capacity = scratch->items_capacity;
	if (status == HISTREE_OK)
		status = add_all(pack, &cluster, keys, values, error);
	if (status == HISTREE_OK)
		status = cluster_flush(&cluster, error);
	scratch->builder = cluster.writer.builder;
	scratch->items = cluster.writer.items;
	scratch->items_capacity = cluster.writer.items_capacity;
	cluster.writer.builder = (struct column_builder){ 0 };
	cluster.writer.items = NULL;
	assert(status != HISTREE_OK || pack->first == NULL);
	cluster_release(&cluster);
	free(values);
	free(pack->block);
	pack->block = NULL;
	intern_release(&pack->values);
	return status;
}

/* ---- leaf pack bytes ----------------------------------------------------------------------------------------- */

void leaf_pack_save(const struct leaf_pack *pack, struct byte_buffer *out)
{
	struct pack_life before = { .key = 0 };
	byte_buffer_put_number(out, pack->sums.intervals);
	byte_buffer_put_number(out, pack->sums.nulls);
	byte_buffer_put_signed(out, pack->sums.end);
	byte_buffer_put_number(out, pack->sums.has_unknown);
	byte_buffer_put_number(out, pack->leaf_count);
	for (size_t i = 0; i < pack->leaf_count; i++) {
		byte_buffer_put_signed(out, pack->leaves[i].start);
		byte_buffer_put_text(out, pack->bytes + pack->leaves[i].offset, pack->leaves[i].used);
	}
	byte_buffer_put_number(out, pack->life_count);
	for (size_t i = 0; i < pack->life_count; i++) {
		const struct pack_life *life = &pack->lives[i];
		byte_buffer_put_signed(out, (int64_t)life->key - (int64_t)before.key);
		byte_buffer_put_time(out, life->lifetime.first, before.lifetime.first);
		byte_buffer_put_time(out, life->lifetime.last, life->lifetime.first);
		before = *life;
	}
}

/* The leaf in `block`, of `used` bytes, belongs to this tree, and its attributes are below the limit. */
static bool is_leaf(const struct leaf_pack *pack, uint32_t used, uint64_t key_limit, histree_time start,
		    struct node_child *bounds)
{
	if (node_check(&pack->layout, pack->block, 0, NULL) != HISTREE_OK)
		return false;
	const struct node_view view = node_view(&pack->layout, pack->block);
	*bounds = (struct node_child){
		.start = view.start, .end = view.end, .key_min = view.key_min, .key_max = view.key_max
	};
	return view.height == 0 && view.used == used && view.row_count > 0 && view.key_min <= view.key_max &&
	       view.key_max < key_limit && view.start <= view.end && start >= pack->options.start &&
	       start <= view.start && view.end <= pack->sums.end;
}

static bool load_leaves(struct leaf_pack *pack, uint64_t key_limit, struct byte_reader *reader)
{
	size_t count = byte_reader_count(reader, 2);
	for (size_t i = 0; i < count && !reader->failed; i++) {
		size_t used;
		histree_time start = byte_reader_signed(reader);
		const char *bytes = byte_reader_text(reader, &used);
		struct node_child bounds;
		/* What it says that it uses is there: nothing else of the block is set. */
		if (reader->failed || used < NODE_HEADER_SIZE || used > pack->layout.node_size ||
		    node_used((const uint8_t *)bytes) > used) {
			reader->failed = true;
			return true;
		}
		memcpy(pack->block, bytes, used);
		node_clear_behind(pack->block, (uint32_t)used, pack->layout.node_size);
		if (!is_leaf(pack, (uint32_t)used, key_limit, start, &bounds))
			reader->failed = true;
		else if (!leaf_pack_put(pack, &bounds, (uint32_t)used, start))
			return false;
	}
	return true;
}

static bool load_lives(struct leaf_pack *pack, uint64_t key_limit, struct byte_reader *reader)
{
	struct pack_life life = { .key = 0 };
	size_t count = byte_reader_count(reader, 3);
	for (size_t i = 0; i < count && !reader->failed; i++) {
		uint64_t key = (uint64_t)life.key + (uint64_t)byte_reader_signed(reader);
		life.key = (histree_quark)key;
		life.lifetime.first = byte_reader_time(reader, life.lifetime.first);
		life.lifetime.last = byte_reader_time(reader, life.lifetime.first);
		if (reader->failed || key >= key_limit || life.lifetime.first < pack->options.start ||
		    life.lifetime.last < life.lifetime.first || life.lifetime.last > pack->sums.end)
			reader->failed = true;
		else if (!leaf_pack_live(pack, life.key, life.lifetime))
			return false;
	}
	return true;
}

enum histree_status leaf_pack_load(struct leaf_pack *pack, uint64_t key_limit, struct byte_reader *reader,
				   struct histree_error *error)
{
	pack->sums.intervals = read_varint(reader);
	pack->sums.nulls = byte_reader_below(reader, pack->sums.intervals + 1);
	pack->sums.end = byte_reader_signed(reader);
	pack->sums.has_unknown = byte_reader_below(reader, 2) != 0;
	if (pack->sums.intervals >= UINT64_MAX / 2 || pack->sums.end < pack->options.start ||
	    pack->sums.end > pack->options.variant->end_max)
		reader->failed = true;
	pack->block = malloc(pack->layout.node_size);
	bool has_room =
		pack->block != NULL && load_leaves(pack, key_limit, reader) && load_lives(pack, key_limit, reader);
	free(pack->block);
	pack->block = NULL;
	if (!has_room)
		return error_memory(error, "leaves");
	return reader->failed ? error_set(error, HISTREE_ERR_FORMAT, "the leaves of a slice make no sense")
			      : HISTREE_OK;
}
