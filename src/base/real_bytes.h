/* SPDX-License-Identifier: MIT */
/*
 * real_bytes.h - floating-point numbers as bytes, little-endian, as IEEE 754 has them.
 */
#ifndef BASE_REAL_BYTES_H
#define BASE_REAL_BYTES_H

#include "base/bytes.h"

static inline void put_le_float(uint8_t *bytes, float number)
{
	uint32_t bits;
	memcpy(&bits, &number, sizeof(bits));
	put_le32(bytes, bits);
}

static inline void put_le_double(uint8_t *bytes, double number)
{
	uint64_t bits;
	memcpy(&bits, &number, sizeof(bits));
	put_le64(bytes, bits);
}

#endif
