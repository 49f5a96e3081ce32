/* SPDX-License-Identifier: MIT */
/*
 * trace_format.h - recognises a file by its content: a trace by itself, or a format that is not read.
 *
 * A user with a recording of trace-cmd or of a browser, or a trace in an archive, learns what it is and how to go
 * on, instead of what it is not.
 */
#ifndef TRACE_TRACE_FORMAT_H
#define TRACE_TRACE_FORMAT_H

#include <stddef.h>

#include "trace/trace_source.h"

struct trace_format {
	const char *name;                     /* ends the sentence "this is ..." */
	const struct trace_format_kind *kind; /* what reads such a file, a trace by itself; NULL: nothing does */
	const char *advice;                   /* what to do with it then; NULL: it is no trace */
};

/* Returns the format that the first bytes of a file are of, or NULL if they are of none that is known. */
const struct trace_format *trace_format_of_bytes(const void *bytes, size_t size);

/* Returns the format of a file, or NULL if it cannot be read or is of none that is known. */
const struct trace_format *trace_format_of_path(const char *path);

/* Describes a file of unknown format, as the end of a sentence about it: "is empty". */
const char *trace_format_describe(const char *path);

/* What is inside of a file that is packed by gzip and no trace, "a tar archive"; NULL: it is not packed so. */
const char *trace_format_packed(const char *path);

/* Write which formats are read, "CTF, ...; perf.data; ...". */
void trace_format_list(char *text, size_t size);

#endif
