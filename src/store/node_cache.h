/* SPDX-License-Identifier: MIT */
/*
 * node_cache.h - blocks of one file in memory, under a byte ceiling, which several caches can share.
 *
 * A reader has a pin, which holds at most one block at a time; a held block stays where it is.  The others are
 * evicted by the clock algorithm when room is needed.  Each block is checked once, when it is loaded.  If every
 * block is held, the cache grows beyond its ceiling by one block rather than fail: so it never holds more blocks
 * than fit under the ceiling, or than there are pins, whichever is more.  A block counts with its length in the
 * file, plus its companion and its frame.
 *
 * Threads: a pin belongs to one thread; any number of them work on one cache.  Holding a block that is in the cache
 * takes no lock and writes nothing that another thread writes: the pin is a hazard pointer (Michael, "Hazard
 * pointers: safe memory reclamation for lock-free objects", 2004), which the evicting thread reads first. Loading
 * takes a mutex, but not while reading the file; a block that two threads need at the same time is loaded once.
 *
 * Blocks are read, not mapped: a file that shrinks or a disk that fails gives HISTREE_ERR_FORMAT or
 * HISTREE_ERR_IO, never a signal.
 */
#ifndef STORE_NODE_CACHE_H
#define STORE_NODE_CACHE_H

#include <stdbool.h>

#include "store/block_file.h"

struct node_cache;
struct node_pin;

enum { NODE_FRAME_BYTES = 160 }; /* that a block in memory takes beside its own, and those of the check */

/*
 * Checks a block that was just loaded; a refused block is not kept.  It may keep some bytes of its own at
 * `companion` as long as the block is there: `size` gives their number from the bytes of the block in the file;
 * they are zeroed once.  That number must be in proportion to the block, whatever the file says elsewhere.
 */
struct node_check {
	enum histree_status (*check)(const void *context, const uint8_t *block, uint32_t number, void *companion,
				     struct histree_error *error);
	size_t (*size)(const void *context, uint32_t kept);
	const void *context;
};

enum histree_status node_cache_create(const struct block_file *file, size_t bytes_max, struct node_check check,
				      struct node_cache **out, struct histree_error *error);

/*
 * Have two caches throw out each other's blocks from here on, under one ceiling, which is the greater of both: one
 * that is asked much takes the room of one that is not.  Nobody uses `cache` now, and its blocks are thrown out; if
 * it has pins, nothing is done.
 */
void node_cache_share(struct node_cache *cache, struct node_cache *with);

/* Free a cache, which has no pins, or do nothing if it is NULL. */
void node_cache_free(struct node_cache *cache);

/* Return how many bytes the blocks in memory take, and all else that the cache has. */
size_t node_cache_block_bytes(struct node_cache *cache);
size_t node_cache_other_bytes(struct node_cache *cache);

/* Create a pin that holds nothing. */
enum histree_status node_pin_create(struct node_cache *cache, struct node_pin **out, struct histree_error *error);

/*
 * Hold this block instead of what is held; after a failure nothing is held.  `loaded` says whether it was read from
 * the file just now.
 */
enum histree_status node_pin_hold(struct node_pin *pin, uint32_t number, bool *loaded, struct histree_error *error);

/* Return the block that is held, and what its check keeps for it. */
const uint8_t *node_pin_block(const struct node_pin *pin);
const void *node_pin_companion(const struct node_pin *pin);

/* Hold nothing. */
void node_pin_drop(struct node_pin *pin);

/* Free a pin, or do nothing if it is NULL. */
void node_pin_free(struct node_pin *pin);

#endif
