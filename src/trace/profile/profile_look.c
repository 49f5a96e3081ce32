// SPDX-License-Identifier: MIT
#include "trace/profile/profile_look.h"

#include <stdbool.h>
#include <string.h>

#include "trace/profile/profile_json.h"

/* ---- documents ------------------------------------------------------------------------------------------- */

static bool has(struct json_span value, const char *text)
{
	return memmem(value.at, (size_t)(value.end - value.at), text, strlen(text)) != NULL;
}

static bool begins_list_of(struct json_span value, const char *bytes)
{
	struct json_span rest = json_span_inside(value, '['), element;
	return json_span_next(&rest, &element) && strchr(bytes, (char)*element.at) != NULL;
}

/* What a member says of the document; the last one may be cut where the first bytes end. */
static enum profile_look look_at_member(struct json_span name, struct json_span value)
{
	static const char digits[] = "-0123456789";
	if ((json_span_is_text(name, "$schema") || json_span_is_text(name, "exporter")) && has(value, "speedscope"))
		return PROFILE_SPEEDSCOPE;
	if (json_span_is_text(name, "activeProfileIndex") ||
	    (json_span_is_text(name, "shared") && has(value, "\"frames\"")) ||
	    (json_span_is_text(name, "profiles") && (has(value, "\"evented\"") || has(value, "\"sampled\""))))
		return PROFILE_SPEEDSCOPE;
	if ((json_span_is_text(name, "nodes") && begins_list_of(value, "{") && has(value, "\"callFrame\"")) ||
	    (json_span_is_text(name, "samples") && begins_list_of(value, digits)) ||
	    (json_span_is_text(name, "timeDeltas") && begins_list_of(value, digits)))
		return PROFILE_V8;
	if (json_span_is_text(name, "meta") &&
	    (has(value, "\"preprocessedProfileVersion\"") || has(value, "\"interval\"")))
		return PROFILE_FIREFOX;
	return PROFILE_NONE;
}

static enum profile_look look_at_document(struct json_span bytes)
{
	struct json_span rest = json_span_inside(bytes, '{'), name, value;
	while (json_span_next_member(&rest, &name, &value)) {
		enum profile_look look = look_at_member(name, value);
		if (look != PROFILE_NONE)
			return look;
	}
	return PROFILE_NONE;
}

/* ---- folded stacks --------------------------------------------------------------------------------------- */

static bool is_folded_line(const uint8_t *at, const uint8_t *end)
{
	const uint8_t *number;
	unsigned points = 0;
	while (end > at && (end[-1] == '\r' || end[-1] == ' '))
		end--;
	for (number = end; number > at && (number[-1] == '.' || (number[-1] >= '0' && number[-1] <= '9')); number--)
		points += number[-1] == '.';
	for (const uint8_t *byte = at; byte < end; byte++)
		if (*byte < ' ')
			return false;
	return points <= 1 && number < end && number > at + 1 && number[-1] == ' ';
}

/* Each line ends with a number, and some have frames with semicolons between them; one that is cut says nothing. */
static bool is_folded(const uint8_t *at, const uint8_t *end)
{
	bool has_frames = false;
	unsigned lines = 0;
	while (at < end) {
		const uint8_t *line_end = memchr(at, '\n', (size_t)(end - at));
		if (line_end == NULL && lines > 0)
			break;
		line_end = line_end != NULL ? line_end : end;
		const bool says_nothing = line_end == at || *at == '#' || *at == '\r';
		if (!says_nothing && !is_folded_line(at, line_end))
			return false;
		has_frames |= !says_nothing && memchr(at, ';', (size_t)(line_end - at)) != NULL;
		lines += !says_nothing;
		at = line_end < end ? line_end + 1 : end;
	}
	return has_frames;
}

enum profile_look profile_look(const void *bytes, size_t size)
{
	const uint8_t *at = bytes, *end = at + size;
	if (size >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) /* of UTF-8 */
		at += 3;
	const struct json_span whole = json_span_value((struct json_span){ at, end });
	if (json_span_is(whole, '{'))
		return look_at_document(whole);
	return is_folded(at, end) ? PROFILE_FOLDED : PROFILE_NONE;
}
