// SPDX-License-Identifier: MIT
/*
 * requests_wire.c - spans in messages of protocol buffers, written as the JSON that stands for them
 * (opentelemetry-proto, trace/v1/trace.proto and common/v1/common.proto): a TracesData, or as the file exporter of
 * the collector writes them, one after the other, each behind its size in four bytes, the most significant first.
 *
 * Members that are not named here say nothing that is read.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/table.h"
#include "trace/perfetto/wire.h"
#include "trace/requests/requests.h"

enum { DEPTH_MAX = 32 };

struct wire_shape;

/* A member of a message, and how it is written. */
struct wire_member {
	uint32_t number;
	const char *name; /* NULL: there are no more */
	enum { AS_TEXT, AS_DIGITS, AS_BASE64, AS_INT, AS_REAL, AS_BOOL, AS_MESSAGE, AS_LIST } as;
	const struct wire_shape *inside;
};

struct wire_shape {
	struct wire_member members[12];
};

static const struct wire_shape value_shape;

static const struct wire_shape pair_shape = { { { 1, "key", AS_TEXT, NULL },
						{ 2, "value", AS_MESSAGE, &value_shape } } };
static const struct wire_shape array_shape = { { { 1, "values", AS_LIST, &value_shape } } };
static const struct wire_shape pairs_shape = { { { 1, "values", AS_LIST, &pair_shape } } };
static const struct wire_shape value_shape = { { { 1, "stringValue", AS_TEXT, NULL },
						 { 2, "boolValue", AS_BOOL, NULL },
						 { 3, "intValue", AS_INT, NULL },
						 { 4, "doubleValue", AS_REAL, NULL },
						 { 5, "arrayValue", AS_MESSAGE, &array_shape },
						 { 6, "kvlistValue", AS_MESSAGE, &pairs_shape },
						 { 7, "bytesValue", AS_BASE64, NULL } } };
static const struct wire_shape event_shape = { { { 1, "timeUnixNano", AS_INT, NULL },
						 { 2, "name", AS_TEXT, NULL },
						 { 3, "attributes", AS_LIST, &pair_shape } } };
static const struct wire_shape link_shape = { { { 1, "traceId", AS_DIGITS, NULL },
						{ 2, "spanId", AS_DIGITS, NULL } } };
static const struct wire_shape status_shape = { { { 2, "message", AS_TEXT, NULL }, { 3, "code", AS_INT, NULL } } };
static const struct wire_shape span_shape = { { { 1, "traceId", AS_DIGITS, NULL },
						{ 2, "spanId", AS_DIGITS, NULL },
						{ 4, "parentSpanId", AS_DIGITS, NULL },
						{ 5, "name", AS_TEXT, NULL },
						{ 6, "kind", AS_INT, NULL },
						{ 7, "startTimeUnixNano", AS_INT, NULL },
						{ 8, "endTimeUnixNano", AS_INT, NULL },
						{ 9, "attributes", AS_LIST, &pair_shape },
						{ 11, "events", AS_LIST, &event_shape },
						{ 13, "links", AS_LIST, &link_shape },
						{ 15, "status", AS_MESSAGE, &status_shape } } };
static const struct wire_shape scope_shape = { { { 1, "name", AS_TEXT, NULL } } };
static const struct wire_shape resource_shape = { { { 1, "attributes", AS_LIST, &pair_shape } } };
static const struct wire_shape scope_spans_shape = { { { 1, "scope", AS_MESSAGE, &scope_shape },
						       { 2, "spans", AS_LIST, &span_shape } } };
static const struct wire_shape resource_spans_shape = { { { 1, "resource", AS_MESSAGE, &resource_shape },
							  { 2, "scopeSpans", AS_LIST, &scope_spans_shape } } };
static const struct wire_shape traces_shape = { { { 1, "resourceSpans", AS_LIST, &resource_spans_shape } } };

/* ---- JSON ------------------------------------------------------------------------------------------------ */

static void put_bytes(struct requests *requests, const char *bytes, size_t size)
{
	if (!table_reserve(&requests->written_table, &requests->written, &requests->written_capacity,
			   requests->written_size + size)) {
		requests->is_out_of_memory = true;
		return;
	}
	if (size > 0)
		memcpy(requests->written + requests->written_size, bytes, size);
	requests->written_size += size;
}

static void put_word(struct requests *requests, const char *word)
{
	put_bytes(requests, word, strlen(word));
}

static void put_text(struct requests *requests, const struct wire_field *field)
{
	put_word(requests, "\"");
	const char *at = (const char *)field->bytes, *end = at + field->size;
	while (at < end) {
		const char *from = at;
		char escape[8];
		while (at < end && (unsigned char)*at >= ' ' && *at != '"' && *at != '\\')
			at++;
		put_bytes(requests, from, (size_t)(at - from));
		if (at < end) {
			snprintf(escape, sizeof(escape), "\\u%04x", (unsigned char)*at++);
			put_word(requests, escape);
		}
	}
	put_word(requests, "\"");
}

static void put_digits(struct requests *requests, const struct wire_field *field)
{
	char digits[3];
	put_word(requests, "\"");
	for (size_t i = 0; i < field->size; i++) {
		snprintf(digits, sizeof(digits), "%02x", field->bytes[i]);
		put_word(requests, digits);
	}
	put_word(requests, "\"");
}

static void put_base64(struct requests *requests, const struct wire_field *field)
{
	char *text = base64_of(field->bytes, field->size);
	requests->is_out_of_memory |= text == NULL;
	put_word(requests, "\"");
	put_word(requests, text != NULL ? text : "");
	put_word(requests, "\"");
	free(text);
}

static void put_message(struct requests *requests, const struct wire_shape *shape, struct wire_message message,
			unsigned depth);

static void put_value(struct requests *requests, const struct wire_member *member, const struct wire_field *field,
		      unsigned depth)
{
	char number[64];
	if (member->as == AS_TEXT)
		put_text(requests, field);
	else if (member->as == AS_DIGITS)
		put_digits(requests, field);
	else if (member->as == AS_BASE64)
		put_base64(requests, field);
	else if (member->inside != NULL)
		put_message(requests, member->inside, wire_inside(field), depth + 1);
	else if (member->as == AS_BOOL)
		put_word(requests, field->value != 0 ? "true" : "false");
	else {
		if (member->as == AS_REAL)
			snprintf(number, sizeof(number), "%.17g", wire_real(field->value));
		else
			snprintf(number, sizeof(number), "%" PRId64, (int64_t)field->value);
		put_word(requests, number);
	}
}

/* What is repeated need not be in a row: each member looks for its own.  Of others the last one counts. */
static void put_member(struct requests *requests, const struct wire_member *member, struct wire_message message,
		       unsigned depth, bool *is_first)
{
	const bool wants_bytes = member->as <= AS_BASE64 || member->inside != NULL;
	struct wire_field field, last = { .number = 0 };
	bool is_open = false;
	while (wire_next(&message, &field)) {
		if (field.number != member->number || wants_bytes != (field.bytes != NULL))
			continue;
		last = field;
		if (member->as != AS_LIST)
			continue;
		if (!is_open)
			put_word(requests, *is_first ? "\"" : ",\"");
		if (!is_open)
			put_word(requests, member->name);
		put_word(requests, is_open ? "," : "\":[");
		is_open = true;
		put_value(requests, member, &field, depth);
	}
	requests->is_damaged |= message.is_damaged;
	if (last.number == 0)
		return;
	if (!is_open) {
		put_word(requests, *is_first ? "\"" : ",\"");
		put_word(requests, member->name);
		put_word(requests, "\":");
		put_value(requests, member, &last, depth);
	} else {
		put_word(requests, "]");
	}
	*is_first = false;
}

static void put_message(struct requests *requests, const struct wire_shape *shape, struct wire_message message,
			unsigned depth)
{
	bool is_first = true;
	put_word(requests, "{");
	for (const struct wire_member *member = shape->members; member->name != NULL && depth < DEPTH_MAX; member++)
		put_member(requests, member, message, depth, &is_first);
	put_word(requests, "}\n");
}

/* ---- files ----------------------------------------------------------------------------------------------- */

static size_t framed_size(const uint8_t *at, const uint8_t *end)
{
	return end - at < 4 ? 0 : (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3];
}

bool requests_wire_write(struct requests *requests, const void *bytes, size_t size)
{
	const uint8_t *at = bytes, *end = at + size;
	if (size > 0 && *at == 0x0a) {
		put_message(requests, &traces_shape, wire_message(at, size), 0);
		return !requests->is_out_of_memory;
	}
	while (at < end && !requests->is_out_of_memory) {
		const size_t wanted = framed_size(at, end);
		const size_t there = end - at < 4 ? 0 : (size_t)(end - at) - 4;
		requests->is_damaged |= end - at < 4 || wanted > there;
		if (end - at < 4)
			break;
		put_message(requests, &traces_shape, wire_message(at + 4, wanted < there ? wanted : there), 0);
		at += 4 + (wanted < there ? wanted : there);
	}
	return !requests->is_out_of_memory;
}

/* Go into the first field of a message, whose end may not be there.  Returns its number; 0: it has none. */
static uint32_t enter(const uint8_t **at, const uint8_t **end)
{
	uint64_t tag = 0, size = 0;
	const uint8_t *next = get_varint(*at, *end, &tag);
	next = next != NULL && (tag & 7) == WIRE_BYTES ? get_varint(next, *end, &size) : NULL;
	if (next == NULL)
		return 0;
	*at = next;
	*end = size < (size_t)(*end - next) ? next + size : *end;
	return tag >> 3 <= 15 ? (uint32_t)(tag >> 3) : 0;
}

/*
 * Nothing marks such a file.  Its first message begins with an attribute of a resource, whose key is a text in
 * front of a value, or, without a resource, with a span whose ids are of 16 and 8 bytes.
 */
bool requests_wire_look(const void *bytes, size_t size)
{
	enum { TRACE_ID_SIZE = 16, TAG_OF_VALUE = 2 << 3 | WIRE_BYTES };
	const uint8_t *at = bytes, *end = at + size;
	if (size > 5 && *at != 0x0a && at[4] == 0x0a && framed_size(at, end) > 0)
		at += 4;
	if (at == end || *at != 0x0a || enter(&at, &end) != 1)
		return false;
	for (const uint8_t *rest = end; at < rest; at = end, end = rest) {
		uint32_t number = enter(&at, &end);
		const uint8_t *inside = at, *inside_end = end;
		if (number == 1 && at < end && enter(&inside, &inside_end) == 1) {
			const uint8_t *key = inside, *key_end = inside_end;
			if (enter(&key, &key_end) != 1 || key == key_end || key_end == inside_end)
				return false;
			for (; key < key_end; key++)
				if (*key < ' ')
					return false;
			return *key == TAG_OF_VALUE;
		}
		while (number == 2 && inside < end) {
			const uint8_t *span = inside, *span_end = end;
			const uint32_t of = enter(&span, &span_end);
			const uint8_t *id = span, *id_end = span_end;
			if (of == 2)
				return enter(&id, &id_end) == 1 && id_end - id == TRACE_ID_SIZE;
			if (of != 1)
				return false;
			inside = span_end;
		}
		if (number == 0)
			return false;
	}
	return false;
}
