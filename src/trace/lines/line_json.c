// SPDX-License-Identifier: MIT
#include "trace/lines/line_json.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "trace/lines/line_scan.h"

enum { BYTES_SIZE = 64 << 10, DIGITS = 4 };

static const char key[] = "\"systemTraceEvents\"";

enum json_state {
	JSON_BEFORE, /* the key is not met */
	JSON_KEY,    /* it is, and neither colon nor text */
	JSON_COLON,  /* the colon too */
	JSON_TEXT,
	JSON_ESCAPE, /* behind a backslash */
	JSON_DIGITS, /* of "\u000a" */
	JSON_BEHIND,
};

struct line_json {
	enum json_state state;
	unsigned code, digits;
	size_t used, filled;
	char bytes[BYTES_SIZE];
};

struct line_json *line_json_create(void)
{
	return calloc(1, sizeof(struct line_json));
}

void line_json_free(struct line_json *json)
{
	free(json);
}

char *line_json_room(struct line_json *json, size_t *size)
{
	memmove(json->bytes, json->bytes + json->used, json->filled - json->used);
	json->filled -= json->used;
	json->used = 0;
	*size = BYTES_SIZE - json->filled;
	return json->bytes + json->filled;
}

void line_json_put(struct line_json *json, size_t size)
{
	assert(size <= BYTES_SIZE - json->filled);
	json->filled += size;
}

bool line_json_has_ended(const struct line_json *json)
{
	return json->state == JSON_BEHIND;
}

/* Inside of a string the quotes of the key would have backslashes, so that it is a key, or a string by itself. */
static void find_key(struct line_json *json)
{
	const size_t size = sizeof(key) - 1, left = json->filled - json->used;
	const char *at = memmem(json->bytes + json->used, left, key, size);
	if (at != NULL) {
		json->used = (size_t)(at - json->bytes) + size;
		json->state = JSON_KEY;
	} else if (left >= size) {
		json->used = json->filled - (size - 1);
	}
}

/* What stands between the key and the text; anything else than a text is none of ftrace. */
static void take_between(struct line_json *json)
{
	char byte = json->bytes[json->used];
	if (byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n')
		json->used++;
	else if (json->state == JSON_KEY && byte == ':')
		json->used++, json->state = JSON_COLON;
	else if (json->state == JSON_COLON && byte == '"')
		json->used++, json->state = JSON_TEXT;
	else
		json->state = JSON_BEFORE;
}

static char unescaped(char byte)
{
	static const char letters[] = "nrtbf", meant[] = "\n\r\t\b\f";
	const char *at = byte == '\0' ? NULL : strchr(letters, byte);
	return at == NULL ? byte : meant[at - letters];
}

/* A byte of the text.  Returns whether *out is one. */
static bool take_byte(struct line_json *json, char *out)
{
	char byte = json->bytes[json->used++];
	int digit = line_scan_digit(byte);
	*out = byte;
	switch (json->state) {
	case JSON_ESCAPE:
		json->state = byte == 'u' ? JSON_DIGITS : JSON_TEXT;
		json->code = json->digits = 0;
		*out = unescaped(byte);
		return byte != 'u';
	case JSON_DIGITS:
		json->code = json->code << 4 | (digit < 0 ? 0U : (unsigned)digit);
		if (++json->digits < DIGITS)
			return false;
		json->state = JSON_TEXT;
		*out = json->code < 0x80 ? (char)json->code : '?'; /* only names of threads have others */
		return true;
	default:
		if (byte == '\\')
			json->state = JSON_ESCAPE;
		else if (byte == '"')
			json->state = JSON_BEHIND;
		return json->state == JSON_TEXT;
	}
}

size_t line_json_get(struct line_json *json, char *room, size_t room_size)
{
	size_t got = 0;
	if (json->state == JSON_BEFORE)
		find_key(json);
	while (json->used < json->filled && (json->state == JSON_KEY || json->state == JSON_COLON))
		take_between(json);
	while (json->used < json->filled && got < room_size && json->state >= JSON_TEXT &&
	       json->state != JSON_BEHIND)
		got += take_byte(json, &room[got]);
	return got;
}
