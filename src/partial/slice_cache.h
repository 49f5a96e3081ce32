/* SPDX-License-Identifier: MIT */
/*
 * slice_cache.h - slices of a partial history that were made again, under a byte ceiling.
 *
 * A slice that several threads want is made once, by one of them, while the others wait; different slices are made
 * at the same time, by a replay each.  Those that nobody holds go, the one that was held longest ago first, when
 * there are more bytes than the ceiling.
 */
#ifndef PARTIAL_SLICE_CACHE_H
#define PARTIAL_SLICE_CACHE_H

#include "partial/replay.h"

struct slice_cache;

/* The source outlives the cache. */
enum histree_status slice_cache_create(const struct replay_source *source, size_t bytes_max,
				       struct slice_cache **out, struct histree_error *error);

/* Hold a slice until it is released; any number of threads may. */
enum histree_status slice_cache_hold(struct slice_cache *cache, size_t checkpoint, const struct state_slice **out,
				     struct histree_error *error);
void slice_cache_release(struct slice_cache *cache, const struct state_slice *slice);

/* Nothing is held.  NULL: does nothing. */
void slice_cache_free(struct slice_cache *cache);

#endif
