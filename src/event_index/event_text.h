/* SPDX-License-Identifier: MIT */
/*
 * event_text.h - the fields of an event as one line of text, with what is inside of them.
 */
#ifndef EVENT_INDEX_EVENT_TEXT_H
#define EVENT_INDEX_EVENT_TEXT_H

#include "event/event.h"

/* Of an array, so many elements are in the text; and a text has not many more bytes than that. */
enum { EVENT_TEXT_ELEMENTS_MAX = 100, EVENT_TEXT_SIZE_MAX = 64 << 10 };

/* A zeroed one is empty; the caller frees `bytes`. */
struct event_text {
	char *bytes; /* terminated */
	size_t size, capacity;
};

/*
 * Write "name=value, ..." of all fields: [1, 2, 3] is an array, {a=1, b="x"} a structure, 0x0a0b are bytes.  Fields
 * that are not there are left out.  Returns false if memory is out.
 */
bool event_text_write(struct event_text *text, const struct event *event);

#endif
