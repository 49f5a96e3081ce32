/* SPDX-License-Identifier: MIT */
/*
 * perfetto_ftrace.h - bundles of ftrace's events of one CPU
 * (protos/perfetto/trace/ftrace/ftrace_event_bundle.proto).
 *
 * Classes and fields have the kernel's names, with the subsystem in front, as perf has them
 * (protos/perfetto/trace/ftrace/), behind `common_pid`, the thread in which an event happened.  An unknown
 * message is an event "ftrace:NUMBER" without fields of its own.  Fields that are not written are 0 or "", as
 * protocol buffers have it.
 *
 * Compact scheduling events are columns of numbers: times as differences, names by their place in a table of the
 * bundle.  They omit the thread that leaves the CPU, which is the one that came last.  At the beginning and after a
 * loss it is unknown, and taken to be the idle thread.
 */
#ifndef TRACE_PERFETTO_PERFETTO_FTRACE_H
#define TRACE_PERFETTO_PERFETTO_FTRACE_H

#include <stdint.h>

#include "base/hash_index.h"
#include "trace/packed/packed_source.h"
#include "trace/perfetto/wire.h"
#include "trace/task_states.h"

enum ftrace_type {
	FTRACE_NONE, /* there is no field of this number */
	FTRACE_SIGNED,
	FTRACE_UNSIGNED,
	FTRACE_TEXT,
	FTRACE_LIST, /* of unsigned numbers */
};

struct ftrace_field {
	const char *name;
	enum ftrace_type type;
};

enum { FTRACE_FIELDS_MAX = 9 };

struct ftrace_fact {
	uint32_t number; /* of the message among those of FtraceEvent */
	const char *name;
	struct ftrace_field fields[FTRACE_FIELDS_MAX]; /* the first element is for number 1 */
};

enum { BUNDLE_EVENT = 2 };

struct perfetto_bundle {
	uint32_t cpu;
	bool is_behind_loss; /* events are missing before its first */
	bool has_compact;
	bool has_descriptions; /* of messages */
	bool has_errors;       /* of what the kernel wrote something could not be read */
	bool has_end;          /* the last event before it was at `previous_end` */
	uint64_t previous_end;
	bool has_other_clock; /* its times are not those since the start of the machine */
	uint64_t shift;       /* what makes them so */
	struct wire_message compact;
};

struct perfetto_bundle perfetto_bundle_read(struct wire_message message);

/* Returns whether a time of the bundle is one, and as one of the day. */
bool perfetto_bundle_time(const struct perfetto_bundle *bundle, const struct perfetto_clocks *clocks, uint64_t time,
			  histree_time *out);

/* ---- compact events -------------------------------------------------------------------------------------- */

/* The table of names of one bundle after another.  A zeroed one is empty. */
struct perfetto_names {
	struct perfetto_text *names;
	size_t count, capacity;
};

enum { FTRACE_COMM_SIZE = 32 };

/* Who runs, as compact events say. */
struct ftrace_running {
	bool is_known;
	int32_t pid, prio;
	uint8_t comm_size;
	char comm[FTRACE_COMM_SIZE];
};

struct ftrace_cpu {
	bool has_events, is_losing; /* something is missing since the last one */
	histree_time last;
	struct ftrace_running runs;
};

struct ftrace_class {
	const struct packed_class *class;
	const struct ftrace_fact *fact; /* NULL: only its number is known */
	uint32_t flags;                 /* the place of `common_flags`, which wake-ups have; 0: none */
};

/* A zeroed one, whose first two members are set, has read nothing. */
struct perfetto_ftrace {
	struct packed_source *packed;
	const struct perfetto_clocks *clocks;

	struct id_map classes;      /* struct ftrace_class by number */
	struct id_map descriptions; /* struct ftrace_description by number: messages that the trace describes */
	struct arena memory;        /* of these */
	struct ftrace_cpu *cpus;    /* by number */
	size_t cpu_count, cpu_capacity;
	struct packed_parts list;
	struct packed_parts generic;
	struct perfetto_names compact_names;

	struct task_state_signs state_signs;
	uint64_t without_time; /* events without a time */
	uint64_t lost[2];      /* as the kernel counts them at the start and at the end */
};

enum histree_status perfetto_ftrace_read(struct perfetto_ftrace *ftrace, struct wire_message bundle,
					 struct histree_error *error);

/* What the kernel counted (protos/perfetto/trace/ftrace/ftrace_stats.proto). */
void perfetto_ftrace_count(struct perfetto_ftrace *ftrace, struct wire_message stats);

/* Events of all CPUs are missing since the last of each. */
void perfetto_ftrace_lose(struct perfetto_ftrace *ftrace);

/* There are no more. */
enum histree_status perfetto_ftrace_finish(struct perfetto_ftrace *ftrace, struct histree_error *error);
void perfetto_ftrace_release(struct perfetto_ftrace *ftrace);

#endif
