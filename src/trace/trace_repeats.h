/* SPDX-License-Identifier: MIT */
/*
 * trace_repeats.h - packets that an input has more than once: each is taken once.
 *
 * Snapshots of a session overlap, a trace may be named twice, by other paths or as a copy.  A packet is told by
 * its trace (UUID and tracer), its stream and the instance of it or its CPU, its sequence number and its first
 * time.  Of several that are the same the longest is taken: an earlier snapshot may have had less of it.  Where
 * the trace does not say all of that, packets are the same if one has all of the other's bytes.
 */
#ifndef TRACE_TRACE_REPEATS_H
#define TRACE_TRACE_REPEATS_H

#include "trace/ctf/ctf_source.h"

/* Mark the packets of the traces that are taken elsewhere, and say so in the notes. */
enum histree_status trace_repeats_find(struct ctf_source *const *sources, size_t count, struct trace_notes *notes,
				       struct histree_error *error);

#endif
