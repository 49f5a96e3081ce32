/* SPDX-License-Identifier: MIT */
/*
 * uftrace_source.h - a recording of uftrace as a source: a folder with "info" and a stream for each task.
 *
 * What uftrace recorded of the kernel (kernel-cpuN.dat) and with perf (perf-cpuN.dat) beside is not read.
 */
#ifndef TRACE_UFTRACE_UFTRACE_SOURCE_H
#define TRACE_UFTRACE_UFTRACE_SOURCE_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "histree/value.h"
#include "trace/lines/line_text.h"
#include "trace/trace_source.h"
#include "trace/trace_bytes.h"

extern const struct trace_format_kind uftrace_format;

/* Returns whether a folder is such a recording. */
bool uftrace_source_is(const char *folder);

#endif
