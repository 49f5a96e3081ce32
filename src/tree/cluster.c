// SPDX-License-Identifier: MIT
#include "tree/cluster.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "item/value_codec.h"
#include "node/column_sort.h"

/* Intervals in a batch for each attribute that is alive, that is, has intervals in it. */
enum { INTERVALS_PER_ATTRIBUTE = 4 };

/* Before the first leaf is known. */
static const double item_bytes_first = 3.0;

/* Of a node, that a leaf is meant to fill; nodes are only as long in the file as they are filled. */
static const double leaf_fill = 0.75;

static size_t leaf_items(const struct cluster *cluster)
{
	return (size_t)((double)cluster->output->layout.node_size * leaf_fill / cluster->item_bytes) + 1;
}

static void empty_tier(struct cluster_tier *tier)
{
	tier->count = 0;
	tier->start = INT64_MAX;
	tier->end = INT64_MIN;
	tier->key_min = UINT32_MAX;
	tier->key_max = 0;
}

void cluster_init(struct cluster *cluster, histree_time start)
{
	cluster->start = start;
	cluster->item_bytes = item_bytes_first;
	for (unsigned i = 0; i < CLUSTER_TIERS; i++) {
		struct cluster_tier *tier = &cluster->tiers[i];
		tier->flushed = tier->flushed_before = start;
		tier->full = leaf_items(cluster);
		empty_tier(tier);
	}
}

void cluster_release(struct cluster *cluster)
{
	for (unsigned i = 0; i < CLUSTER_TIERS; i++) {
		free(cluster->tiers[i].items);
		intern_release(&cluster->tiers[i].values);
	}
	column_builder_release(&cluster->builder);
	lives_release(&cluster->lives);
	free(cluster->spare);
	free(cluster->present);
}

static bool copy_tier(const struct cluster_tier *tier, struct cluster_tier *copy)
{
	*copy = *tier;
	copy->capacity = tier->count;
	copy->items = array_copy(tier->items, tier->count);
	return intern_copy(&tier->values, &copy->values) && (copy->items != NULL || tier->count == 0);
}

enum histree_status cluster_copy(const struct cluster *cluster, struct cluster *copy)
{
	*copy = (struct cluster){
		.output = copy->output,
		.start = cluster->start,
		.items_max = cluster->items_max,
		.values_max = cluster->values_max,
		.item_bytes = cluster->item_bytes,
		.builder = { .direct = cluster->builder.direct, .leaves = cluster->builder.leaves },
		.attach = copy->attach,
		.context = copy->context,
	};
	bool done = lives_copy(&cluster->lives, &copy->lives);
	for (unsigned i = 0; i < CLUSTER_TIERS && done; i++)
		done = copy_tier(&cluster->tiers[i], &copy->tiers[i]);
	return done ? HISTREE_OK : HISTREE_ERR_MEMORY;
}

/* ---- keys ----------------------------------------------------------------------------------------- */

/* Set the bit of each key that has items in the tier. */
static bool set_keys(uint64_t **bits, size_t *capacity, const struct cluster_tier *tier)
{
	size_t before = *capacity;
	if (!array_reserve(bits, capacity, (size_t)tier->key_max / 64 + 1))
		return false;
	memset(*bits + before, 0, (*capacity - before) * sizeof(**bits));
	for (size_t i = 0; i < tier->count; i++) {
		histree_quark key = column_item_key(&tier->items[i]);
		(*bits)[key / 64] |= UINT64_C(1) << key % 64;
	}
	return true;
}

/* How many keys have intervals in the tier; 0 when memory is out. */
static size_t count_keys(const struct cluster_tier *tier)
{
	uint64_t *bits = NULL;
	size_t capacity = 0, count = 0;
	if (set_keys(&bits, &capacity, tier))
		for (size_t word = 0; word < capacity; word++)
			count += (size_t)__builtin_popcountll(bits[word]);
	free(bits);
	return count;
}

enum histree_status cluster_close_at(struct cluster *cluster, histree_time end)
{
	for (unsigned i = 0; i < CLUSTER_TIERS; i++)
		if (!set_keys(&cluster->present, &cluster->present_capacity, &cluster->tiers[i]))
			return HISTREE_ERR_MEMORY;
	cluster->closing = true;
	cluster->closing_end = end;
	return HISTREE_OK;
}

/* Whether an interval of this key was added before the history began to close. */
static bool has_lived(const struct cluster *cluster, histree_quark key)
{
	if (key < cluster->lives.count && cluster->lives.lives[key].birth <= cluster->lives.lives[key].death)
		return true;
	return key / 64 < cluster->present_capacity && (cluster->present[key / 64] >> key % 64 & 1) != 0;
}

/* ---- adding --------------------------------------------------------------------------------------- */

static inline enum histree_status add_item(struct cluster_tier *tier, struct column_item item,
					   struct histree_error *error)
{
	if (tier->count == tier->capacity && !array_reserve(&tier->items, &tier->capacity, tier->count + 1))
		return error_memory(error, "the buffer of the tree");
	histree_quark key = column_item_key(&item);
	tier->items[tier->count++] = item;
	tier->start = item.start < tier->start ? item.start : tier->start;
	tier->end = item.end > tier->end ? item.end : tier->end;
	tier->key_min = key < tier->key_min ? key : tier->key_min;
	tier->key_max = key > tier->key_max ? key : tier->key_max;
	return HISTREE_OK;
}

/* The number of a value in the tier's list; INTERN_NONE when memory is out. */
static uint32_t list_value(struct cluster_tier *tier, const struct histree_value *value)
{
	uint8_t room[256], *bytes = room;
	size_t size = value_encoded_size(value);
	if (size > sizeof(room) && (bytes = malloc(size)) == NULL)
		return INTERN_NONE;
	value_encode(bytes, value);
	uint32_t number = intern_add(&tier->values, bytes, size);
	if (bytes != room)
		free(bytes);
	return number;
}

/* Null at the beginning or end of a life is what the section LIFE says without it. */
static bool is_outside_life(const struct cluster *cluster, const struct histree_interval *interval)
{
	return interval->start == cluster->start ||
	       (cluster->closing && interval->end == cluster->closing_end && has_lived(cluster, interval->quark));
}

/* ---- a batch -------------------------------------------------------------------------------------- */

static struct histree_value listed_value(const struct cluster_tier *tier, uint32_t number)
{
	size_t size;
	const char *bytes = intern_get(&tier->values, number, &size);
	struct byte_reader reader = byte_reader(bytes, size);
	return value_decode(&reader);
}

/* Move the intervals that began before the last but one batch ended to the next tier, in the order of their
 * arrival. */
static enum histree_status pass_on(struct cluster_tier *tier, struct cluster_tier *next,
				   struct histree_error *error)
{
	if (tier->start >= tier->flushed_before)
		return HISTREE_OK;
	size_t count = tier->count;
	empty_tier(tier);
	for (size_t i = 0; i < count; i++) {
		struct column_item item = tier->items[i];
		if (item.start >= tier->flushed_before) {
			enum histree_status kept = add_item(tier, item, error);
			if (kept != HISTREE_OK)
				return kept;
			continue;
		}
		if (column_item_kind(&item) == ITEM_LISTED) {
			struct histree_value value = listed_value(tier, item.value);
			item.value = list_value(next, &value);
			if (item.value == INTERN_NONE)
				return error_memory(error, "a value");
		}
		enum histree_status status = add_item(next, item, error);
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

/* The lives of a leaf's items, which are sorted: looked up in the order of keys. */
static bool add_lives(struct lives *lives, const struct column_item *items, size_t count)
{
	for (size_t first = 0; first < count;) {
		size_t last = first;
		while (last + 1 < count && column_item_key(&items[last + 1]) == column_item_key(&items[first]))
			last++;
		struct life life = { .birth = items[first].start, .death = items[last].end };
		if (lives_add(lives, column_item_key(&items[first]), life) != HISTREE_OK)
			return false;
		first = last + 1;
	}
	return true;
}

/* Encode a leaf of `count` items or of as many as fit; returns how many, 0 when memory is out. */
static size_t encode_leaf(struct cluster *cluster, const struct column_item *items, size_t count,
			  const struct histree_value *values, size_t value_count)
{
	double limit = cluster->output->layout.node_size;
	for (;;) {
		size_t size = column_builder_encode(&cluster->builder, items, count, values, value_count);
		if (size == 0)
			return 0;
		cluster->item_bytes = (double)size / (double)count;
		if ((double)size <= limit)
			return count;
		size_t fewer = (size_t)((double)count * limit / (double)size * leaf_fill);
		count = fewer > 0 ? fewer : 1;
	}
}

static enum histree_status write_leaves(struct cluster *cluster, const struct cluster_tier *tier,
					const struct histree_value *values, struct histree_error *error)
{
	for (size_t first = 0; first < tier->count;) {
		/* A node has room for a third more than what is aimed at: rather a fuller leaf than two half ones.
		 */
		size_t left = tier->count - first, aim = leaf_items(cluster);
		size_t leaves = left <= aim ? 1 : (left + aim / 3 * 2) / aim;
		const struct column_item *items = tier->items + first;
		size_t taken =
			encode_leaf(cluster, items, (left + leaves - 1) / leaves, values, tier->values.count);
		if (taken == 0 || !add_lives(&cluster->lives, items, taken))
			return error_memory(error, "a leaf");
		struct node_child leaf;
		enum histree_status status = tree_output_leaf(cluster->output, &cluster->builder, &leaf, error);
		if (status == HISTREE_OK)
			status = cluster->attach(cluster->context, &leaf, tier->start, error);
		if (status != HISTREE_OK)
			return status;
		first += taken;
	}
	return HISTREE_OK;
}

static enum histree_status write_batch(struct cluster *cluster, struct cluster_tier *tier,
				       struct histree_error *error)
{
	struct histree_value *values = malloc(((size_t)tier->values.count + 1) * sizeof(*values));
	if (values == NULL || !array_reserve(&cluster->spare, &cluster->spare_capacity, tier->count)) {
		free(values);
		return error_memory(error, "sorting a batch");
	}
	for (uint32_t number = 0; number < tier->values.count; number++)
		values[number] = listed_value(tier, number);
	column_sort(tier->items, cluster->spare, tier->count, tier->key_min, tier->key_max);
	enum histree_status status = write_leaves(cluster, tier, values, error);
	free(values);
	return status;
}

static enum histree_status flush_tier(struct cluster *cluster, unsigned number, struct histree_error *error)
{
	struct cluster_tier *tier = &cluster->tiers[number];
	histree_time end = tier->end > tier->flushed ? tier->end : tier->flushed;
	enum histree_status status = HISTREE_OK;
	if (number + 1 < CLUSTER_TIERS)
		status = pass_on(tier, tier + 1, error);
	if (status == HISTREE_OK && tier->count > 0)
		status = write_batch(cluster, tier, error);
	if (status != HISTREE_OK)
		return status;
	tier->flushed_before = tier->flushed;
	tier->flushed = end;
	empty_tier(tier);
	intern_release(&tier->values);
	return HISTREE_OK;
}

static bool is_crowded(const struct cluster *cluster, const struct cluster_tier *tier)
{
	return tier->values.bytes.bytes_total >= cluster->values_max;
}

/* Flush the tiers that are full, now that it is known of how many keys their items are. */
static enum histree_status flush_full(struct cluster *cluster, struct histree_error *error)
{
	for (unsigned i = 0; i < CLUSTER_TIERS; i++) {
		struct cluster_tier *tier = &cluster->tiers[i];
		if (tier->count == 0 || (tier->count < tier->full && !is_crowded(cluster, tier)))
			return HISTREE_OK;
		size_t keys = count_keys(tier), wanted = leaf_items(cluster);
		if (keys == 0)
			return error_memory(error, "counting attributes");
		if (wanted < INTERVALS_PER_ATTRIBUTE * keys)
			wanted = INTERVALS_PER_ATTRIBUTE * keys;
		size_t most = i == 0 ? cluster->items_max : cluster->items_max / CLUSTER_TIER_SHARE;
		tier->full = wanted = wanted < most ? wanted : most;
		if (tier->count < wanted && !is_crowded(cluster, tier))
			return HISTREE_OK;
		enum histree_status status = flush_tier(cluster, i, error);
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

enum histree_status cluster_add(struct cluster *cluster, const struct histree_interval *interval,
				struct histree_error *error)
{
	struct cluster_tier *tier = &cluster->tiers[0];
	if (tier->count >= tier->full) {
		enum histree_status status = flush_full(cluster, error);
		if (status != HISTREE_OK)
			return status;
	}
	enum column_item_kind kind = ITEM_INT;
	uint32_t value = 0;
	if (interval->value.type == HISTREE_NULL) {
		if (is_outside_life(cluster, interval))
			return HISTREE_OK;
		kind = ITEM_NULL;
	} else if (interval->value.type == HISTREE_INT) {
		value = (uint32_t)interval->value.int32;
	} else {
		kind = ITEM_LISTED;
		value = list_value(tier, &interval->value);
		if (value == INTERN_NONE)
			return error_memory(error, "a value");
		if (is_crowded(cluster, tier))
			tier->full = tier->count;
	}
	return add_item(tier, column_item(interval->start, interval->end, interval->quark, kind, value), error);
}

enum histree_status cluster_finish(struct cluster *cluster, struct histree_error *error)
{
	for (unsigned i = 0; i < CLUSTER_TIERS; i++)
		if (cluster->tiers[i].count > 0) {
			enum histree_status status = flush_tier(cluster, i, error);
			if (status != HISTREE_OK)
				return status;
		}
	return HISTREE_OK;
}
