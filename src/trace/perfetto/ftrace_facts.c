// SPDX-License-Identifier: MIT
#include "trace/perfetto/ftrace_facts.h"

#include <stddef.h>

#define NONE                   \
	{                      \
		0, FTRACE_NONE \
	}
#define SIGNED(name)                 \
	{                            \
#name, FTRACE_SIGNED \
	}
#define UNSIGNED(name)                 \
	{                              \
#name, FTRACE_UNSIGNED \
	}
#define TEXT(name)                 \
	{                          \
#name, FTRACE_TEXT \
	}
#define LIST(name)                 \
	{                          \
#name, FTRACE_LIST \
	}

/* By number. */
static const struct ftrace_fact facts[] = {
	{ 3, "ftrace:print", { UNSIGNED(ip), TEXT(buf) } },
	{ 4,
	  "sched:sched_switch",
	  { TEXT(prev_comm), SIGNED(prev_pid), SIGNED(prev_prio), SIGNED(prev_state), TEXT(next_comm),
	    SIGNED(next_pid), SIGNED(next_prio) } },
	{ 11, "power:cpu_frequency", { UNSIGNED(state), UNSIGNED(cpu_id) } },
	{ 12, "power:cpu_frequency_limits", { UNSIGNED(min_freq), UNSIGNED(max_freq), UNSIGNED(cpu_id) } },
	{ 13, "power:cpu_idle", { UNSIGNED(state), UNSIGNED(cpu_id) } },
	{ 14, "power:clock_enable", { TEXT(name), UNSIGNED(state), UNSIGNED(cpu_id) } },
	{ 15, "power:clock_disable", { TEXT(name), UNSIGNED(state), UNSIGNED(cpu_id) } },
	{ 16, "power:clock_set_rate", { TEXT(name), UNSIGNED(state), UNSIGNED(cpu_id) } },
	{ 17,
	  "sched:sched_wakeup",
	  { TEXT(comm), SIGNED(pid), SIGNED(prio), SIGNED(success), SIGNED(target_cpu) } },
	{ 18, "sched:sched_blocked_reason", { SIGNED(pid), UNSIGNED(caller), UNSIGNED(io_wait) } },
	{ 19, "sched:sched_cpu_hotplug", { SIGNED(affected_cpu), SIGNED(error), SIGNED(status) } },
	{ 20,
	  "sched:sched_waking",
	  { TEXT(comm), SIGNED(pid), SIGNED(prio), SIGNED(success), SIGNED(target_cpu) } },
	{ 21, "ipi:ipi_entry", { TEXT(reason) } },
	{ 22, "ipi:ipi_exit", { TEXT(reason) } },
	{ 23, "ipi:ipi_raise", { UNSIGNED(target_cpus), TEXT(reason) } },
	{ 24, "irq:softirq_entry", { UNSIGNED(vec) } },
	{ 25, "irq:softirq_exit", { UNSIGNED(vec) } },
	{ 26, "irq:softirq_raise", { UNSIGNED(vec) } },
	{ 36, "irq:irq_handler_entry", { SIGNED(irq), TEXT(name), UNSIGNED(handler) } },
	{ 37, "irq:irq_handler_exit", { SIGNED(irq), SIGNED(ret) } },
	{ 45,
	  "block:block_rq_issue",
	  { UNSIGNED(dev), UNSIGNED(sector), UNSIGNED(nr_sector), UNSIGNED(bytes), TEXT(rwbs), TEXT(comm),
	    TEXT(cmd) } },
	{ 56, "workqueue:workqueue_activate_work", { UNSIGNED(work), UNSIGNED(function) } },
	{ 57, "workqueue:workqueue_execute_end", { UNSIGNED(work), UNSIGNED(function) } },
	{ 58, "workqueue:workqueue_execute_start", { UNSIGNED(work), UNSIGNED(function) } },
	{ 59,
	  "workqueue:workqueue_queue_work",
	  { UNSIGNED(work), UNSIGNED(function), NONE, SIGNED(req_cpu), SIGNED(cpu), TEXT(workqueue) } },
	{ 113, "power:suspend_resume", { TEXT(action), SIGNED(val), UNSIGNED(start) } },
	{ 114,
	  "sched:sched_wakeup_new",
	  { TEXT(comm), SIGNED(pid), SIGNED(prio), SIGNED(success), SIGNED(target_cpu) } },
	{ 115,
	  "block:block_bio_backmerge",
	  { UNSIGNED(dev), UNSIGNED(sector), UNSIGNED(nr_sector), TEXT(rwbs), TEXT(comm) } },
	{ 116,
	  "block:block_bio_bounce",
	  { UNSIGNED(dev), UNSIGNED(sector), UNSIGNED(nr_sector), TEXT(rwbs), TEXT(comm) } },
	{ 117,
	  "block:block_bio_complete",
	  { UNSIGNED(dev), UNSIGNED(sector), UNSIGNED(nr_sector), SIGNED(error), TEXT(rwbs) } },
	{ 118,
	  "block:block_bio_frontmerge",
	  { UNSIGNED(dev), UNSIGNED(sector), UNSIGNED(nr_sector), TEXT(rwbs), TEXT(comm) } },
	{ 119,
	  "block:block_bio_queue",
	  { UNSIGNED(dev), UNSIGNED(sector), UNSIGNED(nr_sector), TEXT(rwbs), TEXT(comm) } },
	{ 120,
	  "block:block_bio_remap",
	  { UNSIGNED(dev), UNSIGNED(sector), UNSIGNED(nr_sector), UNSIGNED(old_dev), UNSIGNED(old_sector),
	    TEXT(rwbs) } },
	{ 121, "block:block_dirty_buffer", { UNSIGNED(dev), UNSIGNED(sector), UNSIGNED(size) } },
	{ 122,
	  "block:block_getrq",
	  { UNSIGNED(dev), UNSIGNED(sector), UNSIGNED(nr_sector), TEXT(rwbs), TEXT(comm) } },
	{ 123, "block:block_plug", { TEXT(comm) } },
	{ 124,
	  "block:block_rq_abort",
	  { UNSIGNED(dev), UNSIGNED(sector), UNSIGNED(nr_sector), SIGNED(errors), TEXT(rwbs), TEXT(cmd) } },
	{ 125,
	  "block:block_rq_complete",
	  { UNSIGNED(dev), UNSIGNED(sector), UNSIGNED(nr_sector), SIGNED(errors), TEXT(rwbs), TEXT(cmd),
	    SIGNED(error) } },
	{ 126,
	  "block:block_rq_insert",
	  { UNSIGNED(dev), UNSIGNED(sector), UNSIGNED(nr_sector), UNSIGNED(bytes), TEXT(rwbs), TEXT(comm),
	    TEXT(cmd) } },
	{ 128,
	  "block:block_rq_remap",
	  { UNSIGNED(dev), UNSIGNED(sector), UNSIGNED(nr_sector), UNSIGNED(old_dev), UNSIGNED(old_sector),
	    UNSIGNED(nr_bios), TEXT(rwbs) } },
	{ 129,
	  "block:block_rq_requeue",
	  { UNSIGNED(dev), UNSIGNED(sector), UNSIGNED(nr_sector), SIGNED(errors), TEXT(rwbs), TEXT(cmd) } },
	{ 130,
	  "block:block_sleeprq",
	  { UNSIGNED(dev), UNSIGNED(sector), UNSIGNED(nr_sector), TEXT(rwbs), TEXT(comm) } },
	{ 131,
	  "block:block_split",
	  { UNSIGNED(dev), UNSIGNED(sector), UNSIGNED(new_sector), TEXT(rwbs), TEXT(comm) } },
	{ 132, "block:block_touch_buffer", { UNSIGNED(dev), UNSIGNED(sector), UNSIGNED(size) } },
	{ 133, "block:block_unplug", { SIGNED(nr_rq), TEXT(comm) } },
	{ 235, "task:task_newtask", { SIGNED(pid), TEXT(comm), UNSIGNED(clone_flags), SIGNED(oom_score_adj) } },
	{ 236, "task:task_rename", { SIGNED(pid), TEXT(oldcomm), TEXT(newcomm), SIGNED(oom_score_adj) } },
	{ 237, "sched:sched_process_exec", { TEXT(filename), SIGNED(pid), SIGNED(old_pid) } },
	{ 238, "sched:sched_process_exit", { TEXT(comm), SIGNED(pid), SIGNED(tgid), SIGNED(prio) } },
	{ 239,
	  "sched:sched_process_fork",
	  { TEXT(parent_comm), SIGNED(parent_pid), TEXT(child_comm), SIGNED(child_pid) } },
	{ 240, "sched:sched_process_free", { TEXT(comm), SIGNED(pid), SIGNED(prio) } },
	{ 241, "sched:sched_process_hang", { TEXT(comm), SIGNED(pid) } },
	{ 242, "sched:sched_process_wait", { TEXT(comm), SIGNED(pid), SIGNED(prio) } },
	{ 324, "signal:signal_deliver", { SIGNED(code), UNSIGNED(sa_flags), SIGNED(sig) } },
	{ 325,
	  "signal:signal_generate",
	  { SIGNED(code), TEXT(comm), SIGNED(group), SIGNED(pid), SIGNED(result), SIGNED(sig) } },
	{ 329, "raw_syscalls:sys_enter", { SIGNED(id), LIST(args) } },
	{ 330, "raw_syscalls:sys_exit", { SIGNED(id), SIGNED(ret) } },
	{ 353, "sched:sched_pi_setprio", { TEXT(comm), SIGNED(newprio), SIGNED(oldprio), SIGNED(pid) } },
	{ 491,
	  "sched:sched_migrate_task",
	  { TEXT(comm), SIGNED(pid), SIGNED(prio), SIGNED(orig_cpu), SIGNED(dest_cpu), SIGNED(running),
	    UNSIGNED(load) } },
	{ 540,
	  "sched:sched_wakeup_task_attr",
	  { SIGNED(pid), UNSIGNED(cpu_affinity), UNSIGNED(task_util), UNSIGNED(uclamp_min), UNSIGNED(vruntime) } },
	{ 546,
	  "block:block_io_start",
	  { UNSIGNED(dev), UNSIGNED(sector), UNSIGNED(nr_sector), UNSIGNED(bytes), UNSIGNED(ioprio), TEXT(rwbs),
	    TEXT(comm), TEXT(cmd) } },
	{ 547,
	  "block:block_io_done",
	  { UNSIGNED(dev), UNSIGNED(sector), UNSIGNED(nr_sector), UNSIGNED(bytes), UNSIGNED(ioprio), TEXT(rwbs),
	    TEXT(comm), TEXT(cmd) } },
	{ 551,
	  "timer:hrtimer_start",
	  { UNSIGNED(hrtimer), UNSIGNED(function), SIGNED(expires), SIGNED(softexpires), UNSIGNED(mode) } },
	{ 552, "timer:hrtimer_cancel", { UNSIGNED(hrtimer) } },
	{ 553, "timer:hrtimer_expire_entry", { UNSIGNED(hrtimer), SIGNED(now), UNSIGNED(function) } },
	{ 554, "timer:hrtimer_expire_exit", { UNSIGNED(hrtimer) } },
	{ 555,
	  "timer:timer_start",
	  { UNSIGNED(timer), UNSIGNED(function), UNSIGNED(expires), UNSIGNED(now), UNSIGNED(deferrable),
	    UNSIGNED(flags), UNSIGNED(bucket_expiry) } },
	{ 556, "timer:timer_cancel", { UNSIGNED(timer) } },
	{ 557,
	  "timer:timer_expire_entry",
	  { UNSIGNED(timer), UNSIGNED(now), UNSIGNED(function), UNSIGNED(baseclk) } },
	{ 558, "timer:timer_expire_exit", { UNSIGNED(timer) } },
	{ 559, "irq_vectors:local_timer_entry", { SIGNED(vector) } },
	{ 560, "irq_vectors:local_timer_exit", { SIGNED(vector) } },
	{ 604, "sched:sched_group_tracker", { TEXT(comm), SIGNED(pid), TEXT(group), SIGNED(group_num) } },
};

const struct ftrace_fact *ftrace_fact_of(uint32_t number)
{
	size_t low = 0, high = sizeof(facts) / sizeof(facts[0]);
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (facts[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < sizeof(facts) / sizeof(facts[0]) && facts[low].number == number ? &facts[low] : NULL;
}
