/* SPDX-License-Identifier: MIT */
/*
 * json_tracks.h - what the events of the Trace Event Format say, in the words of vocabulary.h.
 *
 *	B E X		spans of a thread
 *	i I R		instants, of a thread, a process or the whole; marks
 *	C		counters of a process, one for each number in their arguments, a text or not
 *	b n e		spans and instants of a track; category and id tell which, with scope, and process if local
 *	S T p F		the same as it was once: category, name and id tell the track
 *	s t f		flows, which category, name and id tell; bind_id of other events, by itself
 *	M		names of processes and threads, and their order
 *
 * If some processes or threads have a place in the order, those without have 0, as browsers have it; the reader
 * says so at the end of the file.
 *
 * Others are counted.  Times are exact: what is finer than a ns is rounded, of a span at its beginning and at its
 * end.
 */
#ifndef TRACE_JSON_JSON_TRACKS_H
#define TRACE_JSON_JSON_TRACKS_H

#include "base/hash_index.h"
#include "trace/json/json_event.h"
#include "trace/packed/packed_markers.h"

enum {
	JSON_TEXT_MAX = 1024,    /* of a name, a category or an id; the rest is cut off */
	JSON_NAMED_MAX = 65536,  /* processes and threads that are no numbers */
	JSON_OWNERS_MAX = 65536, /* of which it is known whether the trace says where they are listed */
};

/* Why events were left out. */
enum json_fault {
	FAULT_PHASE,    /* another one, or none */
	FAULT_TIME,     /* none, or none that fits */
	FAULT_ID,       /* an asynchronous event or a flow without one */
	FAULT_VALUE,    /* a counter without a number */
	FAULT_METADATA, /* about nothing that has a name here */
	FAULT_COUNT,
};

/* A process or a thread that events are of. */
struct json_owner {
	int64_t pid, tid;
	bool has_tid, has_index;
};

struct json_tracks {
	struct packed_source *packed;
	const struct packed_class *classes[TRACK_CLASS_COUNT];
	struct intern named;    /* processes and threads that are no numbers, */
	int64_t *named_numbers; /* and the numbers that they have instead: negative and unique */
	size_t named_capacity;
	uint8_t *negative; /* who has -1, -2, ...: enum number_owner; NULL: none used yet */
	size_t next_free;
	struct intern states; /* of threads: tracks whose names were told */
	char *texts;          /* tracks and ids of flows of the event that is being taken */
	size_t texts_used, texts_capacity;
	histree_time base;         /* what times count from: 0, or what the file says before its events */
	uint64_t taken;            /* events */
	struct json_owner *owners; /* in the order of their first events */
	size_t owner_count, owner_capacity;
	struct hash_index owner_index;
	struct json_owner last; /* of the event before; has_tid false: of none */
	bool has_indexes;       /* some owner has one */
	uint64_t faults[FAULT_COUNT];
	uint64_t phases[128]; /* FAULT_PHASE by phase; [0]: not a phase */
};

/* Of a zeroed one. */
enum histree_status json_tracks_begin(struct json_tracks *tracks, struct packed_source *packed,
				      struct histree_error *error);

/* Add what an event says to the packed source. */
enum histree_status json_tracks_take(struct json_tracks *tracks, const struct json_event *event,
				     struct histree_error *error);

/* The file ends: say what follows of all of it, and in the notes what was left out. */
enum histree_status json_tracks_end(struct json_tracks *tracks, struct histree_error *error);

void json_tracks_release(struct json_tracks *tracks);

#endif
