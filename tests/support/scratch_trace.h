/* SPDX-License-Identifier: MIT */
/*
 * scratch_trace.h - a file in memory that a test writes again and again, and opens as a trace.
 */
#ifndef SUPPORT_SCRATCH_TRACE_H
#define SUPPORT_SCRATCH_TRACE_H

#include "trace/trace.h"

/* A fixture of a file (TEST_FILE), and the path while it stands. */
extern char scratch[64];
int scratch_make(void **state);
int scratch_remove(void **state);

void scratch_write(const void *bytes, size_t size);

/* Fails the test if the trace is refused. */
struct trace *trace_must_open(const char *path);

/* Reads a file below the sources, of 1,000 bytes or more and less than `room`; returns how many it has. */
size_t source_read(const char *name, void *bytes, size_t room);

/*
 * Reads the scratch with all fields of its events, and returns how many events there are.  It may be refused with a
 * sentence, or damaged.
 */
unsigned scratch_read(bool *is_refused, bool *is_damaged);

#endif
