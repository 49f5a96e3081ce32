/* SPDX-License-Identifier: MIT */
/*
 * saved_bytes.h - what an analysis knows, as bytes: numbers one after the other, which a struct byte_reader reads
 * back.
 */
#ifndef ANALYSIS_SAVED_BYTES_H
#define ANALYSIS_SAVED_BYTES_H

#include "base/array.h"
#include "base/bytes.h"

/* A zeroed one is empty.  The bytes are freed by whoever has it. */
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

/* A time, as its difference to another one; it may overflow, and comes back. */
static inline void saved_put_time(struct saved_bytes *saved, int64_t time, int64_t base)
{
	saved_put_signed(saved, (int64_t)((uint64_t)time - (uint64_t)base));
}

static inline int64_t saved_read_time(struct byte_reader *reader, int64_t base)
{
	return (int64_t)((uint64_t)base + (uint64_t)saved_read_signed(reader));
}

#endif
