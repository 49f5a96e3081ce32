/* SPDX-License-Identifier: MIT */
/*
 * profile_source.h - profiles that are a file: of speedscope, of V8 (.cpuprofile), of Firefox, and folded stacks,
 * as flamegraph.pl reads them.
 *
 * Documents of JSON are read into memory as a whole, up to PROFILE_DOCUMENT_MAX bytes, also of what is packed by
 * gzip; folded stacks line by line.
 */
#ifndef TRACE_PROFILE_PROFILE_SOURCE_H
#define TRACE_PROFILE_PROFILE_SOURCE_H

#include "trace/trace_source.h"

enum { PROFILE_DOCUMENT_MAX = 256 << 20 };

extern const struct trace_format_kind profile_format;

#endif
