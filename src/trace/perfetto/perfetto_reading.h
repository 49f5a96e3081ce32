/* SPDX-License-Identifier: MIT */
/*
 * perfetto_reading.h - the packets of a trace from the first to the last, and what becomes of each.
 */
#ifndef TRACE_PERFETTO_PERFETTO_READING_H
#define TRACE_PERFETTO_PERFETTO_READING_H

#include "trace/packed/packed_source.h"
#include "trace/perfetto/perfetto_file.h"
#include "trace/perfetto/perfetto_samples.h"

enum perfetto_part { PERFETTO_FTRACE, PERFETTO_TRACKS };

/* Add the events of one part, and its samples; say in the notes what is damaged if it `tells` that. */
enum histree_status perfetto_reading(struct packed_source *packed, struct perfetto_packets *packets,
				     struct perfetto_file *file, struct perfetto_samples *samples,
				     enum perfetto_part part, bool tells, struct histree_error *error);

#endif
