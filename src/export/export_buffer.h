/* SPDX-License-Identifier: MIT */
/*
 * export_buffer.h - a buffer in front of the output of an export, for texts and small pieces.
 *
 * Writing never fails at the call: what comes after the first failure is dropped, and `status` says so.
 */
#ifndef EXPORT_EXPORT_BUFFER_H
#define EXPORT_EXPORT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/number_text.h"
#include "export/export_output.h"

enum { EXPORT_BUFFER_SIZE = 256 * 1024 };

struct export_buffer {
	struct export_output *file;  /* borrowed */
	enum histree_status status;  /* of the first write that failed */
	struct histree_error *error; /* borrowed: what it said */
	size_t used;
	char bytes[EXPORT_BUFFER_SIZE];
};

/* Returns a buffer in front of a file, or NULL if memory is out; the caller frees it. */
struct export_buffer *export_buffer_create(struct export_output *file, struct histree_error *error);

/* Hand on what is there.  Returns `status`. */
enum histree_status export_buffer_flush(struct export_buffer *output);

/* Returns room for `size` bytes, at most EXPORT_BUFFER_SIZE.  The caller adds to `used` what it took. */
static inline char *export_room(struct export_buffer *output, size_t size)
{
	if (EXPORT_BUFFER_SIZE - output->used < size)
		export_buffer_flush(output);
	return output->bytes + output->used;
}

void export_long_bytes(struct export_buffer *output, const char *bytes, size_t size);

static inline void export_bytes(struct export_buffer *output, const char *bytes, size_t size)
{
	if (size > EXPORT_BUFFER_SIZE) {
		export_long_bytes(output, bytes, size);
		return;
	}
	char *room = export_room(output, size);
	if (size > 0)
		memcpy(room, bytes, size);
	output->used += size;
}

static inline void export_char(struct export_buffer *output, char c)
{
	*export_room(output, 1) = c;
	output->used++;
}

static inline void export_text(struct export_buffer *output, const char *text)
{
	export_bytes(output, text, strlen(text));
}

static inline void export_signed(struct export_buffer *output, int64_t number)
{
	char *room = export_room(output, NUMBER_TEXT_SIZE);
	output->used += number_format_signed(number, room);
}

static inline void export_unsigned(struct export_buffer *output, uint64_t number)
{
	char *room = export_room(output, NUMBER_TEXT_SIZE);
	output->used += number_format_unsigned(number, room);
}

#endif
