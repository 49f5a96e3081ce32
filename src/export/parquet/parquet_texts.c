// SPDX-License-Identifier: MIT
#include "export/parquet/parquet_texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

static bool is_same(const void *texts, uint32_t number, const void *key)
{
	const struct parquet_text *one = (const struct parquet_text *)texts + number, *other = key;
	return one->size == other->size && (one->size == 0 || memcmp(one->bytes, other->bytes, one->size) == 0);
}

static uint64_t hash_of(const void *texts, uint32_t number)
{
	const struct parquet_text *text = (const struct parquet_text *)texts + number;
	return hash_bytes(text->bytes, text->size);
}

uint32_t parquet_texts_add(struct parquet_texts *texts, const struct parquet_text *text)
{
	if (texts->count >= UINT32_MAX / 2 ||
	    !array_reserve(&texts->texts, &texts->capacity, (size_t)texts->count + 1))
		return PARQUET_TEXTS_NONE;
	const char *copy = arena_copy(&texts->bytes, text->size > 0 ? text->bytes : "", text->size);
	if (copy == NULL)
		return PARQUET_TEXTS_NONE;
	texts->texts[texts->count] = (struct parquet_text){ copy, text->size };
	return texts->count++;
}

uint32_t parquet_texts_find_or_add(struct parquet_texts *texts, const struct parquet_text *text)
{
	/* Those that were only added are found from now on. */
	while (texts->index.count < texts->count) {
		uint32_t number = texts->index.count;
		if (!hash_index_reserve(&texts->index, (size_t)number + 1, hash_of, texts->texts))
			return PARQUET_TEXTS_NONE;
		hash_index_add(&texts->index, hash_of(texts->texts, number), number);
	}
	uint64_t hash = hash_bytes(text->size > 0 ? text->bytes : "", text->size);
	uint32_t number = hash_index_find(&texts->index, hash, is_same, texts->texts, text);
	return number != HASH_INDEX_NONE ? number : parquet_texts_add(texts, text);
}

void parquet_texts_clear(struct parquet_texts *texts)
{
	arena_release(&texts->bytes);
	hash_index_clear(&texts->index);
	texts->count = 0;
}

void parquet_texts_release(struct parquet_texts *texts)
{
	arena_release(&texts->bytes);
	hash_index_release(&texts->index);
	free(texts->texts);
	*texts = (struct parquet_texts){ 0 };
}
