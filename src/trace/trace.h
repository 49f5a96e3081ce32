/* SPDX-License-Identifier: MIT */
/*
 * trace.h - the streams of several sources as one sequence of events, by time.
 *
 * A binary heap of the streams that have an event.  Of two events at the same nanosecond the one of the earlier
 * stream comes first: streams are numbered by trace, in the order that was given, and then by the name of their
 * file.
 *
 * One trace, or several as one experiment, read as one sequence of events; and the inside of a trace, for the files
 * that open it, position it and read it.
 *
 * Streams are merged by time: the next event is the one with the smallest time among the upcoming ones of all
 * streams; at the same time the stream of the earlier trace comes first, then the one of the file whose name sorts
 * first.  Within a stream events keep their order in the file even where the clock steps back (such steps are
 * counted); so a bad clock never loses an event.
 *
 * What cannot be read is reported and skipped: a damaged packet ends where the damage begins, and the stream
 * continues with the next.  trace_next() fails only when memory runs out, or the wait for a live trace is
 * cancelled.
 *
 * 	struct trace *trace;
 * 	if (trace_open(&path, 1, &trace, &error) != HISTREE_OK)
 * 		return report(&error);
 * 	while ((status = trace_next(trace, &event, &error)) == HISTREE_OK)
 * 		...;			// HISTREE_END, or the error
 * 	trace_close(trace);
 *
 * A path may also be a file that perf or trace-cmd has recorded (trace/perf/perf_source.h,
 * dat_stream.h).
 *
 * A path may also be a table of text with one event a row, "FILE" or "text:MAP:FILE" (trace/text/event_text.h);
 * or the text of a trace of a kernel, as ftrace and perf script write it (trace/lines/line_source.h); or a folder
 * of uftrace (trace/uftrace/uftrace_source.h).
 *
 * A path may also be a file in the Trace Event Format (trace/json/json_source.h).
 *
 * A path may also be the address of a session at a relay daemon of LTTng, "net://HOST/host/NAME/SESSION": a live
 * trace, which must be the only one.  It ends when the session ends; before that, there may be nothing to read yet.
 *
 * Threads: a trace is used by one thread at a time.
 */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "event/event.h"
#include "histree/status.h"
#include "histree/store.h"
#include "trace/trace_source.h"

struct trace_upcoming {
	histree_time time;
	uint32_t stream; /* index in trace_merge.streams */
};

/* A zeroed one has no streams. */
struct trace_merge {
	struct trace_stream **streams; /* in the order that decides ties */
	struct trace_upcoming *queue;  /* a heap */
	size_t queue_count;
	bool is_taken; /* the first of the queue: it is the event that trace_merge_next() gave last */
	struct trace_report *report;
};

struct ctf_live;
struct io;

struct trace {
	const struct io *io;           /* by which its files are read */
	struct trace_source **sources; /* one a trace */
	size_t source_count;
	struct ctf_live *live; /* a live session, which has no sources; else NULL */
	uint32_t class_count;  /* of events that were met */
	struct trace_services services;
	size_t file_count; /* stream files of all sources */
	struct trace_notes notes;
	struct trace_merge merge;
	bool wants_gaps; /* hand them out */
	bool has_clock;  /* times are corrected by it */
	struct histree_clock clock;
	struct event_gap gap;            /* the one that was handed out last, its times corrected */
	const struct histree_work *work; /* while it is opened; NULL: not asked */
};

/*
 * Open every trace found at or below the paths (a folder with a `metadata` file is a CTF trace), in the order of
 * the paths and then by name.  Returns HISTREE_ERR_TRACE if one of the paths has no trace, or its metadata cannot
 * be read.
 */
enum histree_status trace_open(const char *const *paths, size_t path_count, struct trace **out,
			       struct histree_error *error);

/*
 * The same; while a relay daemon is waited for, or a trace is read whole because its events are not in order,
 * `cancel` is called and may end that by HISTREE_ERR_CANCELLED; for a live trace, trace_next() calls it too.  It
 * may read *out for its report, whose bytes_done advances.
 */
enum histree_status trace_open_or_cancel(const char *const *paths, size_t path_count,
					 const struct histree_work *work, struct trace **out,
					 struct histree_error *error);

/* The same as trace_open(), by other file calls than those of the system: for tests in which they fail. */
enum histree_status trace_open_by(const struct io *io, const char *const *paths, size_t path_count,
				  struct trace **out, struct histree_error *error);

/*
 * Returns the number of stream files of all inputs; 0 if this trace has no positions, because a stream is kept in
 * several files, or nothing of a file can be read.
 */
size_t trace_file_count(const struct trace *trace);

/* Write the position of each file from which the event that trace_next() handed out last comes first. */
void trace_positions(const struct trace *trace, struct trace_position *out);

/* Returns the file of that event, and its position there; of a trace that has positions. */
size_t trace_position_here(const struct trace *trace, struct trace_position *out);

/* Returns its time by the clock of the trace, which is not corrected. */
histree_time trace_time_here(const struct trace *trace);

/*
 * Open as trace_open() does, but from the event at which the positions were taken.  Returns HISTREE_ERR_TRACE if
 * the files are others than then.
 */
enum histree_status trace_open_at(const char *const *paths, size_t path_count,
				  const struct trace_position *positions, size_t position_count, struct trace **out,
				  struct histree_error *error);

/*
 * Returns whether a reader that begins at these positions meets the same gaps as this one from here on.  It does
 * not where a stream has a gap before its next event: it would not be known whether that was handed out before.
 */
bool trace_can_begin_here(const struct trace *trace);

/* Returns whether each format of the trace can be left and opened again, by trace_move(). */
bool trace_can_move(const struct trace *trace);

/*
 * Go to the event at which the positions were taken, forward or back, without opening the trace again.  Returns
 * HISTREE_ERR_ARGUMENT if it cannot move, and HISTREE_ERR_TRACE if the files are others than then: it stays where
 * it is.  After HISTREE_ERR_MEMORY it can only be closed.
 */
enum histree_status trace_move(struct trace *trace, const struct trace_position *positions, size_t position_count,
			       struct histree_error *error);

/* As trace_move(), if another reader has already reported what is met on the way to the place. */
enum histree_status trace_move_silently(struct trace *trace, const struct trace_position *positions,
					size_t position_count, struct histree_error *error);

/*
 * Estimated from the times of packets and the clock of the trace.  Returns the time by which about so many bytes of
 * the files, counted from a time, have been read; INT64_MAX: hardly more than that is left; INT64_MIN: the packets
 * do not tell.
 */
histree_time trace_time_behind(const struct trace *trace, histree_time from, uint64_t bytes);

/*
 * As trace_move(), to a place from which on every event of that time and later is met, if packets say the truth of
 * their times; others may come after them where a clock steps back.
 */
enum histree_status trace_move_before(struct trace *trace, histree_time time, struct histree_error *error);

/* Returns how many bytes all files have. */
uint64_t trace_bytes(const struct trace *trace);
size_t trace_count(const struct trace *trace);
const struct event_trace *trace_at(const struct trace *trace, size_t index);

/*
 * From here on, hand out the beginnings of gaps too, in their place among the events: what streams lost after their
 * first event, and the rest of streams that are damaged.
 */
void trace_want_gaps(struct trace *trace);

/*
 * From here on, correct the times of events and gaps by a clock, which is copied; NULL: leave them as the trace has
 * them.  The order of events stays, and what the report says of times is by the clock of the trace.
 */
void trace_set_clock(struct trace *trace, const struct histree_clock *clock);

/* Returns false if no trace can have an event of a name that `is_wanted`, as none declares one. */
bool trace_may_have(const struct trace *trace, bool (*is_wanted)(const char *name));

/* Returns whether the trace is live: a session, whose traces are known when an event of theirs is there. */
bool trace_is_live(const struct trace *trace);

/* Whether a path is the address of a live trace. */
bool trace_is_address(const char *path);

/*
 * Take the next event, which is valid until the next call.  Returns HISTREE_END at the end, HISTREE_NOT_FOUND if
 * a live trace has no event now and the caller may ask again a little later, HISTREE_ERR_CANCELLED,
 * HISTREE_ERR_MEMORY.
 */
enum histree_status trace_next(struct trace *trace, struct event *out, struct histree_error *error);

/* Returns the name of the stream whose event trace_next() gave last, as the user would write it; NULL: none. */
const char *trace_stream_name(const struct trace *trace);
struct trace_report trace_report(const struct trace *trace);
void trace_close(struct trace *trace);

#endif
