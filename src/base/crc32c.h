/* SPDX-License-Identifier: MIT */
/*
 * crc32c.h - CRC-32C (Castagnoli, polynomial 0x1edc6f41), as in iSCSI (RFC 3720), ext4 and SSE4.2.
 *
 * crc32c(0, "123456789", 9) = 0xe3069283.  A sum can be continued: crc32c(crc32c(0, a), b) is the sum of a and b
 * together.
 */
#ifndef BASE_CRC32C_H
#define BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32c(uint32_t sum, const void *bytes, size_t size);

/* The same sum without the instruction of the processor: for processors that lack it, and to test the other. */
uint32_t crc32c_portable(uint32_t sum, const void *bytes, size_t size);

#endif
