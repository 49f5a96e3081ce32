/* SPDX-License-Identifier: MIT */
/*
 * line_unpack.h - a text that gzip has packed: one or several members, one behind the other (RFC 1952).
 *
 * Where histree is built without zlib, line_unpack_create() says so.
 */
#ifndef TRACE_LINES_LINE_UNPACK_H
#define TRACE_LINES_LINE_UNPACK_H

#include "text/text_input.h"

enum { LINE_UNPACK_MAGIC_SIZE = 2 };

struct line_unpack;

bool line_unpack_is_packed(const char magic[static LINE_UNPACK_MAGIC_SIZE]);

/* Returns HISTREE_ERR_TRACE if histree cannot unpack, HISTREE_ERR_MEMORY. */
enum histree_status line_unpack_create(struct line_unpack **out, struct histree_error *error);

/*
 * Fill a room with what comes next; *size is 0 at the end and only there.  Returns HISTREE_ERR_TRACE if the file is
 * damaged or cut.
 */
enum histree_status line_unpack(struct line_unpack *unpack, struct text_input *input, void *room, size_t room_size,
				size_t *size, struct histree_error *error);

/* NULL is none. */
void line_unpack_free(struct line_unpack *unpack);

#endif
