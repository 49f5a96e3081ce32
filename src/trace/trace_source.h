/* SPDX-License-Identifier: MIT */
/*
 * trace_source.h - one trace of an input, whatever its format: the functions of a format, and its streams, places,
 * notes and reports.
 *
 * A *position* is a place in a stream file from which reading can continue.
 *
 * A *report* summarises reading an input: counts, and what went wrong.
 *
 * *Facts* are properties that a trace states about itself, such as its host and its clock; *notes* are the counts
 * and warnings about an input, as trace_report() hands them out.
 *
 * The number of warnings is bounded: the last one says how many more there were.
 *
 * A *stream* has what all streams of events have in common, whatever the decoder: the next event, gaps, steps back.
 *
 * A source is scanned, then opened, which makes its streams; each stream hands out its events in the order of its
 * file, and trace_merge puts them in order.
 */
#ifndef TRACE_TRACE_SOURCE_H
#define TRACE_TRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "event/event.h"
#include "histree/status.h"
#include "histree/value.h"

/*
 * How far the reading of one stream file has come: the packet of the next event, and how many events of that
 * packet come before it.  A trace is read on from any event by the positions of all its files at that event.  What
 * a packet is, each format says for itself: of perf.data it is the offset of a round, of a
 * trace.dat the number of a page of a CPU.
 */
struct trace_position {
	uint64_t packet; /* TRACE_FILE_DONE: the file has no more events */
	uint64_t events;
};

#define TRACE_FILE_DONE UINT64_MAX

/* What became of the input so far.  Strings belong to the trace. */
struct trace_report {
	uint64_t events;
	uint64_t gaps; /* handed out */
	uint64_t clock_steps_back;
	uint64_t discarded_events; /* said by the tracer to be lost */
	uint64_t discarded_packets;
	uint64_t repeated_packets;   /* that were taken once, elsewhere */
	uint64_t damaged_streams;    /* streams that were cut short or could not be opened */
	const char *const *warnings; /* a sentence each, about a hundred at most */
	size_t warning_count;
	uint64_t bytes_done, bytes_total; /* of the stream files; total 0: not known */
};

/* Longer than Linux allows (sethostname(2), uname(2)); what is longer is cut. */
enum { TRACE_FACT_SIZE = 96 };

struct trace_facts {
	char uuid[TRACE_FACT_SIZE]; /* of the trace; texts are "" where it does not say */
	char hostname[TRACE_FACT_SIZE];
	char kernel[TRACE_FACT_SIZE]; /* its release */
	char tracer[TRACE_FACT_SIZE];
	/* Which start of which machine: LTTng gives its clock the UUID in /proc/sys/kernel/random/boot_id. */
	char boot[TRACE_FACT_SIZE];
	bool has_clock;     /* exactly one, whose times can be told */
	histree_time zero;  /* the time at which the clock was 0 */
	uint64_t frequency; /* of the clock, in Hz */
};

/* Returns whether a release of Linux, "6.1.0-13-amd64", is known to be 4.14 or later: task states changed there. */
bool trace_release_has_new_task_states(const char *release);

/* Returns whether a value of the clock is a time of 64 bits, and the time. */
bool trace_facts_time(const struct trace_facts *facts, uint64_t cycles, histree_time *out);

enum { TRACE_WARNINGS_MAX = 100 };

struct trace_notes {
	struct trace_report report;
	struct arena texts;
	const char *warnings[TRACE_WARNINGS_MAX + 1];
	size_t left_out;
	char last[64]; /* "and 3 more warnings" */
};

/* A sentence, lower case, no full stop.  Out of memory costs the warning and nothing else. */
void trace_notes_warn(struct trace_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The report with its warnings; they live as long as the notes. */
struct trace_report trace_notes_report(const struct trace_notes *notes);
void trace_notes_release(struct trace_notes *notes);

struct trace_position;
struct trace_stream;

/* What decodes it. */
struct trace_stream_kind {
	/*
	 * Make the next event, or the next gap, the upcoming one.  Returns HISTREE_END when there are no more;
	 * HISTREE_ERR_MEMORY.
	 */
	enum histree_status (*next)(struct trace_stream *stream, struct histree_error *error);
	/*
	 * For a stream that was just opened: skip `events` events of its packet.  NULL: the events are stepped
	 * over one by one.
	 */
	enum histree_status (*skip)(struct trace_stream *stream, uint64_t events, struct histree_error *error);
	/* Write where the upcoming event comes first; of a source that has places. */
	void (*position)(const struct trace_stream *stream, struct trace_position *out);
	/* Returns whether the upcoming event is earlier than its packet begins.  NULL: there are no packets. */
	bool (*is_before_packet)(const struct trace_stream *stream);
};

struct trace_stream {
	const struct trace_stream_kind *kind; /* NULL: of a live session */
	size_t first_file;                    /* of the stream, among those of its trace */
	const struct event_trace *trace;
	struct trace_notes *notes;
	const char *name;      /* as the user would write it */
	struct event upcoming; /* the event, or the beginning of a gap, that comes next */
	bool has_upcoming;
	bool has_events;
	histree_time last; /* time of the last event, if there was one */
	struct event_gap gap;
	bool has_gap; /* it was met, and is still to become the upcoming event */
	uint64_t steps_back;
	histree_time first_step_back;
};

/* Make an event the upcoming one. */
void trace_stream_put(struct trace_stream *stream, const struct event *event);

/* Make the gap that was met the upcoming event, if there is one.  Returns whether there was. */
bool trace_stream_put_gap(struct trace_stream *stream);

/* Two times between which something is missing; INT64_MIN: that one is not known. */
struct trace_span {
	histree_time begin, end;
};

/*
 * The stream lacks what comes in a span.  What it had before its first event is not known anyway; and what its last
 * event said is known at that event's time.
 */
void trace_stream_lose(struct trace_stream *stream, struct trace_span span, uint64_t events);

/* Note that the tracer lost a number of something, "event" or "packet"; NULL: not counted. */
void trace_stream_note_loss(struct trace_stream *stream, const char *what, const uint64_t *count,
			    struct trace_span span);

/* Say in the notes what is known at the end of the stream. */
void trace_stream_end(struct trace_stream *stream);

struct io;
struct trace_source;

/* How the files of a source are read. */
struct trace_opening {
	size_t window_size; /* bytes of a file that are read at a time */
	bool files_stay_open;
	bool is_alone;                          /* there is no other trace in the input */
	const struct trace_position *positions; /* one a file: where to begin; NULL: at the start */
	const struct histree_work *work;        /* asked while opening reads all of a trace; NULL: not asked */
};

/* A format.  What all formats need is done where a source is opened; the format does what is particular to it. */
struct trace_format_kind {
	size_t size;       /* of its sources, whose base is their first member */
	const char *reads; /* what a user calls its files; NULL: they are named with another kind */
	/*
	 * How its traces are recognised: by the first bytes of a file; as a file that no first bytes identify; as a
	 * folder, or as a folder that contains a file of the format with that name.  NULL: not in this way.
	 */
	const char *name; /* of what begins so; ends the sentence "this is ..." */
	bool (*begins)(const void *bytes, size_t size);
	bool may_be_packed; /* what begins so is also read in gzip */
	bool (*is_file)(const char *path);
	bool (*is_folder)(const char *path);
	const char *inside;
	/* Its events are read as they come, with states of threads as the kernel wrote them (task_states.h). */
	bool has_states_as_written;
	/*
	 * Read the facts of the trace at base.path.  In the base, kind, path, id, io, notes and the count of
	 * classes are already set; the function sets the rest.  Returns HISTREE_ERR_TRACE if the trace cannot be
	 * read (damage further on is no error); HISTREE_END if the file has nothing of this kind, only of the kind
	 * beside it.
	 */
	enum histree_status (*scan)(struct trace_source *source, struct histree_error *error);
	/*
	 * Make the streams, by trace_source_add().  Those that begin at a position begin at its packet: its events
	 * are still to come.
	 */
	enum histree_status (*open)(struct trace_source *source, const struct trace_opening *opening,
				    struct histree_error *error);
	/* End the streams: the source can be opened again, elsewhere.  NULL: it cannot. */
	void (*leave)(struct trace_source *source);
	/* Returns whether a packet of a file is a place in the trace.  NULL: always, if it has positions. */
	bool (*has_places)(const struct trace_source *source);
	/* Returns whether a position can belong to this file.  NULL: there are no positions. */
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
	uint64_t (*bytes_done)(const struct trace_source *source); /* more than there are: all */
	/* Only what the trace at a path says of itself.  NULL: nothing. */
	enum histree_status (*facts)(const char *path, struct trace_facts *out, struct histree_error *error);
	/* Reads what else of the format is in the same file, a trace by itself; NULL: nothing. */
	const struct trace_format_kind *beside;
	/* Free what a scan or an opening, or a half of them, has made beside the base. */
	void (*release)(struct trace_source *source);
};

/*
 * Services whose requests several files tell of: their place is their number, the same in all files.  Beside traces
 * of other kinds, whose processes have numbers of the system, numbers of services are below 0.
 */
struct trace_services {
	struct intern keys, names;
	uint32_t *instances; /* by number of the name: how many services have it so far */
	size_t capacity;
	bool are_alone;
};

struct trace_source {
	const struct trace_format_kind *kind;
	struct event_trace trace;
	const struct io *io; /* file calls, for a format that takes them from there */
	char *path;          /* as it was found */
	struct trace_facts facts;
	size_t file_count;
	size_t first_file;         /* the number of its first one among those of all sources */
	uint64_t bytes;            /* of all files */
	struct trace_notes *notes; /* shared by all traces of the input */
	uint32_t *class_count;
	struct trace_services *services; /* shared, too */
	struct trace_stream **streams;   /* those that may have events */
	size_t stream_count, stream_capacity;
	/* What another kind has scanned of the same file, while this is scanned; NULL: nothing. */
	const struct trace_source *beside;
	bool is_copy;      /* of one before: it is not opened, and has no streams */
	histree_time last; /* that is known before the events are; set by trace.h */
};

/* Returns a source of a trace at a path, to be scanned; NULL when memory runs out. */
struct trace_source *trace_source_create(const struct trace_format_kind *kind, const char *path);

/* Say in source->trace what traces are whose metadata say no more than their domain and tracer. */
void trace_source_describe(struct trace_source *source, const char *domain, const char *tracer);

/* Add a stream, of which all but the base is the format's own.  Its name is borrowed. */
enum histree_status trace_source_add(struct trace_source *source, struct trace_stream *stream,
				     const struct trace_stream_kind *kind, size_t first_file, const char *name,
				     struct histree_error *error);
void trace_source_free(struct trace_source *source);

#endif
