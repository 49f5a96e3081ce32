// SPDX-License-Identifier: MIT
/*
 * json_text.c - JSON in memory, value by value (RFC 8259), with the deviations that writers of traces make; and its
 * numbers by their decimal digits, so that nothing is rounded on the way to nanoseconds.
 */
#include "trace/json/json_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "base/json_text.h"
#include "base/table.h"
#include "trace/packed/packed_source.h"

static bool json_number_unsigned(const char *bytes, size_t size, uint64_t *out);

/* ---- json text ----------------------------------------------------------------------------------------------- */

/* ---- json text ----------------------------------------------------------------------------------------------- */

bool json_text_begin(struct json_text *text, const uint8_t *at, const uint8_t *end)
{
	text->at = at;
	text->end = end;
	text->strings_used = 0;
	return array_reserve(&text->strings, &text->strings_capacity, (size_t)(end - at) + 4);
}

void json_text_release(struct json_text *text)
{
	free(text->strings);
	*text = (struct json_text){ 0 };
}

bool json_scan_space(struct json_text *text)
{
	while (text->at < text->end &&
	       (*text->at == ' ' || *text->at == '\n' || *text->at == '\t' || *text->at == '\r'))
		text->at++;
	return text->at < text->end;
}

/* ---- strings --------------------------------------------------------------------------------------------- */

static int hex_digit(uint8_t digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	digit |= 0x20;
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* Four digits after "\u"; JSON_BAD: they are not there, and nothing is skipped. */
static enum json_result read_unit(struct json_text *text, uint32_t *unit)
{
	*unit = 0;
	for (int i = 0; i < 4; i++) {
		if (text->end - text->at <= i)
			return JSON_MORE;
		int digit = hex_digit(text->at[i]);
		if (digit < 0)
			return JSON_BAD;
		*unit = *unit << 4 | (uint32_t)digit;
	}
	text->at += 4;
	return JSON_OK;
}

/* Replaces an invalid character: half of a pair of surrogates, and zero, which would end a text. */
enum { REPLACEMENT = 0xfffd };

static enum json_result read_character(struct json_text *text, uint32_t *character)
{
	enum json_result result = read_unit(text, character);
	if (result != JSON_OK)
		return result;
	bool is_high = *character >= 0xd800 && *character < 0xdc00;
	if (is_high && text->end - text->at < 6 &&
	    (text->end == text->at || (*text->at == '\\' && (text->end - text->at < 2 || text->at[1] == 'u'))))
		return JSON_MORE;
	if (is_high && text->end - text->at >= 6 && text->at[0] == '\\' && text->at[1] == 'u') {
		const uint8_t *before = text->at;
		uint32_t low;
		text->at += 2;
		if (read_unit(text, &low) == JSON_OK && low >= 0xdc00 && low < 0xe000)
			*character = 0x10000 + ((*character - 0xd800) << 10) + (low - 0xdc00);
		else
			text->at = before;
	}
	if ((*character >= 0xd800 && *character < 0xe000) || *character == 0)
		*character = REPLACEMENT;
	return JSON_OK;
}

/*
 * After a backslash.  The result is never longer than the escape.  A backslash that begins no escape, as in
 * "C:\drivers", stands for itself.
 */
static enum json_result unescape(struct json_text *text, char **to)
{
	static const char escapes[][2] = { { '"', '"' },  { '\\', '\\' }, { '/', '/' },  { 'b', '\b' },
					   { 'f', '\f' }, { 'n', '\n' },  { 'r', '\r' }, { 't', '\t' } };
	if (text->at == text->end)
		return JSON_MORE;
	char escape = (char)*text->at++;
	if (escape == 'u') {
		uint32_t character;
		enum json_result result = read_character(text, &character);
		if (result == JSON_OK)
			*to += utf8_put(*to, character);
		if (result != JSON_BAD)
			return result;
	}
	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++)
		if (escapes[i][0] == escape) {
			*(*to)++ = escapes[i][1];
			return JSON_OK;
		}
	*(*to)++ = '\\';
	text->at--;
	return JSON_OK;
}

/* The rest of a string, from its first escape on; what was before it is copied. */
static enum json_result read_escaped(struct json_text *text, const uint8_t *begin, struct json_word *out)
{
	char *start = text->strings + text->strings_used, *to = start;
	memcpy(to, begin, (size_t)(text->at - begin));
	to += text->at - begin;
	while (text->at < text->end) {
		uint8_t byte = *text->at++;
		if (byte == '\0')
			return JSON_BAD;
		if (byte == '"') {
			*out = (struct json_word){ JSON_STRING, start, (size_t)(to - start) };
			text->strings_used = (size_t)(to - text->strings);
			return JSON_OK;
		}
		enum json_result result = JSON_OK;
		if (byte == '\\')
			result = unescape(text, &to);
		else
			*to++ = (char)byte;
		if (result != JSON_OK)
			return result;
	}
	return JSON_MORE;
}

/* Bits where a byte of eight is zero; of those that are set the lowest is right, whatever is above it. */
static inline uint64_t zero_bytes(uint64_t bytes)
{
	return (bytes - UINT64_C(0x0101010101010101)) & ~bytes & UINT64_C(0x8080808080808080);
}

/* Returns the first byte that is no plain one of a string: a quote, a backslash, a zero; or the end. */
static inline const uint8_t *pass_plain(const uint8_t *at, const uint8_t *end)
{
	const uint64_t quotes = '"' * UINT64_C(0x0101010101010101),
		       backslashes = '\\' * UINT64_C(0x0101010101010101);
	for (; end - at >= 8; at += 8) {
		const uint64_t bytes = get_le64(at);
		const uint64_t found =
			zero_bytes(bytes) | zero_bytes(bytes ^ quotes) | zero_bytes(bytes ^ backslashes);
		if (found != 0)
			return at + __builtin_ctzll(found) / 8;
	}
	while (at < end && *at != '"' && *at != '\\' && *at != '\0')
		at++;
	return at;
}

enum json_result json_scan_string(struct json_text *text, struct json_word *out)
{
	const uint8_t *begin = text->at + 1, *at = pass_plain(begin, text->end);
	text->at = at;
	if (at == text->end)
		return JSON_MORE;
	if (*at == '\\')
		return read_escaped(text, begin, out);
	if (*at == '\0')
		return JSON_BAD;
	*out = (struct json_word){ JSON_STRING, (const char *)begin, (size_t)(at - begin) };
	text->at = at + 1;
	return JSON_OK;
}

/* ---- numbers and names of values ------------------------------------------------------------------------- */

static bool is_of_number(uint8_t byte)
{
	return (byte >= '0' && byte <= '9') || byte == '-' || byte == '+' || byte == '.' || byte == 'e' ||
	       byte == 'E';
}

static enum json_result take_word(struct json_text *text, const uint8_t *end, enum json_kind kind,
				  const char *bytes, size_t size, struct json_word *out)
{
	text->at = end;
	*out = (struct json_word){ kind, bytes, size };
	return JSON_OK;
}

static bool is_of_name(uint8_t byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' || byte == '#' ||
	       byte == '(' || byte == ')' || (byte >= '0' && byte <= '9');
}

/*
 * What C, C++, Python and others print for a number that is not one: nan, -inf, NaN(ind), Infinity; 1.#QNAN,
 * whose point has been read.
 */
static enum json_result read_not_finite(struct json_text *text, const uint8_t *at, bool is_negative,
					struct json_word *out)
{
	static const char *const names[] = { "nan", "qnan", "snan", "ind", "infinity", "inf" };
	const uint8_t *begin = at;
	while (at < text->end && is_of_name(*at))
		at++;
	if (at == text->end)
		return JSON_MORE;
	begin += *begin == '#';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t size = strlen(names[i]), left = (size_t)(at - begin);
		if (left < size || strncasecmp((const char *)begin, names[i], size) != 0)
			continue;
		if (i < 4)
			return take_word(text, at, JSON_NUMBER, "nan", 3, out);
		if (left == size || (begin[size] >= '0' && begin[size] <= '9'))
			return take_word(text, at, JSON_NUMBER, is_negative ? "-inf" : "inf", 3 + is_negative, out);
	}
	return JSON_BAD;
}

/* A number that is not JSON, from its beginning. */
static enum json_result read_odd_number(struct json_text *text, const uint8_t *begin, struct json_word *out)
{
	const uint8_t *at = begin;
	bool is_negative = *at == '-';
	at += *at == '-' || *at == '+';
	if (text->end - at < 4)
		return JSON_MORE;
	if (at[0] == '1' && at[1] == '.' && at[2] == '#')
		return read_not_finite(text, at + 2, is_negative, out);
	if (at[0] != '0' || (at[1] | 0x20) != 'x')
		return read_not_finite(text, at, is_negative, out);
	for (at += 2; at < text->end && is_of_name(*at);)
		at++;
	if (at == text->end)
		return JSON_MORE;
	size_t size = (size_t)(at - begin);
	return json_number_is((const char *)begin, size)
		       ? take_word(text, at, JSON_NUMBER, (const char *)begin, size, out)
		       : JSON_BAD;
}

/* One with an exponent, or one that is not JSON. */
static enum json_result read_other_number(struct json_text *text, struct json_word *out)
{
	const uint8_t *begin = text->at;
	while (text->at < text->end && is_of_number(*text->at))
		text->at++;
	if (text->at == text->end)
		return JSON_MORE;
	*out = (struct json_word){ JSON_NUMBER, (const char *)begin, (size_t)(text->at - begin) };
	return json_number_is(out->bytes, out->size) && !is_of_name(*text->at) ? JSON_OK
									       : read_odd_number(text, begin, out);
}

static const uint8_t *json_text_pass_digits(const uint8_t *at, const uint8_t *end)
{
	while (at < end && (uint8_t)(*at - '0') < 10)
		at++;
	return at;
}

static bool ends_value(uint8_t byte)
{
	return byte == ',' || byte == '}' || byte == ']' || byte <= ' ';
}

static enum json_result read_scalar(struct json_text *text, struct json_word *out)
{
	uint8_t byte = *text->at;
	if (byte == '"')
		return json_scan_string(text, out);
	if ((byte >= '0' && byte <= '9') || byte == '-' || byte == '+' || byte == '.') {
		const uint8_t *begin = text->at, *digits = begin + (*begin == '-'),
			      *at = json_text_pass_digits(digits, text->end);
		bool is_plain = at > digits;
		if (at < text->end && *at == '.') {
			digits = at + 1;
			at = json_text_pass_digits(digits, text->end);
			is_plain = is_plain && at > digits;
		}
		if (at == text->end)
			return JSON_MORE;
		return is_plain && ends_value(*at)
			       ? take_word(text, at, JSON_NUMBER, (const char *)begin, (size_t)(at - begin), out)
			       : read_other_number(text, out);
	}
	static const struct {
		const char *name;
		enum json_kind kind;
	} names[] = { { "true", JSON_TRUE }, { "false", JSON_FALSE }, { "null", JSON_NULL },
		      { "True", JSON_TRUE }, { "False", JSON_FALSE }, { "None", JSON_NULL } };
	size_t left = (size_t)(text->end - text->at);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t size = strlen(names[i].name), have = size < left ? size : left;
		if (memcmp(names[i].name, text->at, have) != 0)
			continue;
		if (have < size)
			return JSON_MORE;
		if (size < left && is_of_name(text->at[size])) /* nullptr */
			return JSON_BAD;
		return take_word(text, text->at + size, names[i].kind, (const char *)text->at, size, out);
	}
	return is_of_name(*text->at) ? read_not_finite(text, text->at, false, out) : JSON_BAD;
}

/* A name that a printf() has without its quotes, as a value of an argument: ncclFloat32, Direction.OUT. */
static enum json_result read_bare(struct json_text *text, struct json_word *out)
{
	const uint8_t *at = text->at;
	while (at < text->end && (is_of_name(*at) || *at == '.' || *at == ':'))
		at++;
	if (at == text->end)
		return JSON_MORE;
	return at > text->at && ends_value(*at)
		       ? take_word(text, at, JSON_STRING, (const char *)text->at, (size_t)(at - text->at), out)
		       : JSON_BAD;
}

/* ---- what is nested -------------------------------------------------------------------------------------- */

static bool opens(uint8_t byte)
{
	return byte == '{' || byte == '[';
}

/* Pass over an object or an array, however deep: its strings and brackets are looked at, and nothing else. */
static enum json_result skip_nested(struct json_text *text)
{
	size_t depth = 0;
	while (text->at < text->end) {
		uint8_t byte = *text->at++;
		if (byte == '"') {
			while (text->at < text->end && *text->at != '"')
				text->at += *text->at == '\\' ? 2 : 1;
			if (text->at >= text->end)
				return JSON_MORE;
			text->at++;
		}
		depth += opens(byte);
		depth -= byte == '}' || byte == ']';
		if (depth == 0)
			return JSON_OK;
	}
	return JSON_MORE;
}

enum json_result json_scan_word(struct json_text *text, struct json_word *out)
{
	*out = (struct json_word){ .kind = JSON_ABSENT };
	if (!json_scan_space(text))
		return JSON_MORE;
	if (!opens(*text->at))
		return read_scalar(text, out);
	out->kind = JSON_NESTED;
	return skip_nested(text);
}

/* Between members or elements: returns JSON_OK at the next one, or at the end, of which the bracket is used up. */
static enum json_result read_comma(struct json_text *text, uint8_t bracket, bool *is_end)
{
	while (json_scan_space(text) && *text->at == ',')
		text->at++;
	if (text->at == text->end)
		return JSON_MORE;
	*is_end = *text->at == bracket;
	text->at += *is_end;
	return JSON_OK;
}

/* Get a name as nearly all are written: behind a comma or none, a colon behind it; false: look closer. */
static inline bool member_as_usual(struct json_text *text, struct json_word *name)
{
	const uint8_t *begin = text->at, *end = text->end;
	begin += begin < end && *begin == ',';
	if (begin == end || *begin++ != '"')
		return false;
	const uint8_t *at = pass_plain(begin, end);
	if (end - at < 2 || at[0] != '"' || at[1] != ':')
		return false;
	*name = (struct json_word){ JSON_STRING, (const char *)begin, (size_t)(at - begin) };
	text->at = at + 2;
	return true;
}

enum json_result json_scan_member(struct json_text *text, struct json_word *name)
{
	bool is_end;
	if (member_as_usual(text, name))
		return JSON_OK;
	*name = (struct json_word){ .kind = JSON_ABSENT };
	enum json_result result = read_comma(text, '}', &is_end);
	if (result != JSON_OK || is_end)
		return result;
	if (*text->at != '"')
		return JSON_BAD;
	result = json_scan_string(text, name);
	if (result != JSON_OK)
		return result;
	if (!json_scan_space(text))
		return JSON_MORE;
	return *text->at++ == ':' ? JSON_OK : JSON_BAD;
}

static enum json_result put_members(struct json_text *text, struct packed_parts *parts)
{
	struct json_word name;
	enum json_result result;
	while ((result = json_scan_member(text, &name)) == JSON_OK && name.kind != JSON_ABSENT) {
		result = json_scan_parts(text, parts, name.bytes, name.size);
		if (result != JSON_OK)
			return result;
	}
	return result;
}

static enum json_result put_elements(struct json_text *text, struct packed_parts *parts)
{
	bool is_end = false;
	enum json_result result;
	while ((result = read_comma(text, ']', &is_end)) == JSON_OK && !is_end) {
		result = json_scan_parts(text, parts, NULL, 0);
		if (result != JSON_OK)
			return result;
	}
	return result;
}

/* It goes PACKED_DEPTH_MAX deep. */
enum json_result json_scan_parts(struct json_text *text, struct packed_parts *parts, const char *name,
				 size_t name_size)
{
	struct json_word word;
	if (!json_scan_space(text))
		return JSON_MORE;
	bool is_object = *text->at == '{';
	enum json_result result;
	if (!opens(*text->at)) {
		const uint8_t *const begin = text->at;
		result = read_scalar(text, &word);
		if (result == JSON_BAD && is_of_name(*begin)) {
			text->at = begin;
			result = read_bare(text, &word);
		}
		if (result == JSON_OK) {
			if (word.kind == JSON_STRING)
				packed_parts_text(parts, name, name_size, word.bytes, word.size);
			else if (word.kind == JSON_NUMBER) {
				int64_t integer;
				uint64_t natural;
				if (json_number_int(word.bytes, word.size, &integer))
					packed_parts_int(parts, name, name_size, integer);
				else if (json_number_unsigned(word.bytes, word.size, &natural))
					packed_parts_unsigned(parts, name, name_size, natural);
				else
					packed_parts_real(parts, name, name_size,
							  json_number_real(word.bytes, word.size));
			} else if (word.kind == JSON_NULL)
				packed_parts_nothing(parts, name, name_size);
			else
				packed_parts_truth(parts, name, name_size, word.kind == JSON_TRUE);
		}
		return result;
	}
	bool is_too_deep = parts->depth == PACKED_DEPTH_MAX;
	packed_parts_open(parts, is_object ? EVENT_STRUCTURE : EVENT_ARRAY, name, name_size);
	if (is_too_deep) {
		result = skip_nested(text);
	} else {
		text->at++;
		result = is_object ? put_members(text, parts) : put_elements(text, parts);
	}
	if (result == JSON_OK)
		packed_parts_close(parts);
	return result == JSON_OK && parts->has_failed ? JSON_NO_MEMORY : result;
}

/* ---- json look ----------------------------------------------------------------------------------------------- */

static bool is_one_of(const struct json_word *name, const char *const *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(rows[i]) == name->size && memcmp(rows[i], name->bytes, name->size) == 0)
			return true;
	return false;
}

/* A table of events is an object a row, which says when; a trace is one object, and says so. */
static enum json_look look_at_members(struct json_text *text)
{
	static const char *const of_traces[] = { "traceEvents",
						 "displayTimeUnit",
						 "otherData",
						 "stackFrames",
						 "samples",
						 "metadata",
						 "systemTraceEvents",
						 "beginningOfTime",
						 "controllerTraceDataKey",
						 "linux-perf-json-version",
						 "schemaVersion", /* of PyTorch */
						 "deviceProperties",
						 "baseTimeNanoseconds" };
	static const char *const phase = "ph";
	struct json_word name, value;
	enum json_result result;
	while ((result = json_scan_member(text, &name)) == JSON_OK && name.kind != JSON_ABSENT) {
		if (is_one_of(&name, of_traces, sizeof(of_traces) / sizeof(of_traces[0])))
			return LOOK_TRACE;
		result = json_scan_word(text, &value);
		/* Events may be objects behind one another, without an array around them. */
		if (result == JSON_OK && is_one_of(&name, &phase, 1) && value.kind == JSON_STRING &&
		    value.size == 1)
			return LOOK_TRACE;
		if (result != JSON_OK)
			break;
	}
	return result == JSON_BAD ? LOOK_NO_JSON : LOOK_OTHER;
}

/*
 * Behind the bracket: before the first event there may be commas, and values that are none.  A line of a log begins
 * with a time in brackets, and what follows may stand in brackets, too: "[    0.000000] [drm] ...".
 */
static enum json_look look_at_elements(struct json_text *text)
{
	while (json_scan_space(text)) {
		struct json_word word;
		if (*text->at == ',') {
			text->at++;
			continue;
		}
		if (*text->at == '{' || *text->at == ']')
			return LOOK_TRACE;
		if (*text->at == '[')
			return LOOK_OTHER;
		const enum json_result result = json_scan_word(text, &word);
		if (result == JSON_MORE)
			return LOOK_OTHER;
		if (result != JSON_OK || (json_scan_space(text) && *text->at != ',' && *text->at != ']'))
			return LOOK_NO_JSON;
		if (text->at < text->end && *text->at++ == ']' && json_scan_space(text))
			return LOOK_NO_JSON;
		if (word.kind != JSON_NULL)
			return LOOK_OTHER;
	}
	return LOOK_TRACE;
}

enum json_look json_look(const void *bytes, size_t size)
{
	struct json_text text = { 0 };
	enum json_look look = LOOK_NO_JSON;
	size_t mark = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* of UTF-8 */
	if (json_text_begin(&text, (const uint8_t *)bytes + mark, (const uint8_t *)bytes + size) &&
	    json_scan_space(&text)) {
		uint8_t first = *text.at++;
		if (first == '[')
			look = look_at_elements(&text);
		else if (first == '{')
			look = look_at_members(&text);
	}
	json_text_release(&text);
	return look;
}

/* ---- json number --------------------------------------------------------------------------------------------- */

/* No exponent of a number that fits is larger. */
enum { EXPONENT_MAX = 1000, DIGITS_MAX = 36, POWERS = 13 };

static const int64_t powers[POWERS] = { 1,           10,           100,          1000,      10000,
					100000,      1000000,      10000000,     100000000, 1000000000,
					10000000000, 100000000000, 1000000000000 };

/* A number as it is written: its digits without the point, and how many of them are behind it. */
struct decimal {
	bool is_negative, is_integer; /* written without a point and an exponent */
	json_wide digits;             /* the first DIGITS_MAX that matter */
	int count;                    /* of them */
	int exponent;                 /* the number is digits * 10^exponent */
};

static void take_digit(struct decimal *decimal, char digit, bool is_behind)
{
	if (decimal->count >= DIGITS_MAX) {
		decimal->exponent += !is_behind && decimal->exponent < EXPONENT_MAX;
		return;
	}
	decimal->digits = decimal->digits * 10 + (digit - '0');
	decimal->count += decimal->digits != 0;
	decimal->exponent -= is_behind && decimal->exponent > -EXPONENT_MAX;
}

/* Returns where the exponent ends; NULL if it is not one. */
static const char *read_exponent(const char *at, const char *end, int *out)
{
	bool is_negative = at < end && *at == '-';
	int exponent = 0;
	at += at < end && (*at == '-' || *at == '+');
	if (at == end)
		return NULL;
	for (; at < end && *at >= '0' && *at <= '9'; at++)
		exponent = exponent < EXPONENT_MAX ? exponent * 10 + (*at - '0') : exponent;
	*out += is_negative ? -exponent : exponent;
	return at;
}

static const char *json_number_pass_digits(const char *at, const char *end)
{
	while (at < end && *at >= '0' && *at <= '9')
		at++;
	return at;
}

/* As programs write them: 0x1f, with at most 16 digits.  Returns where it ends, or NULL if it is not a number. */
static const char *read_hexadecimal(const char *at, const char *end, uint64_t *out)
{
	const char *begin = at + 2;
	*out = 0;
	if (end - at < 3 || at[0] != '0' || (at[1] | 0x20) != 'x')
		return NULL;
	for (at = begin; at < end && at - begin < 16; at++) {
		int letter = *at | 0x20;
		if (*at >= '0' && *at <= '9')
			*out = *out << 4 | (uint64_t)(*at - '0');
		else if (letter >= 'a' && letter <= 'f')
			*out = *out << 4 | (uint64_t)(letter - 'a' + 10);
		else
			return NULL;
	}
	return at == end ? at : NULL;
}

/* Nearly all of them: digits that fit, and a point. */
static bool read_plain(const char *at, const char *end, struct decimal *out)
{
	enum { PLAIN_MAX = 19 }; /* digits and a point in 64 bits */
	const char *point = NULL;
	uint64_t digits = 0;
	bool is_negative = at < end && *at == '-';
	at += is_negative;
	if (at == end || end - at > PLAIN_MAX || *at == '.' || end[-1] == '.')
		return false;
	for (; at < end; at++) {
		unsigned digit = (unsigned char)(*at - '0');
		if (digit < 10)
			digits = digits * 10 + digit;
		else if (*at == '.' && point == NULL)
			point = at;
		else
			return false;
	}
	*out = (struct decimal){
		.is_negative = is_negative,
		.is_integer = point == NULL,
		.digits = digits,
		.exponent = point == NULL ? 0 : (int)(point + 1 - end),
	};
	return true;
}

static bool read_decimal(const char *at, size_t size, struct decimal *out)
{
	const char *end = at + size, *begin;
	uint64_t number;
	if (read_plain(at, end, out))
		return true;
	*out = (struct decimal){ .is_integer = true };
	out->is_negative = at < end && *at == '-';
	at += at < end && (*at == '-' || *at == '+');
	for (begin = at; at < end && *at >= '0' && *at <= '9'; at++)
		take_digit(out, *at, false);
	size_t digits = (size_t)(at - begin);
	if (digits == 1 && at < end && *begin == '0' && read_hexadecimal(begin, end, &number) != NULL) {
		out->digits = number;
		return true;
	}
	if (at < end && *at == '.') {
		out->is_integer = false;
		for (begin = ++at; at < end && *at >= '0' && *at <= '9'; at++)
			take_digit(out, *at, true);
		digits += (size_t)(at - begin);
	}
	if (digits == 0)
		return false;
	if (at < end && (*at == 'e' || *at == 'E')) {
		out->is_integer = false;
		at = read_exponent(at + 1, end, &out->exponent);
	}
	return at == end;
}

bool json_number_is(const char *bytes, size_t size)
{
	const char *end = bytes + size, *at = bytes, *begin;
	int exponent = 0;
	uint64_t number;
	at += at < end && (*at == '-' || *at == '+');
	begin = at;
	at = json_number_pass_digits(at, end);
	size_t digits = (size_t)(at - begin);
	if (at < end && *at == '.') {
		begin = ++at;
		at = json_number_pass_digits(at, end);
		digits += (size_t)(at - begin);
	}
	if (digits == 1 && at < end && (*at | 0x20) == 'x')
		return read_hexadecimal(at - 1, end, &number) != NULL;
	if (digits == 0)
		return false;
	if (at < end && (*at == 'e' || *at == 'E'))
		at = read_exponent(at + 1, end, &exponent);
	return at == end;
}

bool json_number_int(const char *bytes, size_t size, int64_t *out)
{
	enum { SHORT_MAX = 18 }; /* digits that fit, whatever they are */
	struct decimal decimal;
	uint64_t short_number = 0;
	size_t at = 0;
	for (; at < size && size <= SHORT_MAX && (uint8_t)(bytes[at] - '0') < 10; at++)
		short_number = 10 * short_number + (uint64_t)(bytes[at] - '0');
	*out = (int64_t)short_number;
	if (at == size && size > 0)
		return true;
	if (!read_decimal(bytes, size, &decimal) || !decimal.is_integer || decimal.exponent != 0)
		return false;
	json_wide number = decimal.is_negative ? -decimal.digits : decimal.digits;
	*out = (int64_t)number;
	return number >= INT64_MIN && number <= INT64_MAX;
}

static bool json_number_unsigned(const char *bytes, size_t size, uint64_t *out)
{
	struct decimal decimal;
	if (!read_decimal(bytes, size, &decimal) || !decimal.is_integer || decimal.exponent != 0 ||
	    decimal.is_negative)
		return false;
	*out = (uint64_t)decimal.digits;
	return decimal.digits <= UINT64_MAX;
}

double json_number_real(const char *bytes, size_t size)
{
	char text[400]; /* the longest that says something: DBL_MAX with all of its digits */
	size_t length = size < sizeof(text) - 1 ? size : sizeof(text) - 1;
	memcpy(text, bytes, length);
	text[length] = '\0';
	return strtod(text, NULL);
}

bool json_number_scaled(const char *bytes, size_t size, int scale, json_wide *out)
{
	struct decimal decimal;
	if (!read_decimal(bytes, size, &decimal))
		return false;
	json_wide number = decimal.digits;
	int exponent = decimal.exponent + scale;
	while (exponent > 0 && number != 0) {
		int step = exponent < POWERS - 1 ? exponent : POWERS - 1;
		if (__builtin_mul_overflow(number, (json_wide)powers[step], &number))
			return false;
		exponent -= step;
	}
	for (; exponent < -1 && number != 0; exponent++)
		number /= 10;
	if (exponent == -1)
		number = (number + 5) / 10;
	*out = decimal.is_negative ? -number : number;
	return true;
}
