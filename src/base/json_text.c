// SPDX-License-Identifier: MIT
#include "base/json_text.h"

#include <stdbool.h>
#include <string.h>

/* How many bytes a UTF-8 character has that begins with `first`; 0: none begins so. */
static size_t announced_size(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc2)
		return 0;
	if (first < 0xe0)
		return 2;
	if (first < 0xf0)
		return 3;
	return first < 0xf5 ? 4 : 0;
}

/*
 * The bytes of the well-formed UTF-8 character that `at` begins with, of `left` bytes; 0 if there is none.
 * The ranges are table 3-7 of the Unicode standard: no overlong form, no surrogate, nothing past U+10FFFF.
 */
static size_t character_size(const unsigned char *at, size_t left)
{
	size_t size = announced_size(at[0]);
	unsigned char min = at[0] == 0xe0 ? 0xa0 : at[0] == 0xf0 ? 0x90 : 0x80;
	unsigned char max = at[0] == 0xed ? 0x9f : at[0] == 0xf4 ? 0x8f : 0xbf;
	if (size > left)
		return 0;
	if (size > 1 && (at[1] < min || at[1] > max))
		return 0;
	for (size_t i = 2; i < size; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	return size;
}

static size_t escape(unsigned char c, char text[static 8])
{
	static const char named[] = "\"\"\\\\\bb\ff\nn\rr\tt";
	static const char digits[] = "0123456789abcdef";
	for (size_t i = 0; i < sizeof(named) - 1; i += 2) {
		if ((unsigned char)named[i] == c) {
			text[0] = '\\';
			text[1] = named[i + 1];
			return 2;
		}
	}
	memcpy(text, "\\u00", 4);
	text[4] = digits[c >> 4];
	text[5] = digits[c & 15];
	return 6;
}

struct json_piece json_piece_next(const char *bytes, size_t size)
{
	const unsigned char *at = (const unsigned char *)bytes;
	struct json_piece piece = { 0 };
	while (piece.plain < size) {
		unsigned char c = at[piece.plain];
		bool is_special = c < 0x20 || c == '"' || c == '\\';
		size_t whole = is_special ? 0 : character_size(at + piece.plain, size - piece.plain);
		if (whole > 0) {
			piece.plain += whole;
			continue;
		}
		if (is_special)
			piece.escape_size = escape(c, piece.escape);
		else
			memcpy(piece.escape, "\xef\xbf\xbd", piece.escape_size = 3); /* U+FFFD */
		piece.taken = piece.plain + 1;
		return piece;
	}
	piece.taken = size;
	return piece;
}
