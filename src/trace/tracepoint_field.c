// SPDX-License-Identifier: MIT
#include "trace/tracepoint_field.h"

#include "trace/ordered_bytes.h"

static bool is_within(struct tracepoint_bytes event, uint64_t offset, uint64_t size)
{
	return offset <= event.size && size <= event.size - offset;
}

bool tracepoint_field_int(const struct tracepoint_field *field, struct tracepoint_bytes event, int64_t *out)
{
	if (field->kind != TRACEPOINT_INTEGER || !is_within(event, field->offset, field->size))
		return false;
	const uint8_t *at = event.bytes + field->offset;
	bool is_signed = field->is_signed;
	switch (field->size) {
	case 1:
		*out = is_signed ? (int8_t)*at : *at;
		return true;
	case 2:
		*out = is_signed ? (int16_t)ordered_u16(at, event.is_big) : ordered_u16(at, event.is_big);
		return true;
	case 4:
		*out = is_signed ? (int64_t)(int32_t)ordered_u32(at, event.is_big)
				 : (int64_t)ordered_u32(at, event.is_big);
		return true;
	default:
		*out = (int64_t)ordered_u64(at, event.is_big);
		return true;
	}
}

bool tracepoint_field_text(const struct tracepoint_field *field, struct tracepoint_bytes event, const char **text,
			   size_t *size)
{
	uint64_t offset = field->offset, room = field->size;
	if (field->kind == TRACEPOINT_DISTANT_TEXT || field->kind == TRACEPOINT_RELATIVE_TEXT) {
		if (!is_within(event, offset, 4))
			return false;
		uint32_t where = ordered_u32(event.bytes + offset, event.is_big);
		offset = (where & 0xffff) + (field->kind == TRACEPOINT_RELATIVE_TEXT ? offset + 4 : 0);
		room = where >> 16;
	} else if (field->kind != TRACEPOINT_TEXT) {
		return false;
	} else if (room == 0 && offset <= event.size) {
		room = event.size - offset;
	}
	if (!is_within(event, offset, room))
		return false;
	const char *begin = (const char *)event.bytes + offset;
	*text = begin;
	*size = room == 0 ? 0 : strnlen(begin, (size_t)room);
	return true;
}
