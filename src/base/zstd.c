// SPDX-License-Identifier: MIT
/*
 * zstd.c - the only file that uses libzstd; its contexts are called packers and streams here.
 */
#include "base/zstd.h"

#include <zstd.h>

/* A stream states how far back it refers; the compressor's own levels need at most 2^27, at level 22. */
enum { WINDOW_LOG_MAX = 27 };

const bool zstd_is_there = true;

struct zstd_packer *zstd_packer_create(int level)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	if (context != NULL && ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level))) {
		ZSTD_freeCCtx(context);
		context = NULL;
	}
	return (struct zstd_packer *)context;
}

size_t zstd_pack_bound(size_t size)
{
	return ZSTD_compressBound(size);
}

size_t zstd_pack(struct zstd_packer *packer, const void *bytes, size_t size, void *out, size_t room)
{
	const size_t done = ZSTD_compress2((ZSTD_CCtx *)packer, out, room, bytes, size);
	return ZSTD_isError(done) ? 0 : done;
}

void zstd_packer_free(struct zstd_packer *packer)
{
	ZSTD_freeCCtx((ZSTD_CCtx *)packer);
}

bool zstd_unpack(const uint8_t *bytes, size_t size, uint8_t *room, size_t room_size)
{
	const size_t done = ZSTD_decompress(room, room_size, bytes, size);
	return !ZSTD_isError(done) && done == room_size;
}

struct zstd_stream *zstd_stream_create(void)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	if (stream != NULL)
		ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	return (struct zstd_stream *)stream;
}

size_t zstd_stream_unpack(struct zstd_stream *stream, const uint8_t *bytes, size_t size, size_t *used,
			  uint8_t *room, size_t room_size)
{
	ZSTD_inBuffer in = { .src = bytes, .size = size, .pos = *used };
	ZSTD_outBuffer out = { .dst = room, .size = room_size };
	const size_t left = ZSTD_decompressStream((ZSTD_DStream *)stream, &out, &in);
	*used = in.pos;
	return ZSTD_isError(left) ? SIZE_MAX : out.pos;
}

void zstd_stream_free(struct zstd_stream *stream)
{
	ZSTD_freeDStream((ZSTD_DStream *)stream);
}
