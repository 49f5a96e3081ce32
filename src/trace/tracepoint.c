// SPDX-License-Identifier: MIT
/*
 * tracepoint.c - events that the kernel wrote, decoded by the kernel's own descriptions.
 */
#include "trace/tracepoint.h"

#include <arpa/inet.h>
#include <event-parse.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "histree/status.h"
#include "trace/trace_bytes.h"
#include "trace/trace_source.h"

/* ---- trace cursor -------------------------------------------------------------------------------------------- */

enum { READ_SIZE = 64 << 10, TEXT_SIZE_MAX = 4 << 10 };

/* Returns as many bytes as there are, `size` at most, without stepping over them. */
static const uint8_t *look(struct trace_cursor *cursor, uint64_t size)
{
	struct trace_window *window = cursor->window;
	if (cursor->status != HISTREE_OK)
		return NULL;
	if (window == NULL)
		return cursor->bytes + cursor->at;
	bool is_there = cursor->at >= window->offset && cursor->at - window->offset <= window->count &&
			size <= window->count - (cursor->at - window->offset);
	if (!is_there) {
		size_t wanted = (size_t)(size > READ_SIZE ? size : READ_SIZE);
		cursor->status = trace_window_move(window, cursor->at, wanted, cursor->error);
		if (cursor->status == HISTREE_OK && window->count < size)
			cursor->status = HISTREE_END;
	}
	return cursor->status == HISTREE_OK ? window->bytes + (cursor->at - window->offset) : NULL;
}

/* Returns whether `size` bytes are left. */
static bool check(struct trace_cursor *cursor, uint64_t size)
{
	if (cursor->status == HISTREE_OK && size > cursor->end - cursor->at)
		cursor->status = HISTREE_END;
	return cursor->status == HISTREE_OK;
}

const uint8_t *trace_cursor_take(struct trace_cursor *cursor, uint64_t size)
{
	if (!check(cursor, size))
		return NULL;
	if (size > TRACE_WINDOW_SIZE_MAX)
		cursor->status = HISTREE_END;
	const uint8_t *bytes = look(cursor, size);
	if (bytes != NULL)
		cursor->at += size;
	return bytes;
}

bool trace_cursor_skip(struct trace_cursor *cursor, uint64_t size)
{
	if (!check(cursor, size))
		return false;
	cursor->at += size;
	return true;
}

bool trace_cursor_u16(struct trace_cursor *cursor, uint16_t *out)
{
	const uint8_t *bytes = trace_cursor_take(cursor, 2);
	if (bytes != NULL)
		*out = ordered_u16(bytes, cursor->is_big);
	return bytes != NULL;
}

bool trace_cursor_u32(struct trace_cursor *cursor, uint32_t *out)
{
	const uint8_t *bytes = trace_cursor_take(cursor, 4);
	if (bytes != NULL)
		*out = ordered_u32(bytes, cursor->is_big);
	return bytes != NULL;
}

bool trace_cursor_u64(struct trace_cursor *cursor, uint64_t *out)
{
	const uint8_t *bytes = trace_cursor_take(cursor, 8);
	if (bytes != NULL)
		*out = ordered_u64(bytes, cursor->is_big);
	return bytes != NULL;
}

const char *trace_cursor_text(struct trace_cursor *cursor)
{
	uint64_t left = cursor->end - cursor->at;
	size_t size = (size_t)(left < TEXT_SIZE_MAX ? left : TEXT_SIZE_MAX);
	const uint8_t *bytes = look(cursor, size);
	const uint8_t *zero = bytes == NULL || size == 0 ? NULL : memchr(bytes, 0, size);
	if (zero != NULL)
		cursor->at += (uint64_t)(zero - bytes) + 1;
	else if (cursor->status == HISTREE_OK)
		cursor->status = HISTREE_END;
	return (const char *)(zero == NULL ? NULL : bytes);
}

/* A block is a size of 64 bits, and that many bytes. */
static const uint8_t *trace_cursor_block(struct trace_cursor *cursor, uint64_t *size)
{
	return trace_cursor_u64(cursor, size) ? trace_cursor_take(cursor, *size) : NULL;
}

bool trace_cursor_skip_block(struct trace_cursor *cursor)
{
	uint64_t size;
	return trace_cursor_u64(cursor, &size) && trace_cursor_skip(cursor, size);
}

/* ---- tracepoint field ---------------------------------------------------------------------------------------- */

static bool is_within(struct tracepoint_bytes event, uint64_t offset, uint64_t size)
{
	return offset <= event.size && size <= event.size - offset;
}

bool tracepoint_field_int(const struct tracepoint_field *field, struct tracepoint_bytes event, int64_t *out)
{
	if (field->kind != TRACEPOINT_INTEGER || !is_within(event, field->offset, field->size))
		return false;
	const uint8_t *at = event.bytes + field->offset;
	bool is_signed = field->is_signed;
	switch (field->size) {
	case 1:
		*out = is_signed ? (int8_t)*at : *at;
		return true;
	case 2:
		*out = is_signed ? (int16_t)ordered_u16(at, event.is_big) : ordered_u16(at, event.is_big);
		return true;
	case 4:
		*out = is_signed ? (int64_t)(int32_t)ordered_u32(at, event.is_big)
				 : (int64_t)ordered_u32(at, event.is_big);
		return true;
	default:
		*out = (int64_t)ordered_u64(at, event.is_big);
		return true;
	}
}

/* An event has fewer addresses: each has its text until as many others were asked for in this thread. */
static bool text_of_address(const struct tracepoint_field *field, struct tracepoint_bytes event, const char **text,
			    size_t *size)
{
	enum { TEXTS = 16, ADDRESS_OF_IP4 = 4 };
	static _Thread_local char texts[TEXTS][INET6_ADDRSTRLEN];
	static _Thread_local unsigned next;
	if (!is_within(event, field->offset, field->size))
		return false;
	char *to = texts[next++ % TEXTS];
	*text = inet_ntop(field->size == ADDRESS_OF_IP4 ? AF_INET : AF_INET6, event.bytes + field->offset, to,
			  INET6_ADDRSTRLEN);
	*size = *text != NULL ? strlen(to) : 0;
	return *text != NULL;
}

bool tracepoint_field_text(const struct tracepoint_field *field, struct tracepoint_bytes event, const char **text,
			   size_t *size)
{
	if (field->kind == TRACEPOINT_ADDRESS)
		return text_of_address(field, event, text, size);
	uint64_t offset = field->offset, room = field->size;
	if (field->kind == TRACEPOINT_DISTANT_TEXT || field->kind == TRACEPOINT_RELATIVE_TEXT) {
		if (!is_within(event, offset, 4))
			return false;
		uint32_t where = ordered_u32(event.bytes + offset, event.is_big);
		offset = (where & 0xffff) + (field->kind == TRACEPOINT_RELATIVE_TEXT ? offset + 4 : 0);
		room = where >> 16;
	} else if (field->kind != TRACEPOINT_TEXT) {
		return false;
	} else if (room == 0 && offset <= event.size) {
		room = event.size - offset;
	}
	if (!is_within(event, offset, room))
		return false;
	const char *begin = (const char *)event.bytes + offset;
	*text = begin;
	*size = room == 0 ? 0 : strnlen(begin, (size_t)room);
	return true;
}

/* ---- tracepoint ---------------------------------------------------------------------------------------------- */

/* Descriptions are a few kB; one of the kernel is less than a page of 64 kB. */
enum { DESCRIPTION_SIZE_MAX = 64 << 10, FIELDS_MAX = 1024 };

#define PRINT "\nprint fmt:"
struct tracepoint_parser {
	struct tep_handle *handle;
};

/* The parser of libtraceevent keeps its place in a text in variables of its own. */
static pthread_mutex_t parsing = PTHREAD_MUTEX_INITIALIZER;

struct tracepoint_parser *tracepoint_parser_create(bool is_big)
{
	struct tracepoint_parser *parser = calloc(1, sizeof(*parser));
	if (parser == NULL)
		return NULL;
	parser->handle = tep_alloc();
	if (parser->handle == NULL) {
		free(parser);
		return NULL;
	}
	tep_set_file_bigendian(parser->handle, is_big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_loglevel(TEP_LOG_NONE);
	return parser;
}

void tracepoint_parser_free(struct tracepoint_parser *parser)
{
	if (parser == NULL)
		return;
	tep_free(parser->handle);
	free(parser);
}

static enum tracepoint_field_kind kind_of(const struct tep_format_field *field)
{
	unsigned long flags = field->flags;
	bool is_text = (flags & TEP_FIELD_IS_STRING) != 0;
	if ((flags & TEP_FIELD_IS_DYNAMIC) != 0) {
		if (!is_text || field->size != 4)
			return TRACEPOINT_OTHER;
		return (flags & TEP_FIELD_IS_RELATIVE) != 0 ? TRACEPOINT_RELATIVE_TEXT : TRACEPOINT_DISTANT_TEXT;
	}
	/*
	 * As include/trace/events/sock.h and tcp.h have them: arrays of __u8 that are called so, which are texts
	 * for libtraceevent.
	 */
	if ((flags & TEP_FIELD_IS_ARRAY) != 0 && (field->size == 4 || field->size == 16) &&
	    strstr(field->type, "u8") != NULL && strstr(field->name, "addr") != NULL)
		return TRACEPOINT_ADDRESS;
	if ((flags & TEP_FIELD_IS_ARRAY) != 0)
		return is_text ? TRACEPOINT_TEXT : TRACEPOINT_OTHER;
	bool is_number = field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8;
	return is_number ? TRACEPOINT_INTEGER : TRACEPOINT_OTHER;
}

static bool copy_fields(const struct tep_format_field *from, struct tracepoint_field *fields, uint32_t *count,
			struct arena *memory)
{
	for (; from != NULL && *count < FIELDS_MAX; from = from->next) {
		const char *name = arena_copy(memory, from->name, strlen(from->name));
		if (name == NULL)
			return false;
		fields[(*count)++] = (struct tracepoint_field){
			.name = name,
			.kind = from->offset < 0 || from->size < 0 ? TRACEPOINT_OTHER : kind_of(from),
			.is_signed = (from->flags & TEP_FIELD_IS_SIGNED) != 0,
			.offset = (uint32_t)from->offset,
			.size = (uint32_t)from->size,
		};
	}
	return true;
}

/* Returns NULL when memory runs out. */
static const struct tracepoint *copy_event(const struct tep_event *event, const char *system, struct arena *memory)
{
	struct tracepoint_field *fields = calloc(FIELDS_MAX, sizeof(*fields));
	struct tracepoint *copy = arena_allocate(memory, sizeof(*copy), alignof(struct tracepoint));
	uint32_t count = 0;
	bool is_copied = fields != NULL && copy != NULL &&
			 copy_fields(event->format.common_fields, fields, &count, memory) &&
			 copy_fields(event->format.fields, fields, &count, memory);
	struct tracepoint_field *kept =
		is_copied ? arena_allocate(memory, (count + 1) * sizeof(*kept), alignof(struct tracepoint_field))
			  : NULL;
	const char *name = kept == NULL ? NULL : arena_copy(memory, event->name, strlen(event->name));
	if (name != NULL) {
		memcpy(kept, fields, count * sizeof(*kept));
		*copy = (struct tracepoint){
			.system = system,
			.name = name,
			.id = (uint32_t)event->id,
			.field_count = count,
			.fields = kept,
		};
	}
	free(fields);
	return name == NULL ? NULL : copy;
}

/* ---- what a description looks like ----------------------------------------------------------------------- */

/*
 * libtraceevent trusts descriptions, which the kernel wrote.  Those of an untrusted file are checked first: lines
 * of the form of the kernel's, with declarations of words, stars and one array, and numbers that are small.
 */
struct line {
	const char *at, *end;
};

static bool take_word(struct line *line, const char *word)
{
	size_t size = strlen(word);
	if ((size_t)(line->end - line->at) < size || memcmp(line->at, word, size) != 0)
		return false;
	line->at += size;
	return true;
}

static bool take_number(struct line *line, unsigned long most)
{
	const char *begin = line->at;
	unsigned long number = 0;
	for (; line->at < line->end && *line->at >= '0' && *line->at <= '9' && number <= most; line->at++)
		number = 10 * number + (unsigned long)(*line->at - '0');
	return line->at > begin && number <= most;
}

static bool is_of_word(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
	       byte == '_';
}

/*
 * Words, at least two, with one space between them; stars; and "[]" or "[SIZE]" once, behind the second word or one
 * that comes later.
 */
static bool take_declaration(struct line *line)
{
	size_t words = 0, arrays = 0;
	char before = ' ';
	for (; line->at < line->end && *line->at != ';'; before = *line->at++) {
		char byte = *line->at;
		if (byte == '[') {
			if (!is_of_word(before) || words < 2 || arrays++ > 0)
				return false;
			while (line->at + 1 < line->end && is_of_word(line->at[1]))
				line->at++;
			if (line->at + 1 == line->end || *++line->at != ']')
				return false;
		} else if (is_of_word(byte)) {
			words += !is_of_word(before);
		} else if (byte == ' ' ? before == ' ' : byte != '*') {
			return false;
		}
	}
	return words >= 2 && (is_of_word(before) || before == ']');
}

static bool is_field(struct line line)
{
	return take_word(&line, "\tfield:") && take_declaration(&line) && take_word(&line, ";\toffset:") &&
	       take_number(&line, UINT16_MAX) && take_word(&line, ";\tsize:") && take_number(&line, UINT16_MAX) &&
	       take_word(&line, ";\tsigned:") && take_number(&line, 1) && take_word(&line, ";") &&
	       line.at == line.end;
}

static bool is_name(struct line line)
{
	if (!take_word(&line, "name: ") || line.at == line.end)
		return false;
	while (line.at < line.end && (is_of_word(*line.at) || *line.at == '-' || *line.at == '.'))
		line.at++;
	return line.at == line.end;
}

/* Name, id, "format:", common fields, an empty line, fields. */
static bool is_description(const char *text, size_t size)
{
	const char *end = text + size;
	size_t number = 0, fields = 0, empty = 0;
	for (const char *at = text; at < end; number++) {
		const char *next = memchr(at, '\n', (size_t)(end - at));
		struct line line = { at, next == NULL ? end : next };
		at = line.end + 1;
		if (number == 0 ? is_name(line)
		    : number == 1
			    ? (take_word(&line, "ID: ") && take_number(&line, INT32_MAX) && line.at == line.end)
			    : false)
			continue;
		if (number == 2 && line.end - line.at == 7 && memcmp(line.at, "format:", 7) == 0)
			continue;
		if (number < 3)
			return false;
		bool is_empty = line.at == line.end;
		if (!is_empty && !is_field(line))
			return false;
		empty += is_empty;
		fields += !is_empty;
	}
	return fields > 0 && fields < FIELDS_MAX && empty <= 2;
}

/*
 * What is behind the fields says how to print them, in a language of its own: it is not wanted.  Returns NULL when
 * memory runs out.
 */
static char *without_print(const char *text, size_t size)
{
	static const char empty[] = "\nprint fmt: \"\"\n";
	char *copy = malloc(size + sizeof(empty));
	if (copy != NULL) {
		memcpy(copy, text, size);
		memcpy(copy + size, empty, sizeof(empty));
	}
	return copy;
}

/*
 * Parse a description; the result lives in `memory`. *out is NULL if it cannot be parsed.  Returns
 * HISTREE_ERR_MEMORY.
 */
static enum histree_status tracepoint_parse(struct tracepoint_parser *parser, const char *text, size_t size,
					    const char *system, struct arena *memory, const struct tracepoint **out,
					    struct histree_error *error)
{
	struct tep_event *event = NULL;
	*out = NULL;
	const char *print = memmem(text, size, PRINT, sizeof(PRINT) - 1);
	size = print == NULL ? size : (size_t)(print - text);
	if (size > DESCRIPTION_SIZE_MAX || !is_description(text, size))
		return HISTREE_OK;
	char *copy = without_print(text, size);
	if (copy == NULL)
		return error_memory(error, "the description of a tracepoint");
	pthread_mutex_lock(&parsing);
	enum tep_errno problem = tep_parse_format(parser->handle, &event, copy, strlen(copy), system);
	pthread_mutex_unlock(&parsing);
	free(copy);
	if (problem != 0 || event == NULL || event->name == NULL)
		return HISTREE_OK;
	*out = copy_event(event, system, memory);
	return *out == NULL ? error_memory(error, "the description of a tracepoint") : HISTREE_OK;
}

/* ---- tracing data -------------------------------------------------------------------------------------------- */

bool tracing_head_read(struct trace_cursor *cursor, struct tracing_head *out)
{
	static const uint8_t magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	const uint8_t *bytes = trace_cursor_take(cursor, sizeof(magic));
	if (bytes == NULL || memcmp(bytes, magic, sizeof(magic)) != 0)
		return false;
	const char *version = trace_cursor_text(cursor);
	if (version == NULL)
		return false;
	snprintf(out->version, sizeof(out->version), "%s", version);
	bytes = trace_cursor_take(cursor, 2);
	if (bytes == NULL)
		return false;
	out->is_big = cursor->is_big = bytes[0] != 0;
	out->long_size = bytes[1];
	return trace_cursor_u32(cursor, &out->page_size);
}

/* ---- pages ----------------------------------------------------------------------------------------------- */

/* Returns the number behind a word in the line of a field, 0 if it is not there. */
static uint32_t number_of(const char *text, const char *field, const char *word)
{
	const char *at = strstr(text, field);
	const char *end = at == NULL ? NULL : strchr(at, '\n');
	at = at == NULL ? NULL : strstr(at, word);
	if (at == NULL || (end != NULL && at > end))
		return 0;
	return (uint32_t)strtoul(at + strlen(word), NULL, 10);
}

bool tracing_page_read(struct trace_cursor *cursor, struct tracing_page *out)
{
	char text[1024];
	uint64_t size;
	if (trace_cursor_text(cursor) == NULL) /* "header_page" */
		return false;
	const uint8_t *block = trace_cursor_block(cursor, &size);
	if (block == NULL)
		return false;
	snprintf(text, sizeof(text), "%.*s", (int)(size < sizeof(text) ? size : sizeof(text) - 1),
		 (const char *)block);
	*out = (struct tracing_page){
		.long_size = number_of(text, " commit;", "size:"),
		.begin = number_of(text, " data;", "offset:"),
	};
	return trace_cursor_text(cursor) != NULL && trace_cursor_skip_block(cursor); /* "header_event" */
}

/* ---- descriptions ---------------------------------------------------------------------------------------- */

/* The number in "{ 0x0020, "Z" }"; 0: there is none. */
static unsigned zombie_bit_of(const char *text, size_t size)
{
	static const char letter[] = ", \"Z\"";
	const char *end = memmem(text, size, letter, sizeof(letter) - 1), *begin = end;
	while (begin != NULL && begin > text && begin[-1] != '{')
		begin--;
	char number[24] = "";
	if (end != NULL && begin > text && (size_t)(end - begin) < sizeof(number))
		memcpy(number, begin, (size_t)(end - begin));
	return (unsigned)strtoul(number, NULL, 0);
}

bool tracepoint_has_new_task_states(unsigned zombie_bit, const char *release)
{
	enum { SINCE_4_14 = 0x20 };
	return zombie_bit != 0 ? zombie_bit == SINCE_4_14 : trace_release_has_new_task_states(release);
}

static enum histree_status read_point(struct trace_cursor *cursor, const struct tracing_points *points,
				      const char *system, struct histree_error *error)
{
	const struct tracepoint *tracepoint;
	uint64_t size;
	const uint8_t *text = trace_cursor_block(cursor, &size);
	if (text == NULL)
		return cursor->status;
	enum histree_status status = tracepoint_parse(points->parser, (const char *)text, (size_t)size, system,
						      points->memory, &tracepoint, error);
	if (status != HISTREE_OK || tracepoint == NULL || id_map_find(points->by_id, tracepoint->id) != NULL)
		return status;
	if (strcmp(system, "sched") == 0 && strcmp(tracepoint->name, "sched_switch") == 0)
		*points->zombie_bit = zombie_bit_of((const char *)text, (size_t)size);
	union {
		const struct tracepoint *is;
		void *kept; /* an id_map hands out what it was given */
	} record = { .is = tracepoint };
	return id_map_add(points->by_id, tracepoint->id, record.kept)
		       ? HISTREE_OK
		       : error_memory(error, "the tracepoints of a trace");
}

enum histree_status tracing_ftrace_read(struct trace_cursor *cursor, const struct tracing_points *points,
					struct histree_error *error)
{
	uint32_t count;
	enum histree_status status = HISTREE_OK;
	if (!trace_cursor_u32(cursor, &count))
		return cursor->status;
	for (; count > 0 && status == HISTREE_OK; count--)
		if (points != NULL)
			status = read_point(cursor, points, "ftrace", error);
		else if (!trace_cursor_skip_block(cursor))
			status = cursor->status;
	return status;
}

enum histree_status tracing_systems_read(struct trace_cursor *cursor, const struct tracing_points *points,
					 struct histree_error *error)
{
	uint32_t systems, count;
	enum histree_status status = HISTREE_OK;
	if (!trace_cursor_u32(cursor, &systems))
		return cursor->status;
	for (; systems > 0 && status == HISTREE_OK; systems--) {
		const char *name = trace_cursor_text(cursor);
		const char *system = name == NULL ? NULL : arena_copy(points->memory, name, strlen(name));
		if (name != NULL && system == NULL)
			return error_memory(error, "the tracepoints of a trace");
		if (name == NULL || !trace_cursor_u32(cursor, &count))
			return cursor->status;
		for (; count > 0 && status == HISTREE_OK; count--)
			status = read_point(cursor, points, system, error);
	}
	return status;
}
