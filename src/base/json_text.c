// SPDX-License-Identifier: MIT
/*
 * json_text.c - well-formed UTF-8, the inside of a JSON string, and what a JSON text takes in memory.
 */
#include "base/json_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- utf8 ---------------------------------------------------------------------------------------------------- */

/* How many bytes a UTF-8 character has that begins with `first`; 0 if no character begins so. */
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

/* The ranges are table 3-7 of the Unicode standard: no overlong form, no surrogate, nothing past U+10FFFF. */
size_t utf8_character_size(const unsigned char *at, size_t left)
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

size_t utf8_put(char *out, uint32_t character)
{
	static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	const unsigned size = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
	for (unsigned i = size; i-- > 1; character >>= 6)
		out[i] = (char)(0x80 | (character & 0x3f));
	out[0] = (char)(first[size] | character);
	return size;
}

bool utf8_is_valid(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	while (size > 0) {
		uint64_t word;
		if (size >= sizeof(word)) {
			memcpy(&word, at, sizeof(word));
			if ((word & UINT64_C(0x8080808080808080)) == 0) {
				at += sizeof(word);
				size -= sizeof(word);
				continue;
			}
		}
		size_t whole = utf8_character_size(at, size);
		if (whole == 0)
			return false;
		at += whole;
		size -= whole;
	}
	return true;
}

size_t utf8_repair(const void *bytes, size_t size, char *out)
{
	const unsigned char *at = bytes;
	size_t written = 0;
	while (size > 0) {
		size_t whole = utf8_character_size(at, size), taken = whole > 0 ? whole : 1;
		memcpy(out + written, whole > 0 ? (const char *)at : UTF8_REPLACEMENT,
		       whole > 0 ? whole : UTF8_REPLACEMENT_SIZE);
		written += whole > 0 ? whole : UTF8_REPLACEMENT_SIZE;
		at += taken;
		size -= taken;
	}
	return written;
}

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
