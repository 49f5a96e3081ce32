// SPDX-License-Identifier: MIT
#include "trace/perfetto/perfetto_inflate.h"

#include <limits.h>
#include <stdlib.h>
#define ZLIB_CONST
#include <zlib.h>

#include "base/error.h"

struct perfetto_inflate {
	z_stream stream;
	bool is_whole;
};

/* The largest window, and either head (inflateInit2() of zlib.h). */
enum { WINDOW_BITS = 15 + 32 };

enum histree_status perfetto_inflate_create(struct perfetto_inflate **out, struct histree_error *error)
{
	*out = calloc(1, sizeof(**out));
	if (*out != NULL && inflateInit2(&(*out)->stream, WINDOW_BITS) == Z_OK)
		return HISTREE_OK;
	free(*out);
	*out = NULL;
	return error_memory(error, "what is compressed");
}

static unsigned bounded(size_t size)
{
	return size < UINT_MAX ? (unsigned)size : UINT_MAX;
}

size_t perfetto_inflate(struct perfetto_inflate *unpack, const uint8_t *bytes, size_t size, size_t *used,
			uint8_t *room, size_t room_size)
{
	z_stream *stream = &unpack->stream;
	if (unpack->is_whole && *used < size)
		perfetto_inflate_begin(unpack);
	unsigned given = bounded(size - *used), wanted = bounded(room_size);
	stream->next_in = bytes + *used;
	stream->avail_in = given;
	stream->next_out = room;
	stream->avail_out = wanted;
	int result = inflate(stream, Z_NO_FLUSH);
	*used += given - stream->avail_in;
	unpack->is_whole = result == Z_STREAM_END;
	bool is_sound = result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR;
	return is_sound ? wanted - stream->avail_out : SIZE_MAX;
}

bool perfetto_inflate_is_whole(const struct perfetto_inflate *unpack)
{
	return unpack->is_whole;
}

void perfetto_inflate_begin(struct perfetto_inflate *unpack)
{
	inflateReset(&unpack->stream);
	unpack->is_whole = false;
}

void perfetto_inflate_free(struct perfetto_inflate *unpack)
{
	if (unpack != NULL)
		inflateEnd(&unpack->stream);
	free(unpack);
}
