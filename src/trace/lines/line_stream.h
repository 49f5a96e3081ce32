/* SPDX-License-Identifier: MIT */
/*
 * line_stream.h - the events of a text in the order of time, with the losses that it reports and the CPUs that it
 * may not print.
 *
 * *Losses* are found before the events are read.  A line about lost events precedes the next event of the CPU that
 * lost them, but the loss began at the previous event of that CPU, which may be many lines above: by then the
 * events of the other CPUs have long been handed out.  So a text with such lines is scanned once beforehand, with a
 * plain byte search.
 *
 * *CPUs* are derived if a text does not print them, as "perf script" of a recording without CPUs.  The idle
 * thread has the name of its CPU, "swapper/3", so a switch from it or to it says where it was.  A switch hands
 * its CPU from one thread to the next: from there on it is known where each of them runs.  Events before the
 * first such switch of a CPU have no CPU.
 */
#ifndef TRACE_LINES_LINE_STREAM_H
#define TRACE_LINES_LINE_STREAM_H

#include "trace/lines/line_class.h"
#include "trace/lines/line_head.h"
#include "trace/lines/line_samples.h"
#include "trace/lines/line_text.h"
#include "trace/text/event_text.h"
#include "trace/trace_source.h"

/* A zeroed one is empty. */
struct line_losses {
	struct event_gap *gaps; /* by their beginnings */
	size_t count, capacity;
	size_t next;    /* the next to hand out */
	bool has_calls; /* system calls, in a text that has losses */
};

/* A zeroed one knows no CPU. */
struct line_cpus {
	int64_t *runs; /* on each CPU: its thread, or LINE_NO_THREAD */
	size_t count, capacity;
	uint64_t unknown; /* events without one */
};

/*
 * HISTREE_ERR_TRACE, and how to print the CPUs, if a text has switches of which none says where it was; or it
 * cannot be read.
 */
enum histree_status line_cpus_check(const struct line_place *place, struct histree_error *error);

/* A row is late or not by what two windows before it say. */
enum { LINE_STREAM_STARTS = 2 * EVENT_WINDOW_ROWS };

struct line_stream {
	struct trace_stream base;
	struct line_classes *classes; /* borrowed */
	struct line_text text;
	struct event_window window;
	bool has_samples, is_bare, has_no_times; /* as the preface says */
	histree_time first;                      /* so does this of the first event; INT64_MIN: it is not known */
	/* The event that was read last, which may have a chain behind it; a copy of its line. */
	struct line_head pending;
	struct line_sample sample;
	char *pending_line;
	size_t pending_size, pending_capacity;
	uint64_t pending_at, pending_number; /* byte of the text, and the number of the line */
	bool has_pending;
	uint64_t samples;       /* without a time, so far */
	struct event_row *held; /* it is earlier than what was handed out: it waits until the window is empty */
	uint64_t begin;         /* the number of the row that the window began with */
	/* Where the lines of the last rows begin, by their numbers. */
	uint64_t starts[LINE_STREAM_STARTS];
	struct line_losses losses;
	struct line_cpus cpus;
	struct switch_records switches; /* that perf tells */
	bool tells_switches;            /* it has some of these */
	bool tells_cpus;                /* the text does not */
	uint64_t others, chain_lines;   /* that are no events */
	const char *file;               /* of which the lines are read, in a report of several; "": of none */
	bool in_dump;                   /* of processes: no event was read */
	uint64_t bare;                  /* events of the scheduler without fields */
	uint64_t of_others;             /* lines of other files */
	uint64_t first_other;           /* its number */
	char first_words[64];           /* its beginning */
	uint64_t unfit, first_unfit;    /* switches and wakeups whose fields are not understood, and a line */
	char unfit_words[128];          /* what it says */
	bool is_whole;                  /* from the first line on */
	bool is_done;
	struct histree_error failure; /* which ended the reading: what was read before it comes first */
};

/*
 * Begin at a byte of the text; NULL: at its first, and with what was lost.  `base`, `classes` and `tells_cpus` are
 * set.
 */
enum histree_status line_stream_init(struct line_stream *stream, const struct line_place *place, const uint64_t *at,
				     struct histree_error *error);
enum histree_status line_stream_next(struct trace_stream *base, struct histree_error *error);

/* Where the upcoming event comes first: a byte of the text, and how many events come behind it before. */
void line_stream_position(const struct trace_stream *base, struct trace_position *out);
void line_stream_release(struct line_stream *stream);

#endif
