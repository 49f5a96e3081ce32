/* SPDX-License-Identifier: MIT */
/*
 * feed_item.h - a state kept for a while in 24 bytes; values other than int and null are in a table beside it.
 */
#ifndef OVERVIEW_FEED_ITEM_H
#define OVERVIEW_FEED_ITEM_H

#include "histree/value.h"
#include "node/column_builder.h"
#include "query/value_table.h"

/* Make an item of a state.  Returns false without memory, or if no item can name its attribute. */
static inline bool feed_item_keep(struct value_table *values, const struct histree_interval *state,
				  struct column_item *out)
{
	enum column_item_kind kind = ITEM_NULL;
	uint32_t value = 0;
	if (state->value.type == HISTREE_INT) {
		kind = ITEM_INT;
		value = (uint32_t)state->value.int32;
	} else if (state->value.type != HISTREE_NULL) {
		kind = ITEM_LISTED;
		if (value_table_add(values, &state->value, &value, NULL) != HISTREE_OK)
			return false;
	}
	if (state->quark >= COLUMN_KEY_LIMIT)
		return false;
	*out = column_item(state->start, state->end, state->quark, kind, value);
	return true;
}

/* Returns the value, whose bytes are borrowed from the table that has `values`. */
static inline struct histree_value feed_item_value(const struct histree_value *values,
						   const struct column_item *item)
{
	switch (column_item_kind(item)) {
	case ITEM_INT:
		return histree_int((int32_t)item->value);
	case ITEM_LISTED:
		return values[item->value];
	case ITEM_NULL:
		break;
	}
	return histree_null();
}

#endif
