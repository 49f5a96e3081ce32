// SPDX-License-Identifier: MIT
#include "mpi/message.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

size_t message_room(struct message *message, size_t size)
{
	size_t at = message->size;
	if (message->no_memory || !array_reserve(&message->bytes, &message->capacity, at + size)) {
		message->no_memory = true;
		return SIZE_MAX;
	}
	memset(message->bytes + at, 0, size);
	message->size += size;
	return at;
}

void message_bytes(struct message *message, const void *bytes, size_t size)
{
	size_t at = message_room(message, size);
	if (at != SIZE_MAX && size > 0)
		memcpy(message->bytes + at, bytes, size);
}

void message_byte(struct message *message, uint8_t byte)
{
	message_bytes(message, &byte, 1);
}

void message_number(struct message *message, uint64_t number)
{
	uint8_t bytes[VARINT_SIZE_MAX];
	message_bytes(message, bytes, (size_t)(put_varint(bytes, number) - bytes));
}

void message_signed(struct message *message, int64_t number)
{
	message_number(message, zigzag(number));
}

void message_text(struct message *message, const void *text, size_t size)
{
	message_number(message, size);
	message_bytes(message, text, size);
}

void message_string(struct message *message, const char *text)
{
	message_text(message, text, strlen(text));
}

void message_clear(struct message *message)
{
	message->size = 0;
	message->no_memory = false;
}

void message_release(struct message *message)
{
	free(message->bytes);
	*message = (struct message){ 0 };
}

uint8_t read_byte(struct byte_reader *reader)
{
	const uint8_t *byte = read_bytes(reader, 1);
	return byte != NULL ? *byte : 0;
}

int64_t read_signed(struct byte_reader *reader)
{
	return unzigzag(read_varint(reader));
}

struct message_text read_text(struct byte_reader *reader)
{
	uint64_t size = read_varint(reader);
	if (size > byte_reader_left(reader))
		reader->failed = true;
	const uint8_t *bytes = reader->failed ? NULL : read_bytes(reader, (size_t)size);
	return (struct message_text){ .bytes = bytes != NULL ? (const char *)bytes : "",
				      .size = bytes != NULL ? (size_t)size : 0 };
}

char *message_text_copy(struct message_text text)
{
	char *copy = malloc(text.size + 1);
	if (copy == NULL)
		return NULL;
	memcpy(copy, text.bytes, text.size);
	copy[text.size] = '\0';
	return copy;
}

void read_text_into(struct byte_reader *reader, char *text, size_t size)
{
	struct message_text found = read_text(reader);
	size_t length = found.size < size ? found.size : size - 1;
	memcpy(text, found.bytes, length);
	text[length] = '\0';
}
