// SPDX-License-Identifier: MIT
/*
 * test_event_json.c - the fields of an event as JSON: each kind of value, what is inside of them, and events that
 * are too deep or too large, of which a whole object is left.
 */
#include <math.h>

#include "event_index/event_text.h"
#include "support/test.h"

struct made_event {
	const struct event_part *parts;
	size_t count;
};

/* All parts are of the first field. */
static bool visit(const struct event *event, uint32_t field, event_visitor visitor, void *context)
{
	const struct made_event *made = event->handle;
	for (size_t i = 0; field == 0 && i < made->count; i++)
		if (!visitor(context, &made->parts[i]))
			return false;
	return true;
}

static char *json_of(const struct event_part *parts, size_t count)
{
	static const char *const fields[] = { "a" };
	const struct event_trace trace = { .visit = visit };
	const struct event_class class = { .trace = &trace, .name = "e", .field_count = 1, .fields = fields };
	const struct made_event made = { .parts = parts, .count = count };
	const struct event event = { .class = &class, .handle = &made };
	struct event_text text = { 0 };
	assert_true(event_json_write(&text, &event));
	assert_int_equal(strlen(text.bytes), text.size);
	return text.bytes;
}

#define EXPECT(parts, wanted)                                                \
	do {                                                                 \
		char *json = json_of(parts, sizeof(parts) / sizeof(*parts)); \
		assert_string_equal(json, wanted);                           \
		free(json);                                                  \
	} while (0)

TEST(each_kind_of_value)
{
	const struct event_part parts[] = {
		{ .kind = EVENT_INT, .name = "int", .integer = INT64_MIN },
		{ .kind = EVENT_UNSIGNED, .name = "unsigned", .integer = -1 },
		{ .kind = EVENT_REAL, .name = "real", .real = 0.5 },
		{ .kind = EVENT_REAL, .name = "nan", .real = (double)NAN },
		{ .kind = EVENT_REAL, .name = "inf", .real = -(double)INFINITY },
		{ .kind = EVENT_TEXT, .name = "t\"x", .bytes = "a\"\\\n\xff", .size = 5 },
		{ .kind = EVENT_TEXT, .name = "empty", .bytes = NULL, .size = 0 },
		{ .kind = EVENT_BYTES, .name = "bytes", .bytes = "\x01\xfe", .size = 2 },
		{ .kind = EVENT_NOTHING, .name = "nothing" },
	};
	EXPECT(parts, "{\"int\":-9223372036854775808,\"unsigned\":18446744073709551615,\"real\":0.5,\"nan\":null,"
		      "\"inf\":null,\"t\\\"x\":\"a\\\"\\\\\\n\xef\xbf\xbd\",\"empty\":\"\",\"bytes\":\"0x01fe\"}");
	char *json = json_of(parts, 0);
	assert_string_equal(json, "{}");
	free(json);
}

TEST(what_is_inside)
{
	const struct event_part parts[] = {
		{ .kind = EVENT_ARRAY, .name = "args" },
		{ .kind = EVENT_INT, .depth = 1, .index = 0, .integer = 1 },
		{ .kind = EVENT_STRUCTURE, .depth = 1, .index = 1 },
		{ .kind = EVENT_NOTHING, .depth = 2, .name = "none" },
		{ .kind = EVENT_TEXT, .depth = 2, .name = "x", .bytes = "y", .size = 1 },
		{ .kind = EVENT_END, .depth = 1 },
		{ .kind = EVENT_ARRAY, .depth = 1, .index = 2 },
		{ .kind = EVENT_END, .depth = 1 },
		{ .kind = EVENT_END },
		{ .kind = EVENT_STRUCTURE, .name = "s" },
		{ .kind = EVENT_END },
		{ .kind = EVENT_INT, .name = "last", .integer = 2 },
	};
	EXPECT(parts, "{\"args\":[1,{\"none\":null,\"x\":\"y\"},[]],\"s\":{},\"last\":2}");
}

/* A trace from anywhere may have arrays in arrays without end. */
TEST(what_is_too_deep_is_left_out)
{
	enum { DEPTH = 400 };
	struct event_part parts[2 * DEPTH + 1] = { 0 };
	for (uint32_t i = 0; i < DEPTH; i++) {
		parts[i] = (struct event_part){ .kind = EVENT_ARRAY, .depth = i, .name = i == 0 ? "a" : NULL };
		parts[2 * DEPTH - i] = (struct event_part){ .kind = EVENT_END, .depth = i };
	}
	parts[DEPTH] = (struct event_part){ .kind = EVENT_INT, .depth = DEPTH };
	char *json = json_of(parts, 2 * DEPTH + 1);
	size_t size = strlen(json), open = 0;
	for (size_t i = 0; i < size; i++)
		open += json[i] == '[';
	assert_true(open > 200 && open < 256);
	assert_int_equal(size, strlen("{\"a\":}") + 2 * open);
	assert_int_equal(json[size - 1], '}');
	free(json);
}

TEST(what_is_too_large_is_cut_between_values)
{
	enum { ELEMENTS = 400000 };
	struct event_part *parts = calloc(ELEMENTS + 2, sizeof(*parts));
	assert_non_null(parts);
	parts[0] = (struct event_part){ .kind = EVENT_ARRAY, .name = "a" };
	for (uint32_t i = 1; i <= ELEMENTS; i++)
		parts[i] = (struct event_part){ .kind = EVENT_INT, .depth = 1, .index = i - 1, .integer = 1234 };
	parts[ELEMENTS + 1] = (struct event_part){ .kind = EVENT_END };
	char *json = json_of(parts, ELEMENTS + 2);
	size_t size = strlen(json);
	assert_in_range(size, EVENT_JSON_SIZE_MAX, EVENT_JSON_SIZE_MAX + 64);
	assert_string_equal(json + size - 10, "234,1234]}");
	free(json);
	free(parts);
}

/* ---- one by one ---------------------------------------------------------------------------------------- */

/* Parts of field i are those up to the next one of depth 0 that is no end. */
static bool visit_field(const struct event *event, uint32_t field, event_visitor visitor, void *context)
{
	const struct made_event *made = event->handle;
	uint32_t at = UINT32_MAX;
	for (size_t i = 0; i < made->count; i++) {
		at += made->parts[i].depth == 0 && made->parts[i].kind != EVENT_END;
		if (at == field && !visitor(context, &made->parts[i]))
			return false;
	}
	return true;
}

static void assert_same_fields(const struct event_fields *fields, const struct event_fields *others)
{
	assert_int_equal(fields->count, others->count);
	for (size_t i = 0; i < fields->count; i++) {
		const struct histree_event_field *a = &fields->fields[i], *b = &others->fields[i];
		/* Digits do not say what a number is called, nor that it has no sign. */
		assert_string_equal(a->name, b->name);
		assert_true(a->kind == b->kind || a->kind == HISTREE_EVENT_LABEL ||
			    (a->kind == HISTREE_EVENT_UNSIGNED && a->integer >= 0));
		assert_true(a->kind == HISTREE_EVENT_LABEL || a->integer == b->integer);
		assert_true(memcmp(&a->real, &b->real, sizeof(double)) == 0 || !isfinite(a->real));
		assert_int_equal(a->size, b->size);
		assert_memory_equal(a->text, b->text, a->size + 1);
	}
}

/* As the event has them, and as its object in JSON has them, which is all that comes from far away. */
TEST(fields_one_by_one)
{
	static const char *const names[] = { "int", "large", "nothing", "real", "inf", "t\"\n",
					     "e",   "b",     "l",       "args", "s" };
	const struct event_part parts[] = {
		{ .kind = EVENT_INT, .name = names[0], .integer = INT64_MIN },
		{ .kind = EVENT_UNSIGNED, .name = names[1], .integer = -1 },
		{ .kind = EVENT_NOTHING, .name = names[2] },
		{ .kind = EVENT_REAL, .name = names[3], .real = 0.5 },
		{ .kind = EVENT_REAL, .name = names[4], .real = -(double)INFINITY },
		{ .kind = EVENT_TEXT, .name = names[5], .bytes = "a\"\\\n\1", .size = 5 },
		{ .kind = EVENT_TEXT, .name = names[6], .bytes = NULL, .size = 0 },
		{ .kind = EVENT_BYTES, .name = names[7], .bytes = "\x01\xfe", .size = 2 },
		{ .kind = EVENT_UNSIGNED, .name = names[8], .integer = 3, .label = "RUN" },
		{ .kind = EVENT_ARRAY, .name = names[9] },
		{ .kind = EVENT_TEXT, .depth = 1, .index = 0, .bytes = "]", .size = 1 },
		{ .kind = EVENT_INT, .depth = 1, .index = 1, .integer = 1 },
		{ .kind = EVENT_END },
		{ .kind = EVENT_STRUCTURE, .name = names[10] },
		{ .kind = EVENT_END },
	};
	enum { COUNT = sizeof(names) / sizeof(*names) };
	const struct event_trace trace = { .visit = visit_field };
	const struct event_class class = {
		.trace = &trace, .name = "e", .field_count = COUNT, .fields = names, .payload_count = 9
	};
	const struct made_event made = { .parts = parts, .count = sizeof(parts) / sizeof(*parts) };
	const struct event event = { .class = &class, .handle = &made };
	struct event_fields fields = { 0 }, read = { 0 };
	struct event_text json = { 0 };
	for (int again = 0; again < 2; again++) {
		assert_true(event_fields_take(&fields, &event));
		assert_int_equal(fields.count, COUNT - 1);
		assert_int_equal(fields.fields[1].kind, HISTREE_EVENT_UNSIGNED);
		assert_string_equal(fields.fields[6].text, "0x01fe");
		assert_int_equal(fields.fields[7].kind, HISTREE_EVENT_LABEL);
		assert_int_equal(fields.fields[7].integer, 3);
		assert_string_equal(fields.fields[7].text, "RUN");
		assert_string_equal(fields.fields[8].text, "[\"]\",1]");
		assert_true(fields.fields[8].is_context && !fields.fields[7].is_context);
		assert_true(event_json_write(&json, &event));
		assert_true(event_fields_read(&read, json.bytes));
		assert_same_fields(&fields, &read);
	}
	free(json.bytes);
	event_fields_release(&fields);
	event_fields_release(&read);
}
