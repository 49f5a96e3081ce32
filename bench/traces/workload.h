/* SPDX-License-Identifier: MIT */
/*
 * workload.h - what the threads of a machine do.
 *
 * Short-lived ones are those of the papers: algorithm 2 of the eSHT paper.  A parent starts a wave of one thread
 * a CPU, waits for all of them and starts the next wave.  Each computes for a short time; one in some also writes a
 * line to a file, as in the trace many-threads.  There are two parents, so that run queues are not always empty.
 * If the trace has a length, waves are spread over it.
 *
 * Long-lived ones are there before the trace and after it, and sleep in system calls for most of the time:
 * processes of four threads, of which one reads from the disk, one from the network, one wakes up by a timer and
 * hands work to the last.  The n-th process sleeps n times as long as the first: a few are busy and most are
 * not, and the work of all grows with the logarithm of their number.
 *
 * Memory: one record a living thread.  Those that died are used again, thread ids never are.
 */
#ifndef TRACES_WORKLOAD_H
#define TRACES_WORKLOAD_H

#include "base/arena.h"
#include "machine.h"

enum {
	PARENTS = 2,
	FIRST_TID = 1000,
	TID_MAX = (1 << 22) - 1, /* the kernel's own limit */
};

struct actor;

struct workload {
	struct machine *machine;
	struct arena actors;
	struct actor *unused;
	uint32_t living_parents;
	int32_t next_tid;
	uint64_t until; /* goes on at least so long */
};

/*
 * Goes on until the short-lived threads have ended, and `length_ns` at least, if there are long-lived ones.
 * FIRST_TID and all threads must fit below TID_MAX.  0 or an errno; either way it is to be released.
 */
int workload_init(struct workload *workload, struct machine *machine, uint32_t thread_count,
		  uint32_t long_lived_count, uint64_t length_ns);
void workload_release(struct workload *workload);

/* For the machine: `context` is the workload. */
enum task_state workload_step(void *context, struct cpu *cpu);
void workload_freed(void *context, struct thread *thread);

#endif
