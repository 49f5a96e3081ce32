/* SPDX-License-Identifier: MIT */
/*
 * event_text.h - an event as text: its contents as one line, its fields as JSON, or one by one.
 *
 * The fields of an event as a JSON object (RFC 8259), with their members and elements.
 *
 * The fields of an event as one line of text, with their members and elements.
 */
#ifndef EVENT_INDEX_EVENT_TEXT_H
#define EVENT_INDEX_EVENT_TEXT_H

#include "event/event.h"
#include "histree/events.h"

/* A zeroed one is empty; the caller frees `bytes`. */
struct event_text {
	char *bytes; /* terminated */
	size_t size, capacity;
	bool failed; /* memory ran out while it was written last */
};

/*
 * Write "name=value, ..." of all fields: [1, 2, 3] is an array, {a=1, b="x"} a structure, 0x0a0b are bytes.  Fields
 * that are not there are left out.  Returns false if memory runs out.
 */
bool event_text_write(struct event_text *text, const struct event *event);

/* The rest of an event after this many bytes is left out; the object is well formed even then. */
enum { EVENT_JSON_SIZE_MAX = 1 << 20 };

/*
 * Write {"name":value,...} of all fields, in their order.  A number that the trace has a name for is that name;
 * bytes are a text in hexadecimal, "0x0a0b"; a number that is not finite is null; a field that is not there is left
 * out.  A name may come twice, where a context has what the payload has: the payload's comes first.  Returns false
 * if memory runs out.
 */
bool event_json_write(struct event_text *text, const struct event *event);

/* A zeroed one has no fields. */
struct event_fields {
	struct histree_event_field *fields;
	size_t count, capacity;
	struct event_text text; /* of all of them */
};

/* Take the fields one by one, as event_json_write() has them.  Returns false if memory runs out. */
bool event_fields_take(struct event_fields *fields, const struct event *event);

/* The same from an object that event_json_write() wrote somewhere else. */
bool event_fields_read(struct event_fields *fields, const char *json);

void event_fields_release(struct event_fields *fields);

#endif
