// SPDX-License-Identifier: MIT
/*
 * wire.c - messages of protocol buffers, field by field.  No field reaches beyond its message.
 */
#include "trace/perfetto/wire.h"

/* The largest number of a field has 29 bits. */
enum { FIELD_NUMBER_MAX = (1 << 29) - 1 };

static bool fail(struct wire_message *message)
{
	message->is_damaged = true;
	message->at = message->end;
	return false;
}

static inline const uint8_t *varint(const uint8_t *at, const uint8_t *end, uint64_t *out)
{
	if (at < end && *at < 0x80) { /* most are short */
		*out = *at;
		return at + 1;
	}
	return get_varint(at, end, out);
}

/* Returns the byte behind a number, NULL if it does not end in time. */
static const uint8_t *number(const uint8_t *at, const uint8_t *end, enum wire_kind kind, uint64_t *out)
{
	size_t left = (size_t)(end - at);
	switch (kind) {
	case WIRE_VARINT:
		return varint(at, end, out);
	case WIRE_FIXED64:
		*out = left < 8 ? 0 : get_le64(at);
		return left < 8 ? NULL : at + 8;
	case WIRE_FIXED32:
		*out = left < 4 ? 0 : get_le32(at);
		return left < 4 ? NULL : at + 4;
	default:
		return NULL;
	}
}

/* Numbers of one byte, as most are, are read here. */
bool wire_next(struct wire_message *message, struct wire_field *out)
{
	const uint8_t *at = message->at, *end = message->end;
	uint64_t tag, value;
	if (at == end)
		return false;
	at = varint(at, end, &tag);
	if (at == NULL || tag >> 3 == 0 || tag >> 3 > FIELD_NUMBER_MAX)
		return fail(message);
	enum wire_kind kind = (enum wire_kind)(tag & 7);
	at = kind == WIRE_VARINT || kind == WIRE_BYTES ? varint(at, end, &value) : number(at, end, kind, &value);
	if (at == NULL)
		return fail(message);
	out->number = (uint32_t)(tag >> 3);
	out->kind = kind;
	out->value = value;
	out->bytes = NULL;
	out->size = 0;
	if (kind == WIRE_BYTES) {
		if (value > (size_t)(end - at))
			return fail(message);
		out->bytes = at;
		out->size = (size_t)value;
		at += value;
	}
	message->at = at;
	return true;
}

bool wire_begins(const struct wire_message *message, size_t size, uint32_t number_max)
{
	const uint8_t *at = message->at, *begin = at;
	uint64_t tag, value;
	while (at < message->end) {
		at = varint(at, message->end, &tag);
		if (at == NULL)
			return true; /* the rest of it is not there */
		enum wire_kind kind = (enum wire_kind)(tag & 7);
		if (tag >> 3 == 0 || tag >> 3 > number_max || kind == 3 || kind == 4 || kind > WIRE_FIXED32)
			return false;
		at = number(at, message->end, kind == WIRE_BYTES ? WIRE_VARINT : kind, &value);
		if (at == NULL)
			return true;
		if (kind != WIRE_BYTES)
			continue;
		if (value > size - (size_t)(at - begin))
			return false;
		if (value > (size_t)(message->end - at))
			return true;
		at += value;
	}
	return true;
}

bool wire_list_next(struct wire_list *list, uint64_t *out)
{
	if (list->has_single) {
		list->has_single = false;
		*out = list->single;
		return true;
	}
	const uint8_t *next = list->at == list->end ? NULL : number(list->at, list->end, list->kind, out);
	list->at = next == NULL ? list->end : next;
	return next != NULL;
}
