/* SPDX-License-Identifier: MIT */
/*
 * dat_unpack.h - blocks that trace-cmd has compressed, each by itself, with zlib or zstd.
 */
#ifndef TRACE_TRACE_CMD_DAT_UNPACK_H
#define TRACE_TRACE_CMD_DAT_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dat_packing {
	DAT_PACKING_NONE,
	DAT_PACKING_ZLIB,
	DAT_PACKING_ZSTD,
	DAT_PACKING_COUNT,
};

/* Returns whether histree was built with what unpacks it. */
bool dat_can_unpack(enum dat_packing packing);

/* Unpack a block.  Returns whether exactly the expected number of bytes came of it. */
bool dat_unpack(enum dat_packing packing, const uint8_t *bytes, size_t size, uint8_t *room, size_t room_size);

#endif
