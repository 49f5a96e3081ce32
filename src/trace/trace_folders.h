/* SPDX-License-Identifier: MIT */
/*
 * trace_folders.h - find the traces at and below a path.
 */
#ifndef TRACE_TRACE_FOLDERS_H
#define TRACE_TRACE_FOLDERS_H

#include <stddef.h>

#include "histree/status.h"

/* A zeroed one is empty. */
struct trace_folders {
	char **paths;
	size_t count, capacity;
};

/*
 * Add each folder with a file `metadata` at or below `path`, sorted by name; a trace has none inside.
 * Symbolic links below `path` are not followed.  Returns HISTREE_ERR_TRACE if there was none.
 */
enum histree_status trace_folders_find(struct trace_folders *folders, const char *path,
				       struct histree_error *error);

void trace_folders_release(struct trace_folders *folders);

#endif
