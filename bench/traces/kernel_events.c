// SPDX-License-Identifier: MIT
#include "kernel_events.h"

enum event_class {
	STATEDUMP_START,
	STATEDUMP_PROCESS_STATE,
	STATEDUMP_END,
	SCHED_SWITCH,
	SCHED_WAKING,
	SCHED_WAKEUP,
	SCHED_WAKEUP_NEW,
	SCHED_MIGRATE_TASK,
	SCHED_PROCESS_FORK,
	SCHED_PROCESS_EXIT,
	SCHED_PROCESS_FREE,
	IRQ_HANDLER_ENTRY,
	IRQ_HANDLER_EXIT,
	IRQ_SOFTIRQ_RAISE,
	IRQ_SOFTIRQ_ENTRY,
	IRQ_SOFTIRQ_EXIT,
	SYSCALL_ENTRY,
	SYSCALL_EXIT = SYSCALL_ENTRY + CALL_COUNT,
	CLASS_COUNT = SYSCALL_EXIT + CALL_COUNT,
};

/* The number of the name space that all threads are in: the first one of a machine. */
#define NS_INUM INT64_C(4026531836)

/* An address as a thread's stack has it. */
#define ADDRESS INT64_C(0x7f31c5a01000)

#define WAKE_FIELDS                                                        \
	{ CTF_COMM, "comm" }, { CTF_INT32, "tid" }, { CTF_INT32, "prio" }, \
	{                                                                  \
		CTF_INT32, "target_cpu"                                    \
	}
#define THREAD_FIELDS                               \
	{ CTF_COMM, "comm" }, { CTF_INT32, "tid" }, \
	{                                           \
		CTF_INT32, "prio"                   \
	}
#define RETURNS                  \
	{                        \
		CTF_INT64, "ret" \
	}

const struct ctf_event_class kernel_event_classes[] = {
	[STATEDUMP_START] = { "lttng_statedump_start", { { 0 } } },
	[STATEDUMP_PROCESS_STATE] = { "lttng_statedump_process_state",
				      { { CTF_INT32, "tid" },
					{ CTF_INT32, "vtid" },
					{ CTF_INT32, "pid" },
					{ CTF_INT32, "vpid" },
					{ CTF_INT32, "ppid" },
					{ CTF_INT32, "vppid" },
					{ CTF_COMM, "name" },
					{ CTF_INT32, "type" },
					{ CTF_INT32, "mode" },
					{ CTF_INT32, "submode" },
					{ CTF_INT32, "status" },
					{ CTF_INT32, "ns_level" },
					{ CTF_UINT32, "ns_inum" } } },
	[STATEDUMP_END] = { "lttng_statedump_end", { { 0 } } },
	[SCHED_SWITCH] = { "sched_switch",
			   { { CTF_COMM, "prev_comm" },
			     { CTF_INT32, "prev_tid" },
			     { CTF_INT32, "prev_prio" },
			     { CTF_INT64, "prev_state" },
			     { CTF_COMM, "next_comm" },
			     { CTF_INT32, "next_tid" },
			     { CTF_INT32, "next_prio" } } },
	[SCHED_WAKING] = { "sched_waking", { WAKE_FIELDS } },
	[SCHED_WAKEUP] = { "sched_wakeup", { WAKE_FIELDS } },
	[SCHED_WAKEUP_NEW] = { "sched_wakeup_new", { WAKE_FIELDS } },
	[SCHED_MIGRATE_TASK] = { "sched_migrate_task",
				 { THREAD_FIELDS, { CTF_INT32, "orig_cpu" }, { CTF_INT32, "dest_cpu" } } },
	[SCHED_PROCESS_FORK] = { "sched_process_fork",
				 { { CTF_COMM, "parent_comm" },
				   { CTF_INT32, "parent_tid" },
				   { CTF_INT32, "parent_pid" },
				   { CTF_UINT32, "parent_ns_inum" },
				   { CTF_COMM, "child_comm" },
				   { CTF_INT32, "child_tid" },
				   { CTF_INT32_LIST, "vtids" },
				   { CTF_INT32, "child_pid" },
				   { CTF_UINT32, "child_ns_inum" } } },
	[SCHED_PROCESS_EXIT] = { "sched_process_exit", { THREAD_FIELDS } },
	[SCHED_PROCESS_FREE] = { "sched_process_free", { THREAD_FIELDS } },
	[IRQ_HANDLER_ENTRY] = { "irq_handler_entry", { { CTF_INT32, "irq" }, { CTF_STRING, "name" } } },
	[IRQ_HANDLER_EXIT] = { "irq_handler_exit", { { CTF_INT32, "irq" }, { CTF_INT32, "ret" } } },
	[IRQ_SOFTIRQ_RAISE] = { "irq_softirq_raise", { { CTF_UINT32, "vec" } } },
	[IRQ_SOFTIRQ_ENTRY] = { "irq_softirq_entry", { { CTF_UINT32, "vec" } } },
	[IRQ_SOFTIRQ_EXIT] = { "irq_softirq_exit", { { CTF_UINT32, "vec" } } },

	[SYSCALL_ENTRY + CALL_CLONE] = { "syscall_entry_clone",
					 { { CTF_UINT64, "clone_flags" },
					   { CTF_UINT64, "newsp" },
					   { CTF_UINT64, "parent_tid" },
					   { CTF_UINT64, "child_tid" } } },
	[SYSCALL_ENTRY + CALL_CLOSE] = { "syscall_entry_close", { { CTF_UINT32, "fd" } } },
	[SYSCALL_ENTRY + CALL_EXIT] = { "syscall_entry_exit", { { CTF_INT32, "error_code" } } },
	[SYSCALL_ENTRY + CALL_FUTEX] = { "syscall_entry_futex",
					 { { CTF_UINT64, "uaddr" },
					   { CTF_INT32, "op" },
					   { CTF_UINT32, "val" },
					   { CTF_UINT64, "utime" },
					   { CTF_UINT64, "uaddr2" },
					   { CTF_UINT32, "val3" } } },
	[SYSCALL_ENTRY + CALL_MADVISE] = { "syscall_entry_madvise",
					   { { CTF_UINT64, "start" },
					     { CTF_UINT64, "len_in" },
					     { CTF_INT32, "behavior" } } },
	[SYSCALL_ENTRY + CALL_MMAP] = { "syscall_entry_mmap",
					{ { CTF_UINT64, "addr" },
					  { CTF_UINT64, "len" },
					  { CTF_INT32, "prot" },
					  { CTF_INT32, "flags" },
					  { CTF_INT32, "fd" },
					  { CTF_INT64, "offset" } } },
	[SYSCALL_ENTRY +
		CALL_MPROTECT] = { "syscall_entry_mprotect",
				   { { CTF_UINT64, "start" }, { CTF_UINT64, "len" }, { CTF_UINT64, "prot" } } },
	[SYSCALL_ENTRY + CALL_NANOSLEEP] = { "syscall_entry_nanosleep", { { CTF_UINT64, "rqtp" } } },
	[SYSCALL_ENTRY +
		CALL_OPEN] = { "syscall_entry_open",
			       { { CTF_STRING, "filename" }, { CTF_INT32, "flags" }, { CTF_UINT16, "mode" } } },
	[SYSCALL_ENTRY +
		CALL_POLL] = { "syscall_entry_poll",
			       { { CTF_UINT64, "ufds" }, { CTF_UINT32, "nfds" }, { CTF_INT32, "timeout_msecs" } } },
	[SYSCALL_ENTRY + CALL_READ] = { "syscall_entry_read", { { CTF_UINT32, "fd" }, { CTF_UINT64, "count" } } },
	[SYSCALL_ENTRY + CALL_SET_ROBUST_LIST] = { "syscall_entry_set_robust_list",
						   { { CTF_UINT64, "head" }, { CTF_UINT64, "len" } } },
	[SYSCALL_ENTRY + CALL_WRITE] = { "syscall_entry_write",
					 { { CTF_UINT32, "fd" }, { CTF_UINT64, "buf" }, { CTF_UINT64, "count" } } },

	[SYSCALL_EXIT + CALL_CLONE] = { "syscall_exit_clone", { RETURNS } },
	[SYSCALL_EXIT + CALL_CLOSE] = { "syscall_exit_close", { RETURNS } },
	[SYSCALL_EXIT + CALL_EXIT] = { "syscall_exit_exit", { RETURNS } },
	[SYSCALL_EXIT + CALL_FUTEX] = { "syscall_exit_futex", { RETURNS } },
	[SYSCALL_EXIT + CALL_MADVISE] = { "syscall_exit_madvise", { RETURNS } },
	[SYSCALL_EXIT + CALL_MMAP] = { "syscall_exit_mmap", { RETURNS } },
	[SYSCALL_EXIT + CALL_MPROTECT] = { "syscall_exit_mprotect", { RETURNS } },
	[SYSCALL_EXIT + CALL_NANOSLEEP] = { "syscall_exit_nanosleep", { RETURNS } },
	[SYSCALL_EXIT + CALL_OPEN] = { "syscall_exit_open", { RETURNS } },
	[SYSCALL_EXIT + CALL_POLL] = { "syscall_exit_poll", { RETURNS } },
	[SYSCALL_EXIT + CALL_READ] = { "syscall_exit_read", { RETURNS } },
	[SYSCALL_EXIT + CALL_SET_ROBUST_LIST] = { "syscall_exit_set_robust_list", { RETURNS } },
	[SYSCALL_EXIT + CALL_WRITE] = { "syscall_exit_write", { RETURNS } },
};

const size_t kernel_event_class_count = CLASS_COUNT;

_Static_assert(sizeof(kernel_event_classes) / sizeof(kernel_event_classes[0]) == CLASS_COUNT,
	       "each event has its class");

/* As glibc and a small program call them. */
static const union ctf_value call_arguments[CALL_COUNT][CTF_FIELDS_MAX] = {
	[CALL_CLONE] = { { 0x3d0f00 }, { ADDRESS }, { ADDRESS + 0x9d0 }, { ADDRESS + 0x9d0 } },
	[CALL_CLOSE] = { { 3 } },
	[CALL_EXIT] = { { 0 } },
	[CALL_FUTEX] = { { ADDRESS + 0x9d0 }, { 0 }, { 1 }, { 0 }, { 0 }, { 0 } },
	[CALL_MADVISE] = { { ADDRESS }, { 8368128 }, { 4 } },
	[CALL_MMAP] = { { 0 }, { 8392704 }, { 0 }, { 0x20022 }, { -1 }, { 0 } },
	[CALL_MPROTECT] = { { ADDRESS }, { 8388608 }, { 3 } },
	[CALL_NANOSLEEP] = { { ADDRESS + 0xe40 } },
	[CALL_OPEN] = { { .text = "/tmp/burn.log" }, { 0x441 }, { 0644 } },
	[CALL_POLL] = { { ADDRESS + 0xe40 }, { 1 }, { -1 } },
	[CALL_READ] = { { 5 }, { 4096 } },
	[CALL_SET_ROBUST_LIST] = { { ADDRESS + 0x9e0 }, { 24 } },
	[CALL_WRITE] = { { 3 }, { ADDRESS + 0xd00 }, { 80 } },
};

void kernel_statedump_start(struct ctf_stream *stream, uint64_t time)
{
	ctf_stream_event(stream, time, STATEDUMP_START, NULL);
}

void kernel_statedump_end(struct ctf_stream *stream, uint64_t time)
{
	ctf_stream_event(stream, time, STATEDUMP_END, NULL);
}

void kernel_statedump_sleeping(struct ctf_stream *stream, uint64_t time, const struct task *task)
{
	/* LTTng's own numbers (lttng-statedump-impl.c): a user's thread that waits, nobody knows where. */
	enum { TYPE_USER = 0, MODE_UNKNOWN = 5, SUBMODE_NONE = 0, STATUS_WAIT = 5 };

	ctf_stream_event(stream, time, STATEDUMP_PROCESS_STATE,
			 (const union ctf_value[]){ { task->tid },
						    { task->tid },
						    { task->pid },
						    { task->pid },
						    { task->parent },
						    { task->parent },
						    { .text = task->comm },
						    { TYPE_USER },
						    { MODE_UNKNOWN },
						    { SUBMODE_NONE },
						    { STATUS_WAIT },
						    { 0 },
						    { NS_INUM } });
}

void kernel_sched_switch(struct ctf_stream *stream, uint64_t time, const struct task *previous,
			 enum task_state state, const struct task *next)
{
	ctf_stream_event(stream, time, SCHED_SWITCH,
			 (const union ctf_value[]){ { .text = previous->comm },
						    { previous->tid },
						    { previous->prio },
						    { state },
						    { .text = next->comm },
						    { next->tid },
						    { next->prio } });
}

static void wake(struct ctf_stream *stream, uint64_t time, enum event_class class, const struct task *task,
		 uint32_t target_cpu)
{
	ctf_stream_event(
		stream, time, class,
		(const union ctf_value[]){ { .text = task->comm }, { task->tid }, { task->prio }, { target_cpu } });
}

void kernel_sched_waking(struct ctf_stream *stream, uint64_t time, const struct task *task, uint32_t target_cpu)
{
	wake(stream, time, SCHED_WAKING, task, target_cpu);
}

void kernel_sched_wakeup(struct ctf_stream *stream, uint64_t time, const struct task *task, uint32_t target_cpu)
{
	wake(stream, time, SCHED_WAKEUP, task, target_cpu);
}

void kernel_sched_wakeup_new(struct ctf_stream *stream, uint64_t time, const struct task *task, uint32_t target_cpu)
{
	wake(stream, time, SCHED_WAKEUP_NEW, task, target_cpu);
}

void kernel_sched_migrate_task(struct ctf_stream *stream, uint64_t time, const struct task *task, uint32_t from,
			       uint32_t to)
{
	ctf_stream_event(stream, time, SCHED_MIGRATE_TASK,
			 (const union ctf_value[]){
				 { .text = task->comm }, { task->tid }, { task->prio }, { from }, { to } });
}

void kernel_sched_process_fork(struct ctf_stream *stream, uint64_t time, const struct task *parent,
			       const struct task *child)
{
	ctf_stream_event(stream, time, SCHED_PROCESS_FORK,
			 (const union ctf_value[]){ { .text = parent->comm },
						    { parent->tid },
						    { parent->pid },
						    { NS_INUM },
						    { .text = child->comm },
						    { child->tid },
						    { child->tid },
						    { child->pid },
						    { NS_INUM } });
}

static void end(struct ctf_stream *stream, uint64_t time, enum event_class class, const struct task *task)
{
	ctf_stream_event(stream, time, class,
			 (const union ctf_value[]){ { .text = task->comm }, { task->tid }, { task->prio } });
}

void kernel_sched_process_exit(struct ctf_stream *stream, uint64_t time, const struct task *task)
{
	end(stream, time, SCHED_PROCESS_EXIT, task);
}

void kernel_sched_process_free(struct ctf_stream *stream, uint64_t time, const struct task *task)
{
	end(stream, time, SCHED_PROCESS_FREE, task);
}

void kernel_irq_handler_entry(struct ctf_stream *stream, uint64_t time, int32_t irq, const char *name)
{
	ctf_stream_event(stream, time, IRQ_HANDLER_ENTRY, (const union ctf_value[]){ { irq }, { .text = name } });
}

void kernel_irq_handler_exit(struct ctf_stream *stream, uint64_t time, int32_t irq)
{
	ctf_stream_event(stream, time, IRQ_HANDLER_EXIT, (const union ctf_value[]){ { irq }, { 1 } });
}

void kernel_irq_softirq_raise(struct ctf_stream *stream, uint64_t time, uint32_t vector)
{
	ctf_stream_event(stream, time, IRQ_SOFTIRQ_RAISE, &(const union ctf_value){ vector });
}

void kernel_irq_softirq_entry(struct ctf_stream *stream, uint64_t time, uint32_t vector)
{
	ctf_stream_event(stream, time, IRQ_SOFTIRQ_ENTRY, &(const union ctf_value){ vector });
}

void kernel_irq_softirq_exit(struct ctf_stream *stream, uint64_t time, uint32_t vector)
{
	ctf_stream_event(stream, time, IRQ_SOFTIRQ_EXIT, &(const union ctf_value){ vector });
}

void kernel_syscall_entry(struct ctf_stream *stream, uint64_t time, enum system_call call)
{
	ctf_stream_event(stream, time, SYSCALL_ENTRY + call, call_arguments[call]);
}

void kernel_syscall_exit(struct ctf_stream *stream, uint64_t time, enum system_call call, int64_t result)
{
	ctf_stream_event(stream, time, SYSCALL_EXIT + call, &(const union ctf_value){ result });
}
