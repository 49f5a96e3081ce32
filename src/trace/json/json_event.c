// SPDX-License-Identifier: MIT
/*
 * json_event.c - one event of the Trace Event Format as it is written: an object with a phase.
 */
#include "trace/json/json_event.h"

#include <math.h>
#include <string.h>
#include <strings.h>

struct member_name {
	const char *name;
	size_t size;
	enum json_event_member member;
};

#define NAME(text) (text), sizeof(text) - 1

static const struct member_name names[] = {
	{ NAME("name"), MEMBER_NAME },       { NAME("cat"), MEMBER_CATEGORY },
	{ NAME("ph"), MEMBER_PHASE },        { NAME("ts"), MEMBER_TIME },
	{ NAME("pid"), MEMBER_PID },         { NAME("tid"), MEMBER_TID },
	{ NAME("dur"), MEMBER_DURATION },    { NAME("tdur"), MEMBER_THREAD_DURATION },
	{ NAME("id"), MEMBER_ID },           { NAME("scope"), MEMBER_ID_SCOPE },
	{ NAME("s"), MEMBER_INSTANT_SCOPE }, { NAME("bind_id"), MEMBER_BIND_ID },
	{ NAME("flow_in"), MEMBER_FLOW_IN }, { NAME("flow_out"), MEMBER_FLOW_OUT },
	{ NAME("tts"), MEMBER_THREAD_TIME }, { NAME("sf"), MEMBER_STACK_FRAME },
};

static const struct member_name names_of_id[] = {
	{ NAME("local"), MEMBER_ID_LOCAL },
	{ NAME("global"), MEMBER_ID_GLOBAL },
};

static bool is(const struct json_word *word, const char *text)
{
	return strlen(text) == word->size && memcmp(text, word->bytes, word->size) == 0;
}

static enum json_event_member find(const struct member_name *rows, size_t count, const struct json_word *name)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].size == name->size && memcmp(rows[i].name, name->bytes, name->size) == 0)
			return rows[i].member;
	return MEMBER_COUNT;
}

/* {"local": ...} or {"global": ...}; of another kind it says nothing. */
static enum json_result read_id2(struct json_text *text, struct json_event *event)
{
	struct json_word name, other;
	enum json_result result;
	if (!json_scan_space(text))
		return JSON_MORE;
	if (*text->at != '{')
		return json_scan_word(text, &other);
	text->at++;
	while ((result = json_scan_member(text, &name)) == JSON_OK && name.kind != JSON_ABSENT) {
		enum json_event_member member =
			find(names_of_id, sizeof(names_of_id) / sizeof(names_of_id[0]), &name);
		result = json_scan_word(text, member == MEMBER_COUNT ? &other : &event->members[member]);
		if (result != JSON_OK)
			return result;
	}
	return result;
}

static enum json_result read_args(struct json_text *text, struct json_event *event)
{
	packed_parts_clear(&event->args);
	event->has_args = true;
	return json_scan_parts(text, &event->args, NULL, 0);
}

static enum json_result read_member(struct json_text *text, struct json_event *event, const struct json_word *name)
{
	struct json_word other;
	enum json_event_member member = find(names, sizeof(names) / sizeof(names[0]), name);
	if (member != MEMBER_COUNT) {
		enum json_result result = json_scan_word(text, &event->members[member]);
		/* A quote is missing: what is inside of the value is another event. */
		bool is_odd = (member == MEMBER_PHASE || member == MEMBER_TIME) && result == JSON_OK &&
			      event->members[member].kind == JSON_NESTED;
		return is_odd ? JSON_BAD : result;
	}
	if (is(name, "args"))
		return read_args(text, event);
	return is(name, "id2") ? read_id2(text, event) : json_scan_word(text, &other);
}

enum json_result json_event_read(struct json_text *text, struct json_event *event)
{
	struct json_word name;
	enum json_result result;
	memset(event->members, 0, sizeof(event->members));
	event->has_args = false;
	text->at++;
	while ((result = json_scan_member(text, &name)) == JSON_OK && name.kind != JSON_ABSENT) {
		result = read_member(text, event, &name);
		if (result != JSON_OK)
			return result;
	}
	return result;
}

/* White space around a number in a string does not belong to it. */
static bool number_of(const struct json_word *word, const char **bytes, size_t *size)
{
	*bytes = word->bytes;
	*size = word->size;
	if (word->kind != JSON_STRING && word->kind != JSON_NUMBER)
		return false;
	for (; *size > 0 && **bytes == ' '; ++*bytes)
		--*size;
	while (*size > 0 && (*bytes)[*size - 1] == ' ')
		--*size;
	/* A text with hexadecimal digits is a name. */
	return *size > 0 && (word->kind == JSON_NUMBER || memchr(*bytes, 'x', *size) == NULL);
}

bool json_word_int(const struct json_word *word, int64_t *out)
{
	const char *bytes;
	size_t size;
	json_wide wide;
	if (!number_of(word, &bytes, &size))
		return false;
	if (json_number_int(bytes, size, out))
		return true;
	/* 12.0, as tools write it that know reals only. */
	if (!json_number_scaled(bytes, size, 6, &wide) || wide % 1000000 != 0)
		return false;
	wide /= 1000000;
	*out = (int64_t)wide;
	return wide >= INT64_MIN && wide <= INT64_MAX;
}

bool json_word_time(const struct json_word *word, json_wide *out)
{
	const char *bytes;
	size_t size;
	return number_of(word, &bytes, &size) && json_number_scaled(bytes, size, 12, out);
}

bool json_word_real(const struct json_word *word, double *out)
{
	static const char *const others[] = { "nan", "inf", "infinity" };
	const char *bytes;
	size_t size;
	if (!number_of(word, &bytes, &size))
		return false;
	if (json_number_is(bytes, size)) {
		*out = json_number_real(bytes, size);
		return true;
	}
	bool is_negative = *bytes == '-', has_sign = is_negative || *bytes == '+';
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		*out = i == 0 ? NAN : is_negative ? -INFINITY : INFINITY;
		if (strlen(others[i]) == size - has_sign &&
		    strncasecmp(bytes + has_sign, others[i], size - has_sign) == 0)
			return true;
	}
	return false;
}

void json_event_release(struct json_event *event)
{
	packed_parts_release(&event->args);
}
