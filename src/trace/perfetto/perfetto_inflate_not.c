// SPDX-License-Identifier: MIT
/*
 * perfetto_inflate.h without zlib.
 */
#include "base/error.h"
#include "trace/perfetto/perfetto_inflate.h"

enum histree_status perfetto_inflate_create(struct perfetto_inflate **out, struct histree_error *error)
{
	*out = NULL;
	return error_set(error, HISTREE_ERR_TRACE,
			 "it is compressed, and this histree was built without zlib; build it with that (Debian: "
			 "zlib1g-dev), or unpack a file with gunzip");
}

size_t perfetto_inflate(struct perfetto_inflate *unpack, const uint8_t *bytes, size_t size, size_t *used,
			uint8_t *room, size_t room_size)
{
	(void)unpack, (void)bytes, (void)size, (void)used, (void)room, (void)room_size;
	return SIZE_MAX;
}

bool perfetto_inflate_is_whole(const struct perfetto_inflate *unpack)
{
	(void)unpack;
	return false;
}

void perfetto_inflate_begin(struct perfetto_inflate *unpack)
{
	(void)unpack;
}

void perfetto_inflate_free(struct perfetto_inflate *unpack)
{
	(void)unpack;
}
