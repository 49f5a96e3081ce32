// SPDX-License-Identifier: MIT
#include "trace/lines/line_unpack.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/trace_gunzip.h"
#include "trace/unpack_limit.h"

enum { PACKED_SIZE = 64 << 10 };

struct line_unpack {
	struct trace_gunzip *gunzip;
	size_t used, filled;
	uint8_t packed[PACKED_SIZE];
};

bool line_unpack_is_packed(const char magic[static LINE_UNPACK_MAGIC_SIZE])
{
	return memcmp(magic, "\x1f\x8b", LINE_UNPACK_MAGIC_SIZE) == 0;
}

enum histree_status line_unpack_create(struct line_unpack **out, struct histree_error *error)
{
	struct line_unpack *unpack = calloc(1, sizeof(*unpack));
	*out = unpack;
	if (unpack == NULL)
		return error_memory(error, "a packed text");
	enum histree_status status = trace_gunzip_create(&unpack->gunzip, error);
	if (status != HISTREE_OK) {
		free(unpack);
		*out = NULL;
	}
	return status;
}

void line_unpack_free(struct line_unpack *unpack)
{
	if (unpack != NULL)
		trace_gunzip_free(unpack->gunzip);
	free(unpack);
}

static enum histree_status damaged(const struct line_unpack *unpack, const struct text_input *input,
				   struct histree_error *error)
{
	if (trace_gunzip_is_over(unpack->gunzip))
		return error_set(error, HISTREE_ERR_TRACE, "'%.200s' is packed by gzip, and " UNPACK_IS_TOO_MUCH,
				 input->path);
	return error_set(error, HISTREE_ERR_TRACE,
			 "'%.200s' is damaged or cut: gzip cannot be unpacked at byte %llu", input->path,
			 (unsigned long long)input->at);
}

/* Have packed bytes.  Returns HISTREE_END if there are no more and none are missing. */
static enum histree_status read_packed(struct line_unpack *unpack, struct text_input *input,
				       struct histree_error *error)
{
	if (unpack->used < unpack->filled)
		return HISTREE_OK;
	enum histree_status status = text_input_read(input, unpack->packed, PACKED_SIZE, &unpack->filled, error);
	unpack->used = 0;
	if (status != HISTREE_OK || unpack->filled > 0)
		return status;
	return trace_gunzip_is_whole(unpack->gunzip) ? HISTREE_END : damaged(unpack, input, error);
}

enum histree_status line_unpack(struct line_unpack *unpack, struct text_input *input, void *room, size_t room_size,
				size_t *size, struct histree_error *error)
{
	*size = 0;
	for (;;) {
		enum histree_status status = read_packed(unpack, input, error);
		if (status != HISTREE_OK)
			return status == HISTREE_END ? HISTREE_OK : status;
		size_t taken, got = trace_gunzip(unpack->gunzip, unpack->packed + unpack->used,
						 unpack->filled - unpack->used, &taken, room, room_size);
		if (got == SIZE_MAX)
			return damaged(unpack, input, error);
		unpack->used += taken;
		*size = got;
		if (got > 0 || taken == 0)
			return HISTREE_OK;
	}
}
