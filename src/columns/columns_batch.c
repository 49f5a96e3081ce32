// SPDX-License-Identifier: MIT
/*
 * columns_batch.c - batches of columns as the Arrow format has them: arrays, texts, dictionaries, schemas.
 */
#include "columns/columns_batch.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/json_text.h"
#include "base/table.h"
#include "histree/columns.h"
#include "histree/status.h"

struct columns_texts_view {
	struct columns_memory *offsets, *bytes; /* NULL: it was dropped */
	uint32_t count;
};

/* ---- columns texts ------------------------------------------------------------------------------------------- */

enum { CAPACITY_MIN = 1024, COLUMNS_TEXTS_ALIGNMENT = 64 };

static void columns_texts_drop(struct columns_memory *memory)
{
	if (memory != NULL && atomic_fetch_sub_explicit(&memory->holders, 1, memory_order_acq_rel) == 1)
		free(memory);
}

static void hold(struct columns_memory *memory)
{
	atomic_fetch_add_explicit(&memory->holders, 1, memory_order_relaxed);
}

/* Have room for `needed` bytes, of which `used` are there. */
static bool reserve(struct columns_memory **memory, size_t used, size_t needed)
{
	size_t capacity = *memory != NULL ? (*memory)->capacity : 0;
	if (needed <= capacity)
		return true;
	capacity = capacity < CAPACITY_MIN ? CAPACITY_MIN : capacity * 2;
	if (capacity < needed)
		capacity = needed;
	capacity = (capacity + COLUMNS_TEXTS_ALIGNMENT - 1) / COLUMNS_TEXTS_ALIGNMENT * COLUMNS_TEXTS_ALIGNMENT;
	struct columns_memory *grown = aligned_alloc(COLUMNS_TEXTS_ALIGNMENT, sizeof(*grown) + capacity);
	if (grown == NULL)
		return false;
	atomic_init(&grown->holders, 1);
	grown->capacity = capacity;
	if (used > 0)
		memcpy(grown->bytes, (*memory)->bytes, used);
	columns_texts_drop(*memory);
	*memory = grown;
	return true;
}

static bool reserve_texts(struct columns_texts *texts, size_t count, size_t size)
{
	size_t used = texts->offsets != NULL ? ((size_t)texts->count + 1) * sizeof(int32_t) : 0;
	if (!reserve(&texts->offsets, used, (count + 1) * sizeof(int32_t)))
		return false;
	if (used == 0)
		memset(texts->offsets->bytes, 0, sizeof(int32_t));
	return reserve(&texts->bytes, texts->size, size > 0 ? size : 1);
}

enum histree_status columns_texts_add(struct columns_texts *texts, const void *bytes, size_t size,
				      struct histree_error *error)
{
	size_t max = texts->size_max != 0 ? texts->size_max : COLUMNS_TEXTS_BYTES_MAX;
	if (size > max - texts->size || texts->count >= INT32_MAX - 1)
		return error_set(error, HISTREE_ERR_TOO_LARGE,
				 "the distinct texts of a column take more than %zu bytes; ask for a shorter time, "
				 "for fewer attributes, or without that column",
				 max);
	if (!reserve_texts(texts, (size_t)texts->count + 1, texts->size + size))
		return error_memory(error, "texts of a column");
	if (size > 0)
		memcpy(texts->bytes->bytes + texts->size, bytes, size);
	texts->size += size;
	texts->count++;
	int32_t end = (int32_t)texts->size;
	memcpy(texts->offsets->bytes + (size_t)texts->count * sizeof(end), &end, sizeof(end));
	return HISTREE_OK;
}

enum histree_status columns_repair(struct columns_repair *room, const void **bytes, size_t *size,
				   struct histree_error *error)
{
	if (*size == 0 || utf8_is_valid(*bytes, *size))
		return HISTREE_OK;
	if (!array_reserve(&room->bytes, &room->capacity, *size * UTF8_REPLACEMENT_SIZE))
		return error_memory(error, "texts of a column");
	*size = utf8_repair(*bytes, *size, room->bytes);
	*bytes = room->bytes;
	return HISTREE_OK;
}

/* Take a view of them, also of none.  Returns HISTREE_ERR_MEMORY. */
static enum histree_status columns_texts_view(struct columns_texts *texts, struct columns_texts_view *out,
					      struct histree_error *error)
{
	*out = (struct columns_texts_view){ 0 };
	if (!reserve_texts(texts, texts->count, texts->size))
		return error_memory(error, "texts of a column");
	hold(texts->offsets);
	hold(texts->bytes);
	*out = (struct columns_texts_view){ texts->offsets, texts->bytes, texts->count };
	return HISTREE_OK;
}

void columns_texts_release(struct columns_texts *texts)
{
	columns_texts_drop(texts->offsets);
	columns_texts_drop(texts->bytes);
	*texts = (struct columns_texts){ .size_max = texts->size_max };
}

/* ---- columns dictionary -------------------------------------------------------------------------------------- */

static_assert(COLUMNS_PLACES == 1 << (64 - 54), "a place is picked by the upper bits of a product");

struct wanted {
	const void *bytes;
	size_t size;
};

static bool has_text(const void *texts, uint32_t id, const void *key)
{
	const struct wanted *wanted = key;
	size_t size;
	const char *text = columns_texts_get(texts, id, &size);
	return size == wanted->size && (size == 0 || memcmp(text, wanted->bytes, size) == 0);
}

static uint64_t hash_of(const void *texts, uint32_t id)
{
	size_t size;
	const char *text = columns_texts_get(texts, id, &size);
	return hash_bytes(text, size);
}

static enum histree_status add_text(struct columns_dictionary *dictionary, const void *bytes, size_t size,
				    uint32_t *id, struct histree_error *error)
{
	struct columns_texts *texts = &dictionary->texts;
	uint64_t hash = hash_bytes(bytes, size);
	*id = hash_index_find(&dictionary->index, hash, has_text, texts, &(struct wanted){ bytes, size });
	if (*id != HASH_INDEX_NONE)
		return HISTREE_OK;
	if (!hash_index_reserve(&dictionary->index, (size_t)texts->count + 1, hash_of, texts))
		return error_memory(error, "texts of a column");
	enum histree_status status = columns_texts_add(texts, bytes, size, error);
	if (status != HISTREE_OK)
		return status;
	*id = texts->count - 1;
	hash_index_add(&dictionary->index, hash, *id);
	return HISTREE_OK;
}

enum histree_status columns_dictionary_add(struct columns_dictionary *dictionary, const void *bytes, size_t size,
					   uint32_t *id, struct histree_error *error)
{
	enum histree_status status = columns_repair(&dictionary->room, &bytes, &size, error);
	return status == HISTREE_OK ? add_text(dictionary, bytes, size, id, error) : status;
}

enum histree_status columns_dictionary_add_digits(struct columns_dictionary *dictionary, const void *bytes,
						  size_t size, uint32_t *id, struct histree_error *error)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *at = bytes;
	if (!array_reserve(&dictionary->room.bytes, &dictionary->room.capacity, size * 2 + 1))
		return error_memory(error, "texts of a column");
	for (size_t i = 0; i < size; i++) {
		dictionary->room.bytes[2 * i] = digits[at[i] >> 4];
		dictionary->room.bytes[2 * i + 1] = digits[at[i] & 15];
	}
	return add_text(dictionary, dictionary->room.bytes, size * 2, id, error);
}

void columns_dictionary_release(struct columns_dictionary *dictionary)
{
	columns_texts_release(&dictionary->texts);
	hash_index_release(&dictionary->index);
	free(dictionary->room.bytes);
	dictionary->room = (struct columns_repair){ 0 };
}

/* ---- columns schema ------------------------------------------------------------------------------------------ */

struct schema_block {
	_Atomic uint32_t holders;
	struct ArrowSchema columns[COLUMNS_MAX], dictionaries[COLUMNS_MAX], *children[COLUMNS_MAX];
	char names[];
};

static const char *const formats[] = {
	[COLUMN_UINT32] = "I", [COLUMN_UINT64] = "L",     [COLUMN_INT32] = "i", [COLUMN_INT64] = "l",
	[COLUMN_REAL] = "g",   [COLUMN_TIME] = "tsn:UTC", [COLUMN_BOOL] = "b",  [COLUMN_TEXT] = "u",
	[COLUMN_WORD] = "I",   [COLUMN_SHORT] = "C",
};

static void columns_schema_release(struct ArrowSchema *schema)
{
	struct schema_block *block = schema->private_data;
	for (int64_t i = 0; i < schema->n_children; i++)
		if (schema->children[i]->release != NULL)
			schema->children[i]->release(schema->children[i]);
	if (schema->dictionary != NULL && schema->dictionary->release != NULL)
		schema->dictionary->release(schema->dictionary);
	schema->release = NULL;
	if (atomic_fetch_sub_explicit(&block->holders, 1, memory_order_acq_rel) == 1)
		free(block);
}

static void set_schema(struct ArrowSchema *out, struct schema_block *block, const char *format, const char *name,
		       int64_t flags)
{
	*out = (struct ArrowSchema){ .format = format,
				     .name = name,
				     .flags = flags,
				     .release = columns_schema_release,
				     .private_data = block };
	atomic_fetch_add_explicit(&block->holders, 1, memory_order_relaxed);
}

static const char *copy_name(char **at, const char *name)
{
	size_t size = strlen(name) + 1;
	const char *copy = memcpy(*at, name, size);
	*at += size;
	return copy;
}

enum histree_status columns_schema(const struct columns_layout *layout, struct ArrowSchema *out,
				   struct histree_error *error)
{
	size_t size = 0;
	for (size_t i = 0; i < layout->count; i++)
		size += strlen(layout->columns[i].name) + 1;
	struct schema_block *block = calloc(1, sizeof(*block) + size);
	if (block == NULL) {
		out->release = NULL;
		return error_memory(error, "columns");
	}
	char *names = block->names;
	for (size_t i = 0; i < layout->count; i++) {
		const struct columns_column *column = &layout->columns[i];
		struct ArrowSchema *schema = block->children[i] = &block->columns[i];
		set_schema(schema, block, formats[column->kind], copy_name(&names, column->name),
			   column->is_nullable ? ARROW_FLAG_NULLABLE : 0);
		if (column->kind == COLUMN_WORD || column->kind == COLUMN_SHORT) {
			schema->dictionary = &block->dictionaries[i];
			set_schema(schema->dictionary, block, "u", "", 0);
		}
	}
	set_schema(out, block, "+s", "", 0);
	out->n_children = (int64_t)layout->count;
	out->children = block->children;
	return HISTREE_OK;
}

/* ---- columns batch ------------------------------------------------------------------------------------------- */

/* A consumer of one batch after the other needs one; one that decodes ahead, two. */
enum { BLOCKS_KEPT = 2, COLUMNS_BATCH_ALIGNMENT = 64, BUFFERS_MAX = 3 };

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
	return (size + COLUMNS_BATCH_ALIGNMENT - 1) / COLUMNS_BATCH_ALIGNMENT * COLUMNS_BATCH_ALIGNMENT;
}

/* A part of a block, or nothing. */
static void *columns_batch_take(uint8_t *base, size_t *at, size_t size)
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
		parts->values[i] = columns_batch_take(base, &at, rows * value_size(column->kind));
		parts->value_bits[i] = columns_batch_take(base, &at, column->kind == COLUMN_BOOL ? bits : 0);
		parts->valid[i] = columns_batch_take(base, &at, column->is_nullable ? rows : 0);
		parts->bits[i] = columns_batch_take(base, &at, column->is_nullable ? bits : 0);
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

static void columns_batch_drop_one(struct columns_block *block)
{
	if (atomic_fetch_sub_explicit(&block->holders, 1, memory_order_acq_rel) == 1) {
		struct columns_pool *pool = block->pool;
		for (size_t i = 0; i < block->column_count; i++) {
			struct columns_texts_view *view = &block->views[i];
			columns_texts_drop(view->offsets);
			columns_texts_drop(view->bytes);
			*view = (struct columns_texts_view){ 0 };
		}
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
		block = aligned_alloc(COLUMNS_BATCH_ALIGNMENT, pool->block_size);
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
		columns_batch_drop_one(batch->block);
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
 * Releases the struct of a batch, of a column or of a dictionary, with everything that the consumer has not moved
 * away.
 */
static void columns_batch_release(struct ArrowArray *array)
{
	struct columns_block *block = array->private_data;
	for (int64_t i = 0; i < array->n_children; i++)
		if (array->children[i]->release != NULL)
			array->children[i]->release(array->children[i]);
	if (array->dictionary != NULL && array->dictionary->release != NULL)
		array->dictionary->release(array->dictionary);
	array->release = NULL;
	columns_batch_drop_one(block);
}

static void set_array(struct ArrowArray *out, struct columns_block *block, int64_t length, int64_t null_count,
		      const void **buffers, int64_t buffer_count)
{
	*out = (struct ArrowArray){
		.length = length,
		.null_count = null_count,
		.n_buffers = buffer_count,
		.buffers = buffers,
		.release = columns_batch_release,
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
	if (column->is_nullable)
		null_count = batch->rows - pack(block->valid[i], batch->rows, block->bits[i]);
	if (column->kind == COLUMN_TEXT) {
		assert(block->views[i].count == batch->rows);
		set_texts(&block->columns[i], block, i, buffers);
		block->columns[i].null_count = null_count;
	}
	buffers[0] = null_count > 0 ? block->bits[i] : NULL;
	if (column->kind == COLUMN_TEXT)
		return;
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
