/* SPDX-License-Identifier: MIT */
/*
 * partial_history.h - give a partial history the trace that it answers with.
 */
#ifndef PARTIAL_PARTIAL_HISTORY_H
#define PARTIAL_PARTIAL_HISTORY_H

#include "histree/history.h"
#include "histree/sync.h"

struct partial_attachment {
	const char *const *traces; /* paths, as the manifest of its store names them */
	size_t trace_count;
	const char *store;      /* path: a trace may lie beside it */
	const struct histree_clock *clock; /* by which its times are corrected; NULL: by none */
	bool null_empty_stacks; /* of the build */
	size_t cache_bytes;     /* of what is made again; 0: the default of histree_open_options */
};

/*
 * Let an opened history answer.  The trace is opened by the first query that needs it.  Returns HISTREE_ERR_VERSION
 * if its analysis is of another version, as only the same one makes the same states.
 */
enum histree_status partial_history_attach(struct histree_history *history,
					   const struct partial_attachment *attachment,
					   struct histree_error *error);

#endif
