// SPDX-License-Identifier: MIT
/*
 * zlib.c - without zlib.
 */
#include "trace/trace_gunzip.h"
#include "without/without.h"

bool trace_uncompress(const uint8_t *bytes, size_t size, uint8_t *room, size_t room_size)
{
	return false;
}

bool trace_gunzip_is_there(void)
{
	return false;
}

enum histree_status trace_gunzip_create(struct trace_gunzip **out, struct histree_error *error)
{
	*out = NULL;
	return error_set(error, HISTREE_ERR_TRACE,
			 "it is compressed by gzip, and this histree was built without zlib; unpack it with "
			 "gunzip(1), or build histree with zlib (Debian: zlib1g-dev)");
}

size_t trace_gunzip(struct trace_gunzip *gunzip, const uint8_t *bytes, size_t size, size_t *used, uint8_t *room,
		    size_t room_size)
{
	return SIZE_MAX;
}

bool trace_gunzip_is_whole(const struct trace_gunzip *gunzip)
{
	return true;
}

bool trace_gunzip_is_over(const struct trace_gunzip *gunzip)
{
	return false;
}

void trace_gunzip_free(struct trace_gunzip *gunzip)
{
}
