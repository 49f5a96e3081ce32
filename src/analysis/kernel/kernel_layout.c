// SPDX-License-Identifier: MIT
/*
 * kernel_layout.c - maps the fields of each tracer's events to the members of a kernel event.
 */
#include "analysis/kernel/kernel_layout.h"

#include <assert.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "event/event.h"

/* ---- kernel event -------------------------------------------------------------------------------------------- */

/*
 * Before, they have the state itself: TASK_DEAD is 64, TASK_PARKED 512 (since 3.9), and preemption is one bit above
 * all others, TASK_STATE_MAX, which is 1024 to 4096.  What no state of theirs is, alone, is what it is since 4.14:
 * not all traces say which kernel it was.
 */
static enum kernel_leave leave_before_4_14(int32_t state)
{
	enum { IS_ASLEEP = 0x01 | 0x02, IS_DEAD = 0x10 | 0x20 | 0x40, IS_IDLE = 0x80, STATES = 0x3ff };
	enum { WAS_PREEMPTED = 0x100 };

	if ((state & STATES) == 0 || (state & STATES) == WAS_PREEMPTED)
		return LEAVES_RUNNABLE;
	if ((state & IS_ASLEEP) != 0 || (state & STATES) == IS_IDLE)
		return LEAVES_ASLEEP;
	return (state & IS_DEAD) != 0 ? LEAVES_FOREVER : LEAVES_STOPPED;
}

enum kernel_leave kernel_event_leave(const struct kernel_event *event)
{
	if (!event->has_new_task_states)
		return leave_before_4_14(event->prev_state);
	/*
	 * Since Linux 4.14 the events have one bit of TASK_REPORT (include/linux/sched.h: EXIT_DEAD, EXIT_ZOMBIE,
	 * TASK_PARKED, and TASK_REPORT_IDLE of threads of the kernel that sleep without being counted as load), or
	 * that of preemption, TASK_REPORT_MAX.  WAKING is in no number, but of a letter that a kernel before that
	 * printed (line_shape.h).  A bit above those, alone, is preemption as kernels before had it: a table of
	 * events does not say which kernel it was.
	 */
	const int32_t state = event->prev_state;
	enum { IS_ASLEEP = 0x01 | 0x02 | 0x80, IS_DEAD = 0x10 | 0x20, REPORTED = 0xff };
	enum { WAS_PREEMPTED = 0x100, WAKING = 0x200 };

	if ((state & WAS_PREEMPTED) != 0)
		return LEAVES_RUNNABLE;
	if ((state & IS_DEAD) != 0)
		return LEAVES_FOREVER;
	if ((state & IS_ASLEEP) != 0)
		return LEAVES_ASLEEP;
	if ((state & REPORTED) != 0)
		return LEAVES_STOPPED;
	return (state & WAKING) != 0 ? LEAVES_WOKEN : LEAVES_RUNNABLE;
}

struct kernel_text kernel_event_new_name(const struct kernel_event *event)
{
	enum { NAME_MAX_SIZE = 15 };
	static const char by_number[] = "/dev/fd/"; /* fexecve(): the name of the file is not recorded */
	struct kernel_text name = event->comm;
	if (event->role != KERNEL_EXEC)
		return name;
	if (name.size >= sizeof(by_number) - 1 && memcmp(name.bytes, by_number, sizeof(by_number) - 1) == 0)
		return (struct kernel_text){ NULL, 0 };
	for (size_t i = name.size; i > 0; i--)
		if (name.bytes[i - 1] == '/') {
			name = (struct kernel_text){ name.bytes + i, name.size - i };
			break;
		}
	if (name.size > NAME_MAX_SIZE)
		name.size = NAME_MAX_SIZE;
	return name.size > 0 ? name : (struct kernel_text){ NULL, 0 };
}

int32_t kernel_event_wakeup_prio(const struct kernel_event *event)
{
	enum { MAX_RT_PRIO = 100, NICE_MAX = 39 };
	const struct event_trace *trace = event->source->class->trace;
	bool may_be_old = !event->is_perf && trace->tracer_major == 2 && trace->tracer_minor <= 7;
	bool is_old = may_be_old && (trace->tracer_minor < 7 || event->prio > NICE_MAX);
	return is_old ? event->prio - MAX_RT_PRIO : event->prio;
}

static bool decode_field(const struct kernel_bound_field *bound, const struct event *event, char *member)
{
	if (bound->kind == KERNEL_TEXT) {
		struct kernel_text text;
		if (!event_string(event, bound->field, &text.bytes, &text.size))
			return false;
		memcpy(member, &text, sizeof(text));
		return true;
	}
	int64_t number;
	if (!event_int(event, bound->field, &number))
		return false;
	/* The kernel's numbers fit into 32 bits; of others the low ones count, as in Trace Compass. */
	int32_t number32 = (int32_t)number;
	if (bound->kind == KERNEL_INT32)
		memcpy(member, &number32, sizeof(number32));
	else
		memcpy(member, &number, sizeof(number));
	return true;
}

/* What the event says of the thread in which it happened. */
static void decode_own(const struct kernel_binding *binding, const struct event *event, struct kernel_event *out)
{
	int64_t of;
	struct kernel_text comm;
	out->own_pid = out->own_ppid = -1;
	out->own_comm = (struct kernel_text){ 0 };
	if (!event_int(event, binding->own_tid, &out->own_tid) || out->own_tid <= 0)
		return;
	if (event_int(event, binding->own_pid_of, &of) ? of == out->own_tid : binding->own_pid_of == EVENT_NO_FIELD)
		event_int(event, binding->own_pid, &out->own_pid);
	event_int(event, binding->own_ppid, &out->own_ppid);
	if (event_string(event, binding->own_comm, &comm.bytes, &comm.size))
		out->own_comm = comm;
}

size_t kernel_device_text(int64_t device, char text[static KERNEL_DEVICE_SIZE])
{
	return (size_t)snprintf(text, KERNEL_DEVICE_SIZE, "%" PRId64 ":%" PRId64, device >> 20, device & 0xfffff);
}

bool kernel_event_decode(const struct kernel_binding *binding, const struct event *event, struct kernel_event *out)
{
	/* What an event has without its fields; members that are not of its role keep what they were. */
	out->source = event;
	out->time = event->time;
	out->role = binding->role;
	out->has = 0;
	out->cpu = event->cpu;
	out->own_tid = -1; /* the others of its own are not asked for then */
	out->is_perf = binding->is_perf;
	out->has_new_task_states = binding->has_new_task_states;
	out->tid = out->pid = out->parent = out->parent_pid = out->target_cpu = -1;
	out->name = binding->call_name;
	out->event_name = binding->event_name;
	out->letters = (struct kernel_text){ 0 };
	if (binding->own_tid != EVENT_NO_FIELD)
		decode_own(binding, event, out);
	if (binding->role == KERNEL_SWITCH || binding->role == KERNEL_TASK_STATE) {
		out->comm = out->prev_comm = (struct kernel_text){ 0 };
		out->prio = out->prev_prio = KERNEL_NO_PRIO;
	}
	const bool wakes = binding->role == KERNEL_WAKEUP || binding->role == KERNEL_WAKING;
	if (wakes)
		out->result = true;
	for (uint32_t i = 0; i < binding->field_count; i++) {
		const struct kernel_bound_field *bound = &binding->fields[i];
		if (decode_field(bound, event, (char *)out + bound->member))
			out->has |= bound->presence;
		else if (bound->presence == 0)
			return false;
	}
	/* Kernels before 3.0 tell of a wakeup that found the thread awake, too. */
	return !wakes || out->result != 0;
}

/* ---- kernel layout ------------------------------------------------------------------------------------------- */

enum layout {
	LTTNG_2_0 = 1,
	LTTNG_2_6 = 2,
	LTTNG_2_7 = 4,
	PERF = 8,
	LTTNG = LTTNG_2_0 | LTTNG_2_6 | LTTNG_2_7,
	ALL = LTTNG | PERF,
};

/*
 * The first row that fits is the one: exact names, then exits, then entries of system calls.  A star at the
 * end of a system call's pattern stands for the name of the call.
 */
static const struct event_row {
	enum layout layouts;
	enum kernel_role role;
	const char *pattern;
} event_rows[] = {
	{ LTTNG, KERNEL_SWITCH, "sched_switch" },
	{ PERF, KERNEL_SWITCH, "sched:sched_switch" },
	{ PERF, KERNEL_SWITCH, "perf_switch" },
	{ PERF, KERNEL_LEAVE, "perf_leave" },
	{ PERF, KERNEL_COME, "perf_come" },
	{ PERF, KERNEL_TASK_STATE, "perfetto:task_state" },
	{ LTTNG, KERNEL_WAKEUP, "sched_wakeup" },
	{ LTTNG, KERNEL_WAKEUP, "sched_wakeup_new" },
	{ LTTNG, KERNEL_WAKING, "sched_waking" },
	{ PERF, KERNEL_WAKEUP, "sched:sched_wakeup" },
	{ PERF, KERNEL_WAKEUP, "sched:sched_wakeup_new" },
	{ PERF, KERNEL_WAKING, "sched:sched_waking" },
	{ LTTNG, KERNEL_MIGRATE, "sched_migrate_task" },
	{ PERF, KERNEL_MIGRATE, "sched:sched_migrate_task" },
	{ LTTNG, KERNEL_SETPRIO, "sched_pi_setprio" },
	{ PERF, KERNEL_SETPRIO, "sched:sched_pi_setprio" },
	{ LTTNG, KERNEL_FORK, "sched_process_fork" },
	{ PERF, KERNEL_FORK, "sched:sched_process_fork" },
	{ LTTNG, KERNEL_FREE, "sched_process_free" },
	{ PERF, KERNEL_FREE, "sched:sched_process_free" },
	{ PERF, KERNEL_NEW_TASK, "task:task_newtask" },
	{ LTTNG, KERNEL_PROCESS_STATE, "lttng_statedump_process_state" },
	{ PERF, KERNEL_PROCESS_STATE, "perfetto:thread" },
	{ PERF, KERNEL_PERF_FORK, "perf_fork" },
	{ PERF, KERNEL_PERF_NAME, "perf_comm" },
	{ PERF, KERNEL_PERF_EXIT, "perf_exit" },
	{ PERF, KERNEL_PERF_NAME, "process_dump" },
	{ PERF, KERNEL_PERF_THREAD, "perf_thread" },
	{ PERF, KERNEL_PERF_THREAD, "perf_mmap" },
	{ PERF, KERNEL_PERF_THREAD, "perf_mmap2" },
	{ LTTNG, KERNEL_IRQ_ENTRY, "irq_handler_entry" },
	{ LTTNG, KERNEL_IRQ_EXIT, "irq_handler_exit" },
	{ PERF, KERNEL_IRQ_ENTRY, "irq:irq_handler_entry" },
	{ PERF, KERNEL_IRQ_EXIT, "irq:irq_handler_exit" },
	{ LTTNG_2_7, KERNEL_VECTOR_ENTRY, "x86_irq_vectors_*_entry" },
	{ LTTNG_2_7, KERNEL_VECTOR_EXIT, "x86_irq_vectors_*_exit" },
	{ PERF, KERNEL_VECTOR_ENTRY, "irq_vectors:*_entry" },
	{ PERF, KERNEL_VECTOR_EXIT, "irq_vectors:*_exit" },
	{ LTTNG_2_0 | LTTNG_2_6, KERNEL_SOFTIRQ_RAISE, "softirq_raise" },
	{ LTTNG_2_0 | LTTNG_2_6, KERNEL_SOFTIRQ_ENTRY, "softirq_entry" },
	{ LTTNG_2_0 | LTTNG_2_6, KERNEL_SOFTIRQ_EXIT, "softirq_exit" },
	{ LTTNG_2_7, KERNEL_SOFTIRQ_RAISE, "irq_softirq_raise" },
	{ LTTNG_2_7, KERNEL_SOFTIRQ_ENTRY, "irq_softirq_entry" },
	{ LTTNG_2_7, KERNEL_SOFTIRQ_EXIT, "irq_softirq_exit" },
	{ PERF, KERNEL_SOFTIRQ_RAISE, "irq:softirq_raise" },
	{ PERF, KERNEL_SOFTIRQ_ENTRY, "irq:softirq_entry" },
	{ PERF, KERNEL_SOFTIRQ_EXIT, "irq:softirq_exit" },
	{ LTTNG, KERNEL_FREQUENCY, "power_cpu_frequency" },
	{ PERF, KERNEL_FREQUENCY, "power:cpu_frequency" },
	{ LTTNG, KERNEL_CPU_IDLE, "power_cpu_idle" },
	{ PERF, KERNEL_CPU_IDLE, "power:cpu_idle" },
	{ LTTNG, KERNEL_BLOCK_INSERT, "block_rq_insert" },
	{ LTTNG, KERNEL_BLOCK_ISSUE, "block_rq_issue" },
	{ LTTNG, KERNEL_BLOCK_COMPLETE, "block_rq_complete" },
	{ PERF, KERNEL_BLOCK_INSERT, "block:block_rq_insert" },
	{ PERF, KERNEL_BLOCK_ISSUE, "block:block_rq_issue" },
	{ PERF, KERNEL_BLOCK_COMPLETE, "block:block_rq_complete" },
	{ LTTNG, KERNEL_BLOCK_DEVICE, "lttng_statedump_block_device" },
	{ LTTNG, KERNEL_BLOCK_FRONT_MERGE, "block_bio_frontmerge" },
	{ PERF, KERNEL_BLOCK_FRONT_MERGE, "block:block_bio_frontmerge" },
	{ LTTNG, KERNEL_BLOCK_REQUEST_MERGE, "block_rq_merge" },
	{ PERF, KERNEL_BLOCK_REQUEST_MERGE, "block:block_rq_merge" },
	{ LTTNG, KERNEL_BLOCK_MERGE, "addons_elv_merge_requests" },
	{ LTTNG, KERNEL_EXIT, "sched_process_exit" },
	{ PERF, KERNEL_EXIT, "sched:sched_process_exit" },
	{ LTTNG, KERNEL_EXEC, "sched_process_exec" },
	{ PERF, KERNEL_EXEC, "sched:sched_process_exec" },
	{ LTTNG, KERNEL_RENAME, "task_rename" },
	{ PERF, KERNEL_RENAME, "task:task_rename" },
	{ LTTNG, KERNEL_TRY_TO_WAKE, "sched_ttwu" },
	{ LTTNG, KERNEL_HRTIMER_ENTRY, "hrtimer_expire_entry" },
	{ LTTNG, KERNEL_HRTIMER_EXIT, "hrtimer_expire_exit" },
	{ LTTNG_2_7, KERNEL_HRTIMER_ENTRY, "timer_hrtimer_expire_entry" },
	{ LTTNG_2_7, KERNEL_HRTIMER_EXIT, "timer_hrtimer_expire_exit" },
	{ PERF, KERNEL_HRTIMER_ENTRY, "timer:hrtimer_expire_entry" },
	{ PERF, KERNEL_HRTIMER_EXIT, "timer:hrtimer_expire_exit" },
	{ LTTNG, KERNEL_WHOLE_IRQ_ENTRY, "do_IRQ_entry" },
	{ LTTNG, KERNEL_WHOLE_IRQ_EXIT, "do_IRQ_return" },
	{ LTTNG, KERNEL_RECEPTION_ENTRY, "netif_receive_skb_internal_entry" },
	{ LTTNG, KERNEL_RECEPTION_EXIT, "netif_receive_skb_internal_return" },
	{ LTTNG, KERNEL_PAGES_ALLOC, "kmem_mm_page_alloc" },
	{ LTTNG, KERNEL_PAGES_FREE, "kmem_mm_page_free" },
	{ PERF, KERNEL_PAGES_ALLOC, "kmem:mm_page_alloc" },
	{ PERF, KERNEL_PAGES_FREE, "kmem:mm_page_free" },
	{ LTTNG, KERNEL_HEAP_ALLOC, "kmem_kmalloc" },
	{ LTTNG, KERNEL_HEAP_ALLOC, "kmem_kmalloc_node" },
	{ LTTNG, KERNEL_HEAP_ALLOC, "kmem_cache_alloc" },
	{ LTTNG, KERNEL_HEAP_ALLOC, "kmem_cache_alloc_node" },
	{ LTTNG, KERNEL_HEAP_FREE, "kmem_kfree" },
	{ LTTNG, KERNEL_HEAP_FREE, "kmem_cache_free" },
	{ PERF, KERNEL_HEAP_ALLOC, "kmem:kmalloc" },
	{ PERF, KERNEL_HEAP_ALLOC, "kmem:kmalloc_node" },
	{ PERF, KERNEL_HEAP_ALLOC, "kmem:kmem_cache_alloc" },
	{ PERF, KERNEL_HEAP_ALLOC, "kmem:kmem_cache_alloc_node" },
	{ PERF, KERNEL_HEAP_FREE, "kmem:kfree" },
	{ PERF, KERNEL_HEAP_FREE, "kmem:kmem_cache_free" },
	{ LTTNG, KERNEL_PACKET_QUEUE, "net_dev_queue" },
	{ LTTNG, KERNEL_PACKET_TRANSMIT, "net_dev_xmit" },
	{ LTTNG, KERNEL_PACKET_RECEIVE, "netif_receive_skb" },
	{ LTTNG, KERNEL_PACKET_RECEIVE, "net_if_receive_skb" },
	{ LTTNG, KERNEL_PACKET_COPY, "skb_copy_datagram_iovec" },
	{ LTTNG, KERNEL_PACKET_CONSUME, "skb_consume" },
	{ LTTNG, KERNEL_PACKET_DROP, "skb_kfree" },
	{ PERF, KERNEL_PACKET_QUEUE, "net:net_dev_queue" },
	{ PERF, KERNEL_PACKET_TRANSMIT, "net:net_dev_xmit" },
	{ PERF, KERNEL_PACKET_RECEIVE, "net:netif_receive_skb" },
	{ PERF, KERNEL_PACKET_COPY, "skb:skb_copy_datagram_iovec" },
	{ PERF, KERNEL_PACKET_CONSUME, "skb:consume_skb" },
	{ PERF, KERNEL_PACKET_DROP, "skb:kfree_skb" },
	{ PERF, KERNEL_SYSCALL_EXIT, "raw_syscalls:sys_exit" },
	{ PERF, KERNEL_SYSCALL_ENTRY, "raw_syscalls:sys_enter" },
	{ LTTNG_2_0, KERNEL_SYSCALL_EXIT, "exit_syscall*" },
	{ LTTNG_2_6 | LTTNG_2_7, KERNEL_SYSCALL_EXIT, "syscall_exit_*" },
	{ LTTNG_2_6 | LTTNG_2_7, KERNEL_SYSCALL_EXIT, "compat_syscall_exit_*" },
	{ PERF, KERNEL_SYSCALL_EXIT, "syscalls:sys_exit_*" },
	{ LTTNG_2_0, KERNEL_SYSCALL_ENTRY, "sys_*" },
	{ LTTNG_2_0, KERNEL_SYSCALL_ENTRY, "compat_sys_*" },
	{ LTTNG_2_6 | LTTNG_2_7, KERNEL_SYSCALL_ENTRY, "syscall_entry_*" },
	{ LTTNG_2_6 | LTTNG_2_7, KERNEL_SYSCALL_ENTRY, "compat_syscall_entry_*" },
	{ PERF, KERNEL_SYSCALL_ENTRY, "syscalls:sys_enter_*" },
};

/* Some traces do not have the optional ones; of these either a bit of enum kernel_presence or the value says so. */
enum { NEEDED = 0, OPTIONAL = 1 };

#define INT32(member) offsetof(struct kernel_event, member), KERNEL_INT32
#define INT64(member) offsetof(struct kernel_event, member), KERNEL_INT64
#define TEXT(member) offsetof(struct kernel_event, member), KERNEL_TEXT
#define ROLE(role) (UINT64_C(1) << KERNEL_##role)
#define OF_ONE_THREAD                                                                                     \
	(ROLE(WAKEUP) | ROLE(WAKING) | ROLE(MIGRATE) | ROLE(SETPRIO) | ROLE(FREE) | ROLE(PROCESS_STATE) | \
	 ROLE(NEW_TASK) | ROLE(EXIT) | ROLE(TRY_TO_WAKE))
#define OF_PERF (ROLE(PERF_FORK) | ROLE(PERF_NAME) | ROLE(PERF_EXIT) | ROLE(PERF_THREAD))
#define OF_INTERFACES (ROLE(PACKET_QUEUE) | ROLE(PACKET_TRANSMIT) | ROLE(PACKET_RECEIVE))
#define OF_PACKETS (OF_INTERFACES | ROLE(PACKET_COPY) | ROLE(PACKET_CONSUME) | ROLE(PACKET_DROP))
#define OF_BLOCK_DEVICES                                                                           \
	(ROLE(BLOCK_INSERT) | ROLE(BLOCK_ISSUE) | ROLE(BLOCK_COMPLETE) | ROLE(BLOCK_FRONT_MERGE) | \
	 ROLE(BLOCK_REQUEST_MERGE))
static const struct field_row {
	enum layout layouts;
	uint64_t roles; /* bits */
	const char *name;
	uint16_t member;
	uint8_t kind;
	uint8_t presence; /* as in struct kernel_bound_field */
} field_rows[] = {
	{ ALL, ROLE(SWITCH), "prev_comm", TEXT(prev_comm), OPTIONAL },
	{ LTTNG, ROLE(SWITCH), "prev_tid", INT32(prev_tid), NEEDED },
	{ PERF, ROLE(SWITCH) | ROLE(LEAVE), "prev_pid", INT32(prev_tid), NEEDED },
	{ ALL, ROLE(SWITCH), "prev_prio", INT32(prev_prio), OPTIONAL },
	{ ALL, ROLE(SWITCH) | ROLE(LEAVE), "prev_state", INT32(prev_state), NEEDED },
	{ ALL, ROLE(SWITCH), "next_comm", TEXT(comm), OPTIONAL },
	{ LTTNG, ROLE(SWITCH), "next_tid", INT32(tid), NEEDED },
	{ PERF, ROLE(SWITCH), "next_pid", INT32(tid), NEEDED },
	{ ALL, ROLE(SWITCH), "next_prio", INT32(prio), OPTIONAL },
	{ PERF, ROLE(COME) | ROLE(TASK_STATE), "tid", INT32(tid), NEEDED },
	{ PERF, ROLE(TASK_STATE), "state", INT32(status), NEEDED },
	{ PERF, ROLE(TASK_STATE), "prio", INT32(prio), OPTIONAL },
	{ PERF, ROLE(TASK_STATE), "comm", TEXT(comm), OPTIONAL },

	{ LTTNG, OF_ONE_THREAD, "tid", INT32(tid), NEEDED },
	{ PERF, OF_ONE_THREAD, "pid", INT32(tid), NEEDED },
	{ ALL, ROLE(WAKEUP) | ROLE(WAKING), "prio", INT32(prio), NEEDED },
	{ ALL, ROLE(WAKEUP) | ROLE(WAKING), "target_cpu", INT32(target_cpu), NEEDED },
	{ ALL, ROLE(WAKEUP) | ROLE(WAKING), "success", INT64(result), OPTIONAL },
	{ PERF, ROLE(WAKEUP) | ROLE(WAKING), "common_flags", INT64(flags), HAS_FLAGS },
	{ ALL, ROLE(EXEC), "filename", TEXT(comm), NEEDED },
	{ LTTNG, ROLE(EXEC), "tid", INT32(tid), OPTIONAL },
	{ PERF, ROLE(EXEC), "pid", INT32(tid), OPTIONAL },
	{ LTTNG, ROLE(RENAME), "tid", INT32(tid), OPTIONAL },
	{ PERF, ROLE(RENAME), "pid", INT32(tid), OPTIONAL },
	{ ALL, ROLE(RENAME), "newcomm", TEXT(comm), NEEDED },
	{ ALL, ROLE(MIGRATE), "dest_cpu", INT32(target_cpu), NEEDED },
	{ ALL, ROLE(SETPRIO), "newprio", INT32(prio), NEEDED },

	{ LTTNG, ROLE(FORK), "parent_tid", INT32(parent), NEEDED },
	{ PERF, ROLE(FORK), "parent_pid", INT32(parent), NEEDED },
	{ LTTNG, ROLE(FORK), "child_tid", INT32(tid), NEEDED },
	{ PERF, ROLE(FORK), "child_pid", INT32(tid), NEEDED },
	{ LTTNG, ROLE(FORK), "child_pid", INT32(pid), OPTIONAL },
	{ LTTNG, ROLE(FORK), "parent_pid", INT32(parent_pid), OPTIONAL },
	{ ALL, ROLE(FORK), "child_comm", TEXT(comm), NEEDED },

	{ PERF, ROLE(NEW_TASK), "comm", TEXT(comm), NEEDED },
	{ PERF, ROLE(NEW_TASK), "clone_flags", INT64(flags), NEEDED },

	{ LTTNG, ROLE(PROCESS_STATE), "pid", INT32(pid), NEEDED },
	{ PERF, ROLE(PROCESS_STATE), "tgid", INT32(pid), NEEDED },
	{ LTTNG, ROLE(PROCESS_STATE), "ppid", INT32(parent), NEEDED },
	{ PERF, ROLE(PROCESS_STATE), "ppid", INT32(parent), OPTIONAL },
	{ ALL, ROLE(PROCESS_STATE), "status", INT32(status), NEEDED },
	{ LTTNG, ROLE(PROCESS_STATE), "cpu", INT32(target_cpu), OPTIONAL },
	{ LTTNG, ROLE(PROCESS_STATE), "name", TEXT(comm), NEEDED },
	{ PERF, ROLE(PROCESS_STATE), "comm", TEXT(comm), NEEDED },

	{ PERF, OF_PERF, "tid", INT32(tid), NEEDED },
	{ PERF, OF_PERF, "pid", INT32(pid), NEEDED },
	{ PERF, ROLE(PERF_FORK) | ROLE(PERF_THREAD), "ppid", INT32(parent_pid), OPTIONAL },
	{ PERF, ROLE(PERF_FORK), "ptid", INT32(parent), NEEDED },
	{ PERF, ROLE(PERF_NAME), "comm", TEXT(comm), NEEDED },

	{ ALL, ROLE(IRQ_ENTRY) | ROLE(IRQ_EXIT), "irq", INT32(number), NEEDED },
	{ ALL, ROLE(IRQ_ENTRY), "name", TEXT(name), NEEDED },
	{ ALL, ROLE(VECTOR_ENTRY) | ROLE(VECTOR_EXIT), "vector", INT32(number), NEEDED },
	{ ALL, ROLE(SOFTIRQ_RAISE) | ROLE(SOFTIRQ_ENTRY) | ROLE(SOFTIRQ_EXIT), "vec", INT32(number), NEEDED },

	{ ALL, ROLE(CPU_IDLE), "cpu_id", INT32(target_cpu), NEEDED },
	{ ALL, ROLE(FREQUENCY), "cpu_id", INT32(target_cpu), NEEDED },
	{ ALL, ROLE(FREQUENCY), "state", INT64(frequency), NEEDED },

	{ ALL, ROLE(SYSCALL_EXIT), "ret", INT64(result), HAS_RESULT },
	{ ALL, ROLE(SYSCALL_ENTRY), "uaddr", INT64(address), HAS_ADDRESS },
	{ ALL, ROLE(SYSCALL_ENTRY), "op", INT64(operation), HAS_OPERATION },
	{ ALL, ROLE(SYSCALL_ENTRY), "val", INT64(value), HAS_VALUE },

	{ ALL, ROLE(PAGES_ALLOC) | ROLE(PAGES_FREE), "pfn", INT64(page), HAS_PAGE },
	{ LTTNG, ROLE(PAGES_ALLOC) | ROLE(PAGES_FREE), "page", INT64(address), HAS_ADDRESS },
	{ ALL, ROLE(PAGES_ALLOC) | ROLE(PAGES_FREE), "order", INT32(number), NEEDED },
	{ ALL, ROLE(HEAP_ALLOC) | ROLE(HEAP_FREE), "ptr", INT64(address), NEEDED },
	{ ALL, ROLE(HEAP_ALLOC), "bytes_alloc", INT64(bytes), NEEDED },

	{ ALL, OF_PACKETS, "skbaddr", INT64(address), NEEDED },
	{ ALL, OF_INTERFACES, "name", TEXT(name), NEEDED },
	{ ALL, OF_INTERFACES | ROLE(PACKET_COPY), "len", INT64(bytes), NEEDED },
	{ ALL, ROLE(PACKET_TRANSMIT), "rc", INT64(result), HAS_RESULT },

	{ LTTNG, ROLE(BLOCK_DEVICE), "dev", INT64(device), NEEDED },
	{ LTTNG, ROLE(BLOCK_DEVICE), "diskname", TEXT(name), NEEDED },
	{ LTTNG, ROLE(BLOCK_MERGE), "dev", INT64(device), NEEDED },
	{ LTTNG, ROLE(BLOCK_MERGE), "nextrq_sector", INT64(sector), NEEDED },
	{ LTTNG, ROLE(BLOCK_MERGE), "rq_sector", INT64(into_sector), NEEDED },
	{ ALL, OF_BLOCK_DEVICES, "dev", INT64(device), NEEDED },
	{ ALL, OF_BLOCK_DEVICES, "sector", INT64(sector), NEEDED },
	{ ALL, OF_BLOCK_DEVICES, "nr_sector", INT64(sectors), HAS_SECTORS },
	{ ALL, OF_BLOCK_DEVICES, "rwbs", INT64(flags), HAS_FLAGS },
	{ ALL, OF_BLOCK_DEVICES, "rwbs", TEXT(letters), OPTIONAL },
};

/* The call's number: of raw_syscalls only, whose names say nothing. */
static const struct field_row call_number = { PERF, ROLE(SYSCALL_ENTRY), "id", INT32(number), NEEDED };

static const struct field_row call_that_ends = { PERF, ROLE(SYSCALL_EXIT), "id", INT32(number), HAS_CALL_NUMBER };

_Static_assert(KERNEL_ROLE_COUNT <= 64, "a role is a bit of field_row.roles");

bool kernel_event_may_be_in_switch(const struct kernel_event *event, histree_time since)
{
	const uint64_t longest = 100000;
	const uint64_t of_interrupts = UINT64_C(1) << KERNEL_WAKEUP | UINT64_C(1) << KERNEL_WAKING |
				       UINT64_C(1) << KERNEL_TRY_TO_WAKE | UINT64_C(1) << KERNEL_IRQ_ENTRY |
				       UINT64_C(1) << KERNEL_IRQ_EXIT | UINT64_C(1) << KERNEL_VECTOR_ENTRY |
				       UINT64_C(1) << KERNEL_VECTOR_EXIT | UINT64_C(1) << KERNEL_SOFTIRQ_RAISE |
				       UINT64_C(1) << KERNEL_SOFTIRQ_ENTRY | UINT64_C(1) << KERNEL_SOFTIRQ_EXIT |
				       UINT64_C(1) << KERNEL_HRTIMER_ENTRY | UINT64_C(1) << KERNEL_HRTIMER_EXIT |
				       UINT64_C(1) << KERNEL_WHOLE_IRQ_ENTRY | UINT64_C(1) << KERNEL_WHOLE_IRQ_EXIT;
	return (of_interrupts >> event->role & 1) != 0 && event->time >= since &&
	       (uint64_t)event->time - (uint64_t)since <= longest;
}

/*
 * Whether its events have the names and fields that the kernel gives them: as recorded by perf or trace-cmd, or by
 * a program that uses the same names.
 */
static bool is_perf(const struct event_trace *trace)
{
	const char *tracer = trace->tracer_name;
	return trace->kernel_words == EVENT_LIKE_PERF || strcmp(tracer, "perf") == 0 ||
	       strcmp(tracer, "trace-cmd") == 0 ||
	       (strcmp(tracer, "perfetto") == 0 && strcmp(trace->domain, "kernel") == 0);
}

/*
 * The field in which each event of a class names the thread that runs where it happened, whatever else it is about:
 * it is always there in events of perf's and trace-cmd's, and in LTTng's where the context tid was asked for.
 *
 * The kernel itself writes common_pid; perf_tid is perf's own, which is as the container counts that perf runs in,
 * and -1 of a thread that is about to die.
 */
uint32_t kernel_layout_own_tid(const struct event_class *class)
{
	if (!is_perf(class->trace))
		return event_class_context_field(class, "tid");
	uint32_t field = event_class_field(class, "common_pid");
	return field != EVENT_NO_FIELD ? field : event_class_field(class, "perf_tid");
}

/* The first of some names that the class has among the contexts of its events. */
static uint32_t context_field(const struct event_class *class, const char *name, const char *other)
{
	uint32_t field = event_class_context_field(class, name);
	return field != EVENT_NO_FIELD || other == NULL ? field : event_class_context_field(class, other);
}

/*
 * What else it says of that thread.  The numbers of perf's own (perf_pid), and of LTTng's contexts that begin with
 * v, are as the container counts in which perf runs, or the thread: they are believed where the number of the
 * thread is the same in there.
 */
static void bind_own(const struct event_class *class, struct kernel_binding *binding)
{
	binding->own_tid = kernel_layout_own_tid(class);
	binding->own_pid = binding->own_pid_of = binding->own_ppid = binding->own_comm = EVENT_NO_FIELD;
	if (is_perf(class->trace)) {
		binding->own_comm = event_class_field(class, "perf_comm");
		if (binding->own_comm == EVENT_NO_FIELD)
			binding->own_comm = event_class_field(class, "common_comm");
		binding->own_pid = event_class_field(class, "common_tgid");
		if (binding->own_pid != EVENT_NO_FIELD)
			return;
		binding->own_pid = event_class_field(class, "perf_pid");
		binding->own_pid_of = event_class_field(class, "perf_tid");
		return;
	}
	binding->own_pid = context_field(class, "pid", "vpid");
	if (event_class_context_field(class, "pid") == EVENT_NO_FIELD)
		binding->own_pid_of = context_field(class, "vtid", NULL);
	binding->own_ppid = context_field(class, "ppid", NULL);
	binding->own_comm = context_field(class, "procname", NULL);
}

bool kernel_layout_knows(const struct event_trace *trace)
{
	return strcmp(trace->domain, "kernel") == 0 || trace->kernel_words == EVENT_LIKE_LTTNG || is_perf(trace);
}

/*
 * A tracer of unknown version is taken for the oldest, as Trace Compass does.  The version of another tracer, whose
 * words are LTTng's, says nothing of those.
 */
static enum layout layout_of(const struct event_trace *trace)
{
	if (is_perf(trace))
		return PERF;
	if (trace->kernel_words == EVENT_LIKE_LTTNG || trace->tracer_major > 2 ||
	    (trace->tracer_major == 2 && trace->tracer_minor >= 7))
		return LTTNG_2_7;
	if (trace->tracer_major == 2 && trace->tracer_minor == 6)
		return LTTNG_2_6;
	return LTTNG_2_0;
}

static const struct event_row *event_row(enum layout layout, const char *name)
{
	for (size_t i = 0; i < sizeof(event_rows) / sizeof(event_rows[0]); i++)
		if ((event_rows[i].layouts & layout) != 0 && fnmatch(event_rows[i].pattern, name, 0) == 0)
			return &event_rows[i];
	return NULL;
}

/* Returns false if the class lacks a field that is needed. */
static bool bind_field(const struct event_class *class, const struct field_row *row, struct kernel_binding *binding)
{
	uint32_t field = event_class_field(class, row->name);
	if (field == EVENT_NO_FIELD)
		return row->presence != NEEDED;
	assert(binding->field_count < KERNEL_FIELDS_MAX);
	binding->fields[binding->field_count++] = (struct kernel_bound_field){
		.field = field, .member = row->member, .kind = row->kind, .presence = row->presence
	};
	return true;
}

static bool bind_fields(const struct event_class *class, enum layout layout, struct kernel_binding *binding)
{
	for (size_t i = 0; i < sizeof(field_rows) / sizeof(field_rows[0]); i++) {
		const struct field_row *row = &field_rows[i];
		/* In a trace of Perfetto, 0 is also what the kernel does not say. */
		bool is_said =
			strcmp(row->name, "success") != 0 || strcmp(class->trace->tracer_name, "perfetto") != 0;
		bool wanted = is_said && (row->layouts & layout) != 0 && (row->roles >> binding->role & 1) != 0;
		if (wanted && !bind_field(class, row, binding))
			return false;
	}
	return true;
}

/* The name that the star of the pattern stands for, or the number instead. */
static bool bind_call(const struct event_class *class, const char *pattern, struct kernel_binding *binding)
{
	const char *star = strchr(pattern, '*');
	binding->has_call_number = star == NULL;
	if (star == NULL)
		return bind_field(class, binding->role == KERNEL_SYSCALL_ENTRY ? &call_number : &call_that_ends,
				  binding);
	const char *name = class->name + (star - pattern);
	binding->call_name = (struct kernel_text){ name, strlen(name) };
	return true;
}

struct kernel_binding kernel_layout_bind(const struct event_class *class)
{
	struct kernel_binding binding = {
		.is_kernel = kernel_layout_knows(class->trace),
		.is_perf = is_perf(class->trace),
		.has_new_task_states = class->trace->has_new_task_states,
		.event_name = { class->name, strlen(class->name) },
	};
	bind_own(class, &binding);
	enum layout layout = layout_of(class->trace);
	const struct event_row *row = event_row(layout, class->name);
	if (row == NULL || !binding.is_kernel)
		return binding;
	binding.role = row->role;
	binding.is_record = binding.role == KERNEL_LEAVE || binding.role == KERNEL_COME ||
			    (binding.role == KERNEL_SWITCH && strcmp(row->pattern, "perf_switch") == 0);
	bool complete = bind_fields(class, layout, &binding);
	for (uint32_t i = 0; i < binding.field_count; i++)
		binding.has_tid |= binding.fields[i].member == offsetof(struct kernel_event, tid);
	/* Numbers of a container, beside those of the kernel in tracepoints, are of other threads. */
	if ((UINT64_C(1) << row->role & OF_PERF) != 0 && class->trace->counts_otherwise)
		complete = false;
	bool is_call = row->role == KERNEL_SYSCALL_ENTRY || row->role == KERNEL_SYSCALL_EXIT;
	if (complete && is_call)
		complete = bind_call(class, row->pattern, &binding);
	if (!complete)
		binding.role = KERNEL_NO_ROLE;
	return binding;
}

enum kernel_role kernel_layout_role(const struct event_class *class)
{
	return kernel_layout_bind(class).role;
}
