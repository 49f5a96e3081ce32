// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/error.h"
#include "trace/lines/line_unpack.h"

bool line_unpack_is_packed(const char magic[static LINE_UNPACK_MAGIC_SIZE])
{
	return memcmp(magic, "\x1f\x8b", LINE_UNPACK_MAGIC_SIZE) == 0;
}

enum histree_status line_unpack_create(struct line_unpack **out, struct histree_error *error)
{
	*out = NULL;
	return error_set(
		error, HISTREE_ERR_TRACE,
		"it is packed with gzip, and this histree is built without zlib: unpack it with 'gzip -d'");
}

enum histree_status line_unpack(struct line_unpack *unpack, struct text_input *input, void *room, size_t room_size,
				size_t *size, struct histree_error *error)
{
	(void)unpack, (void)input, (void)room, (void)room_size, (void)error;
	*size = 0;
	return HISTREE_OK;
}

void line_unpack_free(struct line_unpack *unpack)
{
	(void)unpack;
}
