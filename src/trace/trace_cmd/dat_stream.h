/* SPDX-License-Identifier: MIT */
/*
 * dat_stream.h - the events of one CPU in one buffer, and where some are missing.
 */
#ifndef TRACE_TRACE_CMD_DAT_STREAM_H
#define TRACE_TRACE_CMD_DAT_STREAM_H

#include "trace/trace_cmd/dat_class.h"
#include "trace/trace_cmd/dat_pages.h"
#include "trace/trace_cmd/ring_page.h"
#include "trace/trace_stream.h"

struct dat_stream {
	struct trace_stream base;
	struct dat_file *file;
	struct dat_classes *classes;
	uint32_t *class_count;
	struct dat_pages pages;

	uint64_t next_page;
	struct ring_page page; /* the one before that */
	bool is_in_page;
	uint64_t page_events; /* of it that were put */
	bool has_loss;        /* since the last event */
	uint64_t lost;
	uint64_t unknown; /* events that were left out as the file does not describe them */
	bool is_damaged, is_done;
	struct tracepoint_bytes current;
};

/* Begin at a page.  What is above `next_page` is set. */
void dat_stream_begin(struct dat_stream *stream, uint64_t page);

enum histree_status dat_stream_next(struct dat_stream *stream, struct histree_error *error);

/* Where the upcoming event comes first. */
void dat_stream_position(const struct dat_stream *stream, struct trace_position *out);

#endif
