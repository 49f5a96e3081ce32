/* SPDX-License-Identifier: MIT */
/*
 * zlib.h - packing and unpacking with zlib, and a limit on how much packed bytes may expand.
 *
 * The content of gzip is unpacked piece by piece; members that follow one another are one content.  Bytes in zlib's
 * own format are unpacked in the same way, as one member.  Bytes are packed as gzip, piece by piece, too.
 *
 * Traces are packed to a tenth, or to a fiftieth where they repeat themselves; a file made to exhaust a reader can
 * be packed to a thousandth (deflate) or a ten-thousandth (zstd).  More than UNPACK_RATIO times what was read is
 * not unpacked, apart from a small allowance: so the size of the file bounds the work.
 *
 * Without the library (without/zlib.c) nothing is packed and nothing can be unpacked.
 */
#ifndef BASE_ZLIB_H
#define BASE_ZLIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histree/status.h"

enum { UNPACK_RATIO = 200, UNPACK_FREE = 64 << 20 };

#define UNPACK_IS_TOO_MUCH "is 200 times as large as it was packed, or more; unpack it first"

/* A zeroed struct has counted nothing. */
struct unpack_limit {
	uint64_t packed, plain; /* bytes */
	bool is_over;
};

/* Count the bytes used, and the bytes unpacked from them.  Returns false once the limit is reached. */
static inline bool unpack_limit_count(struct unpack_limit *limit, size_t used, size_t came)
{
	limit->packed += used;
	limit->plain += came;
	limit->is_over = limit->is_over || limit->plain > UNPACK_FREE + UNPACK_RATIO * limit->packed;
	return !limit->is_over;
}

/* Whether histree was built with zlib. */
bool zlib_is_there(void);

/* Unpack a zlib block.  Returns whether it gave exactly `room_size` bytes. */
bool zlib_unpack(const uint8_t *bytes, size_t size, uint8_t *room, size_t room_size);

struct gunzip;

/* Without zlib, returns HISTREE_ERR_TRACE and says how to proceed. */
enum histree_status gunzip_create(struct gunzip **out, struct histree_error *error);

/*
 * Unpack from `bytes`, of which *used were already taken, into the room.  Returns how many bytes are in the room
 * now: 0 with nothing used if the content has ended; SIZE_MAX if it is damaged here, or expands too much.
 */
size_t gunzip_read(struct gunzip *gunzip, const uint8_t *bytes, size_t size, size_t *used, uint8_t *room,
		   size_t room_size);

/* Returns whether the content may end here, between two members. */
bool gunzip_is_whole(const struct gunzip *gunzip);

/* Returns whether unpacking was stopped because the content expands too much. */
bool gunzip_is_over(const struct gunzip *gunzip);

/* Free it, or do nothing if it is NULL. */
void gunzip_free(struct gunzip *gunzip);

struct gzip;

/* One member of gzip, packed at the fastest level.  Returns NULL if memory runs out. */
struct gzip *gzip_create(void);

/* Returns the room that `size` more bytes need, including the end of the member. */
size_t gzip_bound(struct gzip *gzip, size_t size);

/*
 * Pack all bytes into the room, which is as large as gzip_bound() says; *packed becomes the number of packed bytes.
 * Returns false if it fails.
 */
bool gzip_write(struct gzip *gzip, const void *bytes, size_t size, bool is_last, void *room, size_t room_size,
		size_t *packed);

/* Free it, or do nothing if it is NULL. */
void gzip_free(struct gzip *gzip);

#endif
