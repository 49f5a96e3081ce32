/* SPDX-License-Identifier: MIT */
/*
 * trace_bytes.h - the bytes of a stream file: from front to back, unpacked if it is gzip, or through one buffer
 * that moves with the reader.
 *
 * The content of a file from front to back, plain or unpacked from gzip, is read through a window that moves
 * forward.
 *
 * The bytes in the window are bytes.at .. bytes.end; the reader moves bytes.at past the bytes it has used, and
 * trace_bytes_more() reads more.  A reader that needs many at a time puts the window into a space of tables,
 * `table.space`, once it is open.
 *
 * The part of a stream file that is in memory: one buffer, filled by pread, or by a source that
 * has the bytes instead of a file.
 *
 * The file is not mapped, so a file that is truncated while it is read simply ends, and does not kill the process.
 * It may be kept open or opened for each read, so that thousands of streams do not need thousands of open files.
 */
#ifndef TRACE_TRACE_BYTES_H
#define TRACE_TRACE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/io.h"
#include "base/table.h"
#include "histree/status.h"

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
	size_t piece_limit;     /* no more is read at a time; 0: what there is room for */
	bool is_base64,
		has_base64_end; /* what is packed is written so in a part of the file, and the end was met */
	uint64_t base64_at, base64_end; /* where the last piece of it began; behind it */
	uint32_t base64_bits, base64_count;
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

/*
 * From `at` on, the file has bytes of gzip written as base64, up to a byte that is not base64: they are the
 * content until trace_bytes_leave_base64(), which goes behind them. The file is not packed itself.
 */
enum histree_status trace_bytes_enter_base64(struct trace_bytes *bytes, struct histree_error *error);
void trace_bytes_leave_base64(struct trace_bytes *bytes);

void trace_bytes_close(struct trace_bytes *bytes);

struct io;

/* No event is larger than the largest window. */
enum { TRACE_WINDOW_SIZE_MIN = 4096, TRACE_WINDOW_SIZE_MAX = 64 << 20 };

/* What has the bytes instead of a file. */
struct trace_window_source {
	/* Read exactly `size` bytes at an offset. */
	enum histree_status (*read)(void *context, uint64_t offset, uint8_t *bytes, size_t size,
				    struct histree_error *error);
	void *context;
	uint64_t end; /* the offset where they end */
};

/* A zeroed one is closed. */
struct trace_window {
	const struct io *io; /* borrowed, as the path is */
	const char *path;
	const struct trace_window_source *source; /* borrowed; NULL: the file at the path */
	bool stays_open;
	bool is_open;
	int file;
	uint8_t *bytes;
	size_t capacity, count; /* count: bytes that are there */
	uint64_t offset;        /* of them in the file */
};

/* Prepare; nothing is opened yet. */
void trace_window_init(struct trace_window *window, const struct io *io, const char *path, bool stays_open);
void trace_window_release(struct trace_window *window);

/* Ask how long the file is.  Returns HISTREE_ERR_IO. */
enum histree_status trace_window_size(struct trace_window *window, uint64_t *out, struct histree_error *error);

/*
 * Make the window begin at an offset of the file and hold `size` bytes of it, or fewer where the file ends.  Bytes
 * that the window already holds are not read again.  Returns HISTREE_ERR_IO, HISTREE_ERR_MEMORY, and errors of a
 * source.
 */
enum histree_status trace_window_move(struct trace_window *window, uint64_t offset, size_t size,
				      struct histree_error *error);

#endif
