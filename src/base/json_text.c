// SPDX-License-Identifier: MIT
/*
 * json_text.c - the inside of a JSON string (RFC 8259), piece by piece, wherever it is written to.
 */
#include "base/json_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/utf8.h"

/* ---- json text ----------------------------------------------------------------------------------------------- */

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

/* ---- json weight --------------------------------------------------------------------------------------------- */

/*
 * Bytes with the overhead of the allocator, for libjansson 2.14 on 64 bits: an object with its first buckets, an
 * array with its first slots, a member with its share of the buckets, a value with its slot.  The bytes of texts
 * exist twice, in the parser and in the value.
 */
enum { OBJECT_WEIGHT = 256, ARRAY_WEIGHT = 160, MEMBER_WEIGHT = 160, VALUE_WEIGHT = 128, BYTE_WEIGHT = 2 };

static size_t weight_of(char c)
{
	switch (c) {
	case '{':
		return OBJECT_WEIGHT + VALUE_WEIGHT;
	case '[':
		return ARRAY_WEIGHT + VALUE_WEIGHT;
	case ':':
		return MEMBER_WEIGHT;
	case ',':
		return VALUE_WEIGHT;
	default:
		return 0;
	}
}

size_t json_weight(const char *text, size_t size)
{
	size_t weight = VALUE_WEIGHT + BYTE_WEIGHT * size;
	bool is_text = false;
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '"')
			is_text = !is_text;
		else if (!is_text)
			weight += weight_of(text[i]);
		else if (text[i] == '\\')
			i++;
	}
	return weight;
}
