/* SPDX-License-Identifier: MIT */
/*
 * packed_tracks.h - the classes of vocabulary.h, for readers whose events are packed.
 *
 * The cells of an event are indexed by enum track_field.
 */
#ifndef TRACE_PACKED_PACKED_TRACKS_H
#define TRACE_PACKED_PACKED_TRACKS_H

#include "event/vocabulary.h"
#include "trace/packed/packed_source.h"

/*
 * Get all of them.  `trace` is NULL for base.trace, else one of domain TRACK_DOMAIN.  Returns false, and the
 * error, if memory is out.
 */
bool packed_track_classes(struct packed_source *source, const struct event_trace *trace,
			  const struct packed_class *out[TRACK_CLASS_COUNT], struct histree_error *error);

#endif
