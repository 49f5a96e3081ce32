// SPDX-License-Identifier: MIT
#include "histree/value.h"

#include <string.h>

struct histree_value histree_string(const char *text)
{
	return histree_string_n(text, strlen(text));
}

bool histree_value_equal(const struct histree_value *a, const struct histree_value *b)
{
	if (a->type != b->type)
		return false;
	switch (a->type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		return true;
	case HISTREE_INT:
		return a->int32 == b->int32;
	case HISTREE_LONG:
		return a->int64 == b->int64;
	case HISTREE_DOUBLE:
		return memcmp(&a->real, &b->real, sizeof(a->real)) == 0;
	case HISTREE_BOOL:
		return a->boolean == b->boolean;
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		return a->size == b->size && (a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
	}
	return false;
}

const char *histree_type_name(enum histree_type type)
{
	static const char *const names[HISTREE_TYPE_COUNT] = { "null", "int",    "long",   "double",
							       "bool", "string", "custom", "unknown" };
	return (unsigned)type < HISTREE_TYPE_COUNT ? names[type] : NULL;
}
