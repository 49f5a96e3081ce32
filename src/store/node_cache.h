/* SPDX-License-Identifier: MIT */
/*
 * node_cache.h - blocks of one file in memory, under a byte ceiling.
 *
 * A pinned block stays where it is; the others are thrown out by a clock when room is needed.  Each block is
 * checked once, when it is loaded.  If every frame is pinned, the cache grows beyond its ceiling by one
 * frame rather than fail.
 *
 * Guarantee: any number of threads may pin and unpin; two that ask for the same block at the same time
 * load it once.  One mutex guards all but the bytes of pinned blocks; it is not held while reading.
 */
#ifndef STORE_NODE_CACHE_H
#define STORE_NODE_CACHE_H

#include <stdbool.h>

#include "store/block_file.h"

struct node_cache;
struct node_frame;

/* `check` looks at a block that was just loaded; what it refuses is not kept. */
struct node_check {
	enum histree_status (*check)(const void *context, const uint8_t *block, uint32_t number,
				     struct histree_error *error);
	const void *context;
};

enum histree_status node_cache_create(const struct block_file *file, size_t bytes_max, struct node_check check,
				      struct node_cache **out, struct histree_error *error);

/* `loaded`: whether it was read from the file just now. */
enum histree_status node_cache_pin(struct node_cache *cache, uint32_t number, struct node_frame **out, bool *loaded,
				   struct histree_error *error);

/* The bytes of a pinned block. */
const uint8_t *node_frame_block(const struct node_frame *frame);

void node_cache_unpin(struct node_cache *cache, struct node_frame *frame);

/* Nothing may be pinned.  NULL is fine. */
void node_cache_free(struct node_cache *cache);

#endif
