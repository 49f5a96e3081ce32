// SPDX-License-Identifier: MIT
/*
 * perf_unpack.h without zstd.
 */
#include "base/error.h"
#include "trace/perf/perf_unpack.h"

enum histree_status perf_unpack_create(struct perf_unpack **out, struct histree_error *error)
{
	*out = NULL;
	return error_set(
		error, HISTREE_ERR_TRACE,
		"its records are compressed (perf record -z), and this histree was built without zstd; build "
		"it with libzstd (Debian: libzstd-dev), or record without -z");
}

size_t perf_unpack(struct perf_unpack *unpack, const uint8_t *bytes, size_t size, size_t *used, uint8_t *room,
		   size_t room_size)
{
	(void)unpack, (void)bytes, (void)size, (void)used, (void)room, (void)room_size;
	return SIZE_MAX;
}

void perf_unpack_free(struct perf_unpack *unpack)
{
	(void)unpack;
}
