/* SPDX-License-Identifier: MIT */
/*
 * zlib.h - what zlib packs and unpacks, and how much may come of what is packed.
 *
 * The content of gzip is unpacked piece by piece; members that follow one another are one content.  So is what zlib
 * has packed without that: it is one member.  Bytes are packed as gzip piece by piece too.
 *
 * Traces are packed to a tenth, or a fiftieth where they repeat themselves; a file that was made to keep us busy to
 * a thousandth (deflate) or a ten-thousandth (zstd).  More than UNPACK_RATIO times what was read is not unpacked,
 * beyond what costs nothing to speak of: so the work is bounded by the file.
 *
 * Without the library (without/library.c) nothing is packed and nothing can be unpacked.
 */
#ifndef BASE_ZLIB_H
#define BASE_ZLIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histree/status.h"

enum { UNPACK_RATIO = 200, UNPACK_FREE = 64 << 20 };

#define UNPACK_IS_TOO_MUCH "is 200 times as large as it was packed, or more; unpack it first"

/* A zeroed one is that of nothing. */
struct unpack_limit {
	uint64_t packed, plain; /* bytes */
	bool is_over;
};

/* Count bytes that were used, and those that came of them.  Returns false from the limit on. */
static inline bool unpack_limit_count(struct unpack_limit *limit, size_t used, size_t came)
{
	limit->packed += used;
	limit->plain += came;
	limit->is_over = limit->is_over || limit->plain > UNPACK_FREE + UNPACK_RATIO * limit->packed;
	return !limit->is_over;
}

/* Whether histree was built with zlib. */
bool zlib_is_there(void);

/* Unpack a block of zlib's.  Returns whether exactly `room_size` bytes came of it. */
bool zlib_unpack(const uint8_t *bytes, size_t size, uint8_t *room, size_t room_size);

struct gunzip;

/* Returns HISTREE_ERR_TRACE, and how to go on, without zlib. */
enum histree_status gunzip_create(struct gunzip **out, struct histree_error *error);

/*
 * Unpack from `bytes`, of which *used were taken, into the room.  Returns how many bytes are in the room now: 0
 * with nothing used if the content has ended; SIZE_MAX if it is damaged here, or too much.
 */
size_t gunzip_read(struct gunzip *gunzip, const uint8_t *bytes, size_t size, size_t *used, uint8_t *room,
		   size_t room_size);

/* Returns whether the content may end here: between two members. */
bool gunzip_is_whole(const struct gunzip *gunzip);

/* Returns whether the content was left off because it is too much for its bytes. */
bool gunzip_is_over(const struct gunzip *gunzip);

/* Free it, or do nothing if it is NULL. */
void gunzip_free(struct gunzip *gunzip);

struct gzip;

/* One member of gzip, packed as fast as it goes.  Returns NULL if memory is out. */
struct gzip *gzip_create(void);

/* Returns how much room as many more bytes need, the end of the member included. */
size_t gzip_bound(struct gzip *gzip, size_t size);

/*
 * Pack all bytes into the room, which has as much as gzip_bound() says; *packed becomes how many came of them now.
 * Returns false if that cannot be.
 */
bool gzip_write(struct gzip *gzip, const void *bytes, size_t size, bool is_last, void *room, size_t room_size,
		size_t *packed);

/* Free it, or do nothing if it is NULL. */
void gzip_free(struct gzip *gzip);

#endif
