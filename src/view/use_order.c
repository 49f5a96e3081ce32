// SPDX-License-Identifier: MIT
#include "view/use_order.h"

#include <string.h>

#include "histree/time_use.h"

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

int use_order_by_keys(const void *one, const void *other)
{
	const struct histree_use_row *a = one, *b = other;
	int order = (a->host > b->host) - (a->host < b->host);
	for (size_t i = 0; i < HISTREE_USE_KEY_COUNT && order == 0; i++)
		order = compare_values(&a->keys[i], &b->keys[i]);
	return order;
}

int use_order_by_time(const void *one, const void *other)
{
	static const enum histree_use uses[] = { HISTREE_USE_WAITING, HISTREE_USE_BLOCKED, HISTREE_USE_IDLE,
						 HISTREE_USE_OTHER, HISTREE_USE_UNKNOWN };
	const struct histree_use_row *a = one, *b = other;
	int order = compare_u64(ran(a), ran(b));
	for (size_t i = 0; i < sizeof(uses) / sizeof(*uses) && order == 0; i++)
		order = compare_u64(a->ns[uses[i]], b->ns[uses[i]]);
	return order != 0 ? order : use_order_by_keys(one, other);
}
