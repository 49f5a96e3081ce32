/* SPDX-License-Identifier: MIT */
/*
 * line_strace.h - the text of strace: system calls as spans of their threads, signals and exits as instants.
 *
 * 	1042 1700000000.250000 openat(AT_FDCWD, "/etc/passwd", O_RDONLY) = 3 <0.000027>
 * 	[pid  1043] 12:00:01.5 read(3,  <unfinished ...>
 * 	[pid  1043] 12:00:02.5 <... read resumed>"x", 1) = 1 <1.000012>
 * 	1043 1700000001.000000 --- SIGTERM {si_signo=SIGTERM, ...} ---
 * 	1043 1700000001.000100 +++ killed by SIGTERM +++
 *
 * A call lasts as long as "-T" prints or, if another thread's line interrupted it, until the line that resumes it;
 * for other calls only the beginning is known, and they are instants.  The text has neither CPUs nor switches, so
 * it is a trace of tracks, not of a kernel: a thread outside a call may run or wait.
 *
 * Times are absolute with "-ttt", since midnight with "-tt" and "-t", and since the first line with "-r".  The
 * flags of clone() say to which process a thread belongs, and processes are named after what they execute.  Lines
 * without a number belong to the first traced thread.  Source: strace(1).
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
