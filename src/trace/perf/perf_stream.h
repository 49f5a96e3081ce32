/* SPDX-License-Identifier: MIT */
/*
 * perf_stream.h - the events of a perf.data, of all CPUs, in the order of their times, and where some are missing.
 */
#ifndef TRACE_PERF_PERF_STREAM_H
#define TRACE_PERF_PERF_STREAM_H

#include "trace/perf/perf_class.h"
#include "trace/perf/perf_losses.h"
#include "trace/perf/perf_rounds.h"
#include "trace/trace_stream.h"

/* What is known of a CPU. */
struct perf_cpu {
	histree_time last; /* of its events that were read, in the order of the file */
	bool is_fresh;     /* it had events since the last damage */
};

struct perf_stream {
	struct trace_stream base;
	struct perf_file *file;
	struct perf_part *part; /* with its records */
	struct perf_loss_count *loss_count;
	uint32_t *class_count;
	size_t window_size;
	size_t round_size;           /* rounds are taken together until they are of this size */
	bool lacks_rounds;           /* events are nearly in order: this size is a round */
	struct perf_class **classes; /* of attributes; then of enum perf_side; NULL: not met yet */
	struct perf_records records;
	struct perf_rounds rounds;
	struct perf_losses losses;
	struct perf_event current;
	struct perf_cpu *cpus; /* by number */
	size_t cpu_count, cpu_capacity;
	uint16_t *fresh; /* the CPUs that are */
	size_t fresh_count, fresh_capacity;
	histree_time handed_out; /* the latest time of what was */
	uint64_t unknown;        /* records that were left out as they belong to no event */
	bool is_damaged, is_done, is_cut_round, has_read_all;
};

/*
 * Begin at an offset of the part, NULL: at its first record, and with what was lost.  What is above `records` is
 * set, but the classes.
 */
enum histree_status perf_stream_init(struct perf_stream *stream, const uint64_t *at, struct histree_error *error);

enum histree_status perf_stream_next(struct perf_stream *stream, struct histree_error *error);

void perf_stream_release(struct perf_stream *stream);

#endif
