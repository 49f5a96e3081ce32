/* SPDX-License-Identifier: MIT */
/*
 * partial_writer.h - the checkpoints of one analysis while a build reads its trace.
 */
#ifndef PARTIAL_PARTIAL_WRITER_H
#define PARTIAL_PARTIAL_WRITER_H

#include "analysis/analysis.h"
#include "state/partial_file.h"
#include "trace/trace.h"

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

#endif
