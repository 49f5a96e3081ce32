// SPDX-License-Identifier: MIT
#include "symbols/punycode.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The numbers of RFC 3492, section 5. */
enum { BASE = 36, T_MIN = 1, T_MAX = 26, SKEW = 38, DAMP = 700, FIRST_BIAS = 72, FIRST_LETTER = 128 };
#define LAST_LETTER 0x10ffff

size_t utf8_write_letter(unsigned long number, char out[UTF8_LETTER_SIZE])
{
	if (number > LAST_LETTER || (number >= 0xd800 && number <= 0xdfff))
		return 0;
	const size_t size = number < 0x80 ? 1 : number < 0x800 ? 2 : number < 0x10000 ? 3 : 4;
	static const unsigned char first[] = { 0, 0x00, 0xc0, 0xe0, 0xf0 };
	for (size_t i = size - 1; i > 0; i--, number >>= 6)
		out[i] = (char)(0x80 | (number & 0x3f));
	out[0] = (char)(first[size] | number);
	return size;
}

static uint32_t adapt(uint32_t delta, uint32_t letters, bool is_first)
{
	uint32_t steps = 0;
	delta = is_first ? delta / DAMP : delta / 2;
	delta += delta / letters;
	for (; delta > (BASE - T_MIN) * T_MAX / 2; steps += BASE)
		delta /= BASE - T_MIN;
	return steps + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

static uint32_t digit_of(char letter)
{
	return letter >= 'a' && letter <= 'z'   ? (uint32_t)(letter - 'a')
	       : letter >= '0' && letter <= '9' ? (uint32_t)(letter - '0') + 26
						: BASE;
}

/* Reads the number that follows, which grows by it; returns false if there is none. */
static bool read_number(const char **at, const char *end, uint32_t bias, uint32_t *number)
{
	uint32_t weight = 1;
	for (uint32_t k = BASE;; k += BASE) {
		const uint32_t digit = *at < end ? digit_of(*(*at)++) : BASE;
		const uint32_t threshold = k <= bias + T_MIN ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias;
		if (digit == BASE || digit > (UINT32_MAX - *number) / weight)
			return false;
		*number += digit * weight;
		if (digit < threshold)
			return true;
		if (weight > UINT32_MAX / (BASE - threshold))
			return false;
		weight *= BASE - threshold;
	}
}

static size_t write_letters(const uint32_t *letters, size_t count, char *out)
{
	size_t used = 0;
	for (size_t i = 0; i < count; i++) {
		const size_t size = utf8_write_letter(letters[i], out + used);
		if (size == 0)
			return 0;
		used += size;
	}
	return used;
}

size_t punycode_read(const char *bytes, size_t size, char delimiter, char *out)
{
	uint32_t letters[PUNYCODE_LETTERS_MAX];
	uint32_t letter = FIRST_LETTER, place = 0, bias = FIRST_BIAS;
	const char *at = bytes, *const end = bytes + size;
	const char *const basic_end = memrchr(bytes, delimiter, size);
	size_t count = 0;
	for (; basic_end != NULL && at < basic_end; at++) {
		if (count == PUNYCODE_LETTERS_MAX || (unsigned char)*at >= FIRST_LETTER)
			return 0;
		letters[count++] = (unsigned char)*at;
	}
	at += basic_end != NULL;
	while (at < end) {
		const uint32_t before = place;
		if (count == PUNYCODE_LETTERS_MAX || !read_number(&at, end, bias, &place))
			return 0;
		const uint32_t room = (uint32_t)count + 1;
		bias = adapt(place - before, room, before == 0);
		if (place / room > LAST_LETTER - letter)
			return 0;
		letter += place / room;
		place %= room;
		memmove(&letters[place + 1], &letters[place], (count - place) * sizeof(*letters));
		letters[place++] = letter;
		count++;
	}
	return write_letters(letters, count, out);
}
