/* SPDX-License-Identifier: MIT */
/*
 * event_class.h - the classes of the events of a text, and their fields.
 */
#ifndef TRACE_TEXT_EVENT_CLASS_H
#define TRACE_TEXT_EVENT_CLASS_H

#include "trace/text/event_text_inside.h"

/* In JSON a name may have several classes. */
enum { EVENT_NAMES_MAX = 65536, EVENT_CLASSES_MAX = 4 * EVENT_NAMES_MAX };

/* Returns the class of the row that is being read; NULL, and the error, if it cannot have one. */
const struct text_class *event_class_of_row(struct event_text *text, struct histree_error *error);

#endif
