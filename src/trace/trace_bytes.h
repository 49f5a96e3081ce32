/* SPDX-License-Identifier: MIT */
/*
 * trace_bytes.h - the content of a file from front to back, as it is or unpacked from gzip: a window that moves
 * on.
 *
 * The bytes at hand are bytes.at .. bytes.end; the reader moves bytes.at behind those it has used, and
 * trace_bytes_more() brings more.  A reader that needs many at a time puts the window into a space of tables,
 * `table.space`, once it is open.
 */
#ifndef TRACE_TRACE_BYTES_H
#define TRACE_TRACE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/io.h"
#include "base/table.h"

struct gunzip;

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
	struct gunzip *gunzip;
	uint8_t *packed; /* a piece of the file, if it is gzip */
	size_t packed_at, packed_end;
	uint64_t packed_offset; /* of what is read next */
	uint8_t *window;
	size_t capacity;
	struct table table; /* of the window */
};

enum { TRACE_BYTES_PIECE = 256 << 10 };

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
