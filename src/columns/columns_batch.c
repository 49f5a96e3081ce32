// SPDX-License-Identifier: MIT
#include "columns/columns_batch.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"

/* A consumer of one batch after the other needs one; one that decodes ahead, two. */
enum { BLOCKS_KEPT = 2, ALIGNMENT = 64, BUFFERS_MAX = 3 };

struct columns_block {
	_Atomic uint32_t holders; /* structs that a consumer has not released yet, or the one who fills it */
	struct columns_pool *pool;
	struct columns_block *next; /* in the pool */
	size_t column_count;
	struct ArrowArray columns[COLUMNS_MAX], dictionaries[COLUMNS_MAX];
	struct ArrowArray *children[COLUMNS_MAX];
	const void *no_validity[1];
	const void *buffers[COLUMNS_MAX][BUFFERS_MAX], *dictionary_buffers[COLUMNS_MAX][BUFFERS_MAX];
	struct columns_texts_view views[COLUMNS_MAX];
	uint8_t *bits[COLUMNS_MAX], *value_bits[COLUMNS_MAX]; /* of what is valid, and of COLUMN_BOOL */
	void *values[COLUMNS_MAX];
	uint8_t *valid[COLUMNS_MAX];
};

struct columns_pool {
	pthread_mutex_t mutex;
	size_t block_size;
	struct columns_block *free;
	unsigned free_count;
	unsigned holders; /* blocks that are out, and the stream */
	bool is_left;
};

/* ---- blocks ------------------------------------------------------------------------------------------- */

static size_t value_size(enum columns_kind kind)
{
	switch (kind) {
	case COLUMN_UINT32:
	case COLUMN_INT32:
	case COLUMN_WORD:
		return 4;
	case COLUMN_UINT64:
	case COLUMN_INT64:
	case COLUMN_TIME:
	case COLUMN_REAL:
		return 8;
	case COLUMN_BOOL:
	case COLUMN_SHORT:
		return 1;
	case COLUMN_TEXT:
		break;
	}
	return 0;
}

static size_t rounded(size_t size)
{
	return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* A part of a block, or nothing. */
static void *take(uint8_t *base, size_t *at, size_t size)
{
	void *part = base != NULL ? base + *at : NULL;
	*at += rounded(size);
	return size > 0 ? part : NULL;
}

/* Give each column its buffers; with `block` NULL, only returns the size of one. */
static size_t divide(const struct columns_layout *layout, struct columns_block *block)
{
	struct columns_block unused, *parts = block != NULL ? block : &unused;
	uint8_t *base = (uint8_t *)block;
	size_t at = rounded(sizeof(*block)), rows = layout->rows_max, bits = (rows + 7) / 8;
	for (size_t i = 0; i < layout->count; i++) {
		const struct columns_column *column = &layout->columns[i];
		parts->values[i] = take(base, &at, rows * value_size(column->kind));
		parts->value_bits[i] = take(base, &at, column->kind == COLUMN_BOOL ? bits : 0);
		parts->valid[i] = take(base, &at, column->is_nullable ? rows : 0);
		parts->bits[i] = take(base, &at, column->is_nullable ? bits : 0);
	}
	return at;
}

static void leave_pool(struct columns_pool *pool)
{
	pthread_mutex_lock(&pool->mutex);
	bool is_last = --pool->holders == 0;
	pthread_mutex_unlock(&pool->mutex);
	if (!is_last)
		return;
	pthread_mutex_destroy(&pool->mutex);
	free(pool);
}

static void give_back(struct columns_block *block)
{
	struct columns_pool *pool = block->pool;
	for (size_t i = 0; i < block->column_count; i++)
		columns_texts_drop_view(&block->views[i]);
	pthread_mutex_lock(&pool->mutex);
	bool is_kept = !pool->is_left && pool->free_count < BLOCKS_KEPT;
	if (is_kept) {
		block->next = pool->free;
		pool->free = block;
		pool->free_count++;
	}
	pthread_mutex_unlock(&pool->mutex);
	if (!is_kept)
		free(block);
	leave_pool(pool);
}

static void drop(struct columns_block *block)
{
	if (atomic_fetch_sub_explicit(&block->holders, 1, memory_order_acq_rel) == 1)
		give_back(block);
}

enum histree_status columns_pool_create(const struct columns_layout *layout, struct columns_pool **out,
					struct histree_error *error)
{
	struct columns_pool *pool = *out = calloc(1, sizeof(*pool));
	if (pool == NULL)
		return error_memory(error, "columns");
	pthread_mutex_init(&pool->mutex, NULL);
	pool->block_size = divide(layout, NULL);
	pool->holders = 1;
	return HISTREE_OK;
}

void columns_pool_leave(struct columns_pool *pool)
{
	if (pool == NULL)
		return;
	pthread_mutex_lock(&pool->mutex);
	struct columns_block *block = pool->free;
	pool->free = NULL;
	pool->is_left = true;
	pthread_mutex_unlock(&pool->mutex);
	while (block != NULL) {
		struct columns_block *next = block->next;
		free(block);
		block = next;
	}
	leave_pool(pool);
}

enum histree_status columns_batch_begin(struct columns_pool *pool, const struct columns_layout *layout,
					struct columns_batch *out, struct histree_error *error)
{
	*out = (struct columns_batch){ .layout = layout };
	pthread_mutex_lock(&pool->mutex);
	struct columns_block *block = pool->free;
	if (block != NULL) {
		pool->free = block->next;
		pool->free_count--;
	}
	pool->holders++;
	pthread_mutex_unlock(&pool->mutex);
	if (block == NULL) {
		block = aligned_alloc(ALIGNMENT, pool->block_size);
		if (block == NULL) {
			leave_pool(pool);
			return error_memory(error, "columns");
		}
		memset(block, 0, sizeof(*block));
		divide(layout, block);
		block->column_count = layout->count;
		block->pool = pool;
	}
	atomic_init(&block->holders, 1);
	memcpy(out->values, block->values, sizeof(out->values));
	memcpy(out->valid, block->valid, sizeof(out->valid));
	out->block = block;
	return HISTREE_OK;
}

void columns_batch_drop(struct columns_batch *batch)
{
	if (batch->block != NULL)
		drop(batch->block);
	batch->block = NULL;
}

/* ---- as arrays ---------------------------------------------------------------------------------------- */

/* Bytes that are 0 or 1 become bits, the first the lowest; returns how many are 1. */
static uint32_t pack(const uint8_t *bytes, uint32_t count, uint8_t *bits)
{
	uint32_t ones = 0, i = 0;
	for (; i + 8 <= count; i += 8) {
		uint64_t word = get_le64(bytes + i);
		bits[i / 8] = (uint8_t)((word * UINT64_C(0x0102040810204080)) >> 56);
		ones += (uint32_t)((word * UINT64_C(0x0101010101010101)) >> 56);
	}
	if (i < count)
		bits[i / 8] = 0;
	for (; i < count; i++) {
		bits[i / 8] = (uint8_t)(bits[i / 8] | bytes[i] << (i % 8));
		ones += bytes[i];
	}
	return ones;
}

/*
 * Of the struct of a batch, of a column and of a dictionary: what the consumer has not moved away is released with
 * it.
 */
static void release(struct ArrowArray *array)
{
	struct columns_block *block = array->private_data;
	for (int64_t i = 0; i < array->n_children; i++)
		if (array->children[i]->release != NULL)
			array->children[i]->release(array->children[i]);
	if (array->dictionary != NULL && array->dictionary->release != NULL)
		array->dictionary->release(array->dictionary);
	array->release = NULL;
	drop(block);
}

static void set_array(struct ArrowArray *out, struct columns_block *block, int64_t length, int64_t null_count,
		      const void **buffers, int64_t buffer_count)
{
	*out = (struct ArrowArray){
		.length = length,
		.null_count = null_count,
		.n_buffers = buffer_count,
		.buffers = buffers,
		.release = release,
		.private_data = block,
	};
	atomic_fetch_add_explicit(&block->holders, 1, memory_order_relaxed);
}

/* Texts as utf8: no validity, offsets, bytes. */
static void set_texts(struct ArrowArray *out, struct columns_block *block, size_t column, const void **buffers)
{
	const struct columns_texts_view *view = &block->views[column];
	buffers[0] = NULL;
	buffers[1] = view->offsets->bytes;
	buffers[2] = view->bytes->bytes;
	set_array(out, block, view->count, 0, buffers, 3);
}

static void set_column(struct columns_batch *batch, size_t i)
{
	struct columns_block *block = batch->block;
	const struct columns_column *column = &batch->layout->columns[i];
	const void **buffers = block->buffers[i];
	uint32_t null_count = 0;
	block->children[i] = &block->columns[i];
	if (column->kind == COLUMN_TEXT) {
		assert(!column->is_nullable && block->views[i].count == batch->rows);
		set_texts(&block->columns[i], block, i, buffers);
		return;
	}
	if (column->is_nullable)
		null_count = batch->rows - pack(block->valid[i], batch->rows, block->bits[i]);
	buffers[0] = null_count > 0 ? block->bits[i] : NULL;
	buffers[1] = block->values[i];
	if (column->kind == COLUMN_BOOL) {
		pack(block->values[i], batch->rows, block->value_bits[i]);
		buffers[1] = block->value_bits[i];
	}
	set_array(&block->columns[i], block, batch->rows, null_count, buffers, 2);
	if (column->texts != NULL) {
		set_texts(&block->dictionaries[i], block, i, block->dictionary_buffers[i]);
		block->columns[i].dictionary = &block->dictionaries[i];
	}
}

enum histree_status columns_batch_finish(struct columns_batch *batch, struct ArrowArray *out,
					 struct histree_error *error)
{
	struct columns_block *block = batch->block;
	const struct columns_layout *layout = batch->layout;
	for (size_t i = 0; i < layout->count; i++) {
		struct columns_texts *texts = layout->columns[i].texts;
		enum histree_status status =
			texts != NULL ? columns_texts_view(texts, &block->views[i], error) : HISTREE_OK;
		if (status != HISTREE_OK) {
			columns_batch_drop(batch);
			return status;
		}
	}
	for (size_t i = 0; i < layout->count; i++)
		set_column(batch, i);
	set_array(out, block, batch->rows, 0, block->no_validity, 1);
	out->n_children = (int64_t)layout->count;
	out->children = block->children;
	columns_batch_drop(batch); /* the structs hold it now */
	return HISTREE_OK;
}
