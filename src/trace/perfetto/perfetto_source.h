/* SPDX-License-Identifier: MIT */
/*
 * perfetto_source.h - a trace of Perfetto: the events of ftrace are one trace, those of tracks another.
 *
 * A trace of Perfetto: the events of ftrace are one trace, of domain "kernel", and those of
 * tracks another, of domain "tracks" (event.h).
 */
#ifndef TRACE_PERFETTO_PERFETTO_SOURCE_H
#define TRACE_PERFETTO_PERFETTO_SOURCE_H

#include "trace/packed/packed_markers.h"
#include "trace/packed/packed_source.h"
#include "trace/perfetto/wire.h"
#include "trace/perfetto/perfetto_ftrace.h"
#include "trace/perfetto/perfetto_packets.h"
#include "trace/perfetto/perfetto_track_events.h"
#include "trace/perfetto/perfetto_tracks.h"
#include "trace/trace_source.h"

extern const struct trace_format_kind perfetto_format; /* of ftrace; the other is beside it */

#endif
