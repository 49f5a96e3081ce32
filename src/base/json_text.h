/* SPDX-License-Identifier: MIT */
/*
 * json_text.h - the inside of a JSON string (RFC 8259), piece by piece, for whoever writes it where.
 *
 *	while (size > 0) {
 *		struct json_piece piece = json_piece_next(bytes, size);
 *		put(bytes, piece.plain);
 *		put(piece.escape, piece.escape_size);
 *		bytes += piece.taken, size -= piece.taken;
 *	}
 *
 * What is not UTF-8 becomes U+FFFD, so that the result always is.
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
