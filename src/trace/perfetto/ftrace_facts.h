/* SPDX-License-Identifier: MIT */
/*
 * ftrace_facts.h - what the messages of ftrace's events are called, and their fields
 * (protos/perfetto/trace/ftrace/).
 *
 * The names are the kernel's, with the subsystem in front, as perf has them.
 */
#ifndef TRACE_PERFETTO_FTRACE_FACTS_H
#define TRACE_PERFETTO_FTRACE_FACTS_H

#include <stdint.h>

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

enum { FTRACE_FIELDS_MAX = 8 };

struct ftrace_fact {
	uint32_t number; /* of the message among those of FtraceEvent */
	const char *name;
	struct ftrace_field fields[FTRACE_FIELDS_MAX]; /* the first is that of number 1 */
};

enum { FTRACE_SCHED_SWITCH = 4, FTRACE_SCHED_WAKING = 20, FTRACE_GENERIC = 327 };

/* Returns NULL of a message that is not known. */
const struct ftrace_fact *ftrace_fact_of(uint32_t number);

#endif
