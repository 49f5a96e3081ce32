/* SPDX-License-Identifier: MIT */
/*
 * line_losses.h - which events a text says are missing, found before its events are read.
 *
 * A line about lost events stands before the next event of the CPU that lost them, but they are missing since the
 * one before, which may be many lines above: the events of the other CPUs have long been handed out by then.  So
 * the text is walked once before, if it has such lines at all, for which only bytes are searched.
 */
#ifndef TRACE_LINES_LINE_LOSSES_H
#define TRACE_LINES_LINE_LOSSES_H

#include "trace/lines/line_text.h"
#include "trace/trace_stream.h"

/* A zeroed one is empty. */
struct line_losses {
	struct event_gap *gaps; /* by their beginnings */
	size_t count, capacity;
	size_t next; /* for whoever hands them out */
};

/* Find them and say so in the notes of the stream.  Returns what line_text does, or HISTREE_ERR_CANCELLED. */
enum histree_status line_losses_find(struct line_losses *losses, const struct line_place *place,
				     struct trace_stream *stream, struct histree_error *error);

void line_losses_release(struct line_losses *losses);

#endif
