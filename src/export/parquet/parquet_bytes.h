/* SPDX-License-Identifier: MIT */
/*
 * parquet_bytes.h - bytes that grow at their end.
 *
 * Memory that is out is remembered, and asked for once, at the end of a page or of the footer: until then
 * everything that is put goes nowhere.
 */
#ifndef EXPORT_PARQUET_PARQUET_BYTES_H
#define EXPORT_PARQUET_PARQUET_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"

/* A zeroed struct is empty. */
struct parquet_bytes {
	uint8_t *bytes;
	size_t size, capacity;
	bool failed; /* memory was out */
};

/* Returns room for `size` bytes at the end, which are not counted yet; NULL if memory is out. */
static inline uint8_t *parquet_bytes_room(struct parquet_bytes *bytes, size_t size)
{
	if (bytes->capacity - bytes->size >= size && !bytes->failed)
		return bytes->bytes + bytes->size;
	if (bytes->failed || size > SIZE_MAX - bytes->size ||
	    !array_reserve(&bytes->bytes, &bytes->capacity, bytes->size + size)) {
		bytes->failed = true;
		return NULL;
	}
	return bytes->bytes + bytes->size;
}

static inline void parquet_bytes_put(struct parquet_bytes *bytes, const void *from, size_t size)
{
	uint8_t *to = size == 0 ? NULL : parquet_bytes_room(bytes, size);
	if (to == NULL)
		return;
	memcpy(to, from, size);
	bytes->size += size;
}

static inline void parquet_bytes_put_byte(struct parquet_bytes *bytes, uint8_t byte)
{
	parquet_bytes_put(bytes, &byte, 1);
}

static inline void parquet_bytes_put_varint(struct parquet_bytes *bytes, uint64_t number)
{
	uint8_t *to = parquet_bytes_room(bytes, VARINT_SIZE_MAX);
	if (to != NULL)
		bytes->size = (size_t)(put_varint(to, number) - bytes->bytes);
}

static inline void parquet_bytes_clear(struct parquet_bytes *bytes)
{
	bytes->size = 0;
	bytes->failed = false;
}

#endif
