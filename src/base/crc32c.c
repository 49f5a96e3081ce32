// SPDX-License-Identifier: MIT
#include "base/crc32c.h"

#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

/* The remainders of 0..15 shifted by four bits, for the reflected polynomial 0x82f63b78. */
static const uint32_t nibble_table[16] = {
	0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
	0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t crc32c_portable(uint32_t sum, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	sum = ~sum;
	for (; size > 0; size--) {
		sum ^= *at++;
		sum = nibble_table[sum & 15] ^ (sum >> 4);
		sum = nibble_table[sum & 15] ^ (sum >> 4);
	}
	return ~sum;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc32c_sse42(uint32_t sum, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	uint64_t wide = (uint32_t)~sum;
	for (; size >= 8; size -= 8, at += 8) {
		uint64_t word;
		memcpy(&word, at, 8);
		wide = _mm_crc32_u64(wide, word);
	}
	uint32_t narrow = (uint32_t)wide;
	for (; size > 0; size--)
		narrow = _mm_crc32_u8(narrow, *at++);
	return ~narrow;
}
#endif

uint32_t crc32c(uint32_t sum, const void *bytes, size_t size)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("sse4.2"))
		return crc32c_sse42(sum, bytes, size);
#endif
	return crc32c_portable(sum, bytes, size);
}
