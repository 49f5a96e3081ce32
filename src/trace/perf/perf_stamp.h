/* SPDX-License-Identifier: MIT */
/*
 * perf_stamp.h - when and on which CPU a record was written, and of which attribute it is.
 */
#ifndef TRACE_PERF_PERF_STAMP_H
#define TRACE_PERF_PERF_STAMP_H

#include "trace/perf/perf_records.h"

enum { PERF_NO_CPU = 65535 };

struct perf_stamp {
	bool has_time; /* records of the time before perf began have none */
	histree_time time;
	uint16_t cpu;       /* or PERF_NO_CPU */
	uint16_t attribute; /* of a sample */
};

/* Returns false if the sample is of no attribute of the file, or shorter than its parts. */
bool perf_stamp_of_sample(const struct perf_file *file, const struct perf_record *record, struct perf_stamp *out);

/* What stands at the end of a record that is no sample. */
struct perf_stamp perf_stamp_of_side(const struct perf_file *file, const struct perf_record *record);

#endif
