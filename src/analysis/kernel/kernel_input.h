/* SPDX-License-Identifier: MIT */
/*
 * kernel_input.h - what all analyses of a kernel trace have in common: the event, decoded, and the machine.
 *
 * Each event class is bound once for all analyses, and each event decoded once, if one of them has a handler for it
 * or the machine learns from it.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_INPUT_H
#define ANALYSIS_KERNEL_KERNEL_INPUT_H

#include "analysis/analysis_inputs.h"
#include "analysis/class_table.h"
#include "analysis/kernel/kernel_event.h"
#include "analysis/kernel/kernel_machine.h"
#include "analysis/kernel/system_calls.h"

struct kernel_input {
	struct kernel_event event; /* the current one; KERNEL_NO_ROLE if it says nothing to anybody */
	struct machine machine;    /* as it was before the event */
	struct class_table bindings;
	struct system_calls calls;
	uint64_t wanted;    /* roles, a bit each: only events of these are decoded */
	bool needs_machine; /* else nothing is learned */
	bool is_begun;      /* between begin and end */
};

/* A build has at most one. */
extern const struct analysis_input_kind kernel_input_kind;

/* Whether the trace is one of a kernel. */
bool kernel_input_knows(const struct event_trace *trace);

/* An analysis has a handler for events of this role. */
void kernel_input_want(struct kernel_input *input, enum kernel_role role);

/* An analysis asks the machine; it does so before the first event. */
void kernel_input_need_machine(struct kernel_input *input);

#endif
