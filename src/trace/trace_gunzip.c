// SPDX-License-Identifier: MIT
#include "trace/trace_gunzip.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/error.h"
#include "trace/unpack_limit.h"

/* RFC 1952: a window of 2^15 bytes; 32 more make zlib look for a header, of gzip or its own (RFC 1950). */
enum { GZIP_WINDOW = 15 + 32, PIECE_MAX = 1 << 30 };

struct trace_gunzip {
	z_stream stream;
	bool is_between; /* two members: the next byte begins one, or what is no content */
	bool has_ended;
	struct unpack_limit limit;
};

bool trace_gunzip_is_there(void)
{
	return true;
}

bool trace_uncompress(const uint8_t *bytes, size_t size, uint8_t *room, size_t room_size)
{
	uLongf done = room_size;
	return uncompress(room, &done, bytes, size) == Z_OK && done == room_size;
}

enum histree_status trace_gunzip_create(struct trace_gunzip **out, struct histree_error *error)
{
	struct trace_gunzip *gunzip = calloc(1, sizeof(*gunzip));
	*out = NULL;
	if (gunzip == NULL || inflateInit2(&gunzip->stream, GZIP_WINDOW) != Z_OK) {
		free(gunzip);
		return error_memory(error, "unpacking");
	}
	*out = gunzip;
	return HISTREE_OK;
}

/* What follows a member is another one, or no content: padding, as tar(1) and tapes leave it. */
static bool begin_member(struct trace_gunzip *gunzip, const uint8_t *bytes, size_t size)
{
	if (!gunzip->is_between)
		return true;
	gunzip->has_ended = size > 0 && bytes[0] != 0x1f;
	gunzip->is_between = gunzip->has_ended || inflateReset(&gunzip->stream) != Z_OK;
	return !gunzip->is_between;
}

size_t trace_gunzip(struct trace_gunzip *gunzip, const uint8_t *bytes, size_t size, size_t *used, uint8_t *room,
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
	stream->next_in = from.plain; /* which zlib only reads */
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

bool trace_gunzip_is_whole(const struct trace_gunzip *gunzip)
{
	return gunzip->is_between;
}

bool trace_gunzip_is_over(const struct trace_gunzip *gunzip)
{
	return gunzip->limit.is_over;
}

void trace_gunzip_free(struct trace_gunzip *gunzip)
{
	if (gunzip != NULL)
		inflateEnd(&gunzip->stream);
	free(gunzip);
}
