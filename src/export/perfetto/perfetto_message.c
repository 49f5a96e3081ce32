// SPDX-License-Identifier: MIT
#include "export/perfetto/perfetto_message.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, VARINT_MAX = 10 };

static bool have_room(struct perfetto_message *message, size_t size)
{
	if (!message->has_failed &&
	    !array_reserve(&message->bytes, &message->capacity, message->size + size + 2 * (size_t)VARINT_MAX))
		message->has_failed = true;
	return !message->has_failed;
}

static void put_varint(struct perfetto_message *message, uint64_t value)
{
	unsigned char *at = message->bytes + message->size;
	for (; value > 0x7f; value >>= 7)
		*at++ = (unsigned char)(value | 0x80);
	*at++ = (unsigned char)value;
	message->size = (size_t)(at - message->bytes);
}

static void put_tag(struct perfetto_message *message, uint32_t field, unsigned wire)
{
	put_varint(message, (uint64_t)field << 3 | wire);
}

void perfetto_message_varint(struct perfetto_message *message, uint32_t field, uint64_t value)
{
	if (!have_room(message, 0))
		return;
	put_tag(message, field, WIRE_VARINT);
	put_varint(message, value);
}

void perfetto_message_fixed64(struct perfetto_message *message, uint32_t field, uint64_t value)
{
	if (!have_room(message, sizeof(value)))
		return;
	put_tag(message, field, WIRE_FIXED64);
	for (unsigned i = 0; i < sizeof(value); i++)
		message->bytes[message->size++] = (unsigned char)(value >> (8 * i));
}

void perfetto_message_real(struct perfetto_message *message, uint32_t field, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof(bits));
	perfetto_message_fixed64(message, field, bits);
}

void perfetto_message_bytes(struct perfetto_message *message, uint32_t field, const void *bytes, size_t size)
{
	if (!have_room(message, size))
		return;
	put_tag(message, field, WIRE_BYTES);
	put_varint(message, size);
	if (size > 0)
		memcpy(message->bytes + message->size, bytes, size);
	message->size += size;
}

void perfetto_message_text(struct perfetto_message *message, uint32_t field, const char *bytes, size_t size)
{
	if (utf8_is_valid(bytes, size)) {
		perfetto_message_bytes(message, field, bytes, size);
		return;
	}
	char *text = malloc(3 * size);
	if (text == NULL) {
		message->has_failed = true;
		return;
	}
	perfetto_message_bytes(message, field, text, utf8_repair(bytes, size, text));
	free(text);
}

void perfetto_message_message(struct perfetto_message *message, uint32_t field,
			      const struct perfetto_message *inner)
{
	message->has_failed = message->has_failed || inner->has_failed;
	perfetto_message_bytes(message, field, inner->bytes, inner->size);
}

void perfetto_message_release(struct perfetto_message *message)
{
	free(message->bytes);
}
