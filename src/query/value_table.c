// SPDX-License-Identifier: MIT
/*
 * value_table.c - the distinct values of an answer by a dense index, 0 being null; indices stay valid until the
 * reset.
 */
#include "query/value_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/error.h"
#include "base/hash_index.h"

static bool has_bytes(const struct histree_value *value)
{
	return value->type == HISTREE_STRING || value->type == HISTREE_CUSTOM;
}

/* The number of a value that has no bytes, in the order of numbers of its type; of doubles, their bits. */
static int64_t number_of(const struct histree_value *value)
{
	int64_t bits;
	switch (value->type) {
	case HISTREE_INT:
		return value->int32;
	case HISTREE_LONG:
		return value->int64;
	case HISTREE_DOUBLE:
		memcpy(&bits, &value->real, sizeof(bits));
		return bits;
	case HISTREE_BOOL:
		return value->boolean;
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		break;
	}
	return 0;
}

static uint64_t hash_of(const struct histree_value *value)
{
	uint64_t content = has_bytes(value) ? hash_bytes(value->bytes, value->size) : (uint64_t)number_of(value);
	return hash_mix(content + (uint64_t)value->type * UINT64_C(0x9e3779b97f4a7c15));
}

static uint64_t hash_at(const void *values, uint32_t index)
{
	return hash_of((const struct histree_value *)values + index);
}

static bool is_equal(const void *values, uint32_t index, const void *value)
{
	return histree_value_equal((const struct histree_value *)values + index, value);
}

enum histree_status value_table_reset(struct value_table *table, struct histree_error *error)
{
	value_table_release(table);
	const struct histree_value null = histree_null();
	uint32_t index;
	return value_table_add(table, &null, &index, error);
}

/* Returns where a value would be among the recent ones. */
static inline uint32_t *recent_of(struct value_table *table, const struct histree_value *value)
{
	const uint8_t *bytes = value->bytes;
	uint64_t bits = (uint64_t)value->type;
	if (value->type == HISTREE_INT)
		bits = (uint32_t)value->int32;
	else if (has_bytes(value) && value->size > 0)
		bits = value->size * UINT64_C(7) + bytes[0] * UINT64_C(31) + bytes[value->size / 2] * UINT64_C(5) +
		       bytes[value->size - 1];
	return &table->recent[bits % VALUES_RECENT];
}

static inline bool is_same(const struct histree_value *one, const struct histree_value *other)
{
	if (one->type == HISTREE_INT)
		return other->type == HISTREE_INT && one->int32 == other->int32;
	return histree_value_equal(one, other);
}

bool value_table_find(struct value_table *table, const struct histree_value *value, uint32_t *out)
{
	uint32_t *recent = recent_of(table, value);
	if (*recent < table->count && is_same(value, &table->values[*recent])) {
		*out = *recent;
		return true;
	}
	uint32_t index = hash_index_find(&table->index, hash_of(value), is_equal, table->values, value);
	if (index == HASH_INDEX_NONE)
		return false;
	*out = *recent = index;
	return true;
}

enum histree_status value_table_add(struct value_table *table, const struct histree_value *value, uint32_t *out,
				    struct histree_error *error)
{
	*out = 0;
	if (value_table_find(table, value, out))
		return HISTREE_OK;
	struct histree_value copy = *value;
	if (has_bytes(value))
		copy.bytes = arena_copy(&table->bytes, value->bytes, value->size);
	if (!array_reserve(&table->values, &table->capacity, table->count + 1) ||
	    !hash_index_reserve(&table->index, table->count + 1, hash_at, table->values) ||
	    (has_bytes(value) && copy.bytes == NULL))
		return error_memory(error, "the values of an answer");
	uint32_t index = (uint32_t)table->count;
	table->values[table->count++] = copy;
	hash_index_add(&table->index, hash_of(&copy), index);
	*out = *recent_of(table, value) = index;
	return HISTREE_OK;
}

int value_compare(const struct histree_value *a, const struct histree_value *b)
{
	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (!has_bytes(a)) {
		int64_t x = number_of(a), y = number_of(b);
		return (x > y) - (x < y);
	}
	uint32_t common = a->size < b->size ? a->size : b->size;
	int order = common > 0 ? memcmp(a->bytes, b->bytes, common) : 0;
	return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

int value_table_compare(const struct value_table *table, uint32_t one, uint32_t other)
{
	return value_compare(&table->values[one], &table->values[other]);
}

void value_table_release(struct value_table *table)
{
	free(table->values);
	hash_index_release(&table->index);
	arena_release(&table->bytes);
	*table = (struct value_table){ 0 };
}
