/* SPDX-License-Identifier: MIT */
/*
 * machine.h - a model of a computer that runs Linux: CPUs with run queues, a time slice, interrupts, and a trace
 * of all of it.
 *
 * What it follows of the kernel:
 *
 *  - Each CPU has a queue and runs its first thread for a slice at most, if others wait.  A thread that wakes
 *    goes where it ran last, or to an idle CPU; one of a sleeper's kind takes the CPU from one that computes.
 *  - A CPU that has nothing to do takes a waiting thread from the longest queue.
 *  - Timers, disk and network end a sleep by an interrupt, on the CPU that serves it; softirqs follow it, in
 *    which threads are woken.
 *  - A periodic tick runs timers and, by RCU, frees the threads that died since the last one.  An idle CPU has
 *    none.
 *
 * What always holds: at any time of the trace a CPU runs one thread, a thread is on one CPU, and a thread is
 * switched to only after it was woken and after it left its last CPU.  A step is taken at once in the model while
 * its events are spread over the microsecond that follows; that is why threads keep the times before which
 * other CPUs must not touch them (`ready_at`, `off_cpu_at`).
 *
 * All numbers are integers and all ties are broken by order, so that a seed gives the same bytes on any machine.
 */
#ifndef TRACES_MACHINE_H
#define TRACES_MACHINE_H

#include "base/hash_index.h"
#include "kernel_events.h"

enum { CPUS_MAX = 256 };

/* ns: what the machine's clock says when the trace begins. */
#define MACHINE_START UINT64_C(1000000000)

struct thread {
	struct task task;
	uint32_t cpu;        /* where it runs, waits to run, or ran last */
	bool computes;       /* and so gives way to those who mostly sleep */
	bool sleeps;         /* until it is woken */
	uint64_t ready_at;   /* since when it may run */
	uint64_t off_cpu_at; /* when it left its CPU */
	uint64_t left;       /* ns of computing before its next step */
	struct thread *next; /* in a run queue, or among the dead of a CPU */
};

struct cpu {
	struct ctf_stream stream;
	struct random random;
	uint64_t now; /* of its last event */
	struct thread idle;
	struct thread *current;
	struct thread *queue, **queue_end;
	uint32_t queued;
	struct thread *dead; /* until RCU frees them */
	uint64_t step_end;   /* when the current thread has computed what it had left */
	uint64_t preempt_at; /* when it has to go, if others wait */
	uint64_t tick_at;
	uint64_t due; /* the earliest of what can happen here */
};

/* What ends a sleep. */
enum source { SOURCE_TIMER, SOURCE_DISK, SOURCE_NETWORK };

struct alarm {
	uint64_t time, number; /* alarms of one time come in the order in which they were set */
	struct thread *thread;
	enum source source;
};

struct machine;

/* What threads do is not the machine's business. */
struct machine_user {
	/*
	 * The current thread of this CPU takes its next step.  TASK_RUNNING: it goes on, for thread->left; any
	 * other state: it leaves the CPU.
	 */
	enum task_state (*step)(void *context, struct cpu *cpu);
	/* Nothing in the machine knows the thread any more. */
	void (*freed)(void *context, struct thread *thread);
	void *context;
};

struct machine {
	struct cpu *cpus;
	uint32_t cpu_count;
	struct machine_user user;
	struct alarm *alarms; /* a heap, the earliest first */
	size_t alarm_count, alarm_capacity;
	uint64_t alarm_number;
	bool done;   /* set by the user: the trace ends */
	int failure; /* errno of what went wrong; the trace ends */
};

struct machine_options {
	uint32_t cpu_count;
	uint64_t seed;
	struct machine_user user;
};

/* 0 or an errno; either way it is to be closed and released. */
int machine_init(struct machine *machine, const struct machine_options *options, const struct ctf_trace *trace,
		 const char *folder);

/* Run until the user says that it is done.  0 or an errno. */
int machine_run(struct machine *machine);

/* Write the last packets, after which there is nothing left but to look at it.  0 or an errno. */
int machine_close(struct machine *machine);

void machine_release(struct machine *machine);

/* ---- for a user's step, on its CPU ------------------------------------------------------------------ */

/* The time of the CPU's next event. */
uint64_t cpu_stamp(struct cpu *cpu);

/* About `mean` ns: half of it for sure, the rest distributed exponentially. */
uint64_t cpu_about(struct cpu *cpu, uint64_t mean);

/* Wake a thread that sleeps, by what happens on `waker`. */
void machine_wake(struct machine *machine, struct cpu *waker, struct thread *thread);

/* A thread that was forked on `parent` begins. */
void machine_start(struct machine *machine, struct cpu *parent, struct thread *thread);

/* A thread that sleeps, or is about to, will be woken in `delay` ns. */
void machine_wake_later(struct machine *machine, struct cpu *cpu, struct thread *thread, enum source source,
			uint64_t delay);

#endif
