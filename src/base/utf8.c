// SPDX-License-Identifier: MIT
#include "base/utf8.h"

#include <stdint.h>
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
