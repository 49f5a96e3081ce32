/* SPDX-License-Identifier: MIT */
/*
 * perfetto_tracks.h - the tracks that a trace describes (protos/perfetto/trace/track_event/track_descriptor.proto).
 *
 * A description holds for all of the trace, before it too; of several of one track each adds what those before left
 * open.
 */
#ifndef TRACE_PERFETTO_PERFETTO_TRACKS_H
#define TRACE_PERFETTO_PERFETTO_TRACKS_H

#include "base/arena.h"
#include "base/id_map.h"
#include "histree/status.h"
#include "trace/perfetto/perfetto_interned.h"
#include "trace/perfetto/wire.h"

enum perfetto_track_kind { PERFETTO_OTHER_TRACK, PERFETTO_PROCESS_TRACK, PERFETTO_THREAD_TRACK };

struct perfetto_track {
	uint64_t uuid, parent; /* parent 0: none */
	enum perfetto_track_kind kind;
	int32_t pid, tid;          /* of a thread both, of a process the first */
	struct perfetto_text name; /* of the track, process or thread; no bytes: it has none */
	bool has_state;            /* one that has not ended, while events are read */
	bool is_counter, is_incremental;
	bool has_index; /* a process or a thread is listed index-th */
	int32_t index;
	int64_t unit; /* values are counted in so many */
};

/* What a writer has said of an incremental counter since its state began. */
struct perfetto_count {
	uint64_t uuid, value;
	uint32_t sequence, generation;
};

/* A zeroed one is empty. */
struct perfetto_tracks {
	struct id_map map; /* struct perfetto_track by uuid */
	struct arena memory;
	uint64_t left_out;
	bool has_indexes; /* some track has one */
	struct perfetto_count *counts;
	size_t count_count, count_capacity;
	struct hash_index count_index;
};

/* Returns false if memory is out. */
bool perfetto_tracks_add(struct perfetto_tracks *tracks, struct wire_message descriptor);

/* Returns NULL of a track that nobody describes. */
struct perfetto_track *perfetto_tracks_find(const struct perfetto_tracks *tracks, uint64_t uuid);

/* Returns the process or thread that a track belongs to, itself if it is one; NULL: to none. */
const struct perfetto_track *perfetto_tracks_owner(const struct perfetto_tracks *tracks,
						   const struct perfetto_track *track);

/*
 * What is written of an incremental counter is how much it has grown since the writer's state began: other writers
 * have sums of their own.  Makes a sum of *value; HISTREE_NOT_FOUND: there are too many, HISTREE_ERR_MEMORY.
 */
enum histree_status perfetto_tracks_grow(struct perfetto_tracks *tracks, const struct perfetto_track *track,
					 uint32_t sequence, uint32_t generation, uint64_t *value);

void perfetto_tracks_release(struct perfetto_tracks *tracks);

#endif
