// SPDX-License-Identifier: MIT
/*
 * json_writer.c - JSON (RFC 8259) from left to right into a buffer.  Clients take long rows of digits for integers,
 * so a double always has a point or an exponent.
 */
#include "server/text/json_writer.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/json_text.h"
#include "base/number_text.h"

/* Before any value or key. */
static void separate(struct json_writer *json)
{
	if (json->comma)
		byte_buffer_put_byte(json->out, ',');
	json->comma = true;
}

static void json_writer_begin(struct json_writer *json, char opening, char closing)
{
	assert(json->depth < JSON_DEPTH_MAX);
	separate(json);
	byte_buffer_put_byte(json->out, (uint8_t)opening);
	json->closing[json->depth++] = closing;
	json->comma = false;
}

void json_begin_object(struct json_writer *json)
{
	json_writer_begin(json, '{', '}');
}

void json_begin_array(struct json_writer *json)
{
	json_writer_begin(json, '[', ']');
}

void json_end(struct json_writer *json)
{
	assert(json->depth > 0);
	byte_buffer_put_byte(json->out, (uint8_t)json->closing[--json->depth]);
	json->comma = true;
}

void json_end_to(struct json_writer *json, unsigned depth)
{
	while (json->depth > depth)
		json_end(json);
}

void json_key(struct json_writer *json, const char *name)
{
	separate(json);
	byte_buffer_put_byte(json->out, '"');
	byte_buffer_put_chars(json->out, name);
	byte_buffer_put(json->out, "\":", 2);
	json->comma = false;
}

static void quote(struct byte_buffer *out, const char *bytes, size_t size)
{
	byte_buffer_put_byte(out, '"');
	while (size > 0) {
		struct json_piece next = json_piece_next(bytes, size);
		byte_buffer_put(out, bytes, next.plain);
		byte_buffer_put(out, next.escape, next.escape_size);
		bytes += next.taken;
		size -= next.taken;
	}
	byte_buffer_put_byte(out, '"');
}

void json_key_string(struct json_writer *json, const char *bytes, size_t size)
{
	separate(json);
	quote(json->out, bytes, size);
	byte_buffer_put_byte(json->out, ':');
	json->comma = false;
}

void json_put_int(struct json_writer *json, int64_t number)
{
	char text[NUMBER_TEXT_SIZE];
	separate(json);
	byte_buffer_put(json->out, text, number_format_signed(number, text));
}

void json_put_unsigned(struct json_writer *json, uint64_t number)
{
	char text[NUMBER_TEXT_SIZE];
	separate(json);
	byte_buffer_put(json->out, text, number_format_unsigned(number, text));
}

void json_put_real(struct json_writer *json, double number)
{
	char text[NUMBER_TEXT_SIZE];
	separate(json);
	/* A sign, nine digits, a point and an exponent like e+15 are fifteen characters. */
	int length = snprintf(text, sizeof(text), "%.9g", isfinite(number) ? number : 0.0);
	byte_buffer_put(json->out, text, (size_t)length);
	if (strpbrk(text, ".e") == NULL)
		byte_buffer_put(json->out, ".0", 2);
}

void json_put_known(struct json_writer *json, double number)
{
	if (isnan(number))
		json_put_null(json);
	else
		json_put_real(json, number);
}

void json_put_bool(struct json_writer *json, bool truth)
{
	separate(json);
	byte_buffer_put_chars(json->out, truth ? "true" : "false");
}

void json_put_null(struct json_writer *json)
{
	separate(json);
	byte_buffer_put(json->out, "null", 4);
}

void json_put_string(struct json_writer *json, const char *bytes, size_t size)
{
	separate(json);
	quote(json->out, bytes, size);
}

void json_put_text(struct json_writer *json, const char *text)
{
	json_put_string(json, text, strlen(text));
}

void json_put_raw(struct json_writer *json, const char *bytes, size_t size)
{
	separate(json);
	byte_buffer_put(json->out, bytes, size);
}

void json_begin_object_member(struct json_writer *json, const char *name)
{
	json_key(json, name);
	json_begin_object(json);
}

void json_begin_array_member(struct json_writer *json, const char *name)
{
	json_key(json, name);
	json_begin_array(json);
}

void json_int_member(struct json_writer *json, const char *name, int64_t number)
{
	json_key(json, name);
	json_put_int(json, number);
}

void json_unsigned_member(struct json_writer *json, const char *name, uint64_t number)
{
	json_key(json, name);
	json_put_unsigned(json, number);
}

void json_real_member(struct json_writer *json, const char *name, double number)
{
	json_key(json, name);
	json_put_real(json, number);
}

void json_bool_member(struct json_writer *json, const char *name, bool truth)
{
	json_key(json, name);
	json_put_bool(json, truth);
}

void json_text_member(struct json_writer *json, const char *name, const char *text)
{
	json_string_member(json, name, text, strlen(text));
}

void json_string_member(struct json_writer *json, const char *name, const char *bytes, size_t size)
{
	json_key(json, name);
	json_put_string(json, bytes, size);
}
