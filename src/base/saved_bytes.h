/* SPDX-License-Identifier: MIT */
/*
 * saved_bytes.h - what is kept or sent as bytes: numbers and texts one after the other, which a struct byte_reader
 * reads back.
 */
#ifndef BASE_SAVED_BYTES_H
#define BASE_SAVED_BYTES_H

#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"

/* A zeroed one is empty.  Its owner frees the bytes. */
struct saved_bytes {
	uint8_t *bytes;
	size_t size, capacity;
	bool no_memory; /* something could not be put: all of it is worth nothing */
};

static inline void saved_put(struct saved_bytes *saved, uint64_t number)
{
	if (saved->no_memory || !array_reserve(&saved->bytes, &saved->capacity, saved->size + VARINT_SIZE_MAX)) {
		saved->no_memory = true;
		return;
	}
	saved->size = (size_t)(put_varint(saved->bytes + saved->size, number) - saved->bytes);
}

static inline void saved_put_signed(struct saved_bytes *saved, int64_t number)
{
	saved_put(saved, zigzag(number));
}

static inline int64_t saved_read_signed(struct byte_reader *reader)
{
	return unzigzag(read_varint(reader));
}

static inline int32_t saved_read_int32(struct byte_reader *reader)
{
	int64_t number = saved_read_signed(reader);
	if (number != (int32_t)number)
		reader->failed = true;
	return (int32_t)number;
}

/* A time, as its difference to another one; it may overflow, and comes back. */
static inline void saved_put_time(struct saved_bytes *saved, int64_t time, int64_t base)
{
	saved_put_signed(saved, (int64_t)((uint64_t)time - (uint64_t)base));
}

static inline int64_t saved_read_time(struct byte_reader *reader, int64_t base)
{
	return (int64_t)((uint64_t)base + (uint64_t)saved_read_signed(reader));
}

static inline void saved_put_bytes(struct saved_bytes *saved, const void *bytes, size_t size)
{
	if (saved->no_memory || !array_reserve(&saved->bytes, &saved->capacity, saved->size + size)) {
		saved->no_memory = true;
		return;
	}
	if (size > 0)
		memcpy(saved->bytes + saved->size, bytes, size);
	saved->size += size;
}

/* A text with its size, and back: borrowed from the reader, without a terminator. */
static inline void saved_put_text(struct saved_bytes *saved, const void *text, size_t size)
{
	saved_put(saved, size);
	saved_put_bytes(saved, text, size);
}

static inline const char *saved_read_text(struct byte_reader *reader, size_t *size)
{
	uint64_t said = read_varint(reader);
	if (said > byte_reader_left(reader))
		reader->failed = true;
	*size = reader->failed ? 0 : (size_t)said;
	return reader->failed ? "" : (const char *)read_bytes(reader, *size);
}

/* Reads a number that is to be below a limit. */
static inline uint64_t saved_read_below(struct byte_reader *reader, uint64_t limit)
{
	uint64_t number = read_varint(reader);
	if (number >= limit)
		reader->failed = true;
	return reader->failed ? 0 : number;
}

/* Reads a count of things, each of which takes at least `bytes_each` bytes of what follows. */
static inline size_t saved_read_count(struct byte_reader *reader, size_t bytes_each)
{
	return (size_t)saved_read_below(reader, byte_reader_left(reader) / bytes_each + 1);
}

static inline void saved_release(struct saved_bytes *saved)
{
	free(saved->bytes);
	*saved = (struct saved_bytes){ 0 };
}

#endif
