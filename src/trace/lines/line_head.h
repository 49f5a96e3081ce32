/* SPDX-License-Identifier: MIT */
/*
 * line_head.h - the head of a line in the text of a kernel trace: what kind of line it is, and of which thread and
 * CPU.
 *
 * 	  bash-1042    (1042) [003] d..2.  1234.567890: sched_waking: comm=...	  ftrace, trace-cmd report
 * 	  bash  1042/1042  [003]  1234.567890:  sched:sched_waking: comm=...	  perf script
 *
 * Names of threads may contain any characters, so a line is parsed from the number of its CPU, "[003]", or, without
 * one, from its time: the text on either side of that has few forms.  Sources: Documentation/trace/ftrace.rst,
 * kernel/trace/trace_output.c and tools/perf/builtin-script.c of Linux; trace-cmd-report(1).
 */
#ifndef TRACE_LINES_LINE_HEAD_H
#define TRACE_LINES_LINE_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histree/value.h"
#include "trace/switch_records.h"

enum line_kind {
	LINE_OTHER, /* not recognised */
	LINE_EVENT,
	LINE_SAMPLE,  /* the head of a sample that does not say of what: if a chain of calls follows */
	LINE_LOSS,    /* events of a CPU are missing before its next event, or before the time of the line */
	LINE_BEGIN,   /* the buffer of a CPU begins here; its earlier content was overwritten */
	LINE_CHAIN,   /* of a chain of calls */
	LINE_RECORD,  /* of perf; with a name if it says whose a thread is */
	LINE_COMMENT, /* also empty lines */
};

enum { LINE_NO_CPU = -1, LINE_NO_THREAD = -2, LINE_NO_PROCESS = -1, LINE_CPU_MAX = 65535, LINE_NAME_MAX = 128 };

/* What each member says depends on the kind.  Texts are parts of the line. */
struct line_head {
	enum line_kind kind;
	int32_t pid, cpu;        /* or LINE_NO_... */
	int32_t process;         /* of the thread; LINE_NO_PROCESS: it is not said, or not known: "(-----)" */
	bool has_process;        /* the line has a column for it */
	bool has_time, is_count; /* of the clock, which counts something else than time */
	bool is_bare;            /* the line lacks the time or the thread (line_samples.h) */
	bool is_record;          /* an event that perf tells, and not the kernel */
	bool has_turn;           /* it is a switch that perf tells */
	struct switch_record turn;
	histree_time time;
	uint64_t lost; /* events; 0: not counted */
	bool is_frame; /* the text is one, by its columns (line_samples.h) */
	bool has_period;
	uint64_t period;  /* of a sample */
	unsigned flags;   /* that stand before the time, by themselves; 0: none do */
	bool has_context; /* they are ftrace's, and say in which context the event is: */
	unsigned context; /* as bits (TRACE_FLAG_... in include/linux/trace_events.h) */
	unsigned columns; /* as line_head_read() was told */
	char *comm;       /* the name of the thread; NULL: it is not known */
	size_t comm_size;
	char *name, *text; /* of the event: LINE_NAME_MAX bytes at most, and the rest of the line */
	size_t name_size, text_size;
};

/*
 * A report of several files has the name of one in front of each line, "guest.dat:".  Returns its size, 0 if there
 * is none.
 */
size_t line_file(const char *line, size_t size, const char **name);

/*
 * systrace puts what ps printed before the events: a line "PROCESS DUMP", a line for each process, with sizes, and
 * a line for each thread, "u0_a7  1234  1301 RenderThread": its user, process, number and name.
 */
bool line_begins_dump(const char *line, size_t size);

/* Returns whether a line of a dump is of a thread; then the head is an event that says so. */
bool line_dump_read(char *line, size_t size, struct line_head *out);

/*
 * Read the line of `size` bytes, without its end.  `columns` is how many flags of ftrace lines of the file have;
 * 0: not known.
 */
void line_head_read(char *line, size_t size, unsigned columns, struct line_head *out);

#endif
