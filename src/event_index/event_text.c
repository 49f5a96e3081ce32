// SPDX-License-Identifier: MIT
/*
 * event_text.c - an event as text: its contents as one line, its fields as JSON, or one by one.
 */
#include "event_index/event_text.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/number_text.h"
#include "base/table.h"
#include "event/event.h"

/* The most elements of an array in a text, and about the most bytes of a text. */
enum { EVENT_TEXT_ELEMENTS_MAX = 100, EVENT_TEXT_SIZE_MAX = 64 << 10 };

static void event_text_begin(struct event_text *text)
{
	text->size = 0;
	text->failed = false;
}

static void event_text_put(struct event_text *text, const char *bytes, size_t size)
{
	if (text->failed || !array_reserve(&text->bytes, &text->capacity, text->size + size + 1)) {
		text->failed = true;
		return;
	}
	if (size > 0)
		memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
	text->bytes[text->size] = '\0';
}

/* ---- event json ---------------------------------------------------------------------------------------------- */

enum { DEPTH_MAX = 256 };

struct event_json_writer {
	struct event_text *text;
	bool needs_comma;
	uint32_t open; /* structures and arrays that are not ended */
	char closing[DEPTH_MAX];
};

static void put_string(struct event_json_writer *writer, const char *bytes, size_t size)
{
	event_text_put(writer->text, "\"", 1);
	while (size > 0) {
		struct json_piece piece = json_piece_next(bytes, size);
		event_text_put(writer->text, bytes, piece.plain);
		event_text_put(writer->text, piece.escape, piece.escape_size);
		bytes += piece.taken;
		size -= piece.taken;
	}
	event_text_put(writer->text, "\"", 1);
}

static void event_json_put_bytes(struct event_json_writer *writer, const struct event_part *part)
{
	char digits[3];
	event_text_put(writer->text, "0x", 2);
	for (size_t i = 0; i < part->size && writer->text->size <= EVENT_JSON_SIZE_MAX; i++) {
		snprintf(digits, sizeof(digits), "%02x", (unsigned char)part->bytes[i]);
		event_text_put(writer->text, digits, 2);
	}
}

static void put_real(struct event_json_writer *writer, double real)
{
	char number[NUMBER_TEXT_SIZE];
	if (isfinite(real))
		event_text_put(writer->text, number, number_format_real(real, number));
	else
		event_text_put(writer->text, "null", 4);
}

static void event_json_open(struct event_json_writer *writer, const char *opening, char closing)
{
	event_text_put(writer->text, opening, 1);
	writer->closing[writer->open++] = closing;
	writer->needs_comma = false;
}

static void end(struct event_json_writer *writer)
{
	event_text_put(writer->text, &writer->closing[--writer->open], 1);
	writer->needs_comma = true;
}

static void event_json_put_value(struct event_json_writer *writer, const struct event_part *part)
{
	char number[NUMBER_TEXT_SIZE];
	writer->needs_comma = true;
	switch (part->kind) {
	case EVENT_INT:
	case EVENT_UNSIGNED:
		if (part->is_truth)
			event_text_put(writer->text, part->label, strlen(part->label));
		else if (part->label != NULL)
			put_string(writer, part->label, strlen(part->label));
		else if (part->kind == EVENT_UNSIGNED)
			event_text_put(writer->text, number,
				       number_format_unsigned((uint64_t)part->integer, number));
		else
			event_text_put(writer->text, number, number_format_signed(part->integer, number));
		break;
	case EVENT_REAL:
		put_real(writer, part->real);
		break;
	case EVENT_TEXT:
		put_string(writer, part->bytes, part->size);
		break;
	case EVENT_BYTES:
		event_text_put(writer->text, "\"", 1);
		event_json_put_bytes(writer, part);
		event_text_put(writer->text, "\"", 1);
		break;
	case EVENT_STRUCTURE:
		event_json_open(writer, "{", '}');
		break;
	case EVENT_ARRAY:
		event_json_open(writer, "[", ']');
		break;
	case EVENT_NOTHING:
	case EVENT_END:
		event_text_put(writer->text, "null", 4);
		break;
	}
}

static bool event_json_write_part(void *context, const struct event_part *part)
{
	struct event_json_writer *writer = context;
	/* The object itself is one level above the fields. */
	if (part->depth + 1 >= DEPTH_MAX || (part->depth == 0 && part->kind == EVENT_NOTHING))
		return true;
	if (part->kind == EVENT_END) {
		end(writer);
		return !writer->text->failed;
	}
	if (writer->text->size > EVENT_JSON_SIZE_MAX)
		return false;
	if (writer->needs_comma)
		event_text_put(writer->text, ",", 1);
	if (part->name != NULL) {
		put_string(writer, part->name, strlen(part->name));
		event_text_put(writer->text, ":", 1);
	}
	event_json_put_value(writer, part);
	return !writer->text->failed;
}

bool event_json_write(struct event_text *text, const struct event *event)
{
	struct event_json_writer writer = { .text = text };
	event_text_begin(text);
	event_json_open(&writer, "{", '}');
	for (uint32_t field = 0; field < event->class->field_count; field++)
		if (!event_visit(event, field, event_json_write_part, &writer))
			break;
	while (writer.open > 0)
		end(&writer);
	return !text->failed;
}

/* ---- event fields -------------------------------------------------------------------------------------------- */

/* Texts lie one after the other, each with a zero, and may move until the last one is there. */
struct event_fields_writer {
	struct event_json_writer json;
	struct event_fields *fields;
	struct histree_event_field *field; /* NULL: the one that is visited is not there */
};

static struct histree_event_field *event_fields_add(struct event_fields *fields, const char *name)
{
	if (!array_reserve(&fields->fields, &fields->capacity, fields->count + 1))
		return NULL;
	struct histree_event_field *field = &fields->fields[fields->count++];
	*field = (struct histree_event_field){ .name = name };
	return field;
}

/* A field itself; false where what is inside of it is to be written as JSON. */
static bool take_value(struct event_fields_writer *writer, const struct event_part *part)
{
	struct histree_event_field *field = writer->field;
	switch (part->kind) {
	case EVENT_INT:
	case EVENT_UNSIGNED:
		field->integer = part->integer;
		field->kind = part->kind == EVENT_INT ? HISTREE_EVENT_SIGNED : HISTREE_EVENT_UNSIGNED;
		if (part->label == NULL)
			break;
		field->kind = HISTREE_EVENT_LABEL;
		event_text_put(writer->json.text, part->label, strlen(part->label));
		break;
	case EVENT_REAL:
		field->kind = HISTREE_EVENT_REAL;
		field->real = part->real;
		break;
	case EVENT_TEXT:
		field->kind = HISTREE_EVENT_TEXT;
		event_text_put(writer->json.text, part->size > 0 ? part->bytes : "", part->size);
		break;
	case EVENT_BYTES:
		field->kind = HISTREE_EVENT_TEXT;
		event_json_put_bytes(&writer->json, part);
		break;
	case EVENT_STRUCTURE:
	case EVENT_ARRAY:
	case EVENT_NOTHING:
	case EVENT_END:
		field->kind = HISTREE_EVENT_PARTS;
		return false;
	}
	return true;
}

static bool event_fields_visit(void *context, const struct event_part *part)
{
	struct event_fields_writer *writer = context;
	struct event_json_writer *json = &writer->json;
	struct event_part itself = *part;
	if (part->depth > 0 || part->kind == EVENT_END)
		return event_json_write_part(json, part);
	if (part->kind == EVENT_NOTHING)
		return true;
	writer->field = event_fields_add(writer->fields, NULL);
	if (writer->field == NULL) {
		json->text->failed = true;
		return false;
	}
	if (take_value(writer, part))
		return !json->text->failed;
	itself.name = NULL;
	json->needs_comma = false;
	return event_json_write_part(json, &itself);
}

bool event_fields_take(struct event_fields *fields, const struct event *event)
{
	const struct event_class *class = event->class;
	struct event_text *text = &fields->text;
	struct event_fields_writer writer = { .json = { .text = text }, .fields = fields };
	fields->count = 0;
	event_text_begin(text);
	for (uint32_t i = 0; i < class->field_count && text->size <= EVENT_JSON_SIZE_MAX; i++) {
		const size_t begin = text->size;
		writer.field = NULL;
		(void)event_visit(event, i, event_fields_visit, &writer);
		if (text->failed)
			return false;
		while (writer.json.open > 0)
			end(&writer.json);
		if (writer.field == NULL)
			continue;
		writer.field->name = class->fields[i];
		writer.field->is_context = i >= class->payload_count;
		writer.field->size = text->size - begin;
		event_text_put(text, "", 1);
	}
	assert(writer.json.open == 0);
	const char *at = fields->text.bytes;
	for (size_t i = 0; i < fields->count; i++) {
		struct histree_event_field *field = &fields->fields[i];
		field->text = at != NULL ? at : "";
		at += at != NULL ? field->size + 1 : 0;
	}
	return !text->failed;
}

/* Returns the number of four hexadecimal digits; UINT_MAX if they are not digits. */
static unsigned hexadecimal(const char *digits)
{
	static const char all[] = "0123456789abcdef";
	unsigned number = 0;
	for (int i = 0; i < 4; i++) {
		const char *found =
			digits[i] != '\0' ? strchr(all, digits[i] | ('A' <= digits[i] ? 0x20 : 0)) : NULL;
		if (found == NULL)
			return UINT_MAX;
		number = number * 16 + (unsigned)(found - all);
	}
	return number;
}

/* The byte behind a backslash, and what follows it; our writer has "\u" for control characters and U+FFFD alone. */
static const char *copy_escape(const char *from, char **to)
{
	static const char escapes[] = "b\bf\fn\nr\rt\t";
	const char *escape = *from != '\0' ? strchr(escapes, *from) : NULL;
	const unsigned code = *from == 'u' ? hexadecimal(from + 1) : UINT_MAX;
	if (code < 0x80)
		*(*to)++ = (char)code;
	else if (code != UINT_MAX)
		*to = (char *)memcpy(*to, "\xef\xbf\xbd", 3) + 3;
	else if (*from != '\0')
		*(*to)++ = escape != NULL && (escape - escapes) % 2 == 0 ? escape[1] : *from;
	return from + (code != UINT_MAX ? 4 : 0) + (*from != '\0');
}

/* Copy a text of JSON without its escapes, also one that ends too early. */
static const char *copy_text(const char *from, char **to)
{
	from++;
	while (*from != '"' && *from != '\0')
		if (*from == '\\')
			from = copy_escape(from + 1, to);
		else
			*(*to)++ = *from++;
	return *from == '"' ? from + 1 : from;
}

/* Returns where an array, a structure, a number or a word ends. */
static const char *end_of_value(const char *at)
{
	unsigned depth = 0;
	bool is_text = false;
	for (; *at != '\0'; at++) {
		if (is_text && *at == '\\' && at[1] != '\0')
			at++;
		else if (*at == '"')
			is_text = !is_text;
		else if (!is_text && (*at == '[' || *at == '{'))
			depth++;
		else if (!is_text && depth == 0 && (*at == ',' || *at == '}'))
			return at;
		else if (!is_text && (*at == ']' || *at == '}'))
			depth--;
	}
	return at;
}

/* A number, which has no text; or what is inside of a field, copied. */
static void read_value(struct histree_event_field *field, const char *at, size_t size, char **text)
{
	if (*at == '[' || *at == '{') {
		field->kind = HISTREE_EVENT_PARTS;
		field->size = size;
		*text = (char *)memcpy(*text, at, size) + size;
	} else if (memchr(at, '.', size) != NULL || memchr(at, 'e', size) != NULL) {
		field->kind = HISTREE_EVENT_REAL;
		field->real = strtod(at, NULL);
	} else if (*at == '-') {
		field->kind = HISTREE_EVENT_SIGNED;
		field->integer = strtoll(at, NULL, 10);
	} else {
		const uint64_t number = strtoull(at, NULL, 10);
		field->kind = number <= INT64_MAX ? HISTREE_EVENT_SIGNED : HISTREE_EVENT_UNSIGNED;
		field->integer = (int64_t)number;
	}
}

bool event_fields_read(struct event_fields *fields, const char *at)
{
	const size_t size = 2 * strlen(at) + 1; /* with a zero after each name and text */
	fields->count = 0;
	if (!array_reserve(&fields->text.bytes, &fields->text.capacity, size))
		return false;
	char *text = fields->text.bytes;
	while (at[0] != '\0' && at[1] == '"') {
		struct histree_event_field *field = event_fields_add(fields, text);
		if (field == NULL)
			return false;
		at = copy_text(at + 1, &text);
		*text++ = '\0';
		at += *at == ':';
		const char *end = end_of_value(at);
		field->text = text;
		if (*at == '"') {
			field->kind = HISTREE_EVENT_TEXT;
			end = copy_text(at, &text);
			field->size = (size_t)(text - field->text);
		} else if (end - at == 4 && memcmp(at, "null", 4) == 0) {
			field->kind = HISTREE_EVENT_REAL;
			field->real = NAN;
		} else {
			read_value(field, at, (size_t)(end - at), &text);
		}
		*text++ = '\0';
		at = end;
	}
	return true;
}

void event_fields_release(struct event_fields *fields)
{
	free(fields->fields);
	free(fields->text.bytes);
	*fields = (struct event_fields){ 0 };
}

/* ---- event text ---------------------------------------------------------------------------------------------- */

enum { BYTES_MAX = 64 }; /* of those in hexadecimal */

struct event_text_writer {
	struct event_text *text;
	bool is_behind_bracket;
	bool is_skipping; /* elements up to the end of their array */
	uint32_t skip_depth;
	char closing[256]; /* by depth */
};

static void put_text(struct event_text_writer *writer, const char *text)
{
	event_text_put(writer->text, text, strlen(text));
}

static void event_text_put_bytes(struct event_text_writer *writer, const struct event_part *part)
{
	char digits[3];
	put_text(writer, "0x");
	for (size_t i = 0; i < part->size && i < BYTES_MAX; i++) {
		snprintf(digits, sizeof(digits), "%02x", (unsigned char)part->bytes[i]);
		event_text_put(writer->text, digits, 2);
	}
	if (part->size > BYTES_MAX)
		put_text(writer, "...");
}

static void event_text_put_value(struct event_text_writer *writer, const struct event_part *part)
{
	char number[EVENT_DIGITS_SIZE];
	bool is_inside = part->depth > 0;
	switch (part->kind) {
	case EVENT_INT:
	case EVENT_UNSIGNED:
		event_part_digits(part, number);
		put_text(writer, part->label != NULL ? part->label : number);
		break;
	case EVENT_REAL:
		snprintf(number, sizeof(number), "%.15g", part->real);
		put_text(writer, number);
		break;
	case EVENT_TEXT:
		event_text_put(writer->text, "\"", is_inside);
		event_text_put(writer->text, part->bytes, part->size);
		event_text_put(writer->text, "\"", is_inside);
		break;
	case EVENT_BYTES:
		event_text_put_bytes(writer, part);
		break;
	case EVENT_STRUCTURE:
		put_text(writer, "{");
		break;
	case EVENT_ARRAY:
		put_text(writer, "[");
		break;
	case EVENT_NOTHING:
		put_text(writer, "-");
		break;
	case EVENT_END:
		break;
	}
}

/* Returns whether a part is of what is left out: elements behind the last one that is shown. */
static bool is_left_out(struct event_text_writer *writer, const struct event_part *part)
{
	if (writer->is_skipping && part->depth < writer->skip_depth)
		writer->is_skipping = false;
	if (writer->is_skipping)
		return true;
	if (part->name != NULL || part->index < EVENT_TEXT_ELEMENTS_MAX || part->kind == EVENT_END)
		return false;
	put_text(writer, ", ...");
	writer->is_skipping = true;
	writer->skip_depth = part->depth;
	return true;
}

static bool event_text_write_part(void *context, const struct event_part *part)
{
	struct event_text_writer *writer = context;
	if (part->depth >= sizeof(writer->closing) || (part->depth == 0 && part->kind == EVENT_NOTHING) ||
	    is_left_out(writer, part))
		return true;
	if (part->kind == EVENT_END) {
		event_text_put(writer->text, &writer->closing[part->depth], 1);
		writer->is_behind_bracket = false;
		return !writer->text->failed;
	}
	if (writer->text->size > EVENT_TEXT_SIZE_MAX) {
		put_text(writer, " ...");
		return false;
	}
	if (!writer->is_behind_bracket && writer->text->size > 0)
		put_text(writer, ", ");
	if (part->name != NULL) {
		put_text(writer, part->name);
		put_text(writer, "=");
	}
	event_text_put_value(writer, part);
	writer->is_behind_bracket = part->kind == EVENT_STRUCTURE || part->kind == EVENT_ARRAY;
	writer->closing[part->depth] = part->kind == EVENT_STRUCTURE ? '}' : ']';
	return !writer->text->failed;
}

bool event_text_write(struct event_text *text, const struct event *event)
{
	struct event_text_writer writer = { .text = text };
	event_text_begin(text);
	event_text_put(text, "", 0);
	for (uint32_t field = 0; field < event->class->field_count; field++)
		if (!event_visit(event, field, event_text_write_part, &writer))
			break;
	return !text->failed;
}
