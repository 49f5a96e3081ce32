/* SPDX-License-Identifier: MIT */
/*
 * trace_window.h - the part of a stream file that is in memory: one buffer, filled by pread, or by a source that
 * has the bytes instead of a file.
 *
 * The file is not mapped, so that one that is cut while it is read ends, and does not end the process.  It may be
 * kept open or opened for each read, so that thousands of streams need no thousands of open files.
 */
#ifndef TRACE_TRACE_WINDOW_H
#define TRACE_TRACE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histree/status.h"

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
	const struct io *io;                      /* borrowed, as the path is */
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
 * Make the window begin at an offset of the file and hold `size` bytes of it, fewer where the file ends.  What it
 * holds of them already is not read again.  Returns HISTREE_ERR_IO, HISTREE_ERR_MEMORY, and what a source returns.
 */
enum histree_status trace_window_move(struct trace_window *window, uint64_t offset, size_t size,
				      struct histree_error *error);

#endif
