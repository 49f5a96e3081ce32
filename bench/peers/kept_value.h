/* SPDX-License-Identifier: MIT */
/*
 * kept_value.h - how the peers in memory keep a value: four bytes beside its type, the number itself or where in a
 * table the eight bytes of a longer number, or the bytes of a string, are kept once.
 */
#ifndef BENCH_KEPT_VALUE_H
#define BENCH_KEPT_VALUE_H

#include "base/arena.h"
#include "histree/value.h"

/* Returns false if memory is out. */
static inline bool kept_value_add(struct intern *values, const struct histree_value *value, uint32_t *kept)
{
	*kept = 0;
	switch (value->type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		return true;
	case HISTREE_INT:
		*kept = (uint32_t)value->int32;
		return true;
	case HISTREE_BOOL:
		*kept = value->boolean;
		return true;
	case HISTREE_LONG:
	case HISTREE_DOUBLE:
		*kept = intern_add(values, &value->int64, sizeof(value->int64));
		break;
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		*kept = intern_add(values, value->bytes, value->size);
		break;
	}
	return *kept != INTERN_NONE;
}

static inline struct histree_value kept_value_get(const struct intern *values, enum histree_type type,
						  uint32_t kept)
{
	struct histree_value value = { .type = type };
	size_t size = 0;
	if (type == HISTREE_INT) {
		value.int32 = (int32_t)kept;
	} else if (type == HISTREE_BOOL) {
		value.boolean = kept != 0;
	} else if (type == HISTREE_STRING || type == HISTREE_CUSTOM) {
		value.bytes = intern_get(values, kept, &size);
		value.size = (uint32_t)size;
	} else if (type == HISTREE_LONG || type == HISTREE_DOUBLE) {
		memcpy(&value.int64, intern_get(values, kept, &size), sizeof(value.int64));
	}
	return value;
}

#endif
