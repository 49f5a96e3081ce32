/* SPDX-License-Identifier: MIT */
/*
 * kernel_events.h - the events of a Linux kernel, named and laid out as LTTng has them.
 *
 * What no analysis of states looks at (addresses, lengths, flags) is the same in each call of a system call.
 */
#ifndef TRACES_KERNEL_EVENTS_H
#define TRACES_KERNEL_EVENTS_H

#include "ctf_writer.h"

enum system_call {
	CALL_CLONE,
	CALL_CLOSE,
	CALL_EXIT,
	CALL_FUTEX,
	CALL_MADVISE,
	CALL_MMAP,
	CALL_MPROTECT,
	CALL_NANOSLEEP,
	CALL_OPEN,
	CALL_POLL,
	CALL_READ,
	CALL_SET_ROBUST_LIST,
	CALL_WRITE,
	CALL_COUNT,
};

/* The kernel's word for why a thread leaves its CPU. */
enum task_state { TASK_RUNNING = 0, TASK_INTERRUPTIBLE = 1, TASK_UNINTERRUPTIBLE = 2, TASK_DEAD = 64 };

/* What events say of a thread; `pid` is that of its process. */
struct task {
	int32_t tid, pid, parent, prio;
	char comm[CTF_COMM_SIZE];
};

/* The classes of all of them, as a trace needs them. */
extern const struct ctf_event_class kernel_event_classes[];
extern const size_t kernel_event_class_count;

/* The state dump: what a tracer says of the threads that were there before it. */
void kernel_statedump_start(struct ctf_stream *stream, uint64_t time);
void kernel_statedump_sleeping(struct ctf_stream *stream, uint64_t time, const struct task *task);
void kernel_statedump_end(struct ctf_stream *stream, uint64_t time);

void kernel_sched_switch(struct ctf_stream *stream, uint64_t time, const struct task *previous,
			 enum task_state state, const struct task *next);
void kernel_sched_waking(struct ctf_stream *stream, uint64_t time, const struct task *task, uint32_t target_cpu);
void kernel_sched_wakeup(struct ctf_stream *stream, uint64_t time, const struct task *task, uint32_t target_cpu);
void kernel_sched_wakeup_new(struct ctf_stream *stream, uint64_t time, const struct task *task,
			     uint32_t target_cpu);
void kernel_sched_migrate_task(struct ctf_stream *stream, uint64_t time, const struct task *task, uint32_t from,
			       uint32_t to);
void kernel_sched_process_fork(struct ctf_stream *stream, uint64_t time, const struct task *parent,
			       const struct task *child);
void kernel_sched_process_exit(struct ctf_stream *stream, uint64_t time, const struct task *task);
void kernel_sched_process_free(struct ctf_stream *stream, uint64_t time, const struct task *task);

void kernel_irq_handler_entry(struct ctf_stream *stream, uint64_t time, int32_t irq, const char *name);
void kernel_irq_handler_exit(struct ctf_stream *stream, uint64_t time, int32_t irq);
void kernel_irq_softirq_raise(struct ctf_stream *stream, uint64_t time, uint32_t vector);
void kernel_irq_softirq_entry(struct ctf_stream *stream, uint64_t time, uint32_t vector);
void kernel_irq_softirq_exit(struct ctf_stream *stream, uint64_t time, uint32_t vector);

void kernel_syscall_entry(struct ctf_stream *stream, uint64_t time, enum system_call call);
void kernel_syscall_exit(struct ctf_stream *stream, uint64_t time, enum system_call call, int64_t result);

#endif
