/* SPDX-License-Identifier: MIT */
/*
 * column_item.h - an interval on its way into a leaf of columns, in 24 bytes: many of them are moved about.
 */
#ifndef NODE_COLUMN_ITEM_H
#define NODE_COLUMN_ITEM_H

#include "histree/value.h"

struct column_item {
	histree_time start, end;
	uint32_t key_and_kind; /* the kind is in the two upper bits */
	uint32_t value;        /* ITEM_INT: the number; ITEM_LISTED: its number in a list of values; ITEM_NULL: 0 */
};

enum column_item_kind {
	ITEM_NULL,
	ITEM_INT,
	ITEM_LISTED,
};

/* Keys are below it. */
#define COLUMN_KEY_LIMIT (UINT32_C(1) << 30)

static inline struct column_item column_item(histree_time start, histree_time end, histree_quark key,
					     enum column_item_kind kind, uint32_t value)
{
	return (struct column_item){
		.start = start, .end = end, .key_and_kind = key | (uint32_t)kind << 30, .value = value
	};
}

static inline histree_quark column_item_key(const struct column_item *item)
{
	return item->key_and_kind & (COLUMN_KEY_LIMIT - 1);
}

static inline enum column_item_kind column_item_kind(const struct column_item *item)
{
	return (enum column_item_kind)(item->key_and_kind >> 30);
}

#endif
