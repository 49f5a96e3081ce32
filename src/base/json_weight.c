// SPDX-License-Identifier: MIT
#include "base/json_weight.h"

#include <stdbool.h>

/*
 * With the allocator's own bytes, of libjansson 2.14 on 64 bits: an object with its first buckets, an array with
 * its first slots, a member with its share of the buckets, a value with its slot.  The bytes of texts are there
 * twice, in the parser and in the value.
 */
enum { OBJECT_WEIGHT = 256, ARRAY_WEIGHT = 160, MEMBER_WEIGHT = 160, VALUE_WEIGHT = 128, BYTE_WEIGHT = 2 };

static size_t weight_of(char c)
{
	switch (c) {
	case '{':
		return OBJECT_WEIGHT + VALUE_WEIGHT;
	case '[':
		return ARRAY_WEIGHT + VALUE_WEIGHT;
	case ':':
		return MEMBER_WEIGHT;
	case ',':
		return VALUE_WEIGHT;
	default:
		return 0;
	}
}

size_t json_weight(const char *text, size_t size)
{
	size_t weight = VALUE_WEIGHT + BYTE_WEIGHT * size;
	bool is_text = false;
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '"')
			is_text = !is_text;
		else if (!is_text)
			weight += weight_of(text[i]);
		else if (text[i] == '\\')
			i++;
	}
	return weight;
}
