/* SPDX-License-Identifier: MIT */
/*
 * perfetto_track_events.h - track events and samples of Perfetto, mapped to the words of event.h.
 *
 * Events of tracks (protos/perfetto/trace/track_event/track_event.proto), in the words of
 * event.h.
 *
 * A track of a thread or process is identified by its ids, any other by the text of its uuid.  A counter belongs to
 * the thread or process of its track.  Flows have no explicit beginning: the first event of a flow is its
 * beginning.
 *
 * Samples of where threads were, in the words of event.h: of the data source
 * linux.perf, and of the profiler in browsers (protos/perfetto/trace/profiling/profile_packet.proto and
 * profile_common.proto).
 *
 * A sample refers to a call stack that its sequence has interned, that to frames, and these to names and mappings.
 * A stack is made once.  A frame without a name is named after its binary, "[libc.so]".
 */
#ifndef TRACE_PERFETTO_PERFETTO_TRACK_EVENTS_H
#define TRACE_PERFETTO_PERFETTO_TRACK_EVENTS_H

#include "trace/packed/packed_markers.h"
#include "trace/packed/packed_samples.h"
#include "trace/perfetto/perfetto_packets.h"
#include "trace/perfetto/perfetto_tracks.h"

enum { PERFETTO_TEXT_SIZE = 96, PERFETTO_CATEGORY_SIZE = 512 };

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

/*
 * Say that a sequence lost events, on its tracks and counters: others know all of theirs.  HISTREE_NOT_FOUND: it is
 * not known which these are.
 */
enum histree_status perfetto_track_events_lose(struct perfetto_track_events *events,
					       struct perfetto_sequence *sequence, struct trace_span span,
					       struct histree_error *error);
void perfetto_track_events_release(struct perfetto_track_events *events);

/* A zeroed one can be released. */
struct perfetto_samples {
	struct packed_samples samples;
	const struct packed_class *const *classes; /* of tracks, borrowed */
	uint64_t undefined;                        /* references to what is not interned */
	uint64_t lost;                             /* records that the kernel had no room for */
	uint64_t skipped;                          /* samples without a stack, or without a time */
};

void perfetto_samples_begin(struct perfetto_samples *samples, struct packed_source *packed,
			    const struct packed_class *const *classes);

/* A PerfSample. */
enum histree_status perfetto_samples_read(struct perfetto_samples *samples, struct perfetto_sequence *sequence,
					  struct wire_message message, histree_time time,
					  struct histree_error *error);

/* A StreamingProfilePacket: samples of the thread of its sequence, each some time after the one before. */
enum histree_status perfetto_samples_stream(struct perfetto_samples *samples, struct perfetto_sequence *sequence,
					    const struct perfetto_clocks *clocks, struct wire_message message,
					    struct histree_error *error);

/* A ProcessTree: what processes and threads are called. */
enum histree_status perfetto_samples_name(struct perfetto_samples *samples, struct wire_message message,
					  struct histree_error *error);
void perfetto_samples_release(struct perfetto_samples *samples);

#endif
