/* SPDX-License-Identifier: MIT */
/*
 * perfetto_tracks.h - tracks and their events: names, owners, arguments.
 *
 * One event of a track as it is written (protos/perfetto/trace/track_event/track_event.proto).
 *
 * The arguments of an event: its debug annotations, which nest
 * (protos/perfetto/trace/track_event/debug_annotation.proto), its location in the source, and what was logged.
 *
 * The tracks that a trace describes (protos/perfetto/trace/track_event/track_descriptor.proto).
 *
 * A description holds for all of the trace, also before it; of several descriptions of one track, each adds what
 * the earlier ones left open.
 */
#ifndef TRACE_PERFETTO_PERFETTO_TRACKS_H
#define TRACE_PERFETTO_PERFETTO_TRACKS_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "histree/status.h"
#include "trace/packed/packed_source.h"
#include "trace/perfetto/perfetto_packets.h"
#include "trace/perfetto/wire.h"

enum track_event_type {
	TRACK_EVENT_UNSPECIFIED,
	TRACK_EVENT_BEGIN,
	TRACK_EVENT_END,
	TRACK_EVENT_INSTANT,
	TRACK_EVENT_COUNTER,
	TRACK_EVENT_STATE, /* the track has the state of that name from now on, until the next */
};

/* Fields that may be several. */
enum track_event_list {
	TRACK_EVENT_CATEGORY_IIDS,
	TRACK_EVENT_CATEGORIES, /* texts */
	TRACK_EVENT_COUNTERS,   /* tracks, and their values */
	TRACK_EVENT_VALUES,
	TRACK_EVENT_REAL_COUNTERS,
	TRACK_EVENT_REAL_VALUES,
	TRACK_EVENT_FLOWS,
	TRACK_EVENT_LAST_FLOWS,
	TRACK_EVENT_LIST_COUNT,
};

enum { TRACK_EVENT_ALL_CATEGORIES = 1 << TRACK_EVENT_CATEGORY_IIDS | 1 << TRACK_EVENT_CATEGORIES };

/* What older writers add, which state the kind of an event by a letter. */
struct track_event_legacy {
	int32_t phase;                           /* 0: no phase */
	uint64_t name;                           /* interned; 0: none */
	int64_t duration_us, thread_duration_us; /* 0: not said */
	enum { LEGACY_NO_ID, LEGACY_UNSCOPED, LEGACY_LOCAL, LEGACY_GLOBAL } id_kind;
	uint64_t id;
	struct wire_field scope;
	uint64_t bind_id; /* of a flow; 0: none */
	uint32_t flow;    /* 1 in, 2 out, 3 both */
	int32_t pid, tid; /* instead of those of the track; 0: not */
};

struct track_event {
	struct wire_message message;
	enum track_event_type type;
	bool has_track;
	uint64_t track;
	struct wire_field name; /* text; bytes NULL: it is interned, or absent */
	uint64_t name_iid;      /* 0: it is not */
	bool has_value, is_real;
	uint64_t value;
	bool has_thread_time, is_thread_delta;
	uint64_t thread_us; /* or since the one before */
	uint32_t lists;     /* bits of enum track_event_list: those that have something */
	bool has_category;  /* `category`, interned, is the only one */
	uint64_t category;
	struct wire_message arguments; /* from the first one on, for perfetto_arguments_add(); `at` NULL: none */
	const struct track_event_legacy *legacy; /* zeroes, or that: an event stays where it was read */
	struct track_event_legacy own_legacy;
};

void track_event_read(struct track_event *event, struct wire_message message);

static inline bool track_event_has(const struct track_event *event, enum track_event_list list)
{
	return (event->lists >> list & 1) != 0;
}

/* What is in a list, one after another. */
struct track_event_items {
	struct wire_message rest; /* of the event */
	enum track_event_list list;
	struct wire_list numbers; /* of a field that has several */
};

static inline struct track_event_items track_event_items(const struct track_event *event,
							 enum track_event_list list)
{
	struct track_event_items items = { .list = list };
	if (track_event_has(event, list)) /* most lists are empty */
		items.rest = event->message;
	return items;
}

/* Get the next one: a number, or a text.  Returns false after the last one. */
bool track_event_next_number(struct track_event_items *items, uint64_t *out);

static inline bool track_event_number(struct track_event_items *items, uint64_t *out)
{
	return items->rest.at != NULL && track_event_next_number(items, out);
}

bool track_event_text(struct track_event_items *items, struct wire_field *out);

struct perfetto_arguments {
	struct packed_parts parts; /* a structure, once something was added */
	struct perfetto_interned *interned;
	bool has_some;
	uint64_t undefined; /* references to what is not interned */
};

/* Begin those of another event. */
void perfetto_arguments_begin(struct perfetto_arguments *arguments, struct perfetto_interned *interned);

/* Add a field of TrackEvent, if it is one of these. */
void perfetto_arguments_add(struct perfetto_arguments *arguments, const struct wire_field *field);

/* Returns whether there are some: then `parts` is whole. */
bool perfetto_arguments_end(struct perfetto_arguments *arguments);
void perfetto_arguments_release(struct perfetto_arguments *arguments);

enum perfetto_track_kind { PERFETTO_OTHER_TRACK, PERFETTO_PROCESS_TRACK, PERFETTO_THREAD_TRACK };

struct perfetto_track {
	uint64_t uuid, parent; /* parent 0: none */
	enum perfetto_track_kind kind;
	int32_t pid, tid;          /* of a thread both, of a process the first */
	struct perfetto_text name; /* of the track, process or thread; no bytes: no name */
	bool has_state;            /* one that has not ended, while events are read */
	bool is_apart;             /* its spans do not nest with those that ftrace tells of its thread */
	bool is_counter, is_incremental, is_thread_time;
	bool has_index; /* a process or a thread is listed index-th */
	int32_t index;
	int64_t unit; /* the factor of values */
};

/* What a writer has said of an incremental counter since its state began. */
struct perfetto_count {
	uint64_t uuid, value;
	uint32_t sequence, generation;
};

/* Whose names a trace may say to be others in the source of its programs; by the field of TranslationTable. */
enum perfetto_named { PERFETTO_SPAN_NAMES = 4, PERFETTO_TRACK_NAMES = 5, PERFETTO_NAMED_END };

/* A zeroed one is empty. */
struct perfetto_tracks {
	struct id_map map; /* struct perfetto_track by uuid */
	struct arena memory;
	uint64_t left_out;
	bool has_indexes; /* some track has one */
	bool has_markers; /* ftrace tells spans of threads, too */
	struct perfetto_count *counts;
	size_t count_count, count_capacity;
	struct hash_index count_index;
	struct intern raw_names[PERFETTO_NAMED_END];
	struct id_map meant_names[PERFETTO_NAMED_END]; /* struct perfetto_text by number of the raw one */
};

/* Returns false if memory runs out. */
bool perfetto_tracks_add(struct perfetto_tracks *tracks, struct wire_message descriptor);

/* Take what names are called in the source, wherever in the trace it is said.  False: memory runs out. */
bool perfetto_tracks_translate(struct perfetto_tracks *tracks, struct wire_message table);

/* Returns what a name is called in the source; the name itself if the trace does not say. */
struct perfetto_text perfetto_tracks_meant(const struct perfetto_tracks *tracks, enum perfetto_named named,
					   struct perfetto_text name);

/* Returns NULL for a track that is not described. */
struct perfetto_track *perfetto_tracks_find(struct perfetto_tracks *tracks, uint64_t uuid);

/* Returns the process or thread that a track belongs to, itself if it is one; NULL: to none. */
const struct perfetto_track *perfetto_tracks_owner(const struct perfetto_tracks *tracks,
						   const struct perfetto_track *track);

/* Whether a track of a thread is one of its own, as there are spans of ftrace beside it. */
static inline bool perfetto_track_is_apart(const struct perfetto_tracks *tracks, const struct perfetto_track *track)
{
	return tracks->has_markers && track->is_apart && track->kind == PERFETTO_THREAD_TRACK;
}

/* Returns what a writer's growths of a counter sum up to so far. */
uint64_t perfetto_tracks_sum(const struct perfetto_tracks *tracks, const struct perfetto_track *track,
			     uint32_t sequence, uint32_t generation);

/*
 * What is written of an incremental counter is how much it has grown since the writer's state began: other writers
 * have sums of their own.  Makes a sum of *value; HISTREE_NOT_FOUND: there are too many, HISTREE_ERR_MEMORY.
 */
enum histree_status perfetto_tracks_grow(struct perfetto_tracks *tracks, const struct perfetto_track *track,
					 uint32_t sequence, uint32_t generation, uint64_t *value);
void perfetto_tracks_release(struct perfetto_tracks *tracks);

#endif
