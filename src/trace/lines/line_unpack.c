// SPDX-License-Identifier: MIT
#include "trace/lines/line_unpack.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"

enum { PACKED_SIZE = 64 << 10 };

struct line_unpack {
	z_stream stream;
	bool is_within; /* a member has begun, and has not ended */
	unsigned char packed[PACKED_SIZE];
};

bool line_unpack_is_packed(const char magic[static LINE_UNPACK_MAGIC_SIZE])
{
	return memcmp(magic, "\x1f\x8b", LINE_UNPACK_MAGIC_SIZE) == 0;
}

enum histree_status line_unpack_create(struct line_unpack **out, struct histree_error *error)
{
	enum { ONLY_GZIP = 16 };
	struct line_unpack *unpack = calloc(1, sizeof(*unpack));
	*out = NULL;
	if (unpack == NULL || inflateInit2(&unpack->stream, ONLY_GZIP + MAX_WBITS) != Z_OK) {
		free(unpack);
		return error_memory(error, "a packed text");
	}
	*out = unpack;
	return HISTREE_OK;
}

void line_unpack_free(struct line_unpack *unpack)
{
	if (unpack == NULL)
		return;
	inflateEnd(&unpack->stream);
	free(unpack);
}

static enum histree_status damaged(const struct text_input *input, struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_TRACE,
			 "'%.200s' is damaged or cut: gzip cannot be unpacked at byte %llu", input->path,
			 (unsigned long long)input->at);
}

/* Have packed bytes.  Returns HISTREE_END if there are no more and none are missing. */
static enum histree_status read_packed(struct line_unpack *unpack, struct text_input *input,
				       struct histree_error *error)
{
	size_t size;
	if (unpack->stream.avail_in > 0)
		return HISTREE_OK;
	enum histree_status status = text_input_read(input, unpack->packed, PACKED_SIZE, &size, error);
	if (status != HISTREE_OK)
		return status;
	unpack->stream.next_in = unpack->packed;
	unpack->stream.avail_in = (unsigned)size;
	if (size > 0)
		return HISTREE_OK;
	return unpack->is_within ? damaged(input, error) : HISTREE_END;
}

enum histree_status line_unpack(struct line_unpack *unpack, struct text_input *input, void *room, size_t room_size,
				size_t *size, struct histree_error *error)
{
	z_stream *stream = &unpack->stream;
	*size = 0;
	stream->next_out = room;
	stream->avail_out = (unsigned)room_size;
	while (stream->avail_out == room_size) {
		enum histree_status status = read_packed(unpack, input, error);
		if (status != HISTREE_OK)
			return status == HISTREE_END ? HISTREE_OK : status;
		unpack->is_within = true;
		int result = inflate(stream, Z_NO_FLUSH);
		if (result == Z_MEM_ERROR)
			return error_memory(error, "a packed text");
		if (result == Z_STREAM_END)
			unpack->is_within = inflateReset(stream) != Z_OK;
		else if (result != Z_OK)
			return damaged(input, error);
	}
	*size = room_size - stream->avail_out;
	return HISTREE_OK;
}
