/* SPDX-License-Identifier: MIT */
/*
 * perfetto_ftrace.h - bundles of ftrace's events of one CPU
 * (protos/perfetto/trace/ftrace/ftrace_event_bundle.proto).
 *
 * Their classes and fields have the kernel's names, as those of perf, behind `common_pid`, the thread in which an
 * event happened.  A message that is not known is an event "ftrace:NUMBER" without fields of its own.  Fields that
 * are not written are 0 or "", as protocol buffers have it.
 *
 * Compact scheduling events leave out the thread that leaves the CPU: it is the one that came before.  Where nobody
 * knows, at first and behind a loss, that is the idle one.
 */
#ifndef TRACE_PERFETTO_PERFETTO_FTRACE_H
#define TRACE_PERFETTO_PERFETTO_FTRACE_H

#include "base/id_map.h"
#include "trace/packed/packed_source.h"
#include "trace/perfetto/ftrace_facts.h"
#include "trace/perfetto/perfetto_bundle.h"

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
};

/* A zeroed one, whose first two members are set, has read nothing. */
struct perfetto_ftrace {
	struct packed_source *packed;
	const struct perfetto_clocks *clocks;

	struct id_map classes;   /* struct ftrace_class by number */
	struct arena memory;     /* of these */
	struct ftrace_cpu *cpus; /* by number */
	size_t cpu_count, cpu_capacity;
	struct packed_parts list;
	struct packed_parts generic;
	struct perfetto_names compact_names;

	uint64_t without_time; /* events whose time is none */
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
