/* SPDX-License-Identifier: MIT */
/*
 * kernel_layout.h - which field of which tracer's event is what of a kernel's event.
 *
 * What an event of a kernel trace says, whoever recorded it.
 *
 * A binding ties an event class to its role and knows which of its fields fill which members; it is made
 * once a class (kernel_layout.h), so that decoding an event compares no names.
 *
 * How tracers of the kernel name events and fields.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_LAYOUT_H
#define ANALYSIS_KERNEL_KERNEL_LAYOUT_H

#include "event/event.h"

/* What an event is about; a version of the analysis has at most one handler for each. */
enum kernel_role {
	KERNEL_NO_ROLE,
	KERNEL_SWITCH,
	KERNEL_WAKEUP,
	KERNEL_WAKING,
	KERNEL_MIGRATE,
	KERNEL_SETPRIO,
	KERNEL_FORK,
	KERNEL_FREE,
	KERNEL_NEW_TASK,      /* just before the fork of it, with the flags of the clone */
	KERNEL_PROCESS_STATE, /* of the state dump at the start of a trace */
	KERNEL_PERF_FORK,     /* perf's own records: a thread is made, */
	KERNEL_PERF_NAME,     /* has another name, */
	KERNEL_PERF_EXIT,     /* ends, */
	KERNEL_PERF_THREAD,   /* or is of a process */
	KERNEL_IRQ_ENTRY,
	KERNEL_IRQ_EXIT,
	KERNEL_VECTOR_ENTRY, /* interrupts between processors and of the local timer (x86) */
	KERNEL_VECTOR_EXIT,
	KERNEL_SOFTIRQ_RAISE,
	KERNEL_SOFTIRQ_ENTRY,
	KERNEL_SOFTIRQ_EXIT,
	KERNEL_SYSCALL_ENTRY,
	KERNEL_SYSCALL_EXIT,
	KERNEL_FREQUENCY,
	KERNEL_CPU_IDLE,     /* the idle thread of a CPU stops it, or goes on */
	KERNEL_BLOCK_INSERT, /* a request is put into the queue of its device */
	KERNEL_BLOCK_ISSUE,  /* and handed to the driver */
	KERNEL_BLOCK_COMPLETE,
	KERNEL_EXIT, /* of a thread, which still is to be switched from */
	KERNEL_EXEC,
	KERNEL_RENAME,        /* a thread has another name from now on */
	KERNEL_TRY_TO_WAKE,   /* what some tracers have of every wake-up */
	KERNEL_HRTIMER_ENTRY, /* the function of a timer that has expired */
	KERNEL_HRTIMER_EXIT,
	KERNEL_WHOLE_IRQ_ENTRY, /* from when the processor left what it did until it returns there */
	KERNEL_WHOLE_IRQ_EXIT,
	KERNEL_RECEPTION_ENTRY, /* of a packet, by the stack of protocols */
	KERNEL_RECEPTION_EXIT,
	KERNEL_BLOCK_DEVICE,        /* of the state dump: its name */
	KERNEL_BLOCK_FRONT_MERGE,   /* sectors are put before those of a request that waits */
	KERNEL_BLOCK_REQUEST_MERGE, /* a request goes behind the one that ends where it begins */
	KERNEL_BLOCK_MERGE,         /* a request goes behind another one */
	KERNEL_PAGES_ALLOC,         /* the kernel allocates a block of pages */
	KERNEL_PAGES_FREE,
	KERNEL_HEAP_ALLOC, /* and bytes of its heap */
	KERNEL_HEAP_FREE,
	KERNEL_PACKET_QUEUE,    /* a packet is put into the queue of its interface */
	KERNEL_PACKET_TRANSMIT, /* and handed to the driver, which may refuse it */
	KERNEL_PACKET_RECEIVE,  /* a packet comes from a driver */
	KERNEL_PACKET_COPY,     /* a thread reads of it */
	KERNEL_PACKET_CONSUME,  /* its buffer is done with */
	KERNEL_PACKET_DROP,     /* or thrown away */
	KERNEL_LEAVE,           /* a thread leaves a CPU, for whom and which is not said */
	KERNEL_COME,            /* and comes to one */
	KERNEL_TASK_STATE,      /* a thread of a kernel that is not Linux runs, or does something else */
	KERNEL_ROLE_COUNT,
};

/* The switch does not say the priority. */
enum { KERNEL_NO_PRIO = INT32_MIN };

struct machine;
struct machine_thread;
struct machine_cpu;

/* Borrowed as the event is. */
struct kernel_text {
	const char *bytes;
	size_t size;
};

/* Optional members that an event has, where their value alone does not say so. */
enum kernel_presence {
	HAS_CALL_NUMBER = 1 << 0, /* of a call that ends */
	HAS_RESULT = 1 << 1,
	HAS_ADDRESS = 1 << 2,
	HAS_OPERATION = 1 << 3,
	HAS_VALUE = 1 << 4,
	HAS_SECTORS = 1 << 5,
	HAS_FLAGS = 1 << 6,
	HAS_PAGE = 1 << 7,
};

/* Which members are set is the role's business: see the table of fields in kernel_layout.c. */
struct kernel_event {
	const struct event *source; /* as the trace has it */
	histree_time time;
	enum kernel_role role;
	unsigned has; /* or of enum kernel_presence */

	int32_t cpu; /* where it happened, -1 where the trace does not say */
	/* Where it is not sure that the machine is kept, kernel_event_cpu() and kernel_event_thread() say them. */
	struct machine_cpu *on_cpu;       /* the same; NULL where the trace does not say */
	struct machine_thread *in_thread; /* in which it happened; NULL: not known (yet) */
	struct machine *not_kept;         /* as no analysis asks it; NULL: it is kept */
	/* The threads of `tid` and of `prev_tid`, where the machine is kept and the event has them; else NULL. */
	struct machine_thread *thread, *previous;
	int64_t own_tid;             /* of that, where the event itself says it; else negative */
	int64_t own_pid, own_ppid;   /* of that thread; negative: the event does not say */
	struct kernel_text own_comm; /* no bytes: the event does not say */
	bool is_perf;                /* perf or trace-cmd recorded it */
	bool has_new_task_states;    /* of Linux 4.14 and later: prev_state */

	/* The thread that it is about; of a switch the next one, of a fork the child. */
	int32_t tid;
	int32_t prio;            /* of a switch also KERNEL_NO_PRIO */
	int32_t parent, pid;     /* -1 where the event does not say */
	int32_t parent_pid;      /* the process of the parent; likewise */
	int32_t target_cpu;      /* the CPU that it names itself; -1 where it does not */
	int32_t status;          /* of the state dump */
	struct kernel_text comm; /* of KERNEL_EXEC the path of the program */

	int32_t prev_tid, prev_prio, prev_state;
	struct kernel_text prev_comm; /* no bytes, as those of comm: the switch does not say the name */

	int32_t number; /* of the interrupt, softirq, vector or system call; the order of a block of pages */
	/* Of the interrupt, the network's interface, or the system call: no bytes where it has a number only. */
	struct kernel_text name;
	struct kernel_text event_name; /* as the tracer has it */
	int64_t frequency;             /* kHz */

	int64_t result;                    /* of a system call, of a driver */
	int64_t address, operation, value; /* of futex; the address of what the kernel allocates, of a packet */
	int64_t page, bytes; /* the number of a block's first page; of the heap or a packet, how many */

	int64_t device, sector, sectors; /* of a request to a block device */
	int64_t into_sector;             /* of the request that it goes behind */
	int64_t flags;                   /* of it, as LTTng has them; of a wake-up, as ftrace has them */
	struct kernel_text letters;      /* the same as perf has them; no bytes where it has not */
};

enum kernel_field_kind { KERNEL_INT32, KERNEL_INT64, KERNEL_TEXT };

struct kernel_bound_field {
	uint32_t field;   /* of the event class */
	uint16_t member;  /* offset in struct kernel_event */
	uint8_t kind;     /* enum kernel_field_kind */
	uint8_t presence; /* 0: without it the event says nothing; else the bit of kernel_event.has that it sets */
};

enum { KERNEL_FIELDS_MAX = 7 };

struct kernel_binding {
	enum kernel_role role;
	bool is_kernel, is_perf, has_new_task_states; /* its trace */
	bool is_record;       /* of perf's own, which are not needed where the kernel's are */
	bool has_call_number; /* in place of a name */
	bool has_tid;         /* of a thread that it is about */
	uint32_t own_tid;     /* field; EVENT_NO_FIELD: the class has none */
	/* Likewise.  A process is believed where own_pid_of, if there is such a field, is the thread. */
	uint32_t own_pid, own_pid_of, own_ppid, own_comm;
	uint32_t field_count;
	struct kernel_bound_field fields[KERNEL_FIELDS_MAX];
	/* The name of a system call whose event is called after it, without the prefix; else no bytes. */
	struct kernel_text call_name;
	struct kernel_text event_name;
};

/* Why the thread that is switched from leaves its CPU. */
enum kernel_leave {
	LEAVES_RUNNABLE, /* it could have run on: it was preempted, or gave way */
	LEAVES_WOKEN,    /* it went to sleep, and is being woken up already */
	LEAVES_ASLEEP,
	LEAVES_STOPPED, /* by a signal or a debugger, or parked by the kernel */
	LEAVES_FOREVER, /* it is dead */
};

/* What prev_state says, whichever kernel wrote it. */
enum kernel_leave kernel_event_leave(const struct kernel_event *event);

/* Whether that is soon after `waking`; INT64_MIN: there was none. */
static inline bool kernel_is_leaving_soon(histree_time waking, histree_time now)
{
	enum { LEAVING_NS = 1000 * 1000 };
	return waking != INT64_MIN && waking <= now && (uint64_t)now - (uint64_t)waking <= LEAVING_NS;
}

/*
 * Whether a thread that leaves its CPU at this switch was woken by the sched_waking that another CPU had at
 * `waking`, when it still seemed to run.
 *
 * A thread goes to sleep in three steps: it leaves its queue, then come other things such as pulling work from
 * other CPUs, and then the switch, which is traced (__schedule() in kernel/sched/core.c).  try_to_wake_up() traces
 * sched_waking first, and then checks: before the first step it only makes the thread continue, with sched_wakeup
 * at once; after it, it waits until the CPU is done, and sched_wakeup comes after the switch.  So the wake-up is
 * real if there was no sched_wakeup before the switch, by which the thread goes to sleep; and soon, because a trace
 * may have no sched_wakeup at all.  On the thread's own CPU nothing happens between the steps.
 */
static inline bool kernel_event_is_woken_leaving(const struct kernel_event *event, histree_time waking)
{
	if (!kernel_is_leaving_soon(waking, event->time))
		return false;
	enum kernel_leave leave = kernel_event_leave(event);
	return leave == LEAVES_ASLEEP || leave == LEAVES_STOPPED || leave == LEAVES_WOKEN;
}

/*
 * Whether an interrupt wakes the thread, and not the thread that runs where the wake-up happens, as ftrace says of
 * each event (TRACE_FLAG_HARDIRQ, _SOFTIRQ, _NMI in include/linux/trace_events.h), also where interrupts are not
 * recorded.  A thread that sends to its own host runs the receiver's softirq itself, and is no waker either.
 */
static inline bool kernel_event_is_of_interrupt(const struct kernel_event *event)
{
	const int64_t hard = 0x08, soft = 0x10, nmi = 0x40;
	return (event->has & HAS_FLAGS) != 0 && (event->flags & (hard | soft | nmi)) != 0;
}

/*
 * The priority of the thread that is woken, as switches have it.  Modules of LTTng before 2.7.1 wrote that of
 * wake-ups as the kernel counts, 120 for a nice of 0, and all others less MAX_RT_PRIO, 20.
 */
int32_t kernel_event_wakeup_prio(const struct kernel_event *event);

/*
 * The name that an event KERNEL_RENAME or KERNEL_EXEC gives a thread; no bytes where it does not say.  A program's
 * is the last part of its path (begin_new_exec() in fs/exec.c), cut to TASK_COMM_LEN.
 */
struct kernel_text kernel_event_new_name(const struct kernel_event *event);

/*
 * Writes what a block device is called, "8:0", major and minor, by its number inside of the kernel (MKDEV() in
 * linux/kdev_t.h).  Returns the length.
 */
enum { KERNEL_DEVICE_SIZE = 48 };
size_t kernel_device_text(int64_t device, char text[static KERNEL_DEVICE_SIZE]);

/* Returns false if a field is absent or of another kind: then the event says nothing that can be relied on. */
bool kernel_event_decode(const struct kernel_binding *binding, const struct event *event, struct kernel_event *out);

/* Whether the trace is one of a kernel. */
bool kernel_layout_knows(const struct event_trace *trace);

/*
 * The role of an event class and its fields by the layout of its trace.  KERNEL_NO_ROLE for events that
 * say nothing of the states of threads and CPUs, and for those that lack a field which their role needs.
 */
struct kernel_binding kernel_layout_bind(const struct event_class *class);

/* Returns the role of the events of a class; an event that lacks something has KERNEL_NO_ROLE in place of it. */
enum kernel_role kernel_layout_role(const struct event_class *class);

/*
 * Between the event of a switch and the switch itself, old kernels of some machines (ARM) let interrupts in: what
 * these do is said to be of the thread that leaves.  Returns whether an event may be of that kind, so long after
 * the switch.
 */
bool kernel_event_may_be_in_switch(const struct kernel_event *event, histree_time since);

/* The field in which events of a class name the thread in which they happen; EVENT_NO_FIELD: they do not. */
uint32_t kernel_layout_own_tid(const struct event_class *class);

#endif
