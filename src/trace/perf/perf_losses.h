/* SPDX-License-Identifier: MIT */
/*
 * perf_losses.h - what perf lost, found before the events are read.
 *
 * Where the buffer of a CPU was full, a record (LOST) says so as soon as the CPU has something to write again,
 * which may be many rounds later; what is missing came after the event before it of the same CPU, and those of the
 * other CPUs have long been handed out by then.  So the records are walked once before.
 *
 * perf also counts samples that were lost when it ends (LOST_SAMPLES): what that is more than the others say was
 * lost behind the last event.
 */
#ifndef TRACE_PERF_PERF_LOSSES_H
#define TRACE_PERF_PERF_LOSSES_H

#include "trace/perf/perf_stamp.h"
#include "trace/trace_stream.h"

/* What is counted over all parts of a recording, one after the other. */
struct perf_loss_count {
	uint64_t by_records,
		by_perf; /* LOST; LOST_SAMPLES, which is among what perf says itself: in the last part */
	bool has_latest;
	histree_time earliest, latest; /* of the samples */
};

/* A zeroed one is empty. */
struct perf_losses {
	struct event_gap *gaps; /* by their beginnings */
	size_t count, capacity;
	size_t next; /* for whoever hands them out */
};

/*
 * Find those of a part and say so in the notes of the stream; and, on the way, the images of the file.  In the
 * last part, what was lost at the end is what the count has more than all records said.  Returns
 * HISTREE_ERR_MEMORY, or HISTREE_ERR_TRACE if the records cannot be read at all.
 */
enum histree_status perf_losses_find(struct perf_losses *losses, struct perf_file *file, struct perf_part *part,
				     size_t window_size, struct perf_loss_count *count, struct trace_stream *stream,
				     struct histree_error *error);

void perf_losses_release(struct perf_losses *losses);

#endif
