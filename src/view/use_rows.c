// SPDX-License-Identifier: MIT
/*
 * use_rows.c - the rows of a use of time: found by key, and sorted.
 */
#include "view/use_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "view/use_sweep.h"

/* ---- keys --------------------------------------------------------------------------------------------------- */

static bool has_key(const void *keys, uint32_t number, const void *key)
{
	return memcmp(&((const struct use_key *)keys)[number], key, sizeof(struct use_key)) == 0;
}

static uint64_t hash_of_key(const struct use_key *key)
{
	uint64_t hash = key->host ^ (uint64_t)((uint32_t)key->life ^ (uint32_t)key->had_by_life << 16) << 32;
	for (size_t i = 0; i < HISTREE_USE_KEY_COUNT; i++)
		hash = hash_mix(hash ^ (uint32_t)key->keys[i]);
	return hash;
}

static uint64_t hash_of_row(const void *keys, uint32_t number)
{
	return hash_of_key(&((const struct use_key *)keys)[number]);
}

bool use_rows_has_text(size_t key)
{
	return key == HISTREE_USE_BY_NAME || key == HISTREE_USE_BY_SYSTEM_CALL;
}

struct histree_value use_rows_value(const struct use_rows *rows, size_t key, int32_t number)
{
	size_t size;
	if (number == USE_NOTHING)
		return histree_null();
	if (number == USE_NOT_KNOWN)
		return histree_unknown();
	if (!use_rows_has_text(key))
		return histree_int(number);
	const char *text = intern_get(&rows->texts, (uint32_t)number, &size);
	return histree_string_n(text, size);
}

struct histree_use_row *use_rows_find(struct use_rows *rows, const struct use_key *key, bool *is_new)
{
	*is_new = false;
	if (rows->last < rows->count && has_key(rows->keys, rows->last, key))
		return &rows->rows[rows->last];
	uint64_t hash = hash_of_key(key);
	rows->last = hash_index_find(&rows->by_key, hash, has_key, rows->keys, key);
	if (rows->last != HASH_INDEX_NONE)
		return &rows->rows[rows->last];
	if (!array_reserve(&rows->keys, &rows->key_capacity, rows->count + 1) ||
	    !array_reserve(&rows->rows, &rows->row_capacity, rows->count + 1) ||
	    !hash_index_reserve(&rows->by_key, rows->count + 1, hash_of_row, rows->keys))
		return NULL;
	struct histree_use_row *row = &rows->rows[rows->count];
	*row = (struct histree_use_row){ .host = key->host,
					 .life = key->life,
					 .had_by_life = key->had_by_life,
					 .from = INT64_MIN,
					 .to = INT64_MAX,
					 .name = "",
					 .had_by_name = "" };
	for (size_t i = 0; i < HISTREE_USE_KEY_COUNT; i++)
		row->keys[i] = use_rows_value(rows, i, key->keys[i]);
	rows->last = (uint32_t)rows->count;
	rows->keys[rows->count++] = *key;
	hash_index_add(&rows->by_key, hash, rows->last);
	*is_new = true;
	return row;
}

void use_rows_cut(struct use_rows *rows, size_t count)
{
	/* The index keeps its room, so that nothing can fail here. */
	hash_index_clear(&rows->by_key);
	rows->count = count;
	rows->last = 0;
	for (uint32_t i = 0; i < count; i++)
		hash_index_add(&rows->by_key, hash_of_key(&rows->keys[i]), i);
}

void use_rows_release(struct use_rows *rows)
{
	intern_release(&rows->texts);
	hash_index_release(&rows->by_key);
	free(rows->keys);
	free(rows->rows);
	*rows = (struct use_rows){ 0 };
}

/* ---- the order ---------------------------------------------------------------------------------------------- */

static uint64_t ran(const struct histree_use_row *row)
{
	return row->ns[HISTREE_USE_USER] + row->ns[HISTREE_USE_SYSTEM] + row->ns[HISTREE_USE_INTERRUPTED];
}

static int compare_u64(uint64_t one, uint64_t other)
{
	return (one < other) - (one > other); /* the greater one first */
}

static int compare_values(const struct histree_value *one, const struct histree_value *other)
{
	if (one->type != other->type)
		return one->type < other->type ? -1 : 1;
	if (one->type == HISTREE_INT)
		return (one->int32 > other->int32) - (one->int32 < other->int32);
	if (one->type != HISTREE_STRING)
		return 0;
	size_t size = one->size < other->size ? one->size : other->size;
	int order = memcmp(one->bytes, other->bytes, size);
	return order != 0 ? order : (one->size > other->size) - (one->size < other->size);
}

static int by_keys(const void *one, const void *other)
{
	const struct histree_use_row *a = one, *b = other;
	int order = (a->host > b->host) - (a->host < b->host);
	for (size_t i = 0; i < HISTREE_USE_KEY_COUNT && order == 0; i++)
		order = compare_values(&a->keys[i], &b->keys[i]);
	if (order == 0)
		order = (a->life > b->life) - (a->life < b->life);
	return order != 0 ? order : (a->had_by_life > b->had_by_life) - (a->had_by_life < b->had_by_life);
}

static int by_time(const void *one, const void *other)
{
	static const enum histree_use uses[] = { HISTREE_USE_WAITING, HISTREE_USE_BLOCKED, HISTREE_USE_IDLE,
						 HISTREE_USE_OTHER, HISTREE_USE_UNKNOWN };
	const struct histree_use_row *a = one, *b = other;
	int order = compare_u64(ran(a), ran(b));
	for (size_t i = 0; i < sizeof(uses) / sizeof(*uses) && order == 0; i++)
		order = compare_u64(a->ns[uses[i]], b->ns[uses[i]]);
	return order != 0 ? order : by_keys(one, other);
}

void use_rows_sort(struct use_rows *rows, unsigned by)
{
	if (rows->count > 1)
		qsort(rows->rows, rows->count, sizeof(*rows->rows), by == HISTREE_BY(CPU) ? by_keys : by_time);
}
