/* SPDX-License-Identifier: MIT */
/*
 * perf_source.h - a recording of perf as a source: its records as events in the order of time, with its losses.
 *
 * Losses are found before the events are read.  If the buffer of a CPU was full, a record (LOST) says so as soon as
 * the CPU writes again, which may be many rounds later; the missing events came after the previous event of that
 * CPU, and by then the events of the other CPUs have long been handed out.  So the records are scanned once
 * beforehand. perf also counts lost samples when it ends (LOST_SAMPLES): the part that exceeds the other records
 * was lost after the last event.
 *
 * `perf record` writes one file, which is one stream; in a folder (--threads) the file "data" is the recording, and
 * each file is a stream.
 *
 * Without libtraceevent, perf_format explains the alternatives.
 */
#ifndef TRACE_PERF_PERF_SOURCE_H
#define TRACE_PERF_PERF_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histree/value.h"
#include "trace/perf/perf_class.h"
#include "trace/perf/perf_file.h"
#include "trace/perf/perf_records.h"
#include "trace/trace_source.h"

/* What is counted over all parts of a recording, one after the other. */
struct perf_loss_count {
	uint64_t by_records,
		by_perf; /* LOST; LOST_SAMPLES, which is among what perf says itself: in the last part */
	bool has_latest;
	bool has_compared, counts_otherwise; /* numbers of threads, perf's own and the kernel's, in one sample */
	histree_time earliest, latest;       /* of the samples */
};

/* A zeroed one is empty. */
struct perf_losses {
	struct event_gap *gaps; /* by their beginnings */
	size_t count, capacity;
	size_t next; /* the next to hand out */
};

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
	struct switch_records switches;
	histree_time handed_out; /* the latest time of what was */
	uint64_t unknown;        /* records that were left out as they belong to no event */
	bool is_damaged, is_done, is_cut_round, has_read_all;
};

/*
 * Begin at an offset of the part, NULL: at its first record, and with what was lost.  What is above `records` is
 * set, but the classes.
 */
enum histree_status perf_stream_init(struct perf_stream *stream, const uint64_t *at, struct histree_error *error);
enum histree_status perf_stream_next(struct trace_stream *base, struct histree_error *error);
void perf_stream_release(struct perf_stream *stream);

/* How its files are told, also where they cannot be read: tools/perf/util/header.c of Linux. */
static inline bool perf_begins(const void *bytes, size_t size)
{
	return size >= 8 && (memcmp(bytes, "PERFILE2", 8) == 0 || memcmp(bytes, "2ELIFREP", 8) == 0);
}

#define PERF_NAME "a recording of perf"

/* perf keeps a recording of several threads in a folder, and in this file what it says of itself. */
#define PERF_INSIDE "data"

#endif
