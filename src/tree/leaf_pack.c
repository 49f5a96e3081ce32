// SPDX-License-Identifier: MIT
/*
 * leaf_pack.c - packs of leaves, and their bytes on the way to the thread or process that has the tree
 * (docs/design/12-build.md).
 *
 *	intervals, nulls, end, whether anything is unknown
 *	leaves	how many; of each the bytes that it uses, the start of its batch, and these bytes
 *	lives	how many; of each the key and the first time less those of the one before, and how long it is
 *
 * A leaf is checked like one from a file: its checksum and its sizes must be right, and its bounds must be those
 * that it states.
 */
#include "tree/leaf_pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/bytes.h"
#include "base/error.h"
#include "item/value.h"
#include "node/node_view.h"
#include "tree/batch.h"
#include "tree/cluster.h"
#include "tree/lifetimes.h"
#include "tree/tree_shape.h"

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

/* Returns the number of a value in the list, INTERN_NONE if memory is out. */
static uint32_t list_value(struct leaf_pack *pack, const struct histree_value *value)
{
	uint8_t room[256], *bytes = room;
	size_t size = value_encoded_size(value);
	if (size > sizeof(room) && (bytes = malloc(size)) == NULL)
		return INTERN_NONE;
	value_encode(bytes, value);
	uint32_t number = intern_add(&pack->values, bytes, size);
	if (bytes != room)
		free(bytes);
	return number;
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
		value = list_value(pack, &interval->value);
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

/* Add the leaf that is sealed in `block`, and a life.  Return false if memory is out. */
static bool leaf_pack_put(struct leaf_pack *pack, const struct node_child *bounds, uint32_t used,
			  histree_time start)
{
	if (!array_reserve(&pack->leaves, &pack->leaf_capacity, pack->leaf_count + 1) ||
	    !array_reserve(&pack->bytes, &pack->capacity, pack->size + used))
		return false;
	memcpy(pack->bytes + pack->size, pack->block, used);
	pack->leaves[pack->leaf_count++] =
		(struct made_leaf){ .bounds = *bounds, .offset = pack->size, .used = used, .start = start };
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

/* What a cluster has learnt from other leaves is not lent, so that leaves do not depend on who made them. */
static void lend(struct leaf_scratch *scratch, struct batch_writer *writer)
{
	writer->builder = scratch->builder;
	writer->builder.direct = false;
	writer->builder.leaves = 0;
	writer->items = scratch->items;
	writer->items_capacity = scratch->items_capacity;
}

static void take_back(struct leaf_scratch *scratch, struct batch_writer *writer)
{
	scratch->builder = writer->builder;
	scratch->items = writer->items;
	scratch->items_capacity = writer->items_capacity;
	writer->builder = (struct column_builder){ 0 };
	writer->items = NULL;
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
	lend(scratch, &cluster.writer);
	if (status == HISTREE_OK)
		status = add_all(pack, &cluster, keys, values, error);
	if (status == HISTREE_OK)
		status = cluster_flush(&cluster, error);
	take_back(scratch, &cluster.writer);
	cluster_release(&cluster);
	free(values);
	free(pack->block);
	pack->block = NULL;
	intern_release(&pack->values);
	return status;
}

/* ---- what was made ------------------------------------------------------------------------------------------- */

const struct tree_options *leaf_pack_options(const struct leaf_pack *pack)
{
	return &pack->options;
}

size_t leaf_pack_count(const struct leaf_pack *pack)
{
	return pack->leaf_count;
}

struct pack_leaf leaf_pack_leaf(const struct leaf_pack *pack, size_t index)
{
	const struct made_leaf *leaf = &pack->leaves[index];
	return (struct pack_leaf){ .bounds = leaf->bounds,
				   .bytes = pack->bytes + leaf->offset,
				   .used = leaf->used,
				   .start = leaf->start };
}

const struct pack_life *leaf_pack_lives(const struct leaf_pack *pack, size_t *count)
{
	*count = pack->life_count;
	return pack->lives;
}

struct pack_sums leaf_pack_sums(const struct leaf_pack *pack)
{
	return pack->sums;
}

/* ---- leaf pack bytes ----------------------------------------------------------------------------------------- */

void leaf_pack_save(const struct leaf_pack *pack, struct saved_bytes *out)
{
	struct pack_life before = { .key = 0 };
	saved_put(out, pack->sums.intervals);
	saved_put(out, pack->sums.nulls);
	saved_put_signed(out, pack->sums.end);
	saved_put(out, pack->sums.has_unknown);
	saved_put(out, pack->leaf_count);
	for (size_t i = 0; i < pack->leaf_count; i++) {
		saved_put_signed(out, pack->leaves[i].start);
		saved_put_text(out, pack->bytes + pack->leaves[i].offset, pack->leaves[i].used);
	}
	saved_put(out, pack->life_count);
	for (size_t i = 0; i < pack->life_count; i++) {
		const struct pack_life *life = &pack->lives[i];
		saved_put_signed(out, (int64_t)life->key - (int64_t)before.key);
		saved_put_time(out, life->lifetime.first, before.lifetime.first);
		saved_put_time(out, life->lifetime.last, life->lifetime.first);
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
	size_t count = saved_read_count(reader, 2);
	for (size_t i = 0; i < count && !reader->failed; i++) {
		size_t used;
		histree_time start = saved_read_signed(reader);
		const char *bytes = saved_read_text(reader, &used);
		struct node_child bounds;
		if (reader->failed || used > pack->layout.node_size) {
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
	size_t count = saved_read_count(reader, 3);
	for (size_t i = 0; i < count && !reader->failed; i++) {
		uint64_t key = (uint64_t)life.key + (uint64_t)saved_read_signed(reader);
		life.key = (histree_quark)key;
		life.lifetime.first = saved_read_time(reader, life.lifetime.first);
		life.lifetime.last = saved_read_time(reader, life.lifetime.first);
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
	pack->sums.nulls = saved_read_below(reader, pack->sums.intervals + 1);
	pack->sums.end = saved_read_signed(reader);
	pack->sums.has_unknown = saved_read_below(reader, 2) != 0;
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
