// SPDX-License-Identifier: MIT
/*
 * args_text.c - a field of an event with everything inside it as JSON, cut where it is too long.
 */
#include "analysis/tracks/args_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct writer {
	char *text;
	size_t size, capacity;
	bool is_full;
	bool is_first; /* behind a bracket */
};

/* What does not fit is left out, and so is what follows. */
static void put(struct writer *writer, const char *bytes, size_t size)
{
	if (writer->is_full || size == 0)
		return;
	writer->is_full = size > writer->capacity - writer->size;
	size = writer->is_full ? writer->capacity - writer->size : size;
	memcpy(writer->text + writer->size, bytes, size);
	writer->size += size;
}

static void put_format(struct writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put_format(struct writer *writer, const char *format, ...)
{
	char text[64];
	va_list arguments;
	va_start(arguments, format);
	int size = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	put(writer, text, (size_t)size);
}

/* With as few digits as tell it from others, or nearly so. */
static void put_real(struct writer *writer, double real)
{
	char text[32];
	snprintf(text, sizeof(text), "%.15g", real);
	if (!isfinite(real))
		put_format(writer, "\"%s\"", text);
	else if (strtod(text, NULL) == real)
		put(writer, text, strlen(text));
	else
		put_format(writer, "%.17g", real);
}

static void put_quoted(struct writer *writer, const char *bytes, size_t size)
{
	put(writer, "\"", 1);
	for (size_t i = 0; i < size && !writer->is_full;) {
		size_t plain = i;
		while (plain < size && (unsigned char)bytes[plain] >= ' ' && bytes[plain] != '"' &&
		       bytes[plain] != '\\')
			plain++;
		put(writer, bytes + i, plain - i);
		i = plain;
		if (i == size)
			break;
		if (bytes[i] == '"' || bytes[i] == '\\')
			put_format(writer, "\\%c", bytes[i++]);
		else
			put_format(writer, "\\u%04x", (unsigned char)bytes[i++]);
	}
	put(writer, "\"", 1);
}

static void put_value(struct writer *writer, const struct event_part *part)
{
	switch (part->kind) {
	case EVENT_INT:
		put_format(writer, "%" PRId64, part->integer);
		break;
	case EVENT_UNSIGNED:
		put_format(writer, "%" PRIu64, (uint64_t)part->integer);
		break;
	case EVENT_REAL:
		put_real(writer, part->real);
		break;
	case EVENT_TEXT:
	case EVENT_BYTES:
		put_quoted(writer, part->bytes, part->size);
		break;
	case EVENT_STRUCTURE:
		put(writer, "{", 1);
		break;
	case EVENT_ARRAY:
		put(writer, "[", 1);
		break;
	case EVENT_NOTHING:
	case EVENT_END:
		put(writer, "null", 4);
		break;
	}
}

struct open_parts {
	struct writer writer;
	bool is_array[65]; /* by depth */
};

static bool write_part(void *context, const struct event_part *part)
{
	struct open_parts *parts = context;
	struct writer *writer = &parts->writer;
	if (part->depth == 0 && part->kind == EVENT_NOTHING)
		return false;
	size_t depth = part->depth < 64 ? part->depth : 64;
	if (part->kind == EVENT_END) {
		put(writer, parts->is_array[depth] ? "]" : "}", 1);
		writer->is_first = false;
		return !writer->is_full;
	}
	if (part->depth > 0 && !writer->is_first)
		put(writer, ",", 1);
	if (part->depth > 0 && part->name != NULL) {
		put_quoted(writer, part->name, strlen(part->name));
		put(writer, ":", 1);
	}
	put_value(writer, part);
	writer->is_first = part->kind == EVENT_STRUCTURE || part->kind == EVENT_ARRAY;
	parts->is_array[depth] = part->kind == EVENT_ARRAY;
	return !writer->is_full;
}

/* What did not fit was left out: say so, with no part of a character at the end.  Returns the size. */
static size_t end_cut(char *text, size_t size)
{
	while (size > 0 && ((unsigned char)text[size - 1] & 0xc0) == 0x80)
		size--;
	size -= size > 0 && ((unsigned char)text[size - 1] & 0xc0) == 0xc0;
	memcpy(text + size, "...", 3);
	return size + 3;
}

size_t args_text(const struct event *event, uint32_t field, char *text, size_t capacity)
{
	struct open_parts parts = { .writer = { .text = text, .capacity = capacity - 3, .is_first = true } };
	event_visit(event, field, write_part, &parts);
	if (!parts.writer.is_full)
		return parts.writer.size;
	return end_cut(text, parts.writer.size);
}

/* ---- two objects ----------------------------------------------------------------------------------------- */

static bool is_object(const char *text, size_t size)
{
	return size >= 2 && text[0] == '{' && text[size - 1] == '}';
}

/* Returns where a string that begins here ends, its quote included. */
static const char *pass_string(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		at += *at == '\\';
	return at < end ? at + 1 : end;
}

struct member {
	const char *begin, *name_end, *end;
};

/* Get the member at *at, which is behind the one before it; false: no member is left. */
static bool next_member(const char **at, const char *end, struct member *out)
{
	size_t depth = 0;
	*at += *at < end && **at == ',';
	out->begin = *at;
	if (*at >= end || **at != '"')
		return false;
	out->name_end = *at = pass_string(*at, end);
	while (*at < end && (depth > 0 || **at != ',')) {
		depth += **at == '{' || **at == '[';
		depth -= **at == '}' || **at == ']';
		*at = **at == '"' ? pass_string(*at, end) : *at + 1;
	}
	out->end = *at;
	return true;
}

/* A member takes five bytes at least: "":0, with its comma. */
enum { MEMBERS_MAX = 2048 / 5 + 1 };

static size_t list_members(const char *text, size_t size, struct member members[static MEMBERS_MAX])
{
	const char *at = text + 1, *end = text + size - 1;
	size_t count = 0;
	while (count < MEMBERS_MAX && next_member(&at, end, &members[count]))
		count++;
	return count;
}

static bool is_among(const struct member *member, const struct member *others, size_t count)
{
	size_t size = (size_t)(member->name_end - member->begin);
	for (size_t i = 0; i < count; i++)
		if ((size_t)(others[i].name_end - others[i].begin) == size &&
		    memcmp(others[i].begin, member->begin, size) == 0)
			return true;
	return false;
}

size_t args_text_join(const char *first, size_t first_size, const char *second, size_t second_size, char *text,
		      size_t capacity)
{
	struct member members[MEMBERS_MAX], member;
	struct writer writer = { .text = text, .capacity = capacity - 3 };
	if (first_size == 0 || !is_object(first, first_size) || !is_object(second, second_size)) {
		const char *only = first_size > 0 ? first : second;
		size_t size = first_size > 0 ? first_size : second_size;
		memcpy(text, only, size);
		return size;
	}
	size_t count = list_members(second, second_size, members);
	const char *at = first + 1;
	put(&writer, "{", 1);
	while (next_member(&at, first + first_size - 1, &member)) {
		if (is_among(&member, members, count))
			continue;
		put(&writer, member.begin, (size_t)(member.end - member.begin));
		put(&writer, ",", 1);
	}
	writer.size -= second_size == 2 && writer.size > 1;
	put(&writer, second + 1, second_size - 1);
	return writer.is_full ? end_cut(text, writer.size) : writer.size;
}
