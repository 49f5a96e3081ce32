/* SPDX-License-Identifier: MIT */
/*
 * perfetto_bundle.h - what a bundle of ftrace's events says of all of them, and its compact scheduling events:
 * columns of numbers, times as differences, names by their place in a table of the bundle
 * (protos/perfetto/trace/ftrace/ftrace_event_bundle.proto).
 */
#ifndef TRACE_PERFETTO_PERFETTO_BUNDLE_H
#define TRACE_PERFETTO_PERFETTO_BUNDLE_H

#include "trace/perfetto/perfetto_clocks.h"

enum { BUNDLE_EVENT = 2 };

struct perfetto_bundle {
	uint32_t cpu;
	bool is_behind_loss; /* events are missing before its first */
	bool has_compact;
	bool has_errors; /* of what the kernel wrote something could not be read */
	bool has_end;    /* the last event before it was at `previous_end` */
	uint64_t previous_end;
	bool has_other_clock; /* its times are not those since the start of the machine */
	uint64_t shift;       /* what makes them so */
	struct wire_message compact;
};

struct perfetto_bundle perfetto_bundle_read(struct wire_message message);

/* Returns whether a time of the bundle is one, and as one of the day. */
bool perfetto_bundle_time(const struct perfetto_bundle *bundle, const struct perfetto_clocks *clocks, uint64_t time,
			  histree_time *out);

/* Returns whether there was a later event before the bundle than `last`. */
bool perfetto_bundle_misses(const struct perfetto_bundle *bundle, const struct perfetto_clocks *clocks,
			    histree_time last);

/* ---- compact events -------------------------------------------------------------------------------------- */

struct perfetto_name {
	const char *bytes; /* borrowed from the bundle */
	size_t size;
};

/* The table of names of one bundle after another.  A zeroed one is empty. */
struct perfetto_names {
	struct perfetto_name *names;
	size_t count, capacity;
};

void perfetto_names_release(struct perfetto_names *names);

struct compact_switch {
	uint64_t time;
	int64_t prev_state;
	int32_t pid, prio; /* of the thread that comes */
	struct perfetto_name comm;
};

struct compact_waking {
	uint64_t time;
	int32_t pid, prio, target_cpu;
	struct perfetto_name comm;
};

enum { COMPACT_COLUMNS = 16 };

struct perfetto_compact {
	const struct perfetto_names *names;
	struct wire_list columns[COMPACT_COLUMNS]; /* by the number of the field */
	struct compact_switch next;
	struct compact_waking waking;
};

/* Returns false if memory is out. */
bool perfetto_compact_begin(struct perfetto_compact *compact, struct perfetto_names *names,
			    struct wire_message message);

/* Read the next switch, or the next waking.  False: there is none. */
bool perfetto_compact_switch(struct perfetto_compact *compact);
bool perfetto_compact_waking(struct perfetto_compact *compact);

#endif
