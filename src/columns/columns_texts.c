// SPDX-License-Identifier: MIT
#include "columns/columns_texts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"

enum { CAPACITY_MIN = 1024, ALIGNMENT = 64 };

static void drop(struct columns_memory *memory)
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
	capacity = (capacity + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	struct columns_memory *grown = aligned_alloc(ALIGNMENT, sizeof(*grown) + capacity);
	if (grown == NULL)
		return false;
	atomic_init(&grown->holders, 1);
	grown->capacity = capacity;
	if (used > 0)
		memcpy(grown->bytes, (*memory)->bytes, used);
	drop(*memory);
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

enum histree_status columns_texts_view(struct columns_texts *texts, struct columns_texts_view *out,
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

void columns_texts_drop_view(struct columns_texts_view *view)
{
	drop(view->offsets);
	drop(view->bytes);
	*view = (struct columns_texts_view){ 0 };
}

void columns_texts_release(struct columns_texts *texts)
{
	drop(texts->offsets);
	drop(texts->bytes);
	*texts = (struct columns_texts){ .size_max = texts->size_max };
}
