/* SPDX-License-Identifier: MIT */
/*
 * json_text.h - JSON in memory, value by value (RFC 8259); and whether the first bytes of a file are a trace in the
 * Trace Event Format, or other JSON.
 *
 * The text may end anywhere: a value cut by the end is JSON_MORE, and is read again, from its beginning, once there
 * are more bytes.  Accepted beyond the RFC: infinities and NaN in any spelling, and hexadecimal numbers; True,
 * False and None; control characters in strings, except zero bytes, and backslashes that begin no escape; missing
 * and repeated commas.
 *
 * Numbers are kept exactly as JSON writes them: as decimal digits, not as a double.
 */
#ifndef TRACE_JSON_JSON_TEXT_H
#define TRACE_JSON_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/packed/packed_source.h"

enum json_result {
	JSON_OK,
	JSON_MORE, /* the bytes end within the value */
	JSON_BAD,  /* it is no JSON */
	JSON_NO_MEMORY,
};

enum json_kind {
	JSON_ABSENT,
	JSON_STRING,
	JSON_NUMBER, /* its bytes are as they are written; nan, inf or -inf if it is not a number */
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL,
	JSON_NESTED, /* an object or an array, which was passed over */
};

struct json_word {
	enum json_kind kind;
	const char *bytes; /* borrowed from the text, or from its strings */
	size_t size;
};

struct json_text {
	const uint8_t *at, *end;
	/* Strings with escapes, without these; room for as many bytes as the text has. */
	char *strings;
	size_t strings_used, strings_capacity;
};

/* Begin at bytes, which outlive what is read of them.  Returns false when memory runs out. */
bool json_text_begin(struct json_text *text, const uint8_t *at, const uint8_t *end);
void json_text_release(struct json_text *text);

/* Pass over white space.  Returns false at the end of the bytes. */
bool json_scan_space(struct json_text *text);

/* Read a string, of which the quote is next. */
enum json_result json_scan_string(struct json_text *text, struct json_word *out);

/* Read a value of any kind; what is nested is passed over. */
enum json_result json_scan_word(struct json_text *text, struct json_word *out);

/* Read a value of any kind, with all that is inside of it, as a part of that name, which is NULL of an element. */
enum json_result json_scan_parts(struct json_text *text, struct packed_parts *parts, const char *name,
				 size_t name_size);

/* Read the name of a member and the colon; JSON_OK with a kind of JSON_ABSENT where the object ends. */
enum json_result json_scan_member(struct json_text *text, struct json_word *name);

enum json_look {
	LOOK_NO_JSON,
	LOOK_OTHER, /* JSON, but no such trace: rows of events, or anything */
	LOOK_TRACE,
};

enum json_look json_look(const void *bytes, size_t size);

__extension__ typedef __int128 json_wide;

/* Whether the bytes are a number, with digits before a point or behind it, or hexadecimal. */
bool json_number_is(const char *bytes, size_t size);

/* Whether it is written as an integer that fits, and it. */
bool json_number_int(const char *bytes, size_t size, int64_t *out);
double json_number_real(const char *bytes, size_t size);

/*
 * The number times 10^scale, as an integer; what is left of it behind the point is rounded, halves away from zero.
 * Returns false if it has more than 36 digits, or the bytes are no number.
 */
bool json_number_scaled(const char *bytes, size_t size, int scale, json_wide *out);

#endif
