// SPDX-License-Identifier: MIT
/*
 * value_codec.c - a value as a type byte and its bytes.  Decoding never reads beyond the bytes that are there.
 */
#include "item/value_codec.h"

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
