// SPDX-License-Identifier: MIT
/*
 * zlib.c - the only file that uses zlib.
 */
#include "base/zlib.h"

#include <assert.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/error.h"

/* RFC 1952: a window of 2^15 bytes; 32 more make zlib look for a header, of gzip or its own (RFC 1950). */
enum { GZIP_WINDOW = 15 + 32, PIECE_MAX = 1 << 30 };

/* ---- unpacking ----------------------------------------------------------------------------------------------- */

struct gunzip {
	z_stream stream;
	bool is_between; /* between two members: the next byte begins another one, or is not content */
	bool has_ended;
	struct unpack_limit limit;
};

bool zlib_is_there(void)
{
	return true;
}

bool zlib_unpack(const uint8_t *bytes, size_t size, uint8_t *room, size_t room_size)
{
	uLongf done = room_size;
	return uncompress(room, &done, bytes, size) == Z_OK && done == room_size;
}

enum histree_status gunzip_create(struct gunzip **out, struct histree_error *error)
{
	struct gunzip *gunzip = calloc(1, sizeof(*gunzip));
	*out = NULL;
	if (gunzip == NULL || inflateInit2(&gunzip->stream, GZIP_WINDOW) != Z_OK) {
		free(gunzip);
		return error_memory(error, "unpacking");
	}
	*out = gunzip;
	return HISTREE_OK;
}

/* After a member comes another one, or bytes that are not content: padding, as tar(1) and tapes leave it. */
static bool begin_member(struct gunzip *gunzip, const uint8_t *bytes, size_t size)
{
	if (!gunzip->is_between)
		return true;
	gunzip->has_ended = size > 0 && bytes[0] != 0x1f;
	gunzip->is_between = gunzip->has_ended || inflateReset(&gunzip->stream) != Z_OK;
	return !gunzip->is_between;
}

size_t gunzip_read(struct gunzip *gunzip, const uint8_t *bytes, size_t size, size_t *used, uint8_t *room,
		   size_t room_size)
{
	z_stream *stream = &gunzip->stream;
	*used = 0;
	if (gunzip->limit.is_over)
		return SIZE_MAX;
	if (size == 0 || gunzip->has_ended || !begin_member(gunzip, bytes, size))
		return 0;
	union {
		const uint8_t *constant;
		uint8_t *plain;
	} from = { .constant = bytes };
	stream->next_in = from.plain; /* zlib only reads it */
	stream->avail_in = (uInt)(size < PIECE_MAX ? size : PIECE_MAX);
	stream->next_out = room;
	stream->avail_out = (uInt)(room_size < PIECE_MAX ? room_size : PIECE_MAX);
	int result = inflate(stream, Z_NO_FLUSH);
	*used = (size_t)(stream->next_in - from.plain);
	size_t got = (size_t)(stream->next_out - room);
	if (!unpack_limit_count(&gunzip->limit, *used, got)) {
		gunzip->is_between = false;
		return SIZE_MAX;
	}
	gunzip->is_between = result == Z_STREAM_END;
	bool is_damaged = result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR;
	return is_damaged && got == 0 ? SIZE_MAX : got;
}

bool gunzip_is_whole(const struct gunzip *gunzip)
{
	return gunzip->is_between;
}

bool gunzip_is_over(const struct gunzip *gunzip)
{
	return gunzip->limit.is_over;
}

void gunzip_free(struct gunzip *gunzip)
{
	if (gunzip != NULL)
		inflateEnd(&gunzip->stream);
	free(gunzip);
}

/* ---- packing ------------------------------------------------------------------------------------------------- */

/* At the fastest level: a user waits for the packed bytes. */
enum { PACK_LEVEL = 1, PACK_WINDOW_BITS = 15, PACK_AS_GZIP = 16, PACK_MEMORY_LEVEL = 8 };

struct gzip {
	z_stream stream;
};

struct gzip *gzip_create(void)
{
	struct gzip *gzip = calloc(1, sizeof(*gzip));
	if (gzip == NULL || deflateInit2(&gzip->stream, PACK_LEVEL, Z_DEFLATED, PACK_WINDOW_BITS + PACK_AS_GZIP,
					 PACK_MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(gzip);
		return NULL;
	}
	return gzip;
}

size_t gzip_bound(struct gzip *gzip, size_t size)
{
	return deflateBound(&gzip->stream, size);
}

bool gzip_write(struct gzip *gzip, const void *bytes, size_t size, bool is_last, void *room, size_t room_size,
		size_t *packed)
{
	z_stream *stream = &gzip->stream;
	assert(size <= UINT32_MAX && room_size <= UINT32_MAX);
	stream->next_in = (z_const Bytef *)(uintptr_t)bytes; /* zlib only reads it */
	stream->avail_in = (uInt)size;
	stream->next_out = room;
	stream->avail_out = (uInt)room_size;
	int result = deflate(stream, is_last ? Z_FINISH : Z_NO_FLUSH);
	*packed = room_size - stream->avail_out;
	return result == (is_last ? Z_STREAM_END : Z_OK) && stream->avail_in == 0;
}

void gzip_free(struct gzip *gzip)
{
	if (gzip != NULL)
		deflateEnd(&gzip->stream);
	free(gzip);
}
