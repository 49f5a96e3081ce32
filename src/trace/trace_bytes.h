/* SPDX-License-Identifier: MIT */
/*
 * trace_bytes.h - the content of a file from front to back, as it is or unpacked from gzip: a window that moves on.
 *
 * The bytes at hand are bytes.at .. bytes.end; the reader moves bytes.at behind those it has used, and
 * trace_bytes_more() brings more.  A reader that needs many at a time puts the window into a space of tables,
 * `table.space`, once it is open.
 *
 * What is packed by gzip or zlib is unpacked piece by piece; members that follow one another are one content.
 *
 * How much may come of what is packed is bounded by the file:
 *
 * Traces are packed to a tenth, or a fiftieth where they repeat themselves; a file that was made to keep us busy to
 * a thousandth (deflate) or a ten-thousandth (zstd).  More than UNPACK_RATIO times what was read is not unpacked,
 * beyond what costs nothing to speak of.
 */
#ifndef TRACE_TRACE_BYTES_H
#define TRACE_TRACE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/io.h"
#include "base/table.h"
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

struct trace_gunzip;

/* Whether histree was built with zlib. */
bool trace_gunzip_is_there(void);

/* Returns HISTREE_ERR_TRACE, and how to go on, without zlib. */
enum histree_status trace_gunzip_create(struct trace_gunzip **out, struct histree_error *error);

/*
 * Unpack from `bytes`, of which *used were taken, into the room.  Returns how many bytes are in the room now: 0
 * with nothing used if the content has ended; SIZE_MAX if it is damaged here, or too much (trace_bytes.h).
 */
size_t trace_gunzip(struct trace_gunzip *gunzip, const uint8_t *bytes, size_t size, size_t *used, uint8_t *room,
		    size_t room_size);

/* Returns whether the content may end here: between two members. */
bool trace_gunzip_is_whole(const struct trace_gunzip *gunzip);

/* Returns whether the content was left off because it is too much for its bytes. */
bool trace_gunzip_is_over(const struct trace_gunzip *gunzip);

/* Free it, or do nothing if it is NULL. */
void trace_gunzip_free(struct trace_gunzip *gunzip);

struct trace_gunzip;

/* A zeroed one can be closed. */
struct trace_bytes {
	const uint8_t *at, *end; /* NULL: nothing was read yet */
	uint64_t offset;         /* of `end` in the content */
	bool is_at_end;          /* of the file: nothing more comes */
	bool is_cut;             /* what is packed ends too early, or is damaged: there the content ends */

	const struct io *io;
	int file;
	bool is_open;
	uint64_t size, taken; /* of the file: its bytes, and how many of them were used up */
	struct trace_gunzip *gunzip;
	uint8_t *packed; /* a piece of the file, if it is gzip */
	size_t packed_at, packed_end;
	uint64_t packed_offset; /* of what is read next */
	uint8_t *window;
	size_t capacity;
	struct table table; /* of the window */
};

/* `io` outlives it.  An error says what is wrong with the file, but not its name. */
enum histree_status trace_bytes_open(struct trace_bytes *bytes, const struct io *io, const char *path,
				     struct histree_error *error);

/*
 * Bring more behind `end`; what is before `at` is gone.  The window grows with what is not used.  Returns
 * HISTREE_END if nothing more comes, HISTREE_ERR_IO, HISTREE_ERR_MEMORY.
 */
enum histree_status trace_bytes_more(struct trace_bytes *bytes, struct histree_error *error);

/* Returns the offset of `at` in the content. */
static inline uint64_t trace_bytes_offset(const struct trace_bytes *bytes)
{
	return bytes->offset - (uint64_t)(bytes->end - bytes->at);
}

void trace_bytes_close(struct trace_bytes *bytes);

#endif
