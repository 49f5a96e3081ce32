// SPDX-License-Identifier: MIT
#include "cli/control_text.h"

#include <string.h>

/* U+0080 to U+009F are two bytes in UTF-8: 0xc2 and the number. */
static bool is_high_control(unsigned char first, unsigned char second)
{
	return first == 0xc2 && second >= 0x80 && second < 0xa0;
}

/*
 * U+202A to U+202E (E2 80 AA..AE) and U+2066 to U+2069 (E2 81 A6..A9), which order what follows anew: a name could
 * be shown as another one, or draw the rest of its line into it.
 */
static bool is_direction(const unsigned char bytes[3])
{
	return bytes[0] == 0xe2 && ((bytes[1] == 0x80 && bytes[2] >= 0xaa && bytes[2] <= 0xae) ||
				    (bytes[1] == 0x81 && bytes[2] >= 0xa6 && bytes[2] <= 0xa9));
}

/* Whether the byte at `at` is any of the three of one. */
static bool is_of_direction(const unsigned char *bytes, size_t size, size_t at)
{
	for (size_t first = at >= 2 ? at - 2 : 0; first <= at && first + 3 <= size; first++)
		if (is_direction(bytes + first))
			return true;
	return false;
}

bool control_text_beyond_ascii(const char *bytes, size_t size, size_t at)
{
	unsigned char c = (unsigned char)bytes[at];
	if (c < 0x20 || c == 0x7f)
		return true;
	if (is_of_direction((const unsigned char *)bytes, size, at))
		return true;
	return (at + 1 < size && is_high_control(c, (unsigned char)bytes[at + 1])) ||
	       (at > 0 && is_high_control((unsigned char)bytes[at - 1], c));
}

size_t control_text_escape(char c, char escape[CONTROL_ESCAPE_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	static const char named[] = "\tt\nn\rr";
	unsigned char code = (unsigned char)c;
	escape[0] = '\\';
	for (size_t i = 0; i < sizeof(named) - 1; i += 2) {
		if (named[i] == c) {
			escape[1] = named[i + 1];
			return 2;
		}
	}
	escape[1] = 'x';
	escape[2] = digits[code >> 4];
	escape[3] = digits[code & 15];
	return 4;
}

void control_text_copy(const char *text, char *room, size_t size)
{
	size_t length = strlen(text), used = 0;
	for (size_t i = 0; i < length; i++) {
		char escape[CONTROL_ESCAPE_SIZE] = { text[i] };
		size_t count = control_text_at(text, length, i) ? control_text_escape(text[i], escape) : 1;
		if (count >= size - used)
			break;
		memcpy(room + used, escape, count);
		used += count;
	}
	room[used] = '\0';
}
