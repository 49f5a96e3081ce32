// SPDX-License-Identifier: MIT
#include "trace/trace_cmd/dat_unpack.h"

#include "base/zstd.h"
#include "trace/trace_gunzip.h"

bool dat_can_unpack(enum dat_packing packing)
{
	return packing == DAT_PACKING_NONE || (packing == DAT_PACKING_ZLIB && trace_gunzip_is_there()) ||
	       (packing == DAT_PACKING_ZSTD && zstd_is_there);
}

bool dat_unpack(enum dat_packing packing, const uint8_t *bytes, size_t size, uint8_t *room, size_t room_size)
{
	switch (packing) {
	case DAT_PACKING_ZLIB:
		return trace_uncompress(bytes, size, room, room_size);
	case DAT_PACKING_ZSTD:
		return zstd_unpack(bytes, size, room, room_size);
	default:
		return false;
	}
}
