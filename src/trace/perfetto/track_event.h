/* SPDX-License-Identifier: MIT */
/*
 * track_event.h - one event of a track as it is written (protos/perfetto/trace/track_event/track_event.proto).
 */
#ifndef TRACE_PERFETTO_TRACK_EVENT_H
#define TRACE_PERFETTO_TRACK_EVENT_H

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

/* What writers of old add, who say by a letter what an event is. */
struct track_event_legacy {
	int32_t phase;                           /* 0: there is none */
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
	struct wire_field name; /* text; bytes NULL: it is interned, or there is none */
	uint64_t name_iid;      /* 0: it is not */
	bool has_value, is_real;
	uint64_t value;
	uint32_t lists; /* bits of enum track_event_list: those that have something */
	struct track_event_legacy legacy;
};

struct track_event track_event_read(struct wire_message message);

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

struct track_event_items track_event_items(const struct track_event *event, enum track_event_list list);

/* Get the next one: a number, or a text.  False: there is none. */
bool track_event_number(struct track_event_items *items, uint64_t *out);
bool track_event_text(struct track_event_items *items, struct wire_field *out);

#endif
