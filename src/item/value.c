// SPDX-License-Identifier: MIT
/*
 * value.c - values of states: their types, their bytes, and two numbers in one string.
 *
 * Decoding never reads beyond the bytes that are there.
 */
#include "item/value.h"

#include <string.h>

#include "base/bytes.h"
#include "base/number_text.h"
#include "histree/value.h"

/* ---- value --------------------------------------------------------------------------------------------------- */

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

/* ---- value codec --------------------------------------------------------------------------------------------- */

size_t value_encoded_size(const struct histree_value *value)
{
	switch (value->type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		return 1;
	case HISTREE_INT:
		return 1 + varint_size(zigzag(value->int32));
	case HISTREE_LONG:
		return 1 + varint_size(zigzag(value->int64));
	case HISTREE_DOUBLE:
		return 1 + 8;
	case HISTREE_BOOL:
		return 1 + 1;
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		return 1 + varint_size(value->size) + value->size;
	}
	return 0;
}

uint8_t *value_encode(uint8_t *at, const struct histree_value *value)
{
	*at++ = (uint8_t)value->type;
	switch (value->type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	case HISTREE_INT:
		return put_varint(at, zigzag(value->int32));
	case HISTREE_LONG:
		return put_varint(at, zigzag(value->int64));
	case HISTREE_DOUBLE: {
		uint64_t bits;
		memcpy(&bits, &value->real, sizeof(bits));
		put_le64(at, bits);
		return at + 8;
	}
	case HISTREE_BOOL:
		*at++ = value->boolean;
		break;
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		at = put_varint(at, value->size);
		if (value->size > 0)
			memcpy(at, value->bytes, value->size);
		return at + value->size;
	}
	return at;
}

static void decode_bytes(struct byte_reader *reader, struct histree_value *value)
{
	uint64_t size = read_varint(reader);
	if (size > byte_reader_left(reader)) {
		reader->failed = true;
		return;
	}
	value->bytes = read_bytes(reader, (size_t)size);
	value->size = (uint32_t)size;
}

struct histree_value value_decode(struct byte_reader *reader)
{
	struct histree_value value = { .type = HISTREE_NULL };
	const uint8_t *type = read_bytes(reader, 1);
	if (type == NULL || *type >= HISTREE_TYPE_COUNT) {
		reader->failed = true;
		return value;
	}
	value.type = (enum histree_type) * type;
	switch (value.type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	case HISTREE_INT: {
		int64_t number = unzigzag(read_varint(reader));
		if (number < INT32_MIN || number > INT32_MAX)
			reader->failed = true;
		value.int32 = (int32_t)number;
		break;
	}
	case HISTREE_LONG:
		value.int64 = unzigzag(read_varint(reader));
		break;
	case HISTREE_DOUBLE: {
		uint64_t bits = read_le64(reader);
		memcpy(&value.real, &bits, sizeof(bits));
		break;
	}
	case HISTREE_BOOL: {
		const uint8_t *byte = read_bytes(reader, 1);
		if (byte == NULL || *byte > 1)
			reader->failed = true;
		else
			value.boolean = *byte != 0;
		break;
	}
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		decode_bytes(reader, &value);
		break;
	}
	return value;
}

/* ---- value pair ---------------------------------------------------------------------------------------------- */

static size_t value_put_text(char *text, const struct histree_value *value)
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
	size_t size = value_put_text(text, &first);
	text[size++] = '/';
	size += value_put_text(text + size, &second);
	return histree_string_n(text, size);
}

/* An int in decimal, "-" or "?"; null for everything else. */
static struct histree_value value_take_text(const char *text, size_t size)
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
	return part == HISTREE_FIRST_PART ? value_take_text(text, first)
					  : value_take_text(slash + 1, value->size - first - 1);
}
