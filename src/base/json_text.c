// SPDX-License-Identifier: MIT
#include "base/json_text.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

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
		size_t whole = is_special ? 0 : utf8_character_size(at + piece.plain, size - piece.plain);
		if (whole > 0) {
			piece.plain += whole;
			continue;
		}
		if (is_special)
			piece.escape_size = escape(c, piece.escape);
		else
			memcpy(piece.escape, UTF8_REPLACEMENT, piece.escape_size = UTF8_REPLACEMENT_SIZE);
		piece.taken = piece.plain + 1;
		return piece;
	}
	piece.taken = size;
	return piece;
}
