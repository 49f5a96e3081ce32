/* SPDX-License-Identifier: MIT */
/*
 * json_text.h - the inside of a JSON string (RFC 8259), piece by piece, wherever it is written to.
 *
 *	while (size > 0) {
 *		struct json_piece piece = json_piece_next(bytes, size);
 *		put(bytes, piece.plain);
 *		put(piece.escape, piece.escape_size);
 *		bytes += piece.taken, size -= piece.taken;
 *	}
 *
 * Bytes that are not UTF-8 become U+FFFD, so the result always is UTF-8.
 */
#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H

#include <stddef.h>

struct json_piece {
	size_t plain;   /* bytes that stand for themselves */
	char escape[8]; /* what stands for the one byte after them */
	size_t escape_size;
	size_t taken; /* bytes of the text that these are */
};

/* `size` is not 0. */
struct json_piece json_piece_next(const char *bytes, size_t size);

#endif
