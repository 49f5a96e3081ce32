// SPDX-License-Identifier: MIT
#include "trace/perf/perf_unpack.h"

#include <zstd.h>

#include "base/error.h"

/* A stream says how far back it refers; perf's say at most what the level asks for, 2^27 at 22. */
enum { WINDOW_LOG_MAX = 27 };

/* The stream of zstd by another name. */
static ZSTD_DStream *stream_of(struct perf_unpack *unpack)
{
	return (ZSTD_DStream *)unpack;
}

enum histree_status perf_unpack_create(struct perf_unpack **out, struct histree_error *error)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	*out = (struct perf_unpack *)stream;
	if (stream == NULL)
		return error_memory(error, "compressed records");
	ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	return HISTREE_OK;
}

size_t perf_unpack(struct perf_unpack *unpack, const uint8_t *bytes, size_t size, size_t *used, uint8_t *room,
		   size_t room_size)
{
	ZSTD_inBuffer in = { .src = bytes, .size = size, .pos = *used };
	ZSTD_outBuffer out = { .dst = room, .size = room_size };
	size_t left = ZSTD_decompressStream(stream_of(unpack), &out, &in);
	*used = in.pos;
	return ZSTD_isError(left) ? SIZE_MAX : out.pos;
}

void perf_unpack_free(struct perf_unpack *unpack)
{
	ZSTD_freeDStream(stream_of(unpack));
}
