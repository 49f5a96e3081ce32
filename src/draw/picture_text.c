// SPDX-License-Identifier: MIT
#include "draw/picture_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* How many bytes the character at `at` has; 0: it is no shortest UTF-8 of a character that can be shown. */
static size_t character_size(const unsigned char *at)
{
	static const uint32_t smallest[] = { 0, 0x20, 0x80, 0x800, 0x10000 };
	size_t size = at[0] < 0x80 ? 1 : at[0] >> 5 == 6 ? 2 : at[0] >> 4 == 14 ? 3 : at[0] >> 3 == 30 ? 4 : 0;
	uint32_t point = size == 1 ? at[0] : at[0] & (0x7fu >> size);
	for (size_t i = 1; i < size; i++) {
		if (at[i] >> 6 != 2) /* also where the text ends too early */
			return 0;
		point = point << 6 | (at[i] & 63);
	}
	bool shown = point >= smallest[size] && point <= 0x10ffff && (point < 0x7f || point > 0x9f) &&
		     (point < 0xd800 || point > 0xdfff);
	return shown ? size : 0;
}

void clean_text(char out[CLEAN_TEXT_SIZE], const char *text)
{
	size_t used = 0;
	for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
		size_t size = character_size(at);
		if (used + (size > 0 ? size : 1) >= CLEAN_TEXT_SIZE)
			break;
		if (size > 0)
			memcpy(out + used, at, size);
		else
			out[used] = '?';
		used += size > 0 ? size : 1;
		at += size > 0 ? size : 1;
	}
	out[used] = '\0';
}

size_t clean_text_cut(const char *text, size_t length)
{
	while (length > 0 && ((unsigned char)text[--length] & 0xc0) == 0x80)
		;
	return length;
}

const char *grouped_number(uint64_t number, char text[GROUPED_NUMBER_SIZE])
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, number), at = 0;
	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			text[at++] = ',';
		text[at++] = digits[i];
	}
	text[at] = '\0';
	return text;
}
