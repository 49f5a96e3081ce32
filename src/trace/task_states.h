/* SPDX-License-Identifier: MIT */
/*
 * task_states.h - how the kernel of a trace wrote the states of threads that leave a CPU, the field prev_state of
 * sched_switch.
 *
 * Since Linux 4.14 it is one bit of those of TASK_REPORT (include/linux/sched.h), or that of preemption.  Two
 * kinds of kernels between 4.14 and 4.20 wrote something else and did not say so:
 *
 * - One bit too high: R is 1, S is 2, D is 4, until "sched, trace: Fix prev_state output in sched_switch
 *   tracepoint".  A release does not tell whether its maker took that.  The idle thread does: it can always run.
 *   No state is 0 in such a trace, and who leaves a CPU idle is not 1, but for what has used up its quota: a text
 *   that somebody made up may let the idle thread sleep.
 * - The number of the bit in place of the bit, in the first releases of 4.14, until "sched/debug: Fix task state
 *   recording/printout": Z is 6, and P is 7.  Those that are no bit tell, or workers that are traced in place of
 *   idle; preemption is above all of them.
 *
 * In such a trace the function that decodes fields gives each state as it was meant, to all analyses; who shows an
 * event sees it as it was written.
 */
#ifndef TRACE_TASK_STATES_H
#define TRACE_TASK_STATES_H

#include <stdbool.h>
#include <stdint.h>

#include "histree/status.h"

/* A zeroed one has seen no switch. */
struct task_state_signs {
	bool idle_is_asleep, has_runnable, has_bit, has_number;
	uint64_t idles_behind[2]; /* switches to the idle thread: from a state that is 1, and from another */
};

static inline void task_state_signs_see(struct task_state_signs *signs, int64_t prev_tid, int64_t prev_state,
					int64_t next_tid)
{
	signs->idle_is_asleep |= prev_tid == 0 && prev_state == 1;
	signs->has_runnable |= prev_state == 0;
	signs->has_bit |= prev_state >= 0x10 && prev_state <= 0x100;
	signs->has_number |= prev_state == 3 || (prev_state >= 5 && prev_state <= 7);
	signs->idles_behind[prev_state != 1] += prev_tid != 0 && next_tid == 0;
}

struct event_trace;
struct trace_source;

/* Have the states of a trace decoded as its switches tell that they were written.  Its get_int is set already. */
void task_states_decide(struct event_trace *trace, struct task_state_signs signs);

/*
 * Look for signs in the first events of each stream of a source that was scanned, by reading it apart, if its
 * kernel may have written something else than it meant.  Damage is reported where the events are read.  Returns
 * HISTREE_ERR_MEMORY.
 */
enum histree_status task_states_look(struct trace_source *source, struct histree_error *error);

#endif
