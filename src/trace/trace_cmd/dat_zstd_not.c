// SPDX-License-Identifier: MIT
/*
 * dat_unpack.h without zstd.
 */
#include "trace/trace_cmd/dat_unpack.h"

const bool dat_has_zstd = false;

bool dat_unpack_zstd(const uint8_t *bytes, size_t size, uint8_t *room, size_t room_size)
{
	(void)bytes, (void)size, (void)room, (void)room_size;
	return false;
}
