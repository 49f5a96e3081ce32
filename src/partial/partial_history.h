/* SPDX-License-Identifier: MIT */
/*
 * partial_history.h - a partial history: its checkpoints while a trace is read, and the slices that are made again
 * between two of them.
 *
 * While a build reads a trace, each analysis has its checkpoints.
 *
 * An open partial history is given the trace from which it makes slices.
 */
#ifndef PARTIAL_PARTIAL_HISTORY_H
#define PARTIAL_PARTIAL_HISTORY_H

#include "analysis/analysis.h"
#include "base/bytes.h"
#include "histree/history.h"
#include "histree/store.h"
#include "state/attributes.h"
#include "state/history.h"
#include "state/partial_file.h"
#include "state/partial_section.h"
#include "trace/trace.h"

struct replay;
struct slice_cache;

struct partial_writer {
	const struct analysis *analysis; /* it can be saved */
	void *instance;
	struct histree_state_system *system;
	struct partial_file *file; /* all three are borrowed */
};

/*
 * The event that the trace handed out last comes next, after `before` events and gaps: a place at which another
 * run can begin, if trace_can_begin_here().  The first call comes before the first event.
 */
enum histree_status partial_writer_checkpoint(const struct partial_writer *writer, const struct trace *trace,
					      uint64_t before, bool ignores_gaps, struct histree_error *error);

struct partial_attachment {
	const char *const *traces; /* paths, as the manifest of its store names them */
	size_t trace_count;
	const char *store;                 /* path: a trace may lie beside it */
	const struct histree_clock *clock; /* by which its times are corrected; NULL: by none */
	bool null_empty_stacks;            /* of the build */
	size_t cache_bytes;                /* of what is made again; 0: the default of histree_open_options */
};

/*
 * Let an opened history answer.  The trace is opened by the first query that needs it.  Returns HISTREE_ERR_VERSION
 * if its analysis is of another version, as only the same one makes the same states.
 */
enum histree_status partial_history_attach(struct histree_history *history,
					   const struct partial_attachment *attachment,
					   struct histree_error *error);

#endif
