// SPDX-License-Identifier: MIT
#include "trace/trace_cmd/dat_unpack.h"

#include <zstd.h>

const bool dat_has_zstd = true;

bool dat_unpack_zstd(const uint8_t *bytes, size_t size, uint8_t *room, size_t room_size)
{
	size_t done = ZSTD_decompress(room, room_size, bytes, size);
	return !ZSTD_isError(done) && done == room_size;
}
