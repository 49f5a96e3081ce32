/* SPDX-License-Identifier: MIT */
/*
 * dat_source.h - a trace.dat, as trace-cmd writes it: one file, a stream for each CPU of each buffer.
 *
 * Without libtraceevent, dat_format says how to do without.
 */
#ifndef TRACE_TRACE_CMD_DAT_SOURCE_H
#define TRACE_TRACE_CMD_DAT_SOURCE_H

#include "trace/trace_source.h"

extern const struct trace_format_kind dat_format;

#endif
