// SPDX-License-Identifier: MIT
#include "trace/json/json_look.h"

#include <string.h>

#include "trace/json/json_text.h"

static bool is_one_of(const struct json_word *name, const char *const *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(rows[i]) == name->size && memcmp(rows[i], name->bytes, name->size) == 0)
			return true;
	return false;
}

/* A table of events is an object a row, which says when; a trace is one object, and says so. */
static enum json_look look_at_members(struct json_text *text)
{
	static const char *const of_traces[] = { "traceEvents",
						 "displayTimeUnit",
						 "otherData",
						 "stackFrames",
						 "samples",
						 "metadata",
						 "systemTraceEvents",
						 "beginningOfTime",
						 "controllerTraceDataKey",
						 "linux-perf-json-version",
						 "schemaVersion", /* of PyTorch */
						 "deviceProperties",
						 "baseTimeNanoseconds" };
	static const char *const phase = "ph";
	struct json_word name, value;
	enum json_result result;
	while ((result = json_scan_member(text, &name)) == JSON_OK && name.kind != JSON_ABSENT) {
		if (is_one_of(&name, of_traces, sizeof(of_traces) / sizeof(of_traces[0])))
			return LOOK_TRACE;
		result = json_scan_word(text, &value);
		/* Events may be objects behind one another, without an array around them. */
		if (result == JSON_OK && is_one_of(&name, &phase, 1) && value.kind == JSON_STRING &&
		    value.size == 1)
			return LOOK_TRACE;
		if (result != JSON_OK)
			break;
	}
	return result == JSON_BAD ? LOOK_NO_JSON : LOOK_OTHER;
}

enum json_look json_look(const void *bytes, size_t size)
{
	struct json_text text = { 0 };
	enum json_look look = LOOK_NO_JSON;
	size_t mark = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* of UTF-8 */
	if (json_text_begin(&text, (const uint8_t *)bytes + mark, (const uint8_t *)bytes + size) &&
	    json_scan_space(&text)) {
		uint8_t first = *text.at++;
		bool has_more = json_scan_space(&text);
		while (first == '[' && has_more && *text.at == ',') {
			text.at++;
			has_more = json_scan_space(&text);
		}
		if (first == '[')
			look = !has_more || *text.at == '{' || *text.at == ']' ? LOOK_TRACE : LOOK_OTHER;
		else if (first == '{')
			look = look_at_members(&text);
	}
	json_text_release(&text);
	return look;
}
