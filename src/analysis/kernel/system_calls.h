/* SPDX-License-Identifier: MIT */
/*
 * system_calls.h - names of system calls that a trace knows by number only.
 */
#ifndef ANALYSIS_KERNEL_SYSTEM_CALLS_H
#define ANALYSIS_KERNEL_SYSTEM_CALLS_H

#include "base/arena.h"
#include "base/id_map.h"
#include "event/event.h"

/* A zeroed one knows none yet. */
struct system_calls {
	struct id_map names; /* char * by trace and number */
	struct arena texts;
};

/*
 * By the machine of the trace.  A number that it does not have, or a machine that is not known, gives
 * "syscall_NUMBER".  The name lives as long as the table; NULL when memory is out.
 */
const char *system_calls_name(struct system_calls *calls, const struct event_trace *trace, int32_t number);

void system_calls_release(struct system_calls *calls);

#endif
