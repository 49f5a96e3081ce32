/* SPDX-License-Identifier: MIT */
/*
 * arrow_cells.h - one cell of an ArrowArray at a time, read by nothing but the specification.
 */
#ifndef SUPPORT_ARROW_CELLS_H
#define SUPPORT_ARROW_CELLS_H

#include <string.h>

#include "histree/columns.h"

static inline bool arrow_bit(const void *bits, int64_t at)
{
	return (((const uint8_t *)bits)[at / 8] >> (at % 8) & 1) != 0;
}

static inline bool arrow_is_null(const struct ArrowArray *array, int64_t row)
{
	return array->buffers[0] != NULL && !arrow_bit(array->buffers[0], array->offset + row);
}

static inline int64_t arrow_int64(const struct ArrowArray *array, int64_t row)
{
	return ((const int64_t *)array->buffers[1])[array->offset + row];
}

static inline uint32_t arrow_uint32(const struct ArrowArray *array, int64_t row)
{
	return ((const uint32_t *)array->buffers[1])[array->offset + row];
}

static inline double arrow_real(const struct ArrowArray *array, int64_t row)
{
	return ((const double *)array->buffers[1])[array->offset + row];
}

/* Of a column of utf8. */
static inline const char *arrow_utf8(const struct ArrowArray *array, int64_t row, size_t *size)
{
	const int32_t *offsets = (const int32_t *)array->buffers[1] + array->offset + row;
	*size = (size_t)(offsets[1] - offsets[0]);
	return (const char *)array->buffers[2] + offsets[0];
}

/* Of a column of indices into a dictionary of utf8; NULL if there is no such entry. */
static inline const char *arrow_word(const struct ArrowArray *array, int64_t row, size_t *size)
{
	uint32_t index = arrow_uint32(array, row);
	return index < array->dictionary->length ? arrow_utf8(array->dictionary, index, size) : NULL;
}

static inline const char *arrow_short(const struct ArrowArray *array, int64_t row, size_t *size)
{
	uint8_t index = ((const uint8_t *)array->buffers[1])[array->offset + row];
	return index < array->dictionary->length ? arrow_utf8(array->dictionary, index, size) : NULL;
}

static inline bool arrow_text_is(const char *text, size_t size, const char *expected)
{
	return text != NULL && size == strlen(expected) && memcmp(text, expected, size) == 0;
}

/* How many bits of a validity bitmap are 0. */
static inline int64_t arrow_count_nulls(const struct ArrowArray *array)
{
	int64_t nulls = 0;
	for (int64_t row = 0; row < array->length; row++)
		nulls += arrow_is_null(array, row);
	return nulls;
}

#endif
