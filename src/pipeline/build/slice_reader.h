/* SPDX-License-Identifier: MIT */
/*
 * slice_reader.h - a trace, read from one place to another, any number of times.
 *
 * A slice is what the trace hands out from one time to another, both by its own clock.  It is read by a reader
 * that went there by what packets say of their times; that these say the truth is not believed, but seen at the
 * hand-over: the slice before has to end where this one began, file by file.
 *
 * A reader belongs to one thread at a time.
 */
#ifndef PIPELINE_BUILD_SLICE_READER_H
#define PIPELINE_BUILD_SLICE_READER_H

#include "analysis/analysis_feed.h"
#include "event_index/event_index.h"
#include "trace/event_stream.h"

/* What all readers of a trace have in common; constant, and outlives them. */
struct slice_source {
	const struct analysis *analysis;
	struct event_origin origin; /* of the trace that was cut: another one is refused */
};

/* What is wrong with a trace that is another one than was cut. */
extern const char slice_changed[];

struct slice_reader {
	const struct slice_source *source;
	struct event_stream own, *stream; /* its own, or borrowed; what was looked at is what nobody has seen */
	struct analysis_feed feed;
};

/* Over a stream that is open, and borrowed; NULL: over one of its own. */
enum histree_status slice_reader_open(const struct slice_source *source, struct event_stream *stream,
				      struct slice_reader **out, struct histree_error *error);
void slice_reader_close(struct slice_reader *reader);

/* Go where the files are at these positions. */
enum histree_status slice_reader_go(struct slice_reader *reader, const struct trace_position *positions,
				    struct histree_error *error);

/* Whoever sees the events one by one. */
struct slice_pass {
	struct analysis_inputs *inputs;
	void *instance;
	struct event_index_writer *index; /* that watches the stream; NULL: none is made */
	/* Asked now and then whether to go on. */
	enum histree_status (*go_on)(void *context, struct histree_error *error);
	void *context;
	uint64_t events;   /* that it has seen */
	histree_time last; /* the greatest time of all */
};

/*
 * Hand out events and gaps up to the first event of that time or later from which on others can read, or all that
 * there are.  `positions` become those of that place.
 */
enum histree_status slice_reader_pass(struct slice_reader *reader, histree_time to, struct slice_pass *pass,
				      struct trace_position *positions, struct histree_error *error);

/* ---- event by event ------------------------------------------------------------------------------------------ */

/* Returns whether the event that comes next is the first one of a time from which on others can read. */
bool slice_reader_is_at(const struct slice_reader *reader, histree_time time);

/* Whether the trace has had something to say since then: losses, damage, clocks that step back. */
bool slice_reader_has_said_more(const struct slice_reader *reader, const struct trace_report *before);

/* Where the next event is; where there are none, all files are at their ends. */
void slice_reader_find(const struct slice_reader *reader, struct trace_position *positions);

#endif
