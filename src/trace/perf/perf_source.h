/* SPDX-License-Identifier: MIT */
/*
 * perf_source.h - a recording of perf, as `perf record` writes it: one file, one stream; of a folder (--threads)
 * the file "data" is the recording, and each file a stream.
 *
 * Without libtraceevent, perf_format says how to do without.
 */
#ifndef TRACE_PERF_PERF_SOURCE_H
#define TRACE_PERF_PERF_SOURCE_H

#include "trace/trace_source.h"

extern const struct trace_format_kind perf_format;

#endif
