/* SPDX-License-Identifier: MIT */
/*
 * perfetto_message.h - messages of protocol buffers, field by field, in a buffer that grows.
 *
 * Source: "Encoding" of the Protocol Buffers documentation (protobuf.dev/programming-guides/encoding).
 */
#ifndef EXPORT_PERFETTO_PERFETTO_MESSAGE_H
#define EXPORT_PERFETTO_PERFETTO_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zeroed one is empty. */
struct perfetto_message {
	unsigned char *bytes;
	size_t size, capacity;
	bool has_failed; /* memory is out: nothing more is added */
};

void perfetto_message_varint(struct perfetto_message *message, uint32_t field, uint64_t value);
void perfetto_message_fixed64(struct perfetto_message *message, uint32_t field, uint64_t value);
void perfetto_message_real(struct perfetto_message *message, uint32_t field, double value);
void perfetto_message_bytes(struct perfetto_message *message, uint32_t field, const void *bytes, size_t size);

/* A string must be UTF-8: what is not becomes U+FFFD. */
void perfetto_message_text(struct perfetto_message *message, uint32_t field, const char *bytes, size_t size);

/* A message in a message; failure is handed on. */
void perfetto_message_message(struct perfetto_message *message, uint32_t field,
			      const struct perfetto_message *inner);

static inline void perfetto_message_clear(struct perfetto_message *message)
{
	message->size = 0;
}

void perfetto_message_release(struct perfetto_message *message);

#endif
