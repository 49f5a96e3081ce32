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
};

enum { TRACK_EVENT_LISTS_MAX = 8 };

/* Fields of a repeated number, which may be several. */
struct track_event_lists {
	struct wire_field fields[TRACK_EVENT_LISTS_MAX];
	size_t count;
};

/* What writers of old add, who say by a letter what an event is. */
struct track_event_legacy {
	int32_t phase; /* 0: there is none */
	uint64_t name; /* interned; 0: none */
	int64_t duration_us;
	enum { LEGACY_NO_ID, LEGACY_UNSCOPED, LEGACY_LOCAL, LEGACY_GLOBAL } id_kind;
	uint64_t id;
	struct wire_field scope;
	uint64_t bind_id; /* of a flow; 0: none */
	uint32_t flow;    /* 1 in, 2 out, 3 both */
	int32_t pid, tid; /* instead of those of the track; 0: not */
};

struct track_event {
	enum track_event_type type;
	bool has_track;
	uint64_t track;
	struct wire_field name;                 /* text; bytes NULL: it is interned, or there is none */
	uint64_t name_iid;                      /* 0: it is not */
	struct track_event_lists categories;    /* texts */
	struct track_event_lists category_iids; /* numbers */
	bool has_value, is_real;
	uint64_t value;
	struct track_event_lists counters, values;           /* tracks, and their numbers */
	struct track_event_lists real_counters, real_values; /* the same, doubles */
	struct track_event_lists flows, last_flows;
	struct track_event_legacy legacy;
};

struct track_event track_event_read(struct wire_message message);

/* All numbers of several fields, one after another. */
struct track_event_numbers {
	const struct track_event_lists *lists;
	size_t field;
	struct wire_list list;
};

static inline struct track_event_numbers track_event_numbers(const struct track_event_lists *lists)
{
	return (struct track_event_numbers){ .lists = lists };
}

bool track_event_number(struct track_event_numbers *numbers, enum wire_kind kind, uint64_t *out);

#endif
