// SPDX-License-Identifier: MIT
/*
 * parquet_distinct.c - the distinct texts of a column in a row group, numbered from 0, and its distinct numbers,
 * sorted.
 */
#include "export/parquet/parquet_distinct.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/table.h"
#include "base/hash_index.h"
#include "base/search.h"

/* ---- parquet texts ------------------------------------------------------------------------------------------- */

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

/* ---- parquet distinct ---------------------------------------------------------------------------------------- */

/* If more than half of this many values at the beginning are distinct, the rest is not examined. */
enum { SAMPLE = 16384, SHARE = 3, SAMPLE_SHARE = 2 };

static bool reserve(struct parquet_distinct *distinct, size_t count, size_t limit, size_t slot_count)
{
	/* `order` is the array to sort and the spare one behind it. */
	if (array_reserve(&distinct->values, &distinct->value_capacity, limit) &&
	    array_reserve(&distinct->numbers, &distinct->number_capacity, count) &&
	    array_reserve(&distinct->order, &distinct->order_capacity, 2 * limit) &&
	    array_reserve(&distinct->slots, &distinct->slot_capacity, slot_count))
		return true;
	distinct->failed = true;
	return false;
}

static void sort(struct parquet_distinct *distinct, size_t count)
{
	struct keyed_index *order = distinct->order;
	for (size_t i = 0; i < distinct->count; i++)
		order[i] = (struct keyed_index){ .key = distinct->values[i], .index = (uint32_t)i };
	radix_sort(order, order + distinct->count, distinct->count);
	uint32_t *places = distinct->slots; /* not needed any more, and larger */
	for (size_t i = 0; i < distinct->count; i++) {
		distinct->values[i] = order[i].key;
		places[order[i].index] = (uint32_t)i;
	}
	for (size_t i = 0; i < count; i++)
		distinct->numbers[i] = places[distinct->numbers[i]];
}

bool parquet_distinct_find(struct parquet_distinct *distinct, const uint32_t *narrow, const uint64_t *wide,
			   size_t count)
{
	size_t limit = count / SHARE + 1, slot_count = 64;
	distinct->count = 0;
	distinct->failed = false;
	while (slot_count < 2 * limit)
		slot_count *= 2;
	if (count == 0 || !reserve(distinct, count, limit, slot_count))
		return false;
	memset(distinct->slots, 0, slot_count * sizeof(*distinct->slots));
	uint64_t last = 0;
	uint32_t last_number = UINT32_MAX;
	for (size_t i = 0; i < count; i++) {
		uint64_t value = wide != NULL ? wide[i] : narrow[i];
		if (last_number != UINT32_MAX && value == last) {
			distinct->numbers[i] = last_number;
			continue;
		}
		size_t slot = (size_t)hash_mix(value) & (slot_count - 1);
		uint32_t entry;
		while ((entry = distinct->slots[slot]) != 0 && distinct->values[entry - 1] != value)
			slot = (slot + 1) & (slot_count - 1);
		if (entry == 0) {
			if (distinct->count == limit || (i >= SAMPLE && distinct->count > i / SAMPLE_SHARE))
				return false;
			distinct->values[distinct->count] = value;
			distinct->slots[slot] = entry = (uint32_t)++distinct->count;
		}
		distinct->numbers[i] = last_number = entry - 1;
		last = value;
	}
	sort(distinct, count);
	return true;
}

void parquet_distinct_release(struct parquet_distinct *distinct)
{
	free(distinct->values);
	free(distinct->numbers);
	free(distinct->slots);
	free(distinct->order);
	*distinct = (struct parquet_distinct){ 0 };
}
