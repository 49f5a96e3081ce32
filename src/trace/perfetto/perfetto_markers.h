/* SPDX-License-Identifier: MIT */
/*
 * perfetto_markers.h - the print events of ftrace in which programs mark what they do (packed_markers.h).
 */
#ifndef TRACE_PERFETTO_PERFETTO_MARKERS_H
#define TRACE_PERFETTO_PERFETTO_MARKERS_H

#include "trace/packed/packed_markers.h"
#include "trace/perfetto/perfetto_bundle.h"

/* Returns whether a bundle of ftrace has a marker. */
bool perfetto_markers_are_in(struct wire_message bundle);

/* Add those of a bundle. */
enum histree_status perfetto_markers_read(struct packed_markers *markers, const struct perfetto_clocks *clocks,
					  struct wire_message bundle, struct histree_error *error);

#endif
