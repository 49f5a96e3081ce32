/* SPDX-License-Identifier: MIT */
/*
 * value_table.h - the distinct values of an answer, by a dense index, of which 0 is null and which stays valid
 * until the reset; and their shares of the cells of a row.
 *
 * States may arrive in any order, each with its share of a cell: a state that fills the cell decides it; otherwise
 * the cell keeps a list with each value once, and its share.
 */
#ifndef QUERY_VALUE_TABLE_H
#define QUERY_VALUE_TABLE_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "histree/states.h"
#include "histree/value.h"

enum { VALUES_RECENT = 256 };

struct value_table {
	struct histree_value *values;
	size_t count, capacity;
	struct table table;      /* of `values` */
	struct hash_index index; /* of values */
	/* By some bits of a value: the latest value with these bits.  Most states have a value that came before. */
	uint32_t recent[VALUES_RECENT];
	struct arena bytes;
};

/* Returns a table with nothing in it, as a zeroed one, whose memory is from `space`; NULL: malloc(). */
static inline struct value_table value_table_in(struct table_space *space)
{
	return (struct value_table){ .table.space = space, .index.table.space = space, .bytes.space = space };
}

/* Forget all values but null.  A table with nothing in it may be reset, and one that is in use. */
enum histree_status value_table_reset(struct value_table *table, struct histree_error *error);

/* Make room for `count` values in all, so that the index need not grow meanwhile.  Returns false without memory. */
bool value_table_reserve(struct value_table *table, size_t count);

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
 * memory runs out.  value_table_add() needs no call for an int that came lately.
 */
enum histree_status value_table_add_any(struct value_table *table, const struct histree_value *value, uint32_t *out,
					struct histree_error *error);

static inline enum histree_status value_table_add(struct value_table *table, const struct histree_value *value,
						  uint32_t *out, struct histree_error *error)
{
	if (value->type == HISTREE_INT && value_table_has_recent(table, value->int32, out))
		return HISTREE_OK;
	return value_table_add_any(table, value, out, error);
}

/* Compare values by type, then by content. */
int value_compare(const struct histree_value *a, const struct histree_value *b);

/* The table is as value_table_in() makes it, of the same space. */
void value_table_release(struct value_table *table);

struct cell_share {
	uint64_t weight; /* ns, or samples */
	uint32_t value;
	uint32_t next; /* of the same cell: index + 1, 0: no more */
};

/* A zeroed one is empty. */
struct cell_sums {
	struct histree_cell *cells; /* decided ones; value HISTREE_NO_VALUE: nothing fills it */
	uint32_t *first;            /* by cell: index + 1 of its first share, 0: none */
	size_t cell_count, cells_capacity, first_capacity;
	struct cell_share *shares;
	size_t share_count, shares_capacity;
};

/* Forget everything and begin with `cell_count` empty cells. */
enum histree_status cell_sums_begin(struct cell_sums *sums, size_t cell_count, struct histree_error *error);

static inline void cell_sums_fill(struct cell_sums *sums, size_t cell, uint32_t value)
{
	sums->cells[cell] = (struct histree_cell){ .value = value, .other = HISTREE_NO_VALUE };
}

enum histree_status cell_sums_add(struct cell_sums *sums, size_t cell, uint32_t value, uint64_t weight,
				  struct histree_error *error);

/*
 * Returns the two values with the greatest shares; equal shares go by the order of values.  `value` is
 * HISTREE_NO_VALUE if nothing was added.
 */
struct histree_cell cell_sums_get(const struct cell_sums *sums, size_t cell, const struct value_table *values);
void cell_sums_release(struct cell_sums *sums);

#endif
