/* SPDX-License-Identifier: MIT */
/*
 * perf_unpack.h - records that perf has compressed (perf record -z): all of a file are one stream of zstd, cut into
 * records of type PERF_COMPRESSED.
 *
 * Where histree is built without zstd, perf_unpack_create() says so.
 */
#ifndef TRACE_PERF_PERF_UNPACK_H
#define TRACE_PERF_PERF_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histree/status.h"

struct perf_unpack;

/* Returns HISTREE_ERR_TRACE if histree cannot unpack, HISTREE_ERR_MEMORY. */
enum histree_status perf_unpack_create(struct perf_unpack **out, struct histree_error *error);

/*
 * Unpack from `bytes` of which `*used` were used up before, into `room`; returns how many bytes came of it, or
 * SIZE_MAX if they are no more of the stream.  0 with `*used` at the size: it needs the next record.
 */
size_t perf_unpack(struct perf_unpack *unpack, const uint8_t *bytes, size_t size, size_t *used, uint8_t *room,
		   size_t room_size);

void perf_unpack_free(struct perf_unpack *unpack);

#endif
