/* SPDX-License-Identifier: MIT */
/*
 * perfetto_inflate.h - what zlib has packed: a file in gzip, as the web UI saves traces, or packets that the tracing
 * service has compressed.
 *
 * Where histree is built without zlib, perfetto_inflate_create() says so.
 */
#ifndef TRACE_PERFETTO_PERFETTO_INFLATE_H
#define TRACE_PERFETTO_PERFETTO_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histree/status.h"

struct perfetto_inflate;

/* It takes a stream of gzip or of zlib.  Returns HISTREE_ERR_TRACE if histree cannot unpack, HISTREE_ERR_MEMORY. */
enum histree_status perfetto_inflate_create(struct perfetto_inflate **out, struct histree_error *error);

/*
 * Unpack from `bytes`, of which `*used` were used up before, into `room`; returns how many bytes came of it, or
 * SIZE_MAX if they are no more of a stream.  Where a stream ends another may follow.
 */
size_t perfetto_inflate(struct perfetto_inflate *unpack, const uint8_t *bytes, size_t size, size_t *used,
			uint8_t *room, size_t room_size);

/* Returns whether the last stream has come to its end. */
bool perfetto_inflate_is_whole(const struct perfetto_inflate *unpack);

/* Begin another stream. */
void perfetto_inflate_begin(struct perfetto_inflate *unpack);

/* Free it, or do nothing if it is NULL. */
void perfetto_inflate_free(struct perfetto_inflate *unpack);

#endif
