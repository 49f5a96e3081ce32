// SPDX-License-Identifier: MIT
#include "trace/trace_cmd/dat_unpack.h"

#include <zlib.h>

const bool dat_has_zlib = true;

bool dat_unpack_zlib(const uint8_t *bytes, size_t size, uint8_t *room, size_t room_size)
{
	uLongf done = room_size;
	return uncompress(room, &done, bytes, size) == Z_OK && done == room_size;
}
