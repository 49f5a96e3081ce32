/* SPDX-License-Identifier: MIT */
/*
 * json_text.h - well-formed UTF-8, the inside of a JSON string, and what a JSON text takes in memory.
 *
 * The inside of a string (RFC 8259) comes piece by piece, for any destination:
 *
 * 	while (size > 0) {
 * 		struct json_piece piece = json_piece_next(bytes, size);
 * 		put(bytes, piece.plain);
 * 		put(piece.escape, piece.escape_size);
 * 		bytes += piece.taken, size -= piece.taken;
 * 	}
 *
 * Bytes that are not UTF-8 become U+FFFD, so the result always is UTF-8.
 *
 * A parser allocates some 250 bytes for an object of two bytes, "{}", so an untrusted text is weighed before it is
 * parsed.
 */
#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* U+FFFD, which stands for a byte that is part of no character. */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

enum { UTF8_REPLACEMENT_SIZE = 3, UTF8_SIZE_MAX = 4 };

/*
 * Returns the size of the well-formed character at the beginning of `left` bytes; 0 if there is none.  Bytes are
 * read in order, up to the first wrong one: for a terminated text, `left` may be UTF8_SIZE_MAX.
 */
size_t utf8_character_size(const unsigned char *at, size_t left);

/* Writes a character, which is at most U+10FFFF.  Returns its size. */
size_t utf8_put(char *out, uint32_t character);

/* Returns whether all bytes belong to well-formed characters. */
bool utf8_is_valid(const void *bytes, size_t size);

/*
 * Write the text with U+FFFD for each byte that is part of no character.  `out` has room for 3 * `size` bytes.
 * Returns how many were written.
 */
size_t utf8_repair(const void *bytes, size_t size, char *out);

struct json_piece {
	size_t plain;   /* bytes that stand for themselves */
	char escape[8]; /* replacement of the one byte after them */
	size_t escape_size;
	size_t taken; /* bytes of the text that both cover */
};

/* `size` is not 0. */
struct json_piece json_piece_next(const char *bytes, size_t size);

/*
 * Returns at least the bytes that libjansson allocates for the values of a text, whether it is JSON or not.  Takes
 * time proportional to the text, and no memory.
 */
size_t json_weight(const char *text, size_t size);

#endif
