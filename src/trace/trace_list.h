/* SPDX-License-Identifier: MIT */
/*
 * trace_list.h - the traces at and below a path. A file is recognised by its content: a trace by itself, or a
 * format that is not read.
 *
 * A user with a recording of trace-cmd or of a browser, or a trace in an archive, learns what it is and how to go
 * on, instead of what it is not.
 */
#ifndef TRACE_TRACE_LIST_H
#define TRACE_TRACE_LIST_H

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

struct trace_entry {
	char *path;
	const struct trace_format_kind *kind;
};

/* A zeroed one is empty. */
struct trace_list {
	struct trace_entry *entries;
	size_t count, capacity;
};

/*
 * Add the file `path` if it is a trace by itself (a recording of perf or trace-cmd, a table of events as text, or
 * one that is named with a map, base/trace_word.h), once for each kind that reads a part of it, else each folder
 * with a file `metadata` at or below `path`, sorted by name; a trace has none inside.  Symbolic links below `path`
 * are not followed.  Returns HISTREE_ERR_TRACE if there was none.
 */
enum histree_status trace_list_find(struct trace_list *list, const char *path, struct histree_error *error);
void trace_list_release(struct trace_list *list);

#endif
