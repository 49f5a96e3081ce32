// SPDX-License-Identifier: MIT
#include "store/node_cache.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"

enum frame_state {
	FRAME_FREE,    /* holds nothing */
	FRAME_LOADING, /* one thread reads into it; others wait */
	FRAME_READY,
};

/* All fields but the bytes are guarded by the cache's mutex. */
struct node_frame {
	uint32_t number;
	uint32_t pins;
	enum frame_state state;
	bool used; /* since the clock's hand last passed */
	struct node_frame *next; /* in its bucket */
	uint8_t *block;
};

struct node_cache {
	const struct block_file *file;
	struct node_check check;
	pthread_mutex_t mutex;
	pthread_cond_t loaded; /* some frame left FRAME_LOADING */
	size_t frames_wanted;  /* the ceiling */
	struct node_frame **frames;
	size_t frame_count, frames_capacity;
	size_t hand;
	struct node_frame **buckets;
	size_t bucket_mask;
};

enum histree_status node_cache_create(const struct block_file *file, size_t bytes_max, struct node_check check,
				      struct node_cache **out, struct histree_error *error)
{
	*out = NULL;
	struct node_cache *cache = calloc(1, sizeof(*cache));
	if (cache == NULL)
		return error_memory(error, "a node cache");
	cache->file = file;
	cache->check = check;
	cache->frames_wanted = bytes_max / block_file_block_size(file);
	if (cache->frames_wanted == 0)
		cache->frames_wanted = 1;
	if (cache->frames_wanted > block_file_block_count(file))
		cache->frames_wanted = (size_t)block_file_block_count(file) + 1;
	size_t buckets = 16;
	while (buckets < cache->frames_wanted)
		buckets *= 2;
	cache->bucket_mask = buckets - 1;
	cache->buckets = calloc(buckets, sizeof(*cache->buckets));
	if (cache->buckets == NULL) {
		free(cache);
		return error_memory(error, "a node cache");
	}
	pthread_mutex_init(&cache->mutex, NULL);
	pthread_cond_init(&cache->loaded, NULL);
	*out = cache;
	return HISTREE_OK;
}

static struct node_frame **bucket_of(struct node_cache *cache, uint32_t number)
{
	return &cache->buckets[hash_mix(number) & cache->bucket_mask];
}

static struct node_frame *find_frame(struct node_cache *cache, uint32_t number)
{
	struct node_frame *frame = *bucket_of(cache, number);
	while (frame != NULL && frame->number != number)
		frame = frame->next;
	return frame;
}

static void link_frame(struct node_cache *cache, struct node_frame *frame, uint32_t number)
{
	struct node_frame **bucket = bucket_of(cache, number);
	frame->number = number;
	frame->next = *bucket;
	*bucket = frame;
}

static void unlink_frame(struct node_cache *cache, struct node_frame *frame)
{
	struct node_frame **place = bucket_of(cache, frame->number);
	while (*place != frame)
		place = &(*place)->next;
	*place = frame->next;
	frame->state = FRAME_FREE;
}

/* A frame that holds nothing, by the clock; NULL if all are pinned. */
static struct node_frame *reclaim_frame(struct node_cache *cache)
{
	for (size_t step = 0; step < 2 * cache->frame_count; step++) {
		struct node_frame *frame = cache->frames[cache->hand];
		cache->hand = (cache->hand + 1) % cache->frame_count;
		if (frame->pins > 0)
			continue;
		if (frame->state == FRAME_FREE)
			return frame;
		if (!frame->used) {
			unlink_frame(cache, frame);
			return frame;
		}
		frame->used = false;
	}
	return NULL;
}

static struct node_frame *add_frame(struct node_cache *cache)
{
	if (!array_reserve(&cache->frames, &cache->frames_capacity, cache->frame_count + 1))
		return NULL;
	struct node_frame *frame = calloc(1, sizeof(*frame));
	if (frame == NULL)
		return NULL;
	frame->block = malloc(block_file_block_size(cache->file));
	if (frame->block == NULL) {
		free(frame);
		return NULL;
	}
	cache->frames[cache->frame_count++] = frame;
	return frame;
}

static struct node_frame *take_frame(struct node_cache *cache)
{
	struct node_frame *frame = NULL;
	if (cache->frame_count >= cache->frames_wanted)
		frame = reclaim_frame(cache);
	return frame != NULL ? frame : add_frame(cache);
}

static enum histree_status load_frame(struct node_cache *cache, struct node_frame *frame, uint32_t number,
				      struct histree_error *error)
{
	enum histree_status status = block_file_read(cache->file, number, frame->block, error);
	if (status != HISTREE_OK)
		return status;
	status = cache->check.check(cache->check.context, frame->block, number, error);
	if (status != HISTREE_OK)
		error_prefix(error, "'%s': node %u", block_file_path(cache->file), number);
	return status;
}

enum histree_status node_cache_pin(struct node_cache *cache, uint32_t number, struct node_frame **out, bool *loaded,
				   struct histree_error *error)
{
	*out = NULL;
	*loaded = false;
	pthread_mutex_lock(&cache->mutex);
	struct node_frame *frame = find_frame(cache, number);
	while (frame != NULL && frame->state == FRAME_LOADING) {
		pthread_cond_wait(&cache->loaded, &cache->mutex);
		frame = find_frame(cache, number);
	}
	if (frame != NULL) {
		frame->pins++;
		frame->used = true;
		pthread_mutex_unlock(&cache->mutex);
		*out = frame;
		return HISTREE_OK;
	}

	frame = take_frame(cache);
	if (frame == NULL) {
		pthread_mutex_unlock(&cache->mutex);
		return error_memory(error, "a node");
	}
	frame->state = FRAME_LOADING;
	frame->pins = 1;
	frame->used = true;
	link_frame(cache, frame, number);
	pthread_mutex_unlock(&cache->mutex);

	enum histree_status status = load_frame(cache, frame, number, error);

	pthread_mutex_lock(&cache->mutex);
	if (status == HISTREE_OK) {
		frame->state = FRAME_READY;
	} else {
		frame->pins = 0;
		unlink_frame(cache, frame);
	}
	pthread_cond_broadcast(&cache->loaded);
	pthread_mutex_unlock(&cache->mutex);
	if (status == HISTREE_OK) {
		*loaded = true;
		*out = frame;
	}
	return status;
}

const uint8_t *node_frame_block(const struct node_frame *frame)
{
	return frame->block;
}

void node_cache_unpin(struct node_cache *cache, struct node_frame *frame)
{
	pthread_mutex_lock(&cache->mutex);
	assert(frame->pins > 0);
	frame->pins--;
	pthread_mutex_unlock(&cache->mutex);
}

void node_cache_free(struct node_cache *cache)
{
	if (cache == NULL)
		return;
	for (size_t i = 0; i < cache->frame_count; i++) {
		assert(cache->frames[i]->pins == 0);
		free(cache->frames[i]->block);
		free(cache->frames[i]);
	}
	free(cache->frames);
	free(cache->buckets);
	pthread_mutex_destroy(&cache->mutex);
	pthread_cond_destroy(&cache->loaded);
	free(cache);
}
