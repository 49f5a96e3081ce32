/* SPDX-License-Identifier: MIT */
/*
 * trace_cursor.h - a place in what a trace says of itself: numbers in its byte order, texts, blocks.
 *
 * The bytes are in memory, or come from a file as they are taken; either way each size is compared with what is
 * left before it is used.  After the first failure nothing more is taken.
 */
#ifndef TRACE_TRACE_CURSOR_H
#define TRACE_TRACE_CURSOR_H

#include "trace/ordered_bytes.h"
#include "trace/trace_window.h"

struct trace_cursor {
	struct trace_window *window; /* of the file; NULL: the bytes are in memory */
	const uint8_t *bytes;
	uint64_t at, end; /* in the file, or in memory */
	bool is_big;
	enum histree_status status; /* HISTREE_END: it ended early; or why the file could not be read */
	struct histree_error *error;
};

/* Returns the next `size` bytes, which are valid until the next are taken; NULL: see the status. */
const uint8_t *trace_cursor_take(struct trace_cursor *cursor, uint64_t size);

/* Step over `size` bytes, without reading them. */
bool trace_cursor_skip(struct trace_cursor *cursor, uint64_t size);

bool trace_cursor_u16(struct trace_cursor *cursor, uint16_t *out);
bool trace_cursor_u32(struct trace_cursor *cursor, uint32_t *out);
bool trace_cursor_u64(struct trace_cursor *cursor, uint64_t *out);

/* Returns a text that ends with a zero, and is of less than 4 KiB; valid as bytes are. */
const char *trace_cursor_text(struct trace_cursor *cursor);

/* A block is a size of 64 bits, and that many bytes. */
const uint8_t *trace_cursor_block(struct trace_cursor *cursor, uint64_t *size);
bool trace_cursor_skip_block(struct trace_cursor *cursor);

#endif
