// SPDX-License-Identifier: MIT
/*
 * shape_table.c - the shapes of events whose fields cannot be told from "name=value" alone: those with texts that
 * may hold spaces, and those that print something else than the fields that they have.  Of several shapes of an
 * event the first that fits is it; "trace-cmd report" and perf write some in the shape of a plugin of
 * libtraceevent.
 */
#include <string.h>

#include "trace/lines/line_shape.h"

#define THREAD "comm={comm:text} pid={pid} prio={prio}"
#define REQUEST "{sector} + {nr_sector}"
#define ENTERED "({reason:text})"

static const struct shape_row rows[] = {
	{ "sched:sched_switch", "prev_comm={prev_comm:text} prev_pid={prev_pid} prev_prio={prev_prio} "
				"prev_state={prev_state:state} ==> "
				"next_comm={next_comm:text} next_pid={next_pid} next_prio={next_prio}" },
	{ "sched:sched_switch", "{prev_comm:text}:{prev_pid} [{prev_prio}] {prev_state:bits} ==> "
				"{next_comm:text}:{next_pid} [{next_prio}]" },
	{ "sched:sched_wakeup", THREAD " target_cpu={target_cpu}" },
	{ "sched:sched_wakeup", THREAD " success={success} target_cpu={target_cpu}" },
	{ "sched:sched_wakeup", "{comm:text}:{pid} [{prio}] success={success} CPU:{target_cpu}" },
	{ "sched:sched_wakeup", "{comm:text}:{pid} [{prio}] CPU:{target_cpu}" },
	{ "sched:sched_wakeup", "{comm:text}:{pid} [{prio}]<CANT FIND FIELD success> CPU:{target_cpu}" },
	{ "sched:sched_wakeup_new", THREAD " target_cpu={target_cpu}" },
	{ "sched:sched_wakeup_new", THREAD " success={success} target_cpu={target_cpu}" },
	{ "sched:sched_wakeup_new", "{comm:text}:{pid} [{prio}] success={success} CPU:{target_cpu}" },
	{ "sched:sched_wakeup_new", "{comm:text}:{pid} [{prio}] CPU:{target_cpu}" },
	{ "sched:sched_wakeup_new", "{comm:text}:{pid} [{prio}]<CANT FIND FIELD success> CPU:{target_cpu}" },
	{ "sched:sched_waking", THREAD " target_cpu={target_cpu}" },
	{ "sched:sched_waking", THREAD " success={success} target_cpu={target_cpu}" },
	{ "sched:sched_migrate_task", THREAD " orig_cpu={orig_cpu} dest_cpu={dest_cpu}" },
	{ "sched:sched_pi_setprio", "comm={comm:text} pid={pid} oldprio={oldprio} newprio={newprio}" },
	{ "sched:sched_process_fork", "comm={parent_comm:text} pid={parent_pid} "
				      "child_comm={child_comm:text} child_pid={child_pid}" },
	{ "sched:sched_process_exec", "filename={filename:text} pid={pid} old_pid={old_pid}" },
	{ "sched:sched_process_exit", THREAD " group_dead={group_dead:text}" },
	{ "sched:sched_process_exit", THREAD },
	{ "sched:sched_process_free", THREAD },
	{ "sched:sched_process_wait", THREAD },
	{ "sched:sched_wait_task", THREAD },
	{ "sched:sched_process_hang", "comm={comm:text} pid={pid}" },
	{ "sched:sched_kthread_stop", "comm={comm:text} pid={pid}" },
	{ "sched:sched_stat_runtime",
	  "comm={comm:text} pid={pid} runtime={runtime} [ns] vruntime={vruntime} [ns]" },
	{ "sched:sched_stat_runtime", "comm={comm:text} pid={pid} runtime={runtime} [ns]" },
	{ "sched:sched_stat_wait", "comm={comm:text} pid={pid} delay={delay} [ns]" },
	{ "sched:sched_stat_sleep", "comm={comm:text} pid={pid} delay={delay} [ns]" },
	{ "sched:sched_stat_iowait", "comm={comm:text} pid={pid} delay={delay} [ns]" },
	{ "sched:sched_stat_blocked", "comm={comm:text} pid={pid} delay={delay} [ns]" },
	{ "sched:sched_prepare_exec", "interp={interp:text} filename={filename:text} pid={pid} comm={comm:text}" },

	{ "irq:irq_handler_entry", "irq={irq} name={name:text}" },
	{ "irq:irq_handler_exit", "irq={irq} ret={ret:text}" },
	{ "irq:softirq_raise", "vec={vec} [action={:text}]" },
	{ "irq:softirq_entry", "vec={vec} [action={:text}]" },
	{ "irq:softirq_exit", "vec={vec} [action={:text}]" },
	{ "irq:tasklet_entry", "tasklet={tasklet} function={func:text}" },
	{ "irq:tasklet_exit", "tasklet={tasklet} function={func:text}" },

	{ "power:cpu_frequency", "state={state} cpu_id={cpu_id}" },
	{ "power:cpu_idle", "state={state} cpu_id={cpu_id}" },

	{ "raw_syscalls:sys_enter", "NR {id} ({args:text})" },
	{ "raw_syscalls:sys_exit", "NR {id} = {ret}" },

	{ "block:block_rq_insert", "{dev:device} {rwbs:text} {bytes} ({cmd:text}) " REQUEST },
	{ "block:block_rq_issue", "{dev:device} {rwbs:text} {bytes} ({cmd:text}) " REQUEST },
	{ "block:block_rq_merge", "{dev:device} {rwbs:text} {bytes} ({cmd:text}) " REQUEST },
	{ "block:block_io_start", "{dev:device} {rwbs:text} {bytes} ({cmd:text}) " REQUEST },
	{ "block:block_io_done", "{dev:device} {rwbs:text} {bytes} ({cmd:text}) " REQUEST },
	{ "block:block_rq_complete", "{dev:device} {rwbs:text} ({cmd:text}) " REQUEST " [{error}]" },
	{ "block:block_rq_complete", "{dev:device} {rwbs:text} ({cmd:text}) " REQUEST " {:text} [{error}]" },
	{ "block:block_rq_requeue", "{dev:device} {rwbs:text} ({cmd:text}) " REQUEST },
	{ "block:block_rq_error", "{dev:device} {rwbs:text} ({cmd:text}) " REQUEST },
	{ "block:block_bio_queue", "{dev:device} {rwbs:text} " REQUEST " [{comm:text}]" },
	{ "block:block_bio_complete", "{dev:device} {rwbs:text} " REQUEST " [{error}]" },
	{ "block:block_bio_backmerge", "{dev:device} {rwbs:text} " REQUEST " [{comm:text}]" },
	{ "block:block_bio_frontmerge", "{dev:device} {rwbs:text} " REQUEST " [{comm:text}]" },
	{ "block:block_getrq", "{dev:device} {rwbs:text} " REQUEST " [{comm:text}]" },
	{ "block:block_split", "{dev:device} {rwbs:text} {sector} / {new_sector} [{comm:text}]" },
	{ "block:block_touch_buffer", "{dev:device} sector={sector} size={size}" },
	{ "block:block_dirty_buffer", "{dev:device} sector={sector} size={size}" },
	{ "block:block_plug", "[{comm:text}]" },
	{ "block:block_unplug", "[{comm:text}] {nr_rq}" },

	{ "ipi:ipi_entry", ENTERED },
	{ "ipi:ipi_exit", ENTERED },
	{ "ipi:ipi_raise", "target_mask={target_cpus:text} ({reason:text})" },

	{ "workqueue:workqueue_queue_work",
	  "work struct={work:hex} function={function:text} workqueue={workqueue:text} "
	  "req_cpu={req_cpu} cpu={cpu}" },
	{ "workqueue:workqueue_activate_work", "work struct {work:hex} function={function:text}" },
	{ "workqueue:workqueue_activate_work", "work struct {work:hex}" },
	{ "workqueue:workqueue_execute_start", "work struct {work:hex}: function {function:text}" },
	{ "workqueue:workqueue_execute_end", "work struct {work:hex}: function {function:text}" },
	{ "workqueue:workqueue_execute_end", "work struct {work:hex}" },

	{ "timer:timer_start", "timer={timer:hex} function={function:text} expires={expires} [timeout={:text}]" },
	{ "timer:timer_expire_entry", "timer={timer:hex} function={function:text} now={now} baseclk={baseclk}" },
	{ "timer:timer_expire_entry", "timer={timer:hex} function={function:text} now={now}" },
	{ "timer:timer_expire_entry", "timer={timer:hex} now={now}" },
	{ "timer:timer_expire_exit", "timer={timer:hex}" },
	{ "timer:timer_cancel", "timer={timer:hex}" },
	{ "timer:hrtimer_expire_entry", "hrtimer={hrtimer:hex} function={function:text} now={now}" },
	{ "timer:hrtimer_expire_entry", "hrtimer={hrtimer:hex} now={now}" },
	{ "timer:hrtimer_expire_exit", "hrtimer={hrtimer:hex}" },
	{ "timer:hrtimer_cancel", "hrtimer={hrtimer:hex}" },
	{ "timer:hrtimer_start", "hrtimer={hrtimer:hex} function={function:text} expires={expires} "
				 "softexpires={softexpires} mode={mode:text}" },

	{ "kvm:kvm_entry", "vcpu {vcpu_id}, rip {rip}" },
	{ "kvm:kvm_entry", "vcpu {vcpu_id}" },
	{ "kvm:kvm_entry", "PC: {vcpu_pc}" },
	{ "kvm:kvm_exit", "vcpu {vcpu_id} reason {exit_reason:text} rip {guest_rip}" },
	{ "kvm:kvm_exit", "reason {exit_reason:text} rip {guest_rip}" },
	{ "kvm:kvm_exit", "reason {exit_reason:text}" },
	{ "kvm:kvm_exit", "{exit_reason:text}: HSR_EC: {esr_ec} ({:text}), PC: {vcpu_pc}" },

	{ "lock:contention_begin", "{lock_addr:hex} (flags={flags:text})" },
	{ "lock:contention_end", "{lock_addr:hex} (ret={ret})" },

	{ "signal:signal_generate", "sig={sig} errno={errno} code={code} comm={comm:text} pid={pid} grp={group} "
				    "res={result}" },
	{ "signal:signal_deliver", "sig={sig} errno={errno} code={code} sa_handler={sa_handler:hex} "
				   "sa_flags={sa_flags:hex}" },
	{ "task:task_newtask", "pid={pid} comm={comm:text} clone_flags={clone_flags:hex} "
			       "oom_score_adj={oom_score_adj}" },
	{ "task:task_rename", "pid={pid} oldcomm={oldcomm:text} newcomm={newcomm:text} "
			      "oom_score_adj={oom_score_adj}" },

	{ "perf_fork", "({pid}:{tid}):({ppid}:{ptid})" },
	{ "perf_thread", "({pid}:{tid}):({ppid}:{ptid})" },
	{ "perf_exit", "({pid}:{tid}):({ppid}:{ptid})" },
	{ "perf_comm", "{comm:text}:{pid}/{tid}" },
	{ "perf_mmap", "{pid}/{tid}: [{start}({len}) @ {pgoff}]: {:text} {filename:text}" },
	{ "perf_mmap2", "{pid}/{tid}: [{start}({len})" },

	{ "ftrace:function", "{ip:text} <-- {parent_ip:text}" },
	{ "ftrace:function", "{ip:text} <-{parent_ip:text}" },
	{ "ftrace:print", "{buf:text}" },
	{ "ftrace:tracing_mark_write", "{buf:text}" },
};

enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };

const struct shape_row *shape_row_find(const char *event, size_t size)
{
	bool is_whole = memchr(event, ':', size) != NULL;
	for (size_t i = 0; i < ROW_COUNT; i++) {
		const char *colon = strchr(rows[i].event, ':');
		const char *name = is_whole || colon == NULL ? rows[i].event : colon + 1;
		if (strlen(name) == size && memcmp(name, event, size) == 0)
			return &rows[i];
	}
	return NULL;
}

const struct shape_row *shape_row_next(const struct shape_row *row)
{
	const struct shape_row *next = row + 1;
	return next < rows + ROW_COUNT && strcmp(next->event, row->event) == 0 ? next : NULL;
}
