/* SPDX-License-Identifier: MIT */
/*
 * event_class.h - the classes of the events of a text, and their fields.
 */
#ifndef TRACE_TEXT_EVENT_CLASS_H
#define TRACE_TEXT_EVENT_CLASS_H

#include "trace/text/event_text_inside.h"

enum { EVENT_NAMES_MAX = 65536 };

/* Returns the class of the row that is being read; NULL, and the error, if it cannot have one. */
const struct text_class *event_class_of_row(struct event_text *text, struct histree_error *error);

/* What event.h wants of a trace: the handle of an event is its struct event_row. */
bool event_class_get_int(const struct event *event, uint32_t field, int64_t *out);
bool event_class_get_string(const struct event *event, uint32_t field, const char **bytes, size_t *size);
bool event_class_visit(const struct event *event, uint32_t field, event_visitor visitor, void *context);

#endif
