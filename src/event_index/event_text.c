// SPDX-License-Identifier: MIT
#include "event_index/event_text.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"

enum { BYTES_MAX = 64 }; /* of those in hexadecimal */

struct writer {
	struct event_text *text;
	bool is_behind_bracket;
	bool is_skipping; /* elements up to the end of their array */
	uint32_t skip_depth;
	char closing[256]; /* by depth */
	bool has_failed;
};

static void put(struct writer *writer, const char *bytes, size_t size)
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

static void put_text(struct writer *writer, const char *text)
{
	put(writer, text, strlen(text));
}

static void put_bytes(struct writer *writer, const struct event_part *part)
{
	char digits[3];
	put_text(writer, "0x");
	for (size_t i = 0; i < part->size && i < BYTES_MAX; i++) {
		snprintf(digits, sizeof(digits), "%02x", (unsigned char)part->bytes[i]);
		put(writer, digits, 2);
	}
	if (part->size > BYTES_MAX)
		put_text(writer, "...");
}

static void put_value(struct writer *writer, const struct event_part *part)
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
		put(writer, "\"", is_inside);
		put(writer, part->bytes, part->size);
		put(writer, "\"", is_inside);
		break;
	case EVENT_BYTES:
		put_bytes(writer, part);
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
static bool is_left_out(struct writer *writer, const struct event_part *part)
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

static bool write_part(void *context, const struct event_part *part)
{
	struct writer *writer = context;
	if (part->depth >= sizeof(writer->closing) || (part->depth == 0 && part->kind == EVENT_NOTHING) ||
	    is_left_out(writer, part))
		return true;
	if (part->kind == EVENT_END) {
		put(writer, &writer->closing[part->depth], 1);
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
	put_value(writer, part);
	writer->is_behind_bracket = part->kind == EVENT_STRUCTURE || part->kind == EVENT_ARRAY;
	writer->closing[part->depth] = part->kind == EVENT_STRUCTURE ? '}' : ']';
	return !writer->has_failed;
}

bool event_text_write(struct event_text *text, const struct event *event)
{
	struct writer writer = { .text = text };
	text->size = 0;
	put(&writer, "", 0);
	for (uint32_t field = 0; field < event->class->field_count; field++)
		if (!event_visit(event, field, write_part, &writer))
			break;
	return !writer.has_failed;
}
