/* SPDX-License-Identifier: MIT */
/*
 * event_parts.h - what each event of a text has besides its fields: the columns of it, and how they are read.
 */
#ifndef TRACE_TEXT_EVENT_PARTS_H
#define TRACE_TEXT_EVENT_PARTS_H

#include "trace/text/event_text_inside.h"

/* Find the columns; again when a row of JSON has had new ones.  HISTREE_ERR_TRACE if one that must be is not. */
enum histree_status event_parts_find(struct event_text *text, struct histree_error *error);

/* Read a part of the row at hand.  What has no CPU is on CPU -1. */
enum histree_status event_parts_time(const struct event_text *text, histree_time *out, struct histree_error *error);
enum histree_status event_parts_cpu(struct event_text *text, int32_t *cpu, struct histree_error *error);

#endif
