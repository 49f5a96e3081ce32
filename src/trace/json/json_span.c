// SPDX-License-Identifier: MIT
/*
 * json_span.c - values of JSON where they lie in memory.
 */
#include "trace/json/json_span.h"

#include <string.h>

#include "base/table.h"

static const uint8_t *behind_space(const uint8_t *at, const uint8_t *end)
{
	while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
		at++;
	return at;
}

static bool ends_word(uint8_t byte)
{
	return byte == ',' || byte == ']' || byte == '}' || byte == ':' || byte <= ' ';
}

/* Release pages of the document, once in a number of bytes of a walk. */
static void look(struct table_space *space, const uint8_t *from, const uint8_t *at)
{
	enum { LOOK_BITS = 20 };
	if (((uintptr_t)from ^ (uintptr_t)at) >> LOOK_BITS != 0)
		table_space_look(space);
}

/*
 * Returns what is behind the quote that ends a string which begins here; the end of the bytes if none does. Each
 * level of a document is walked over once more, and most of it are strings: so the quote is searched for.
 */
static const uint8_t *behind_string(const uint8_t *begin, const uint8_t *end)
{
	const uint8_t *at = begin;
	while (at < end) {
		const uint8_t *quote = memchr(at, '"', (size_t)(end - at)), *slash = quote;
		if (quote == NULL)
			return end;
		while (slash > at && slash[-1] == '\\')
			slash--;
		at = quote + 1;
		if ((quote - slash) % 2 == 0)
			return at;
	}
	return end;
}

struct json_span json_span_value(struct json_span bytes)
{
	const uint8_t *begin = behind_space(bytes.at, bytes.end), *at = begin;
	uint64_t depth = 0;
	if (at < bytes.end && *at != '{' && *at != '[' && *at != '"') {
		while (at < bytes.end && !ends_word(*at))
			at++;
		look(bytes.space, bytes.at, at);
		return (struct json_span){ begin, at, bytes.space };
	}
	while (at < bytes.end) {
		const uint8_t *from = at;
		if (*at == '"') {
			at = behind_string(at + 1, bytes.end);
		} else {
			depth += *at == '{' || *at == '[';
			depth -= (*at == '}' || *at == ']') && depth > 0;
			at++;
		}
		look(bytes.space, from, at);
		if (depth == 0)
			break;
	}
	return (struct json_span){ begin, at, bytes.space };
}

struct json_span json_span_inside(struct json_span value, char bracket)
{
	const struct json_span none = { value.end, value.end, value.space };
	return json_span_is(value, bracket) ? (struct json_span){ value.at + 1, value.end, value.space } : none;
}

bool json_span_next(struct json_span *rest, struct json_span *element)
{
	while ((rest->at = behind_space(rest->at, rest->end)) < rest->end && *rest->at == ',')
		rest->at++;
	*element = json_span_value(*rest);
	rest->at = element->end;
	return json_span_is_there(*element);
}

bool json_span_next_member(struct json_span *rest, struct json_span *name, struct json_span *value)
{
	if (!json_span_next(rest, name) || !json_span_is(*name, '"'))
		return false;
	rest->at = behind_space(rest->at, rest->end);
	if (!json_span_is(*rest, ':'))
		return false;
	rest->at++;
	*value = json_span_value(*rest);
	rest->at = value->end;
	return json_span_is_there(*value);
}

bool json_span_is_text(struct json_span value, const char *text)
{
	const size_t size = strlen(text);
	return (size_t)(value.end - value.at) == size + 2 && *value.at == '"' &&
	       memcmp(value.at + 1, text, size) == 0;
}

struct json_span json_span_find(struct json_span object, const char *name)
{
	struct json_span rest = json_span_inside(object, '{'), key, value;
	while (json_span_next_member(&rest, &key, &value))
		if (json_span_is_text(key, name))
			return value;
	return (struct json_span){ object.end, object.end, object.space };
}

struct json_span json_span_bare(struct json_span value)
{
	return json_span_is(value, '"') && value.end - value.at >= 2
		       ? (struct json_span){ value.at + 1, value.end - 1, value.space }
		       : value;
}

bool json_span_scaled(struct json_span value, int scale, json_wide *out)
{
	value = json_span_bare(value);
	const size_t size = (size_t)(value.end - value.at);
	return size > 0 && json_number_scaled((const char *)value.at, size, scale, out);
}

bool json_span_int(struct json_span value, int64_t *out)
{
	json_wide wide;
	const size_t size = (size_t)(value.end - value.at);
	if (size > 0 && json_number_int((const char *)value.at, size, out))
		return true;
	if (json_span_is(value, '"') || !json_span_scaled(value, 6, &wide) || wide % 1000000 != 0)
		return false;
	wide /= 1000000;
	*out = (int64_t)wide;
	return wide >= INT64_MIN && wide <= INT64_MAX;
}

struct packed_text json_span_text(struct json_span value, struct json_text *text, bool *is_out_of_memory)
{
	const struct packed_text none = { "", 0 };
	struct json_word word;
	if (!json_span_is(value, '"') || value.end - value.at > JSON_SPAN_TEXT_MAX)
		return none;
	if (!json_text_begin(text, value.at, value.end)) {
		*is_out_of_memory = true;
		return none;
	}
	if (json_scan_string(text, &word) != JSON_OK)
		return none;
	return (struct packed_text){ word.bytes, word.size };
}
