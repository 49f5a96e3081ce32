// SPDX-License-Identifier: MIT
/*
 * ctf_texts.c - texts of an event that are not in UTF-8, as UTF-8.
 */
#include "trace/ctf/ctf_texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct ctf_text {
	struct ctf_text *next;
	const char *source; /* where it is in the packet; what is empty may be where another text is */
	size_t source_size, size;
	char bytes[];
};

enum { REPLACEMENT = 0xfffd, UTF_8_MAX = 4 };

static uint32_t unit_at(const uint8_t *at, unsigned unit, bool is_big)
{
	uint32_t number = 0;
	for (unsigned i = 0; i < unit; i++)
		number |= (uint32_t)at[i] << 8 * (is_big ? unit - 1 - i : i);
	return number;
}

static bool is_surrogate(uint32_t code)
{
	return code >= 0xd800 && code < 0xe000;
}

/* Take the character at *at, and step over it; `left` is at least a unit. */
static uint32_t take(const uint8_t **at, size_t left, enum ctf_encoding encoding)
{
	unsigned unit = ctf_unit_size(encoding);
	bool is_big = encoding == CTF_UTF_16_BIG || encoding == CTF_UTF_32_BIG;
	uint32_t code = unit_at(*at, unit, is_big), low = 0;
	if (unit == 2 && code >= 0xd800 && code < 0xdc00 && left >= 4)
		low = unit_at(*at + 2, unit, is_big);
	*at += unit;
	if (low >= 0xdc00 && low < 0xe000) {
		*at += unit;
		return 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	}
	return is_surrogate(code) || code > 0x10ffff ? REPLACEMENT : code;
}

static size_t put(char *out, uint32_t code)
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	unsigned count = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	for (unsigned i = count; i-- > 1; code >>= 6)
		out[i] = (char)(0x80 | (code & 0x3f));
	out[0] = (char)(first[count] | code);
	return count;
}

/* Each unit becomes at most three bytes of UTF-8, a pair of units four. */
static size_t room_for(size_t size, enum ctf_encoding encoding)
{
	unsigned unit = ctf_unit_size(encoding);
	return size / unit * (unit == 2 ? 3 : UTF_8_MAX);
}

static size_t convert(const char *text, size_t size, enum ctf_encoding encoding, char *out)
{
	const uint8_t *at = (const uint8_t *)text, *end = at + size;
	size_t used = 0;
	while ((size_t)(end - at) >= ctf_unit_size(encoding))
		used += put(out + used, take(&at, (size_t)(end - at), encoding));
	return used;
}

bool ctf_texts_keep(struct ctf_texts *texts, enum ctf_encoding encoding, const char **text, size_t *size)
{
	struct ctf_text *kept = texts->kept;
	while (kept != NULL && (kept->source != *text || kept->source_size != *size))
		kept = kept->next;
	if (kept == NULL) {
		kept = malloc(sizeof(*kept) + room_for(*size, encoding));
		if (kept == NULL)
			return false;
		kept->source = *text;
		kept->source_size = *size;
		kept->size = convert(*text, *size, encoding, kept->bytes);
		kept->next = texts->kept;
		texts->kept = kept;
	}
	*text = kept->bytes;
	*size = kept->size;
	return true;
}

bool ctf_texts_make(struct ctf_texts *texts, enum ctf_encoding encoding, const char **text, size_t *size)
{
	if (!array_reserve(&texts->last, &texts->last_capacity, room_for(*size, encoding) + 1))
		return false;
	*size = convert(*text, *size, encoding, texts->last);
	*text = texts->last;
	return true;
}

void ctf_texts_clear(struct ctf_texts *texts)
{
	while (texts->kept != NULL) {
		struct ctf_text *next = texts->kept->next;
		free(texts->kept);
		texts->kept = next;
	}
}

void ctf_texts_release(struct ctf_texts *texts)
{
	ctf_texts_clear(texts);
	free(texts->last);
	free(texts->slots);
	*texts = (struct ctf_texts){ 0 };
}
