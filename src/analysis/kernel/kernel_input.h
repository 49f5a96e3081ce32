/* SPDX-License-Identifier: MIT */
/*
 * kernel_input.h - the input that all analyses of a kernel trace share, and names of system calls that a trace has
 * by number only.
 *
 * The input has the decoded event, and the machine.
 *
 * Each event class is bound once for all analyses, and each event decoded once, if one of them has a handler for it
 * or the machine learns from it.
 *
 * Analyses of programs have one to themselves where events may not say of which thread they are: the kernel's trace
 * of the same host, if there is one, knows who ran on their CPU.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_INPUT_H
#define ANALYSIS_KERNEL_KERNEL_INPUT_H

#include "analysis/analysis.h"
#include "analysis/kernel/kernel_layout.h"
#include "analysis/kernel/kernel_machine.h"
#include "base/arena.h"
#include "base/hash_index.h"
#include "event/event.h"

/* A zeroed one knows none yet. */
struct system_calls {
	struct id_map names; /* char * by trace and number */
	struct arena texts;
};

struct kernel_input {
	struct kernel_event event; /* the current one; KERNEL_NO_ROLE if it says nothing to anybody */
	struct machine machine;    /* as it was before the event */
	struct class_table bindings;
	struct system_calls calls;
	/* time of the last kernel event, for inputs that follow who runs; INT64_MIN: there was none */
	histree_time latest;
	/* When the first event or gap of a kernel was, and the greatest time of any so far: clocks step back. */
	histree_time start, now;
	bool has_start;
	uint64_t wanted;    /* roles, a bit each: only events of these are decoded */
	bool needs_machine; /* else nothing is learned */
	bool has_switches;  /* of the kernel: those of perf's own are not needed */
	bool is_begun;      /* between begin and end */
};

/* A build has at most one. */
extern const struct analysis_input_kind kernel_input_kind;

/* Whether the trace is one of a kernel. */
bool kernel_input_knows(const struct event_trace *trace);

/* Returns the role of the events of a class, which is found out once for all analyses. */
enum kernel_role kernel_input_role(struct kernel_input *input, const struct event_class *class);

/* An analysis has a handler for events of this role. */
void kernel_input_want(struct kernel_input *input, enum kernel_role role);

/*
 * An analysis asks the machine, and says so when it is made, before the first event: who asks for the thread or the
 * CPU of an event without that ends the build.
 */
void kernel_input_need_machine(struct kernel_input *input);

/* Returns a private input that follows which thread runs, with the functions of kernel_input_kind. */
enum histree_status kernel_input_create_watch(struct kernel_input **out, struct histree_error *error);

/* In place of `begin` of the kind. */
enum histree_status kernel_input_watch(struct kernel_input *input, const struct event *event,
				       struct histree_error *error);

/*
 * Returns the thread that ran on the CPU of a program's event; NULL if it is not known: before the first switch
 * there, after a gap, long after the kernel's last event, or if according to the kernel no thread ran.
 */
const struct machine_thread *kernel_input_who_ran(const struct kernel_input *input, const struct event *event);

/*
 * For the warning about events without a thread: what the kernel trace lacks, too; "" if there is no kernel trace.
 */
const char *kernel_input_lacks(const struct kernel_input *input);

#endif
