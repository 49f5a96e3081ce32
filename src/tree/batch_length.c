// SPDX-License-Identifier: MIT
#include "tree/batch_length.h"

/*
 * Measured on the model of the papers and on many-threads, whose leaves share their times.  Balance: what does not
 * slow down the full query.  Single: as long as the two-dimensional queries gain, and leaves of which a query for
 * one key reads little that it does not need, where they are not in the cache.  Full: as short as it gains; with
 * less than 4 of a key, what began in another batch costs more than is won.  Space: as long as bytes fall.
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
