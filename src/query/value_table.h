/* SPDX-License-Identifier: MIT */
/*
 * value_table.h - the distinct values of an answer, by a dense index; 0 is null.
 */
#ifndef QUERY_VALUE_TABLE_H
#define QUERY_VALUE_TABLE_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "histree/value.h"

enum { VALUES_RECENT = 256 };

struct value_table {
	struct histree_value *values;
	size_t count, capacity;
	struct hash_index index; /* of values */
	/* By some bits of a value: the latest value with these bits.  Most states have a value that came before. */
	uint32_t recent[VALUES_RECENT];
	struct arena bytes;
};

/* Forget all values but null.  A zeroed table may be reset, and one that is in use. */
enum histree_status value_table_reset(struct value_table *table, struct histree_error *error);

/* Find a value.  Returns false if it is not in the table. */
bool value_table_find(struct value_table *table, const struct histree_value *value, uint32_t *out);

/* The same of an int that came lately, without a call: true for most. */
static inline bool value_table_has_recent(const struct value_table *table, int32_t number, uint32_t *out)
{
	const uint32_t recent = *out = table->recent[(uint32_t)number % VALUES_RECENT];
	return recent < table->count && table->values[recent].type == HISTREE_INT &&
	       table->values[recent].int32 == number;
}

/*
 * Get the index of a value, which is added if it is new.  Its bytes are copied.  Returns HISTREE_ERR_MEMORY if
 * memory is out.
 */
enum histree_status value_table_add(struct value_table *table, const struct histree_value *value, uint32_t *out,
				    struct histree_error *error);

/* Compare values by type, then by content. */
int value_compare(const struct histree_value *a, const struct histree_value *b);

/* Compare values by type, then by content: an order that does not depend on when they were seen. */
int value_table_compare(const struct value_table *table, uint32_t one, uint32_t other);

void value_table_release(struct value_table *table);

#endif
