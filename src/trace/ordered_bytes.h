/* SPDX-License-Identifier: MIT */
/* ordered_bytes.h - numbers in memory, in the byte order of the writer of a file. */
#ifndef TRACE_ORDERED_BYTES_H
#define TRACE_ORDERED_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t ordered_u16(const uint8_t *at, bool is_big)
{
	unsigned number = is_big ? at[0] << 8 | at[1] : at[1] << 8 | at[0];
	return (uint16_t)number;
}

static inline uint32_t ordered_u32(const uint8_t *at, bool is_big)
{
	uint32_t number;
	memcpy(&number, at, sizeof(number));
	return is_big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? number : __builtin_bswap32(number);
}

static inline uint64_t ordered_u64(const uint8_t *at, bool is_big)
{
	uint64_t number;
	memcpy(&number, at, sizeof(number));
	return is_big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? number : __builtin_bswap64(number);
}

#endif
