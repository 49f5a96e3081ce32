/* SPDX-License-Identifier: MIT */
/*
 * thread_records.h - what perf and Perfetto record of one thread at a time: its names, its turns and its states.
 *
 * Where the kernel's own switches are recorded as well, those say who runs, and what perf records of turns is not
 * used (kernel_input.h).
 */
#ifndef ANALYSIS_KERNEL_THREAD_RECORDS_H
#define ANALYSIS_KERNEL_THREAD_RECORDS_H

#include "analysis/kernel/kernel_provider.h"

/* Whether a record of perf comes before the first event, at a time that no history has, or names no thread. */
bool thread_record_is_early(const struct kernel_event *event);

/*
 * perf records names of threads before its first event.  A thread that has no other name yet gets that one: all
 * of them at the first switch that says no names, and before that the one thread that is asked for.
 */
void thread_records_learn_names(struct kernel_model *model, const struct kernel_event *event);
void thread_record_learn_name(struct kernel_model *model, const struct kernel_event *event,
			      struct kernel_thread *thread);

kernel_handler thread_record_name;    /* KERNEL_PERF_NAME */
kernel_handler thread_record_process; /* KERNEL_PERF_THREAD */
kernel_handler thread_record_leave;   /* KERNEL_LEAVE */
kernel_handler thread_record_come;    /* KERNEL_COME */
kernel_handler thread_record_exit;    /* KERNEL_PERF_EXIT */
kernel_handler thread_record_state;   /* KERNEL_TASK_STATE */

#endif
