/* SPDX-License-Identifier: MIT */
/*
 * perfetto_track_events.h - events of tracks (protos/perfetto/trace/track_event/track_event.proto), in the words of
 * event.h.
 *
 * A track of a thread or process is told by its ids, another one by the text of its uuid.  A counter belongs to the
 * thread or process that its track does.  Flows have no beginnings here: whatever comes first is one.
 */
#ifndef TRACE_PERFETTO_PERFETTO_TRACK_EVENTS_H
#define TRACE_PERFETTO_PERFETTO_TRACK_EVENTS_H

#include "trace/packed/packed_markers.h"
#include "trace/perfetto/perfetto_packets.h"
#include "trace/perfetto/perfetto_tracks.h"

enum { PERFETTO_FLOWS_MAX = 16, PERFETTO_TEXT_SIZE = 96, PERFETTO_CATEGORY_SIZE = 512 };

/* A zeroed one, whose first two members are set, has read nothing. */
struct perfetto_track_events {
	struct packed_source *packed;
	struct perfetto_tracks *tracks;
	const struct packed_class *classes[TRACK_CLASS_COUNT];
	struct perfetto_arguments arguments;
	char track[PERFETTO_TEXT_SIZE];        /* of the event that is being read */
	char category[PERFETTO_CATEGORY_SIZE]; /* the same */
	uint64_t undefined;                    /* references to what is not interned */
	uint64_t unknown;                      /* events of a type that is not known */
};

/* Names of tracks come first. */
enum histree_status perfetto_track_events_begin(struct perfetto_track_events *events, struct histree_error *error);

enum histree_status perfetto_track_events_read(struct perfetto_track_events *events,
					       struct perfetto_sequence *sequence, struct wire_message message,
					       histree_time time, struct histree_error *error);

void perfetto_track_events_release(struct perfetto_track_events *events);

#endif
