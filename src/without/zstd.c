// SPDX-License-Identifier: MIT
/*
 * zstd.c - without libzstd: nothing is packed, and nothing can be unpacked.
 */
#include "base/zstd.h"
#include "without/without.h"

const bool zstd_is_there = false;

struct zstd_packer *zstd_packer_create(int level)
{
	return NULL;
}

size_t zstd_pack_bound(size_t size)
{
	return size;
}

size_t zstd_pack(struct zstd_packer *packer, const void *bytes, size_t size, void *out, size_t room)
{
	return 0;
}

void zstd_packer_free(struct zstd_packer *packer)
{
}

bool zstd_unpack(const uint8_t *bytes, size_t size, uint8_t *room, size_t room_size)
{
	return false;
}

struct zstd_stream *zstd_stream_create(void)
{
	return NULL;
}

size_t zstd_stream_unpack(struct zstd_stream *stream, const uint8_t *bytes, size_t size, size_t *used,
			  uint8_t *room, size_t room_size)
{
	return SIZE_MAX;
}

void zstd_stream_free(struct zstd_stream *stream)
{
}
