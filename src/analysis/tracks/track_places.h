/* SPDX-License-Identifier: MIT */
/*
 * track_places.h - the tracks of a trace, and the places of their attributes.
 *
 * An event of a trace of tracks is decoded here, in the words of event.h.
 *
 * Analyses that make no stacks themselves get the path of a stack in the history `tracks`.
 *
 * Places:
 *
 * A thread, a process and the trace itself are tracks with their own places.  Asynchronous tracks come and go:
 * thousands of requests, each a track for a while.  Those with the same process and name are a group, and share
 * lanes: a track takes the first lane of its group that is free, and gives it back when its last span ends.  So
 * there are only as many places as there are tracks at a time.  A track that has nothing open, and no name, is
 * dropped.
 */
#ifndef ANALYSIS_TRACKS_TRACK_PLACES_H
#define ANALYSIS_TRACKS_TRACK_PLACES_H

#include "analysis/analysis.h"
#include "base/arena.h"
#include "base/hash_index.h"
#include "event/event.h"

struct track_text {
	const char *bytes; /* borrowed; NULL: absent */
	size_t size;
};

struct track_words {
	enum track_class class; /* TRACK_CLASS_COUNT: it is of another kind, and the rest says nothing */
	histree_time time;
	bool has_pid, has_tid, has_duration, has_thread_duration, has_thread_time, has_sort_index, is_once;
	int64_t pid, tid, duration, thread_duration, thread_time, sort_index;
	struct track_text name, category, track, id, series;
	bool is_of_request; /* it has what follows */
	struct track_text request[TRACK_REQUEST_TEXTS];
	int64_t self, critical; /* below 0: not said */
	const struct event *event;
	uint32_t args, value; /* fields of it */
};

/* Whether a trace has such events. */
bool track_words_apply(const struct event_trace *trace);

/* Returns TRACK_CLASS_COUNT for a class of another kind. */
enum track_class track_class_of(const struct event_class *class);

/* Decode an event.  Returns false when memory runs out. */
bool track_words_read(struct class_table *bindings, const struct event *event, struct track_words *out);

/* Where spans are shown: a stack in the history. */
struct track_place {
	uint32_t number; /* dense from 0, for what analyses add to it */
	bool has_pid, has_tid;
	int64_t pid, tid;
	const char *group; /* NULL: a track of its own */
	size_t group_size;
	uint32_t lane;
	uint32_t group_number;
	bool in_doubt; /* since a gap: it is not known what is open on it */
};

/* What a span of a request says besides; its texts lie behind it, one after the other. */
struct track_request {
	int64_t self, critical;
	uint32_t sizes[TRACK_REQUEST_TEXTS];
	char texts[];
};

struct track_frame {
	uint64_t number;               /* no other span has it */
	histree_time start, end;       /* end: INT64_MAX until something says when */
	uint64_t inside;               /* ns in spans right above it */
	int64_t thread_duration;       /* INT64_MIN: not said */
	int64_t thread_begin;          /* the time of the thread then; INT64_MIN: not said */
	char *text;                    /* name, category and arguments, behind one another */
	struct track_request *request; /* NULL: it is of none */
	uint32_t name_size, category_size, args_size;
	bool is_open;
	bool is_whole;   /* nothing that it called is missing from `inside` */
	bool is_cut;     /* it ends with one that it lay in, at `end`, unless its own end is still to come */
	bool is_charged; /* the one that it lies on has it in `inside` */
};

struct track {
	uint64_t hash;
	int64_t pid, tid;
	char *id;                   /* NULL: of a thread, a process or the trace */
	char *name;                 /* of one that has an id, as `track_name` says */
	struct track_place *place;  /* NULL: nothing is open on it, so it has no place */
	struct track_frame *frames; /* the outermost first; one that is not open may be below one that is */
	uint64_t too_deep;          /* spans that are not kept, above all frames */
	uint32_t id_size, name_size;
	uint32_t depth, capacity;
	uint32_t cuts;   /* frames that are open and cut; at least */
	uint32_t points; /* spans of no length that wait for the others of their time */
	bool has_pid, has_tid, is_used, has_name;
	bool is_own;          /* another process has one of this id, too */
	bool has_gap;         /* what was open on it alone, */
	histree_time gap_end; /* is not known until then */
};

/* All that spans of one process and name share. */
struct track_group {
	struct track_place **lanes;
	struct track_place **free_lanes; /* a heap by number */
	uint32_t lane_count, lane_capacity;
	uint32_t free_count, free_capacity;
};

/* A zeroed one is empty. */
struct track_places {
	struct pool memory;    /* tracks, places, texts, and what else a track has while it needs it */
	struct track **tracks; /* those in use are in the index */
	size_t track_count, track_capacity;
	struct table track_table;
	size_t idle; /* of them, how many could be forgotten; at most */
	struct hash_index index;
	bool has_own;              /* some process has had a track of its own */
	struct intern group_names; /* process and name */
	struct track_group *groups;
	size_t group_capacity;
	struct table group_table;
	struct track_place **places; /* by number */
	size_t place_count, place_capacity;
	struct table place_table;
};

/* Have what grows with the trace in this space.  It is empty yet. */
void track_places_use_space(struct track_places *places, struct table_space *space);

/* Returns the track that an event is on, made if it does not exist; NULL when memory runs out. */
struct track *track_places_track(struct track_places *places, const struct track_words *event);

/* A span begins on a track: give it a place, unless it has one.  Returns false when memory runs out. */
bool track_places_take(struct track_places *places, struct track *track, const struct track_words *event);

/* Nothing is open on a track any more. */
void track_places_leave(struct track_places *places, struct track *track);

/* A track has a name.  Returns false when memory runs out. */
bool track_places_name(struct track_places *places, const struct track_words *event);
void track_places_release(struct track_places *places);

/* A buffer that is used again; a zeroed one is empty. */
struct stack_path {
	char *bytes;
	size_t size, capacity;
};

/*
 * Write the escaped path of the stack that an event is on, "Processes/1/7/CallStack".  It is empty if the event is
 * on a track that shares lanes and has none, as nothing is open there.  Returns false when memory runs out.
 */
bool stack_path_write(struct stack_path *path, struct track_places *places, const struct track_words *event);
void stack_path_release(struct stack_path *path);

#endif
