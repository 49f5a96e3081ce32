// SPDX-License-Identifier: MIT
/*
 * json_writer.c - JSON (RFC 8259) from left to right into a piece.  Clients take long rows of digits for integers,
 * so a double always has a point or an exponent.
 */
#include "server/text/json_writer.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/number_text.h"
#include "base/table.h"

/* ---- piece --------------------------------------------------------------------------------------------------- */

char *piece_room(struct piece *piece, size_t size)
{
	if (!piece->failed && size <= piece->capacity - piece->size)
		return piece->bytes + piece->size;
	if (piece->failed || size > SIZE_MAX - piece->size ||
	    !array_reserve(&piece->bytes, &piece->capacity, piece->size + size)) {
		piece->failed = true;
		return NULL;
	}
	return piece->bytes + piece->size;
}

void piece_put(struct piece *piece, const void *bytes, size_t size)
{
	char *room = piece_room(piece, size);
	if (room == NULL || size == 0)
		return;
	memcpy(room, bytes, size);
	piece->size += size;
}

void piece_format(struct piece *piece, const char *format, ...)
{
	va_list arguments, again;
	va_start(arguments, format);
	va_copy(again, arguments);
	int length = vsnprintf(NULL, 0, format, arguments);
	char *room = length < 0 ? NULL : piece_room(piece, (size_t)length + 1);
	if (room != NULL) {
		vsnprintf(room, (size_t)length + 1, format, again);
		piece->size += (size_t)length;
	}
	va_end(again);
	va_end(arguments);
}

void piece_release(struct piece *piece)
{
	free(piece->bytes);
	*piece = (struct piece){ 0 };
}

/* ---- json writer --------------------------------------------------------------------------------------------- */

/* Before any value or key. */
static void separate(struct json_writer *json)
{
	if (json->comma)
		piece_put_char(json->piece, ',');
	json->comma = true;
}

static void json_writer_begin(struct json_writer *json, char opening, char closing)
{
	assert(json->depth < JSON_DEPTH_MAX);
	separate(json);
	piece_put_char(json->piece, opening);
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
	piece_put_char(json->piece, json->closing[--json->depth]);
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
	piece_put_char(json->piece, '"');
	piece_put_text(json->piece, name);
	piece_put(json->piece, "\":", 2);
	json->comma = false;
}

static void quote(struct piece *piece, const char *bytes, size_t size)
{
	piece_put_char(piece, '"');
	while (size > 0) {
		struct json_piece next = json_piece_next(bytes, size);
		piece_put(piece, bytes, next.plain);
		piece_put(piece, next.escape, next.escape_size);
		bytes += next.taken;
		size -= next.taken;
	}
	piece_put_char(piece, '"');
}

void json_key_string(struct json_writer *json, const char *bytes, size_t size)
{
	separate(json);
	quote(json->piece, bytes, size);
	piece_put_char(json->piece, ':');
	json->comma = false;
}

void json_put_int(struct json_writer *json, int64_t number)
{
	char text[NUMBER_TEXT_SIZE];
	separate(json);
	piece_put(json->piece, text, number_format_signed(number, text));
}

void json_put_unsigned(struct json_writer *json, uint64_t number)
{
	char text[NUMBER_TEXT_SIZE];
	separate(json);
	piece_put(json->piece, text, number_format_unsigned(number, text));
}

void json_put_real(struct json_writer *json, double number)
{
	char text[NUMBER_TEXT_SIZE];
	separate(json);
	/* A sign, nine digits, a point and an exponent like e+15 are fifteen characters. */
	int length = snprintf(text, sizeof(text), "%.9g", isfinite(number) ? number : 0.0);
	piece_put(json->piece, text, (size_t)length);
	if (strpbrk(text, ".e") == NULL)
		piece_put(json->piece, ".0", 2);
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
	piece_put_text(json->piece, truth ? "true" : "false");
}

void json_put_null(struct json_writer *json)
{
	separate(json);
	piece_put(json->piece, "null", 4);
}

void json_put_string(struct json_writer *json, const char *bytes, size_t size)
{
	separate(json);
	quote(json->piece, bytes, size);
}

void json_put_text(struct json_writer *json, const char *text)
{
	json_put_string(json, text, strlen(text));
}

void json_put_raw(struct json_writer *json, const char *bytes, size_t size)
{
	separate(json);
	piece_put(json->piece, bytes, size);
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
