// SPDX-License-Identifier: MIT
/*
 * node_cache.c - frames with the blocks of files, shared by caches under one ceiling.  Always holds: a frame that a
 * pin holds is never freed, and a block is in one frame at most.  A thread loads a block without holding the mutex;
 * other threads that need the same block wait for it.
 */
#include "store/node_cache.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/table.h"

enum frame_state {
	FRAME_FREE,    /* holds nothing */
	FRAME_LOADING, /* one pin's thread reads into it */
	FRAME_READY,   /* is in the table */
};

struct node_frame {
	struct node_cache *cache; /* whose block it holds, or held last; with the next two, guarded by the mutex */
	uint32_t number;
	enum frame_state state;
	atomic_bool used; /* since the clock's hand last passed */
	uint8_t *block;
	uint32_t capacity; /* its bytes, without the slack */
	uint32_t filled;   /* how many of its bytes may be other than zero */
	void *companion;
	size_t companion_size;
};

/* Each on cache lines of its own: it is written at every hold. */
struct node_pin {
	_Alignas(64) _Atomic(struct node_frame *) frame; /* held, or about to be: written by its thread alone */
	struct node_cache *cache;
	uint32_t loading; /* NOTHING: nothing; with `next`, guarded by the mutex */
	struct node_pin *next;
};

#define NOTHING UINT32_MAX

/*
 * A block that was cut when it was written has a frame of its own size: those of small hosts are a tenth of a node.
 * Sizes are rounded up, so that the frame of one serves for others.
 */
enum { FRAME_STEP = 512, FRAME_SLACK = 64 };
_Static_assert((int)FRAME_SLACK >= (int)BITS_SLACK, "who reads the last bits of a block loads eight bytes");
_Static_assert(NODE_FRAME_BYTES >= sizeof(struct node_frame) + FRAME_SLACK, "what a frame takes is counted");

/* The frames of one cache, or of several that share a ceiling. */
struct frame_pool {
	pthread_mutex_t mutex; /* of all that follows, and of the caches */
	size_t cache_count;
	struct node_frame **frames;
	size_t frame_count, frames_capacity;
	size_t bytes, bytes_max; /* of the frames: blocks, companions and all */
	size_t hand;             /* of the clock */
};

struct node_cache {
	const struct block_file *file;
	struct node_check check;
	_Atomic(struct node_frame *) *table; /* by number: the frames that are ready; changed under the mutex */

	struct frame_pool *pool; /* its mutex guards all that follows */
	pthread_cond_t loaded;   /* some pin has loaded its block */
	struct node_pin *pins;
	size_t pin_count;
};

static struct frame_pool *create_pool(size_t bytes_max)
{
	struct frame_pool *pool = calloc(1, sizeof(*pool));
	if (pool == NULL)
		return NULL;
	pool->cache_count = 1;
	pool->bytes_max = bytes_max;
	pthread_mutex_init(&pool->mutex, NULL);
	return pool;
}

enum histree_status node_cache_create(const struct block_file *file, size_t bytes_max, struct node_check check,
				      struct node_cache **out, struct histree_error *error)
{
	*out = NULL;
	struct node_cache *cache = calloc(1, sizeof(*cache));
	if (cache == NULL)
		return error_memory(error, "a node cache");
	cache->table = calloc((size_t)file->block_count + 1, sizeof(*cache->table));
	cache->pool = create_pool(bytes_max);
	if (cache->table == NULL || cache->pool == NULL) {
		free(cache->table);
		free(cache->pool);
		free(cache);
		return error_memory(error, "a node cache");
	}
	cache->file = file;
	cache->check = check;
	pthread_cond_init(&cache->loaded, NULL);
	*out = cache;
	return HISTREE_OK;
}

static void free_frame(struct node_frame *frame)
{
	free(frame->block);
	free(frame->companion);
	free(frame);
}

/* All of it is under the ceiling: what the check keeps of many small blocks may be more than they are. */
static size_t frame_cost(size_t capacity, size_t companion_size)
{
	return NODE_FRAME_BYTES + capacity + companion_size;
}

/* The last frame takes its place. */
static void drop_frame(struct frame_pool *pool, size_t index)
{
	struct node_frame *frame = pool->frames[index];
	assert(index < pool->frame_count && pool->bytes >= frame_cost(frame->capacity, frame->companion_size));
	pool->bytes -= frame_cost(frame->capacity, frame->companion_size);
	pool->frames[index] = pool->frames[--pool->frame_count];
	if (pool->hand >= pool->frame_count)
		pool->hand = 0;
	free_frame(frame);
}

static void leave_pool(struct node_cache *cache)
{
	struct frame_pool *pool = cache->pool;
	assert(cache->pins == NULL && cache->pin_count == 0);
	pthread_mutex_lock(&pool->mutex);
	for (size_t i = pool->frame_count; i-- > 0;)
		if (pool->frames[i]->cache == cache)
			drop_frame(pool, i);
	assert(pool->cache_count > 0);
	bool is_last = --pool->cache_count == 0;
	pthread_mutex_unlock(&pool->mutex);
	cache->pool = NULL;
	if (!is_last)
		return;
	assert(pool->frame_count == 0 && pool->bytes == 0);
	free(pool->frames);
	pthread_mutex_destroy(&pool->mutex);
	free(pool);
}

void node_cache_free(struct node_cache *cache)
{
	if (cache == NULL)
		return;
	leave_pool(cache);
	free(cache->table);
	pthread_cond_destroy(&cache->loaded);
	free(cache);
}

void node_cache_share(struct node_cache *cache, struct node_cache *with)
{
	struct frame_pool *pool = with->pool;
	size_t bytes_max = cache->pool->bytes_max;
	if (pool == cache->pool || cache->pin_count > 0)
		return;
	for (uint32_t number = 0; number < cache->file->block_count; number++)
		atomic_store_explicit(&cache->table[number], NULL, memory_order_relaxed);
	leave_pool(cache);
	pthread_mutex_lock(&pool->mutex);
	pool->cache_count++;
	pool->bytes_max = bytes_max > pool->bytes_max ? bytes_max : pool->bytes_max;
	pthread_mutex_unlock(&pool->mutex);
	cache->pool = pool;
}

/* Adds up over the frames the bytes of their blocks, or all bytes that they take. */
static size_t count_bytes(const struct node_cache *cache, bool of_blocks)
{
	size_t bytes = 0;
	for (size_t i = 0; i < cache->pool->frame_count; i++) {
		const struct node_frame *frame = cache->pool->frames[i];
		if (frame->cache == cache)
			bytes += of_blocks ? frame->capacity : frame_cost(frame->capacity, frame->companion_size);
	}
	return bytes;
}

size_t node_cache_block_bytes(struct node_cache *cache)
{
	pthread_mutex_lock(&cache->pool->mutex);
	size_t bytes = count_bytes(cache, true);
	pthread_mutex_unlock(&cache->pool->mutex);
	return bytes;
}

size_t node_cache_other_bytes(struct node_cache *cache)
{
	pthread_mutex_lock(&cache->pool->mutex);
	size_t bytes = sizeof(*cache) + sizeof(*cache->pool) + cache->pin_count * sizeof(struct node_pin) +
		       ((size_t)cache->file->block_count + 1) * sizeof(*cache->table) +
		       cache->pool->frames_capacity * sizeof(struct node_frame *) + count_bytes(cache, false) -
		       count_bytes(cache, true);
	pthread_mutex_unlock(&cache->pool->mutex);
	return bytes;
}

/* ---- frames, all under the mutex ------------------------------------------------------------------ */

static bool is_held(const struct node_frame *frame)
{
	for (const struct node_pin *pin = frame->cache->pins; pin != NULL; pin = pin->next)
		if (atomic_load(&pin->frame) == frame)
			return true;
	return false;
}

/*
 * Take a frame out of the table, unless it is held.  A pin shows its frame first and looks at the table then; here
 * the table is changed first, and then the pins are looked at: in the one order of all four, either we see the pin,
 * or its thread sees that the frame is gone.
 */
static bool withdraw_frame(struct node_frame *frame)
{
	atomic_store(&frame->cache->table[frame->number], NULL);
	if (is_held(frame)) {
		atomic_store(&frame->cache->table[frame->number], frame);
		return false;
	}
	assert(frame->state != FRAME_LOADING);
	frame->state = FRAME_FREE;
	return true;
}

/* The index of a frame that holds nothing, by the clock; SIZE_MAX if all are held. */
static size_t reclaim_frame(struct frame_pool *pool)
{
	for (size_t step = 0; step < 2 * pool->frame_count; step++) {
		size_t index = pool->hand;
		struct node_frame *frame = pool->frames[index];
		pool->hand = (pool->hand + 1) % pool->frame_count;
		if (frame->state == FRAME_FREE)
			return index;
		if (frame->state == FRAME_LOADING)
			continue;
		if (atomic_load_explicit(&frame->used, memory_order_relaxed))
			atomic_store_explicit(&frame->used, false, memory_order_relaxed);
		else if (withdraw_frame(frame))
			return index;
	}
	return SIZE_MAX;
}

static struct node_frame *add_frame(struct node_cache *cache, uint32_t capacity, size_t companion_size)
{
	struct frame_pool *pool = cache->pool;
	if (!array_reserve(&pool->frames, &pool->frames_capacity, pool->frame_count + 1))
		return NULL;
	struct node_frame *frame = calloc(1, sizeof(*frame));
	if (frame == NULL)
		return NULL;
	frame->cache = cache;
	frame->capacity = capacity;
	frame->block = calloc(1, (size_t)capacity + FRAME_SLACK);
	frame->companion_size = companion_size;
	frame->companion = calloc(1, companion_size + 1);
	if (frame->block == NULL || frame->companion == NULL) {
		free_frame(frame);
		return NULL;
	}
	assert(pool->frame_count < pool->frames_capacity);
	pool->frames[pool->frame_count++] = frame;
	pool->bytes += frame_cost(capacity, companion_size);
	return frame;
}

/* A frame that holds nothing, if need be in place of others; above the ceiling only if all are held. */
static struct node_frame *take_frame(struct node_cache *cache, uint32_t number)
{
	struct frame_pool *pool = cache->pool;
	uint32_t kept = block_bytes(cache->file, number);
	uint32_t size = (kept + FRAME_STEP - 1) / FRAME_STEP * FRAME_STEP;
	size_t companion_size = cache->check.size(cache->check.context, kept);
	while (pool->frame_count > 0 && pool->bytes + frame_cost(size, companion_size) > pool->bytes_max) {
		size_t index = reclaim_frame(pool);
		if (index == SIZE_MAX)
			break;
		struct node_frame *frame = pool->frames[index];
		if (frame->capacity >= size && frame->capacity - size <= size / 8 &&
		    frame->companion_size >= companion_size && frame->companion_size - companion_size <= size / 8) {
			frame->cache = cache;
			return frame;
		}
		drop_frame(pool, index);
	}
	return add_frame(cache, size, companion_size);
}

static bool is_being_loaded(const struct node_cache *cache, uint32_t number)
{
	for (const struct node_pin *pin = cache->pins; pin != NULL; pin = pin->next)
		if (pin->loading == number)
			return true;
	return false;
}

/* ---- pins ----------------------------------------------------------------------------------------- */

enum histree_status node_pin_create(struct node_cache *cache, struct node_pin **out, struct histree_error *error)
{
	struct node_pin *pin = aligned_alloc(_Alignof(struct node_pin), sizeof(*pin));
	*out = pin;
	if (pin == NULL)
		return error_memory(error, "a query");
	*pin = (struct node_pin){ .cache = cache, .loading = NOTHING };
	pthread_mutex_lock(&cache->pool->mutex);
	pin->next = cache->pins;
	cache->pins = pin;
	cache->pin_count++;
	pthread_mutex_unlock(&cache->pool->mutex);
	return HISTREE_OK;
}

void node_pin_free(struct node_pin *pin)
{
	if (pin == NULL)
		return;
	struct node_cache *cache = pin->cache;
	pthread_mutex_lock(&cache->pool->mutex);
	struct node_pin **link = &cache->pins;
	assert(cache->pin_count > 0 && pin->loading == NOTHING);
	while (*link != pin)
		link = &(*link)->next;
	*link = pin->next;
	cache->pin_count--;
	assert((cache->pins == NULL) == (cache->pin_count == 0));
	pthread_mutex_unlock(&cache->pool->mutex);
	free(pin);
}

void node_pin_drop(struct node_pin *pin)
{
	atomic_store_explicit(&pin->frame, NULL, memory_order_release);
}

static const struct node_frame *held_frame(const struct node_pin *pin)
{
	const struct node_frame *frame = atomic_load_explicit(&pin->frame, memory_order_relaxed);
	assert(frame != NULL);
	return frame;
}

const uint8_t *node_pin_block(const struct node_pin *pin)
{
	const struct node_frame *frame = held_frame(pin);
	return frame->block;
}

const void *node_pin_companion(const struct node_pin *pin)
{
	const struct node_frame *frame = held_frame(pin);
	return frame->companion;
}

static enum histree_status load_frame(struct node_cache *cache, struct node_frame *frame, uint32_t number,
				      struct histree_error *error)
{
	enum histree_status status = block_file_read_over(cache->file, number, frame->block, &frame->filled, error);
	if (status != HISTREE_OK)
		return status;
	status = cache->check.check(cache->check.context, frame->block, number, frame->companion, error);
	if (status != HISTREE_OK)
		error_prefix(error, "'%s': node %u", cache->file->path, number);
	return status;
}

/* Read a block that is in no frame and that no other thread is reading.  The mutex is held before and after. */
static enum histree_status load(struct node_pin *pin, uint32_t number, struct histree_error *error)
{
	struct node_cache *cache = pin->cache;
	struct node_frame *frame = take_frame(cache, number);
	if (frame == NULL)
		return error_memory(error, "a node");
	assert(frame->state == FRAME_FREE && pin->loading == NOTHING);
	frame->state = FRAME_LOADING;
	pin->loading = number;
	pthread_mutex_unlock(&cache->pool->mutex);

	enum histree_status status = load_frame(cache, frame, number, error);

	pthread_mutex_lock(&cache->pool->mutex);
	assert(frame->state == FRAME_LOADING && atomic_load(&cache->table[number]) == NULL);
	pin->loading = NOTHING;
	frame->state = FRAME_FREE;
	if (status == HISTREE_OK) {
		frame->state = FRAME_READY;
		frame->number = number;
		atomic_store_explicit(&frame->used, true, memory_order_relaxed);
		atomic_store(&pin->frame, frame);
		atomic_store(&cache->table[number], frame);
	}
	pthread_cond_broadcast(&cache->loaded);
	return status;
}

static enum histree_status hold_slowly(struct node_pin *pin, uint32_t number, bool *loaded,
				       struct histree_error *error)
{
	struct node_cache *cache = pin->cache;
	enum histree_status status = HISTREE_OK;
	pthread_mutex_lock(&cache->pool->mutex);
	struct node_frame *frame = atomic_load(&cache->table[number]);
	while (frame == NULL && is_being_loaded(cache, number)) {
		pthread_cond_wait(&cache->loaded, &cache->pool->mutex);
		frame = atomic_load(&cache->table[number]);
	}
	/* Nothing is withdrawn while we have the mutex. */
	if (frame != NULL)
		atomic_store(&pin->frame, frame);
	else
		status = load(pin, number, error);
	pthread_mutex_unlock(&cache->pool->mutex);
	*loaded = frame == NULL && status == HISTREE_OK;
	return status;
}

/* Hold a block that is there; false if it is not, or is being thrown out: then nothing is held. */
static bool hold_at_once(struct node_pin *pin, uint32_t number)
{
	struct node_cache *cache = pin->cache;
	struct node_frame *frame = atomic_load_explicit(&cache->table[number], memory_order_acquire);
	atomic_store(&pin->frame, frame);
	if (frame == NULL)
		return false;
	if (atomic_load(&cache->table[number]) != frame) {
		node_pin_drop(pin);
		return false;
	}
	if (!atomic_load_explicit(&frame->used, memory_order_relaxed))
		atomic_store_explicit(&frame->used, true, memory_order_relaxed);
	return true;
}

enum histree_status node_pin_hold(struct node_pin *pin, uint32_t number, bool *loaded, struct histree_error *error)
{
	const struct block_file *file = pin->cache->file;
	*loaded = false;
	if (number >= file->block_count) {
		node_pin_drop(pin);
		return block_file_read(file, number, NULL, error); /* says that there is no such block */
	}
	return hold_at_once(pin, number) ? HISTREE_OK : hold_slowly(pin, number, loaded, error);
}
