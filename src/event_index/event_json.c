// SPDX-License-Identifier: MIT
#include "event_index/event_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/json_text.h"
#include "base/number_text.h"

enum { DEPTH_MAX = 256 };

struct writer {
	struct event_text *text;
	bool needs_comma;
	uint32_t open; /* structures and arrays that are not ended */
	char closing[DEPTH_MAX];
	bool has_failed;
};

static void put(struct writer *writer, const char *bytes, size_t size)
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

static void put_string(struct writer *writer, const char *bytes, size_t size)
{
	put(writer, "\"", 1);
	while (size > 0) {
		struct json_piece piece = json_piece_next(bytes, size);
		put(writer, bytes, piece.plain);
		put(writer, piece.escape, piece.escape_size);
		bytes += piece.taken;
		size -= piece.taken;
	}
	put(writer, "\"", 1);
}

static void put_bytes(struct writer *writer, const struct event_part *part)
{
	char digits[3];
	put(writer, "\"0x", 3);
	for (size_t i = 0; i < part->size && writer->text->size <= EVENT_JSON_SIZE_MAX; i++) {
		snprintf(digits, sizeof(digits), "%02x", (unsigned char)part->bytes[i]);
		put(writer, digits, 2);
	}
	put(writer, "\"", 1);
}

static void put_real(struct writer *writer, double real)
{
	char number[NUMBER_TEXT_SIZE];
	if (isfinite(real))
		put(writer, number, number_format_real(real, number));
	else
		put(writer, "null", 4);
}

static void begin(struct writer *writer, const char *opening, char closing)
{
	put(writer, opening, 1);
	writer->closing[writer->open++] = closing;
	writer->needs_comma = false;
}

static void end(struct writer *writer)
{
	put(writer, &writer->closing[--writer->open], 1);
	writer->needs_comma = true;
}

static void put_value(struct writer *writer, const struct event_part *part)
{
	char number[NUMBER_TEXT_SIZE];
	writer->needs_comma = true;
	switch (part->kind) {
	case EVENT_INT:
	case EVENT_UNSIGNED:
		if (part->label != NULL)
			put_string(writer, part->label, strlen(part->label));
		else if (part->kind == EVENT_UNSIGNED)
			put(writer, number, number_format_unsigned((uint64_t)part->integer, number));
		else
			put(writer, number, number_format_signed(part->integer, number));
		break;
	case EVENT_REAL:
		put_real(writer, part->real);
		break;
	case EVENT_TEXT:
		put_string(writer, part->bytes, part->size);
		break;
	case EVENT_BYTES:
		put_bytes(writer, part);
		break;
	case EVENT_STRUCTURE:
		begin(writer, "{", '}');
		break;
	case EVENT_ARRAY:
		begin(writer, "[", ']');
		break;
	case EVENT_NOTHING:
	case EVENT_END:
		put(writer, "null", 4);
		break;
	}
}

static bool write_part(void *context, const struct event_part *part)
{
	struct writer *writer = context;
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
		put(writer, ",", 1);
	if (part->name != NULL) {
		put_string(writer, part->name, strlen(part->name));
		put(writer, ":", 1);
	}
	put_value(writer, part);
	return !writer->has_failed;
}

bool event_json_write(struct event_text *text, const struct event *event)
{
	struct writer writer = { .text = text };
	text->size = 0;
	begin(&writer, "{", '}');
	for (uint32_t field = 0; field < event->class->field_count; field++)
		if (!event_visit(event, field, write_part, &writer))
			break;
	while (writer.open > 0)
		end(&writer);
	return !writer.has_failed;
}
