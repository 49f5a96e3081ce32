/* SPDX-License-Identifier: MIT */
/*
 * attribute_names.h - read the names of attributes: they are not terminated, and some are numbers.
 */
#ifndef QUERY_ATTRIBUTE_NAMES_H
#define QUERY_ATTRIBUTE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Room for every name that is looked for; a longer name is not among them. */
enum { ATTRIBUTE_NAME_SIZE = 64 };

static inline bool attribute_name_is(const char *name, size_t size, const char *text)
{
	return strlen(text) == size && memcmp(name, text, size) == 0;
}

/* The number that a name begins with, and how many bytes it takes; 0: it begins with none that is an int32. */
static inline size_t leading_number(const char *name, size_t size, int32_t *number)
{
	size_t at = size > 0 && name[0] == '-' ? 1 : 0, first = at;
	int64_t value = 0;
	for (; at < size && name[at] >= '0' && name[at] <= '9'; at++) {
		value = value * 10 + (name[at] - '0');
		if (value > INT32_MAX)
			return 0;
	}
	*number = (int32_t)(first == 1 ? -value : value);
	return at > first ? at : 0;
}

#endif
