/* SPDX-License-Identifier: MIT */
/*
 * json_span.h - values of JSON, looked up in place in a *document* in memory: no tree is made of it.
 *
 * A value is a span of the document.  Lists and objects are walked with a rest, which begins after their bracket;
 * malformed JSON ends a walk, as does the end of the document, so a truncated document gives its values up to
 * there.  Skipping a value costs time proportional to its bytes.
 */
#ifndef TRACE_JSON_JSON_SPAN_H
#define TRACE_JSON_JSON_SPAN_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/json/json_text.h"
#include "trace/packed/packed_samples.h"

struct table_space;

/* A text of more bytes says nothing: names are at most PACKED_NAME_MAX. */
enum { JSON_SPAN_TEXT_MAX = 1 << 20 };

/* No bytes: it is not there. */
struct json_span {
	const uint8_t *at, *end;
	struct table_space *space; /* in which the document lies: pages that were walked over may go; or NULL */
};

static inline bool json_span_is_there(struct json_span span)
{
	return span.at < span.end;
}

/* Whether it begins so: '{', '[', '"'. */
static inline bool json_span_is(struct json_span span, char byte)
{
	return span.at < span.end && *span.at == (uint8_t)byte;
}

/* Returns the value at the beginning of some bytes, behind white space. */
struct json_span json_span_value(struct json_span bytes);

/* Returns what is in a list or an object, to be walked; nothing of other values. */
struct json_span json_span_inside(struct json_span value, char bracket);

/* Take the next element of a list, or the next member of an object; false: none is left. */
bool json_span_next(struct json_span *rest, struct json_span *element);
bool json_span_next_member(struct json_span *rest, struct json_span *name, struct json_span *value);

/* Returns a member of an object, the first with its name, or nothing.  A name has no escapes. */
struct json_span json_span_find(struct json_span object, const char *name);

/* Each returns false if the value is of another type.  A number with nothing behind its point is an integer. */
bool json_span_int(struct json_span value, int64_t *out);

/* Without the quotes that some writers have around numbers. */
struct json_span json_span_bare(struct json_span value);

/* The number times 10^scale, rounded; with quotes around it or without. */
bool json_span_scaled(struct json_span value, int scale, json_wide *out);

/*
 * A text, without its escapes; it lasts as long as what was begun with `text`.  No bytes: it is not a text, or,
 * which is then set, memory runs out.
 */
struct packed_text json_span_text(struct json_span value, struct json_text *text, bool *is_out_of_memory);

/* Whether the text is that one, which has nothing to escape. */
bool json_span_is_text(struct json_span value, const char *text);

#endif
