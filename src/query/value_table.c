// SPDX-License-Identifier: MIT
/*
 * value_table.c - the distinct values of an answer, and their shares of the cells of a row.
 */
#include "query/value_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "item/value.h"

/* ---- value table --------------------------------------------------------------------------------------------- */

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
	uint64_t content =
		value_has_bytes(value) ? hash_bytes(value->bytes, value->size) : (uint64_t)number_of(value);
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
	else if (value_has_bytes(value) && value->size > 0)
		bits = value->size * UINT64_C(7) + bytes[0] * UINT64_C(31) + bytes[value->size / 2] * UINT64_C(5) +
		       bytes[value->size - 1];
	return &table->recent[bits % VALUES_RECENT];
}

static inline bool is_same(const struct histree_value *one, const struct histree_value *other)
{
	if (one->type == HISTREE_INT)
		return other->type == HISTREE_INT && one->int32 == other->int32;
	if (value_has_bytes(one))
		return one->type == other->type && one->size == other->size &&
		       (one->size == 0 || memcmp(one->bytes, other->bytes, one->size) == 0);
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

bool value_table_reserve(struct value_table *table, size_t count)
{
	return table_reserve(&table->table, &table->values, &table->capacity, count) &&
	       hash_index_reserve(&table->index, count, hash_at, table->values);
}

enum histree_status value_table_add_any(struct value_table *table, const struct histree_value *value, uint32_t *out,
					struct histree_error *error)
{
	*out = 0;
	if (value_table_find(table, value, out))
		return HISTREE_OK;
	struct histree_value copy = *value;
	if (!value_table_reserve(table, table->count + 1) || !value_keep(&copy, &table->bytes))
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
	if (!value_has_bytes(a)) {
		int64_t x = number_of(a), y = number_of(b);
		return (x > y) - (x < y);
	}
	return bytes_order(a->bytes, a->size, b->bytes, b->size);
}

void value_table_release(struct value_table *table)
{
	table_release(&table->table, table->values);
	hash_index_release(&table->index);
	arena_release(&table->bytes);
	*table = value_table_in(table->table.space);
}

/* ---- cell sums ----------------------------------------------------------------------------------------------- */

enum histree_status cell_sums_begin(struct cell_sums *sums, size_t cell_count, struct histree_error *error)
{
	if (!array_reserve(&sums->cells, &sums->cells_capacity, cell_count) ||
	    !array_reserve(&sums->first, &sums->first_capacity, cell_count))
		return error_memory(error, "the cells of rows");
	memset(sums->cells, 0xff, cell_count * sizeof(*sums->cells)); /* HISTREE_NO_VALUE, all of them */
	memset(sums->first, 0, cell_count * sizeof(*sums->first));
	sums->cell_count = cell_count;
	sums->share_count = 0;
	return HISTREE_OK;
}

enum histree_status cell_sums_add(struct cell_sums *sums, size_t cell, uint32_t value, uint64_t weight,
				  struct histree_error *error)
{
	assert(cell < sums->cell_count && weight > 0);
	for (uint32_t at = sums->first[cell]; at != 0; at = sums->shares[at - 1].next) {
		struct cell_share *share = &sums->shares[at - 1];
		if (share->value == value) { /* all of time is one ns more than can be said */
			share->weight = weight > UINT64_MAX - share->weight ? UINT64_MAX : share->weight + weight;
			return HISTREE_OK;
		}
	}
	if (sums->share_count >= UINT32_MAX - 1 ||
	    !array_reserve(&sums->shares, &sums->shares_capacity, sums->share_count + 1))
		return error_memory(error, "the states that share a pixel");
	sums->shares[sums->share_count++] =
		(struct cell_share){ .weight = weight, .value = value, .next = sums->first[cell] };
	sums->first[cell] = (uint32_t)sums->share_count;
	return HISTREE_OK;
}

static bool is_greater(const struct cell_share *one, const struct cell_share *other,
		       const struct value_table *values)
{
	if (other == NULL || one->weight != other->weight)
		return other == NULL || one->weight > other->weight;
	/* By type, then by content: an order that does not depend on when they were seen. */
	return value_compare(&values->values[one->value], &values->values[other->value]) < 0;
}

struct histree_cell cell_sums_get(const struct cell_sums *sums, size_t cell, const struct value_table *values)
{
	assert(cell < sums->cell_count);
	struct histree_cell decided = sums->cells[cell];
	if (decided.value != HISTREE_NO_VALUE)
		return decided;
	const struct cell_share *max = NULL, *second = NULL;
	for (uint32_t at = sums->first[cell]; at != 0; at = sums->shares[at - 1].next) {
		const struct cell_share *share = &sums->shares[at - 1];
		if (is_greater(share, max, values)) {
			second = max;
			max = share;
		} else if (is_greater(share, second, values)) {
			second = share;
		}
	}
	return (struct histree_cell){
		.value = max != NULL ? max->value : HISTREE_NO_VALUE,
		.other = second != NULL ? second->value : HISTREE_NO_VALUE,
	};
}

void cell_sums_release(struct cell_sums *sums)
{
	free(sums->cells);
	free(sums->first);
	free(sums->shares);
	*sums = (struct cell_sums){ 0 };
}
