/* SPDX-License-Identifier: MIT */
/*
 * trace_list.h - find the traces at and below a path.
 */
#ifndef TRACE_TRACE_LIST_H
#define TRACE_TRACE_LIST_H

#include "trace/trace_source.h"

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
