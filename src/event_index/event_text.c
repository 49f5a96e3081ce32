// SPDX-License-Identifier: MIT
/*
 * event_text.c - an event as text: its contents as one line, its fields as JSON.
 */
#include "event_index/event_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/json_text.h"
#include "base/number_text.h"
#include "event/event.h"

/* Of an array, so many elements are in the text; and a text has not many more bytes than that. */
enum { EVENT_TEXT_ELEMENTS_MAX = 100, EVENT_TEXT_SIZE_MAX = 64 << 10 };

/* ---- event json ---------------------------------------------------------------------------------------------- */

enum { DEPTH_MAX = 256 };

struct event_json_writer {
	struct event_text *text;
	bool needs_comma;
	uint32_t open; /* structures and arrays that are not ended */
	char closing[DEPTH_MAX];
	bool has_failed;
};

static void event_json_put(struct event_json_writer *writer, const char *bytes, size_t size)
{
	struct event_text *text = writer->text;
	if (writer->has_failed || !array_reserve(&text->bytes, &text->capacity, text->size + size + 1)) {
		writer->has_failed = true;
		return;
	}
	memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
	text->bytes[text->size] = '\0';
}

static void put_string(struct event_json_writer *writer, const char *bytes, size_t size)
{
	event_json_put(writer, "\"", 1);
	while (size > 0) {
		struct json_piece piece = json_piece_next(bytes, size);
		event_json_put(writer, bytes, piece.plain);
		event_json_put(writer, piece.escape, piece.escape_size);
		bytes += piece.taken;
		size -= piece.taken;
	}
	event_json_put(writer, "\"", 1);
}

static void event_json_put_bytes(struct event_json_writer *writer, const struct event_part *part)
{
	char digits[3];
	event_json_put(writer, "\"0x", 3);
	for (size_t i = 0; i < part->size && writer->text->size <= EVENT_JSON_SIZE_MAX; i++) {
		snprintf(digits, sizeof(digits), "%02x", (unsigned char)part->bytes[i]);
		event_json_put(writer, digits, 2);
	}
	event_json_put(writer, "\"", 1);
}

static void put_real(struct event_json_writer *writer, double real)
{
	char number[NUMBER_TEXT_SIZE];
	if (isfinite(real))
		event_json_put(writer, number, number_format_real(real, number));
	else
		event_json_put(writer, "null", 4);
}

static void begin(struct event_json_writer *writer, const char *opening, char closing)
{
	event_json_put(writer, opening, 1);
	writer->closing[writer->open++] = closing;
	writer->needs_comma = false;
}

static void end(struct event_json_writer *writer)
{
	event_json_put(writer, &writer->closing[--writer->open], 1);
	writer->needs_comma = true;
}

static void event_json_put_value(struct event_json_writer *writer, const struct event_part *part)
{
	char number[NUMBER_TEXT_SIZE];
	writer->needs_comma = true;
	switch (part->kind) {
	case EVENT_INT:
	case EVENT_UNSIGNED:
		if (part->label != NULL)
			put_string(writer, part->label, strlen(part->label));
		else if (part->kind == EVENT_UNSIGNED)
			event_json_put(writer, number, number_format_unsigned((uint64_t)part->integer, number));
		else
			event_json_put(writer, number, number_format_signed(part->integer, number));
		break;
	case EVENT_REAL:
		put_real(writer, part->real);
		break;
	case EVENT_TEXT:
		put_string(writer, part->bytes, part->size);
		break;
	case EVENT_BYTES:
		event_json_put_bytes(writer, part);
		break;
	case EVENT_STRUCTURE:
		begin(writer, "{", '}');
		break;
	case EVENT_ARRAY:
		begin(writer, "[", ']');
		break;
	case EVENT_NOTHING:
	case EVENT_END:
		event_json_put(writer, "null", 4);
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
		return !writer->has_failed;
	}
	if (writer->text->size > EVENT_JSON_SIZE_MAX)
		return false;
	if (writer->needs_comma)
		event_json_put(writer, ",", 1);
	if (part->name != NULL) {
		put_string(writer, part->name, strlen(part->name));
		event_json_put(writer, ":", 1);
	}
	event_json_put_value(writer, part);
	return !writer->has_failed;
}

bool event_json_write(struct event_text *text, const struct event *event)
{
	struct event_json_writer writer = { .text = text };
	text->size = 0;
	begin(&writer, "{", '}');
	for (uint32_t field = 0; field < event->class->field_count; field++)
		if (!event_visit(event, field, event_json_write_part, &writer))
			break;
	while (writer.open > 0)
		end(&writer);
	return !writer.has_failed;
}

/* ---- event text ---------------------------------------------------------------------------------------------- */

enum { BYTES_MAX = 64 }; /* of those in hexadecimal */

struct event_text_writer {
	struct event_text *text;
	bool is_behind_bracket;
	bool is_skipping; /* elements up to the end of their array */
	uint32_t skip_depth;
	char closing[256]; /* by depth */
	bool has_failed;
};

static void event_text_put(struct event_text_writer *writer, const char *bytes, size_t size)
{
	struct event_text *text = writer->text;
	if (writer->has_failed || !array_reserve(&text->bytes, &text->capacity, text->size + size + 1)) {
		writer->has_failed = true;
		return;
	}
	if (size > 0)
		memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
	text->bytes[text->size] = '\0';
}

static void put_text(struct event_text_writer *writer, const char *text)
{
	event_text_put(writer, text, strlen(text));
}

static void event_text_put_bytes(struct event_text_writer *writer, const struct event_part *part)
{
	char digits[3];
	put_text(writer, "0x");
	for (size_t i = 0; i < part->size && i < BYTES_MAX; i++) {
		snprintf(digits, sizeof(digits), "%02x", (unsigned char)part->bytes[i]);
		event_text_put(writer, digits, 2);
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
		event_text_put(writer, "\"", is_inside);
		event_text_put(writer, part->bytes, part->size);
		event_text_put(writer, "\"", is_inside);
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
		event_text_put(writer, &writer->closing[part->depth], 1);
		writer->is_behind_bracket = false;
		return !writer->has_failed;
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
	return !writer->has_failed;
}

bool event_text_write(struct event_text *text, const struct event *event)
{
	struct event_text_writer writer = { .text = text };
	text->size = 0;
	event_text_put(&writer, "", 0);
	for (uint32_t field = 0; field < event->class->field_count; field++)
		if (!event_visit(event, field, event_text_write_part, &writer))
			break;
	return !writer.has_failed;
}
