/* SPDX-License-Identifier: MIT */
/*
 * bench_report.h - prints what `histree bench` found: for people, or as one row.
 */
#ifndef CLI_BENCH_REPORT_H
#define CLI_BENCH_REPORT_H

#include "cli/bench_measure.h"
#include "cli/bench_threads.h"
#include "cli/row_writer.h"

struct bench_outcome {
	const struct histree_history_info *info;
	bool is_model; /* else a store, which is not built here and whose answers are not compared */
	int64_t names_ns, build_ns, build_cpu_ns; /* build: without the names */
	uint64_t peak_bytes;                      /* of the process, when the history was built */
	struct bench_result results[BENCH_SHAPE_COUNT];
	size_t wrong; /* answers that differ from the model's */
	struct bench_threads threads;
};

void bench_report(const struct bench_outcome *outcome, const struct row_format *format, struct output *output);

#endif
