/* SPDX-License-Identifier: MIT */
/*
 * trace_source.h - one trace of an input, whatever its format: a table of what a format does.
 *
 * A source is scanned, then opened, which makes its streams; each stream hands out its events in the order of its
 * file, and trace_merge puts them in order.
 */
#ifndef TRACE_TRACE_SOURCE_H
#define TRACE_TRACE_SOURCE_H

#include "histree/cancel.h"
#include "trace/trace_notes.h"
#include "trace/trace_position.h"
#include "trace/trace_stream.h"

struct io;
struct trace_source;

/* How the files of a source are read. */
struct trace_opening {
	size_t window_size; /* bytes of a file that are read at a time */
	bool files_stay_open;
	bool is_alone;                          /* there is no other trace in the input */
	const struct trace_position *positions; /* one a file: where to begin; NULL: at the start */
	const struct histree_cancel *cancel; /* asked while opening reads all of a trace; NULL: not asked */
};

struct trace_format_kind {
	const char *reads; /* what a user calls its files; NULL: they are named with another kind */
	/* Returns a zeroed source of the format, whose base is its first member; NULL when memory is out. */
	struct trace_source *(*create)(void);
	/*
	 * Read what the trace says of itself.  Of the base, id, io, notes and count of classes are set, and the
	 * rest of it is to be.  Returns HISTREE_ERR_TRACE if it cannot be read, damage behind is no error;
	 * HISTREE_END if nothing in the file is of this kind, but of the one beside it.
	 */
	enum histree_status (*scan)(struct trace_source *source, const char *path, struct histree_error *error);
	/* Make the streams.  Those that begin at a position begin at its packet: its events are still to come. */
	enum histree_status (*open)(struct trace_source *source, const struct trace_opening *opening,
				    struct histree_error *error);
	/* End the streams: the source can be opened again, elsewhere.  NULL: it cannot. */
	void (*leave)(struct trace_source *source);
	/* Returns whether a packet of a file is a place in the trace.  NULL: always. */
	bool (*has_places)(const struct trace_source *source);
	/* Returns whether a position can be one of this file. */
	bool (*has_position)(const struct trace_source *source, size_t file, const struct trace_position *position);
	/*
	 * Find the packet with which to begin, so that of a file every event of that time or later is met, and
	 * about how many bytes come before that time.  Returns false if packets do not say when they begin.  NULL:
	 * never.
	 */
	bool (*find_time)(const struct trace_source *source, size_t file, histree_time time,
			  struct trace_position *at, uint64_t *bytes);
	/* Returns whether it is known when the trace was recorded, and its first and last time.  NULL: never. */
	bool (*span)(const struct trace_source *source, histree_time *begin, histree_time *end);
	/*
	 * Returns the greatest time that is known before the events are read; INT64_MIN, or no function: none, and
	 * times near the zero of the clock are times.
	 */
	histree_time (*last)(const struct trace_source *source);
	/*
	 * Returns whether the trace declares an event of a name that `is_wanted`; what it does not declare, it does
	 * not have.  NULL: it declares none, and may have any.
	 */
	bool (*declares)(const struct trace_source *source, bool (*is_wanted)(const char *name));
	uint64_t (*bytes_done)(const struct trace_source *source);
	/* Only what the trace at a path says of itself.  NULL: nothing. */
	enum histree_status (*facts)(const char *path, struct trace_facts *out, struct histree_error *error);
	/* Reads what else is in the same file, a trace by itself; NULL: there is nothing else. */
	const struct trace_format_kind *beside;
	/* Free what a scan or an opening, or a half of them, has made, and the source. */
	void (*free)(struct trace_source *source);
};

struct trace_source {
	const struct trace_format_kind *kind;
	struct event_trace trace;
	const struct io *io; /* file calls, for a format that takes them from there */
	char *path;          /* as it was found; freed by the kind */
	struct trace_facts facts;
	size_t file_count;
	size_t first_file;         /* the number of its first one among those of all sources */
	uint64_t bytes;            /* of all files */
	struct trace_notes *notes; /* shared by all traces of the input */
	uint32_t *class_count;
	struct trace_stream **streams; /* those that may have events; freed by the kind */
	size_t stream_count;
	bool is_copy;      /* of one before: it is not opened, and has no streams */
	histree_time last; /* that is known before the events are; set by trace.h */
};

#endif
