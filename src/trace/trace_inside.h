/* SPDX-License-Identifier: MIT */
/*
 * trace_inside.h - the body of a trace, for the files that open it, move it and read it.
 */
#ifndef TRACE_TRACE_INSIDE_H
#define TRACE_TRACE_INSIDE_H

#include "histree/sync.h"
#include "trace/trace_merge.h"

struct ctf_live;
struct io;

struct trace {
	const struct io *io;           /* by which its files are read */
	struct trace_source **sources; /* one a trace */
	size_t source_count;
	struct ctf_live *live; /* a live session, which has no sources; else NULL */
	uint32_t class_count;  /* of events that were met */
	size_t file_count;     /* stream files of all sources */
	struct trace_notes notes;
	struct trace_merge merge;
	bool wants_gaps; /* hand them out */
	bool has_clock;  /* times are corrected by it */
	struct histree_clock clock;
	struct event_gap gap;                /* the one that was handed out last, its times corrected */
	const struct histree_cancel *cancel; /* while it is opened; NULL: not asked */
};

/* Open the streams of all sources; their files begin at positions, or at the start if those are NULL. */
enum histree_status trace_open_sources(struct trace *trace, const struct trace_position *positions,
				       struct histree_error *error);

/* Returns HISTREE_ERR_TRACE, and what to do, if the positions are not of these files. */
enum histree_status trace_check_positions(const struct trace *trace, const struct trace_position *positions,
					  size_t position_count, struct histree_error *error);

/* Whether a trace that was just opened begins so near to the zero of its clock that it may be no time. */
bool trace_begins_at_zero(struct trace *trace);

/* Read such a trace on to the first event that has a time, and say when that is; INT64_MIN: all have one. */
enum histree_status trace_find_begin(struct trace *trace, histree_time *begin, struct histree_error *error);

/* Leave out what such a trace has before that time, and say so in the notes. */
enum histree_status trace_leave_out_before(struct trace *trace, histree_time begin, struct histree_error *error);

#endif
