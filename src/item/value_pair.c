// SPDX-License-Identifier: MIT
#include "item/value_pair.h"

#include <string.h>

#include "base/number_text.h"

static size_t put(char *text, const struct histree_value *value)
{
	if (value->type == HISTREE_INT)
		return number_format_signed(value->int32, text);
	text[0] = value->type == HISTREE_UNKNOWN ? '?' : '-';
	return 1;
}

struct histree_value value_pair(struct histree_value first, struct histree_value second,
				char text[static VALUE_PAIR_SIZE])
{
	bool is_plain = first.type == second.type && first.type != HISTREE_INT;
	if (is_plain)
		return first;
	size_t size = put(text, &first);
	text[size++] = '/';
	size += put(text + size, &second);
	return histree_string_n(text, size);
}

/* An int in decimal, "-" or "?"; null for everything else. */
static struct histree_value take(const char *text, size_t size)
{
	if (size == 1 && text[0] == '?')
		return histree_unknown();
	bool has_sign = size > 0 && text[0] == '-';
	int64_t number = 0;
	if (size == (size_t)has_sign)
		return histree_null();
	for (size_t i = has_sign; i < size; i++) {
		if (text[i] < '0' || text[i] > '9' || number > INT32_MAX)
			return histree_null();
		number = 10 * number + (text[i] - '0');
	}
	number = has_sign ? -number : number;
	return number >= INT32_MIN && number <= INT32_MAX ? histree_int((int32_t)number) : histree_null();
}

struct histree_value histree_value_part(const struct histree_value *value, enum histree_part part)
{
	if (part == HISTREE_WHOLE || value->type != HISTREE_STRING)
		return *value;
	const char *text = value->bytes, *slash = memchr(text, '/', value->size);
	if (slash == NULL)
		return histree_null();
	size_t first = (size_t)(slash - text);
	return part == HISTREE_FIRST_PART ? take(text, first) : take(slash + 1, value->size - first - 1);
}
