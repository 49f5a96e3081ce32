/* SPDX-License-Identifier: MIT */
/*
 * kernel_layout.h - how tracers of the kernel name events and fields.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_LAYOUT_H
#define ANALYSIS_KERNEL_KERNEL_LAYOUT_H

#include "analysis/kernel/kernel_event.h"

/* Whether the trace is one of a kernel. */
bool kernel_layout_knows(const struct event_trace *trace);

/*
 * The role of an event class and its fields by the layout of its trace.  KERNEL_NO_ROLE for events that
 * say nothing of the states of threads and CPUs, and for those that lack a field which their role needs.
 */
struct kernel_binding kernel_layout_bind(const struct event_class *class);

/* The field in which events of a class name the thread in which they happen; EVENT_NO_FIELD: they do not. */
uint32_t kernel_layout_own_tid(const struct event_class *class);

#endif
