// SPDX-License-Identifier: MIT
#include "state/told_bytes.h"

#include <string.h>

#include "base/table.h"

/* ---- writing ---------------------------------------------------------------------------------------------- */

static uint8_t *room_for(struct told_writer *out, size_t size)
{
	out->failed = out->failed || !array_reserve(&out->bytes, &out->capacity, out->size + size);
	return out->failed ? NULL : out->bytes + out->size;
}

void told_put_number(struct told_writer *out, uint64_t number)
{
	uint8_t *at = room_for(out, VARINT_SIZE_MAX);
	if (at != NULL)
		out->size += (size_t)(put_varint(at, number) - at);
}

void told_put_bytes(struct told_writer *out, const void *bytes, size_t size)
{
	uint8_t *at = room_for(out, size);
	if (at == NULL)
		return;
	memcpy(at, bytes, size);
	out->size += size;
}

void told_put_text(struct told_writer *out, const char *text)
{
	size_t size = strlen(text);
	told_put_number(out, size);
	told_put_bytes(out, text, size);
}

/* ---- reading ---------------------------------------------------------------------------------------------- */

const char *told_take_text(struct told_reader *reading, size_t most)
{
	uint64_t size = read_varint(&reading->reader);
	reading->reader.failed = reading->reader.failed || size > most;
	const uint8_t *bytes = read_bytes(&reading->reader, (size_t)size);
	if (bytes == NULL || (size > 0 && memchr(bytes, '\0', (size_t)size) != NULL)) {
		reading->reader.failed = true;
		return "";
	}
	const char *text = arena_copy(reading->memory, bytes, (size_t)size);
	reading->no_memory = reading->no_memory || text == NULL;
	return text != NULL ? text : "";
}

size_t told_take_count(struct told_reader *reading, size_t size, size_t max)
{
	uint64_t count = read_varint(&reading->reader);
	bool is_right =
		told_is_sound(reading) && count <= max && count <= byte_reader_left(&reading->reader) / size;
	reading->reader.failed = reading->reader.failed || !is_right;
	return is_right ? (size_t)count : 0;
}

void *told_take_room(struct told_reader *reading, size_t count, size_t size)
{
	void *room = arena_allocate(reading->memory, (count + 1) * size, _Alignof(max_align_t));
	reading->no_memory = reading->no_memory || room == NULL;
	return room;
}

uint8_t told_take_byte(struct told_reader *reading, uint8_t max)
{
	const uint8_t *byte = read_bytes(&reading->reader, 1);
	if (byte != NULL && *byte <= max)
		return *byte;
	reading->reader.failed = true;
	return 0;
}
