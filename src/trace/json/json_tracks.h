/* SPDX-License-Identifier: MIT */
/*
 * json_tracks.h - the events of the Trace Event Format, mapped to the words of event.h.
 *
 * 	B E X		spans of a thread
 * 	i I R		instants, of a thread, a process or the whole; marks
 * 	C		counters of a process, one for each number in their arguments, a text or not
 * 	b n e		spans and instants of a track; category and id tell which, with scope, and process if local
 * 	S T p F		the same as it was once: category, name and id tell the track
 * 	s t f		flows, which category, name and id tell; bind_id of other events, by itself
 * 	M		names of processes and threads, and their order
 *
 * If some processes or threads have a place in the order, those without one get 0, as in browsers; the reader does
 * this at the end of the file.
 *
 * Other phases are counted.  Times are exact to the ns: the beginning and the end of a span are rounded separately.
 *
 * An event is an object with a phase.  If several members have one name, the last one counts; null is as if it were
 * not there.  An id that is a number is the same in all its spellings.
 */
#ifndef TRACE_JSON_JSON_TRACKS_H
#define TRACE_JSON_JSON_TRACKS_H

#include "base/hash_index.h"
#include "trace/json/json_text.h"
#include "trace/packed/packed_markers.h"

/* The members that say something; each is absent if the event lacks it. */
enum json_event_member {
	MEMBER_NAME,
	MEMBER_CATEGORY,
	MEMBER_PHASE,
	MEMBER_TIME,
	MEMBER_DURATION,
	MEMBER_THREAD_DURATION,
	MEMBER_THREAD_TIME,
	MEMBER_PID,
	MEMBER_TID,
	MEMBER_ID,
	MEMBER_ID_SCOPE, /* tells ids from one another */
	MEMBER_ID_LOCAL, /* told from others within a process */
	MEMBER_ID_GLOBAL,
	MEMBER_INSTANT_SCOPE,
	MEMBER_BIND_ID,
	MEMBER_FLOW_IN,
	MEMBER_FLOW_OUT,
	MEMBER_STACK_FRAME,
	MEMBER_COUNT,
};

/* A zeroed one can be used again and again. */
struct json_event {
	struct json_word members[MEMBER_COUNT];
	struct packed_parts args;
	bool has_args;
};

/* Read an object, whose brace is next. */
enum json_result json_event_read(struct json_text *text, struct json_event *event);

/* A number, or a string that is one; a real that is an integer is one. */
bool json_word_int(const struct json_word *word, int64_t *out);

/* A count of microseconds, as a number or a string, in 10^-9 ns. */
bool json_word_time(const struct json_word *word, json_wide *out);

/* Such a time in ns.  Returns false if it is not a possible time, or not one that can be handed out. */
bool json_time_round(json_wide exact, const struct packed_source *packed, histree_time *out);
void json_event_release(struct json_event *event);

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
	uint64_t taken;            /* events */
	uint64_t cut;              /* of them, those whose names were cut */
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
