// SPDX-License-Identifier: MIT
#include "partial/slice_cache.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"

/* So many replays wait for work; each has the trace open. */
enum { REPLAYS_KEPT = 8 };

struct cached_slice {
	struct state_slice slice; /* first: who has it has this */
	size_t checkpoint;
	unsigned holders;
	bool is_being_made;
	uint64_t held_at; /* by the clock of the cache */
	size_t bytes;
	struct cached_slice *next;
};

struct slice_cache {
	const struct replay_source *source;
	size_t bytes_max;
	pthread_mutex_t mutex; /* of what follows */
	pthread_cond_t made;
	struct cached_slice *slices;
	size_t bytes;
	uint64_t clock;
	struct replay *idle[REPLAYS_KEPT];
	size_t idle_count;
};

enum histree_status slice_cache_create(const struct replay_source *source, size_t bytes_max,
				       struct slice_cache **out, struct histree_error *error)
{
	struct slice_cache *cache = calloc(1, sizeof(*cache));
	*out = cache;
	if (cache == NULL)
		return error_memory(error, "a partial history");
	cache->source = source;
	cache->bytes_max = bytes_max;
	pthread_mutex_init(&cache->mutex, NULL);
	pthread_cond_init(&cache->made, NULL);
	return HISTREE_OK;
}

static void drop(struct slice_cache *cache, struct cached_slice *slice)
{
	struct cached_slice **at = &cache->slices;
	while (*at != slice)
		at = &(*at)->next;
	*at = slice->next;
	cache->bytes -= slice->bytes;
	state_slice_release(&slice->slice);
	free(slice);
}

/* Until what is left fits; what is held stays. */
static void make_room(struct slice_cache *cache)
{
	while (cache->bytes > cache->bytes_max) {
		struct cached_slice *oldest = NULL;
		for (struct cached_slice *slice = cache->slices; slice != NULL; slice = slice->next)
			if (slice->holders == 0 && (oldest == NULL || slice->held_at < oldest->held_at))
				oldest = slice;
		if (oldest == NULL)
			return;
		drop(cache, oldest);
	}
}

void slice_cache_free(struct slice_cache *cache)
{
	if (cache == NULL)
		return;
	while (cache->slices != NULL) {
		assert(cache->slices->holders == 0);
		drop(cache, cache->slices);
	}
	for (size_t i = 0; i < cache->idle_count; i++)
		replay_free(cache->idle[i]);
	pthread_cond_destroy(&cache->made);
	pthread_mutex_destroy(&cache->mutex);
	free(cache);
}

/* ---- making -------------------------------------------------------------------------------------------------- */

static void keep_replay(struct slice_cache *cache, struct replay *replay)
{
	if (cache->idle_count < REPLAYS_KEPT)
		cache->idle[cache->idle_count++] = replay;
	else
		replay_free(replay);
}

/* Make a slice that is in the list; the mutex is held before and after, but not while the trace is read. */
static enum histree_status make(struct slice_cache *cache, struct cached_slice *slice, struct histree_error *error)
{
	struct replay *replay = cache->idle_count > 0 ? cache->idle[--cache->idle_count] : NULL;
	pthread_mutex_unlock(&cache->mutex);
	enum histree_status status = replay == NULL ? replay_create(cache->source, &replay, error) : HISTREE_OK;
	if (status == HISTREE_OK)
		status = replay_run(replay, slice->checkpoint, &slice->slice, error);
	if (status != HISTREE_OK) {
		replay_free(replay);
		replay = NULL;
	}
	pthread_mutex_lock(&cache->mutex);
	if (replay != NULL)
		keep_replay(cache, replay);
	slice->is_being_made = false;
	slice->bytes = sizeof(*slice) + state_slice_bytes(&slice->slice);
	cache->bytes += slice->bytes;
	pthread_cond_broadcast(&cache->made);
	return status;
}

/* Returns the slice if it is there or was made meanwhile; NULL: it must be made. */
static struct cached_slice *find(struct slice_cache *cache, size_t checkpoint)
{
	for (;;) {
		struct cached_slice *slice = cache->slices;
		while (slice != NULL && slice->checkpoint != checkpoint)
			slice = slice->next;
		if (slice == NULL || !slice->is_being_made)
			return slice;
		pthread_cond_wait(&cache->made, &cache->mutex);
	}
}

static enum histree_status add(struct slice_cache *cache, size_t checkpoint, struct cached_slice **out,
			       struct histree_error *error)
{
	struct cached_slice *slice = calloc(1, sizeof(*slice));
	*out = NULL;
	if (slice == NULL)
		return error_memory(error, "a part of a history");
	slice->checkpoint = checkpoint;
	slice->is_being_made = true;
	slice->next = cache->slices;
	slice->holders = 1;
	cache->slices = slice;
	enum histree_status status = make(cache, slice, error);
	slice->holders = 0;
	if (status != HISTREE_OK)
		drop(cache, slice);
	else
		*out = slice;
	return status;
}

enum histree_status slice_cache_hold(struct slice_cache *cache, size_t checkpoint, const struct state_slice **out,
				     struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	*out = NULL;
	pthread_mutex_lock(&cache->mutex);
	struct cached_slice *slice = find(cache, checkpoint);
	if (slice == NULL)
		status = add(cache, checkpoint, &slice, error);
	if (status == HISTREE_OK) {
		slice->holders++;
		slice->held_at = ++cache->clock;
		*out = &slice->slice;
		make_room(cache);
	}
	pthread_mutex_unlock(&cache->mutex);
	return status;
}

void slice_cache_release(struct slice_cache *cache, const struct state_slice *held)
{
	pthread_mutex_lock(&cache->mutex);
	struct cached_slice *slice = cache->slices;
	while (&slice->slice != held)
		slice = slice->next;
	slice->holders--;
	make_room(cache);
	pthread_mutex_unlock(&cache->mutex);
}
