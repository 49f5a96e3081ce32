// SPDX-License-Identifier: MIT
#include "trace/trace_cmd/dat_unpack.h"

bool dat_can_unpack(enum dat_packing packing)
{
	return packing == DAT_PACKING_NONE || (packing == DAT_PACKING_ZLIB && dat_has_zlib) ||
	       (packing == DAT_PACKING_ZSTD && dat_has_zstd);
}

bool dat_unpack(enum dat_packing packing, const uint8_t *bytes, size_t size, uint8_t *room, size_t room_size)
{
	switch (packing) {
	case DAT_PACKING_ZLIB:
		return dat_unpack_zlib(bytes, size, room, room_size);
	case DAT_PACKING_ZSTD:
		return dat_unpack_zstd(bytes, size, room, room_size);
	default:
		return false;
	}
}
