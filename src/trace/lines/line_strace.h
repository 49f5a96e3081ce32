/* SPDX-License-Identifier: MIT */
/*
 * line_strace.h - the text of strace: system calls as spans of their threads, signals and exits as instants.
 *
 *	1042 1700000000.250000 openat(AT_FDCWD, "/etc/passwd", O_RDONLY) = 3 <0.000027>
 *	[pid  1043] 12:00:01.5 read(3,  <unfinished ...>
 *	[pid  1043] 12:00:02.5 <... read resumed>"x", 1) = 1 <1.000012>
 *	1043 1700000001.000000 --- SIGTERM {si_signo=SIGTERM, ...} ---
 *	1043 1700000001.000100 +++ killed by SIGTERM +++
 *
 * A call lasts as long as "-T" prints, or, where another thread's line came between, to the line that resumes it;
 * of others only the beginning is known, and they are instants.  What the kernel did is not in such a text,
 * neither CPUs nor switches, so it is a trace of tracks, not of a kernel: a thread outside of a call may run or
 * wait.
 *
 * Times are those of the day with "-ttt", since midnight with "-tt" and "-t", and with "-r" since the first line.
 * Threads are of the process of which their clone() says so, and processes are called as what they execute.  Lines
 * without a number are of the thread that is traced first.  Source: strace(1).
 */
#ifndef TRACE_LINES_LINE_STRACE_H
#define TRACE_LINES_LINE_STRACE_H

#include "trace/lines/line_text.h"
#include "trace/packed/packed_source.h"

/* Returns whether a line is one of strace's. */
bool line_strace_is(char *line, size_t size);

/* HISTREE_ERR_TRACE, and which options to use, if the text has no times. */
enum histree_status line_strace_check(const struct line_place *place, struct histree_error *error);

/* Read all lines of a text; HISTREE_END behind the last.  Whose threads are is read of the place before. */
enum histree_status line_strace_read(struct packed_source *packed, const struct line_place *place,
				     struct line_text *text, struct histree_error *error);

#endif
