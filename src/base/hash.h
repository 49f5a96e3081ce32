/* SPDX-License-Identifier: MIT */
/*
 * hash.h - mixing functions for hash tables in memory; never written to disk.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A bijection of 64 bits in which every input bit moves every output bit (Stafford's variant 13). */
static inline uint64_t hash_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static inline uint64_t hash_bytes(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint64_t hash = size * UINT64_C(0x9e3779b97f4a7c15);
	while (size >= 8) {
		uint64_t word;
		memcpy(&word, at, 8);
		hash = hash_mix(hash ^ word);
		at += 8;
		size -= 8;
	}
	/* The tail by overlapping or single loads: a memcpy of variable size costs more than the hash. */
	if (size >= 4) {
		uint32_t low, high;
		memcpy(&low, at, 4);
		memcpy(&high, at + size - 4, 4);
		hash = hash_mix(hash ^ ((uint64_t)high << 32 | low));
	} else if (size > 0) {
		hash = hash_mix(hash ^ ((uint64_t)at[0] << 16 | (uint64_t)at[size / 2] << 8 | at[size - 1]));
	}
	return hash;
}

#endif
