/* SPDX-License-Identifier: MIT */
/*
 * trace_gunzip.h - the content of gzip, piece by piece, with zlib; members that follow one another are one content.
 * So is what zlib has packed without that: it is one member.
 */
#ifndef TRACE_TRACE_GUNZIP_H
#define TRACE_TRACE_GUNZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histree/status.h"

struct trace_gunzip;

/* Whether histree was built with zlib. */
bool trace_gunzip_is_there(void);

/* Unpack a block of zlib's.  Returns whether exactly `room_size` bytes came of it. */
bool trace_uncompress(const uint8_t *bytes, size_t size, uint8_t *room, size_t room_size);

/* Returns HISTREE_ERR_TRACE, and how to go on, without zlib. */
enum histree_status trace_gunzip_create(struct trace_gunzip **out, struct histree_error *error);

/*
 * Unpack from `bytes`, of which *used were taken, into the room.  Returns how many bytes are in the room now: 0
 * with nothing used if the content has ended; SIZE_MAX if it is damaged here, or too much (unpack_limit.h).
 */
size_t trace_gunzip(struct trace_gunzip *gunzip, const uint8_t *bytes, size_t size, size_t *used, uint8_t *room,
		    size_t room_size);

/* Returns whether the content may end here: between two members. */
bool trace_gunzip_is_whole(const struct trace_gunzip *gunzip);

/* Returns whether the content was left off because it is too much for its bytes. */
bool trace_gunzip_is_over(const struct trace_gunzip *gunzip);

/* Free it, or do nothing if it is NULL. */
void trace_gunzip_free(struct trace_gunzip *gunzip);

#endif
