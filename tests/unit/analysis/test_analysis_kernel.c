// SPDX-License-Identifier: MIT
/*
 * test_analysis_kernel.c - both versions of the kernel analysis, on events written by hand.
 */
#include "analysis_run.h"

static void begin(struct analysis_run *run)
{
	run_begin(run, &analysis_kernel, "lttng-modules", 2, 8, 0);
}

static void begin_2016(struct analysis_run *run)
{
	run_begin(run, &analysis_kernel_2016, "lttng-modules", 2, 8, 0);
}

static void switch_threads(struct analysis_run *run, histree_time time, int cpu, int prev, int prev_state, int next)
{
	char fields[RUN_TEXT_SIZE];
	snprintf(fields, sizeof(fields),
		 "prev_comm=p prev_tid=%d prev_prio=20 prev_state=%d next_comm=n next_tid=%d next_prio=20", prev,
		 prev_state, next);
	run_event(run, time, cpu, "sched_switch", fields);
}

/* ---- threads ------------------------------------------------------------------------------------------ */

static void a_switch_says_what_both_threads_and_the_cpu_do(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	run_event(&run, 10, 1, "sched_switch",
		  "prev_comm=swapper/1 prev_tid=0 prev_prio=20 prev_state=0 next_comm=sh next_tid=7 next_prio=21");
	run_event(&run, 20, 1, "sched_switch",
		  "prev_comm=sh prev_tid=7 prev_prio=22 prev_state=1 next_comm=swapper/1 next_tid=0 next_prio=20");
	run_end(&run, 30);
	run_expect(&run, "CPUs/1", "0 null, 10 int 2, 20 int 0");
	run_expect(&run, "CPUs/1/Current_thread", "0 null, 10 int 7, 20 int 0");
	run_expect(&run, "Threads/0_1", "0 null, 10 int 5, 20 int 2");
	run_expect(&run, "Threads/0_1/Exec_name", "0 null, 10 string swapper/1");
	run_expect(&run, "Threads/0_1/Current_cpu_rq", "0 null, 10 int 1");
	run_expect(&run, "Threads/7", "0 null, 10 int 2, 20 int 1");
	run_expect(&run, "Threads/7/Current_cpu_rq", "0 null, 10 int 1, 20 null");
	run_expect(&run, "Threads/7/Exec_name", "0 null, 10 string sh");
	run_expect(&run, "Threads/7/Prio", "0 null, 10 int 21, 20 int 22");
	run_expect(&run, "Threads/7/System_call", "0 null");
	run_expect_absent(&run, "Threads/7/PPID");
	run_release(&run);
}

static void the_task_state_decides_what_a_thread_does_off_the_cpu(void **state)
{
	(void)state;
	static const struct {
		int task_state;
		const char *states;
	} rows[] = {
		{ 0, "0 null, 10 int 5" },      { 1, "0 null, 10 int 1" },
		{ 2, "0 null, 10 int 1" },      { 64, "0 null" },
		{ 16, "0 null, 10 int 6" },     { 128 | 2, "0 null, 10 int 1" },
		{ 0x400, "0 null, 10 int 5" },  { 256, "0 null, 10 int 6" },
		{ 64 | 1, "0 null, 10 int 1" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct analysis_run run;
		begin(&run);
		switch_threads(&run, 10, 0, 8, rows[i].task_state, 9);
		run_end(&run, 20);
		run_expect(&run, "Threads/8", rows[i].states);
		run_release(&run);
	}
}

static void a_thread_that_is_switched_in_goes_on_with_its_system_call(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	switch_threads(&run, 10, 0, 8, 0, 9);
	run_event(&run, 20, 0, "syscall_entry_read", "fd=1");
	switch_threads(&run, 30, 0, 9, 1, 8);
	switch_threads(&run, 40, 0, 8, 0, 9);
	run_event(&run, 50, 0, "syscall_exit_read", "ret=0");
	run_end(&run, 60);
	run_expect(&run, "Threads/9", "0 null, 10 int 2, 20 int 3, 30 int 1, 40 int 3, 50 int 2");
	run_expect(&run, "Threads/9/System_call", "0 null, 20 string read, 50 null");
	run_expect(&run, "CPUs/0", "0 null, 10 int 2, 20 int 4, 30 int 2, 40 int 4, 50 int 2");
	run_release(&run);
}

static void a_child_takes_over_what_its_parent_does(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	switch_threads(&run, 10, 3, 8, 0, 9);
	run_event(&run, 20, 3, "syscall_entry_clone", "");
	run_event(&run, 30, 3, "sched_process_fork", "parent_tid=9 child_tid=10 child_pid=9 child_comm=worker");
	run_event(&run, 40, 3, "sched_process_fork", "parent_tid=1 child_tid=11 child_pid=11 child_comm=other");
	run_end(&run, 50);
	run_expect(&run, "Threads/10", "0 null, 30 int 5");
	run_expect(&run, "Threads/10/PPID", "0 null, 30 int 9");
	run_expect(&run, "Threads/10/PID", "0 null, 30 int 9");
	run_expect(&run, "Threads/10/Exec_name", "0 null, 30 string worker");
	run_expect(&run, "Threads/10/Current_cpu_rq", "0 null, 30 int 3");
	run_expect(&run, "Threads/10/System_call", "0 null, 30 string clone");
	/* Of the other's parent nothing is known: neither a run queue nor a system call. */
	run_expect(&run, "Threads/11/PPID", "0 null, 40 int 1");
	run_expect(&run, "Threads/1/System_call", "0 null");
	run_expect_absent(&run, "Threads/11/PID");
	run_expect_absent(&run, "Threads/11/Current_cpu_rq");
	run_expect_absent(&run, "Threads/11/System_call");
	run_release(&run);
}

static void a_freed_thread_leaves_nothing(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	switch_threads(&run, 10, 0, 8, 0, 9);
	switch_threads(&run, 20, 0, 9, 64, 8);
	run_event(&run, 30, 0, "sched_process_exit", "comm=n tid=9 prio=20");
	run_event(&run, 40, 0, "sched_process_free", "comm=n tid=9 prio=20");
	run_event(&run, 50, 0, "sched_process_free", "comm=n tid=77 prio=20");
	run_end(&run, 60);
	run_expect(&run, "Threads/9", "0 null, 10 int 2, 20 null");
	run_expect(&run, "Threads/9/Exec_name", "0 null, 10 string n, 20 string p, 40 null");
	run_expect(&run, "Threads/9/Prio", "0 null, 10 int 20, 40 null");
	run_expect(&run, "Threads/77", "0 null");
	run_release(&run);
}

static void a_wake_up_makes_a_thread_wait_unless_it_runs(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	run_event(&run, 10, 0, "sched_waking", "tid=5 prio=30 target_cpu=2");
	switch_threads(&run, 20, 2, 6, 0, 5);
	run_event(&run, 30, 0, "sched_wakeup", "tid=5 prio=31 target_cpu=3");
	run_event(&run, 40, 0, "sched_wakeup_new", "tid=7 prio=20 target_cpu=0");
	run_event(&run, 50, -1, "sched_wakeup", "tid=0 prio=20 target_cpu=0");
	run_end(&run, 60);
	run_expect(&run, "Threads/5", "0 null, 10 int 5, 20 int 2");
	run_expect(&run, "Threads/5/Current_cpu_rq", "0 null, 10 int 2, 30 int 3");
	run_expect(&run, "Threads/5/Prio", "0 null, 10 int 30, 20 int 20, 30 int 31");
	run_expect(&run, "Threads/7", "0 null, 40 int 5");
	run_expect_absent(&run, "Threads/0");
	run_expect_absent(&run, "Threads/0_-1");
	run_release(&run);
}

static void a_migration_moves_a_thread_but_no_idle_one(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	switch_threads(&run, 10, 0, 6, 0, 5);
	run_event(&run, 20, 0, "sched_migrate_task", "comm=x tid=5 prio=20 orig_cpu=0 dest_cpu=4");
	run_event(&run, 30, 1, "sched_migrate_task", "comm=x tid=0 prio=20 orig_cpu=0 dest_cpu=4");
	run_end(&run, 40);
	run_expect(&run, "Threads/5", "0 null, 10 int 2, 20 int 5");
	run_expect(&run, "Threads/5/Current_cpu_rq", "0 null, 10 int 0, 20 int 4");
	run_expect_absent(&run, "Threads/0_1");
	run_release(&run);
}

static void priorities_change_by_event(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	run_event(&run, 10, 2, "sched_pi_setprio", "comm=x tid=5 oldprio=20 newprio=-3");
	run_event(&run, 20, 2, "sched_pi_setprio", "comm=x tid=0 oldprio=20 newprio=19");
	run_end(&run, 30);
	run_expect(&run, "Threads/5/Prio", "0 null, 10 int -3");
	run_expect(&run, "Threads/0_2/Prio", "0 null, 20 int 19");
	run_release(&run);
}

static void a_state_dump_tells_only_what_is_not_known(void **state)
{
	(void)state;
	static const char *const statuses[] = { "0 null, 20 int 0", "0 null, 20 int 7", "0 null, 20 int 5",
						"0 null, 20 int 0", "0 null, 20 int 0", "0 null, 20 int 6",
						"0 null, 20 int 2", "0 null",           "0 null, 20 int 0" };
	struct analysis_run run;
	begin(&run);
	switch_threads(&run, 10, 0, 90, 0, 91);
	for (int status = 0; status < 9; status++) {
		char fields[RUN_TEXT_SIZE];
		snprintf(fields, sizeof(fields), "tid=%d pid=%d ppid=1 name=d status=%d cpu=2", 20 + status,
			 20 + status / 2 * 2, status);
		run_event(&run, 20, 0, "lttng_statedump_process_state", fields);
	}
	run_event(&run, 20, 0, "lttng_statedump_process_state", "tid=91 pid=90 ppid=3 name=d status=2 cpu=2");
	run_end(&run, 30);
	for (int status = 0; status < 9; status++) {
		char path[64];
		snprintf(path, sizeof(path), "Threads/%d", 20 + status);
		run_expect(&run, path, statuses[status]);
	}
	run_expect(&run, "Threads/20/PPID", "0 null, 20 int 1");
	run_expect(&run, "Threads/20/Exec_name", "0 null, 20 string d");
	run_expect_absent(&run, "Threads/20/PID");
	run_expect(&run, "Threads/21/PID", "0 null, 20 int 20");
	run_expect(&run, "Threads/22/Current_cpu_rq", "0 null, 20 int 2");
	run_expect_absent(&run, "Threads/25/Current_cpu_rq");
	run_expect(&run, "Threads/91", "0 null, 10 int 2");
	run_expect(&run, "Threads/91/Exec_name", "0 null, 10 string n");
	run_expect(&run, "Threads/91/PID", "0 null, 20 int 90");
	run_expect(&run, "Threads/91/Current_cpu_rq", "0 null, 10 int 0");
	run_release(&run);
}

/* ---- interrupts --------------------------------------------------------------------------------------- */

static void interrupts_nest(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	switch_threads(&run, 10, 2, 8, 0, 9);
	run_event(&run, 20, 2, "irq_softirq_raise", "vec=4");
	run_event(&run, 30, 2, "irq_softirq_entry", "vec=4");
	run_event(&run, 40, 2, "irq_handler_entry", "irq=16 name=a/b");
	run_event(&run, 50, 2, "irq_softirq_raise", "vec=4");
	run_event(&run, 60, 2, "irq_handler_exit", "irq=16 ret=1");
	run_event(&run, 70, 2, "irq_softirq_exit", "vec=4");
	run_event(&run, 80, 2, "irq_softirq_entry", "vec=4");
	run_event(&run, 90, 2, "irq_softirq_exit", "vec=4");
	run_end(&run, 100);
	run_expect(&run, "CPUs/2/IRQs/16\\/a\\/b", "0 null, 40 int 2, 60 null");
	run_expect(&run, "IRQs/16\\/a\\/b", "0 null, 40 int 2, 60 null");
	run_expect(&run, "CPUs/2/Soft_IRQs/4", "0 null, 20 int 1, 30 int 8, 50 int 9, 70 int 1, 80 int 8, 90 null");
	run_expect(&run, "CPUs/2", "0 null, 10 int 2, 30 int 8, 40 int 16, 60 int 8, 70 int 2, 80 int 8, 90 int 2");
	/* An interrupt that ends lets the thread run, even inside a softirq; a softirq only when all are done. */
	run_expect(&run, "Threads/9", "0 null, 10 int 2, 30 int 4, 60 int 2, 80 int 4, 90 int 2");
	run_release(&run);
}

static void softirqs_of_all_cpus_have_a_total(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	run_event(&run, 10, 0, "irq_softirq_raise", "vec=7");
	run_event(&run, 20, 1, "irq_softirq_raise", "vec=7");
	run_event(&run, 30, 1, "irq_softirq_entry", "vec=7");
	run_event(&run, 40, 1, "irq_softirq_raise", "vec=7");
	run_event(&run, 50, 0, "irq_softirq_entry", "vec=7");
	run_event(&run, 60, 1, "irq_softirq_exit", "vec=7");
	run_event(&run, 70, 0, "irq_softirq_exit", "vec=7");
	run_event(&run, 80, 1, "irq_softirq_entry", "vec=7");
	run_event(&run, 90, 1, "irq_softirq_exit", "vec=7");
	run_event(&run, 95, 3, "irq_softirq_exit", "vec=7");
	run_end(&run, 100);
	run_expect(&run, "Soft_IRQs/7",
		   "0 null, 10 int 1, 30 int 8, 40 int 9, 60 int 8, 70 int 1, 80 int 8, 90 null");
	run_expect(&run, "CPUs/3/Soft_IRQs/7", "0 null");
	run_release(&run);
}

static void an_interrupt_that_began_before_the_trace_changes_nothing(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	run_event(&run, 10, 0, "irq_handler_exit", "irq=5 ret=1");
	run_event(&run, 20, 0, "syscall_exit_read", "ret=1");
	run_event(&run, 30, 0, "irq_handler_entry", "irq=5 name=eth0");
	run_event(&run, 40, 0, "irq_handler_exit", "irq=6 ret=1");
	run_end(&run, 50);
	run_expect(&run, "CPUs/0", "0 null, 20 int 2, 30 int 16");
	run_expect(&run, "CPUs/0/IRQs", "0 null");
	run_expect(&run, "CPUs/0/IRQs/5\\/eth0", "0 null, 30 int 0");
	run_expect(&run, "Threads/-1", "0 null, 20 int 2, 30 int 4");
	run_expect_absent(&run, "IRQs/6");
	run_release(&run);
}

static void vectors_have_no_name(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	switch_threads(&run, 10, 0, 8, 0, 9);
	run_event(&run, 20, 0, "x86_irq_vectors_local_timer_entry", "vector=239");
	run_event(&run, 30, 0, "irq_handler_exit", "irq=239 ret=1");
	run_event(&run, 40, 0, "x86_irq_vectors_local_timer_exit", "vector=239");
	run_end(&run, 50);
	run_expect(&run, "CPUs/0/IRQs/239", "0 null, 20 int 0, 40 null");
	run_expect(&run, "IRQs/239", "0 null, 20 int 0, 40 null");
	run_expect(&run, "CPUs/0", "0 null, 10 int 2, 20 int 16, 40 int 2");
	run_release(&run);
}

static void frequencies_have_extremes_for_the_whole_history(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	run_event(&run, 10, 0, "power_cpu_frequency", "state=1200000 cpu_id=3");
	run_event(&run, 20, 0, "power_cpu_frequency", "state=3400000 cpu_id=3");
	run_event(&run, 30, 0, "power_cpu_frequency", "state=800000 cpu_id=3");
	run_event(&run, 40, 0, "power_cpu_frequency", "state=9223372036854775807 cpu_id=3");
	run_end(&run, 50);
	run_expect(&run, "CPUs/3/Frequency", "0 null, 10 long 1200000000, 20 long 3400000000, 30 long 800000000");
	run_expect(&run, "CPUs/3/Min frequency", "0 long 800000000");
	run_expect(&run, "CPUs/3/Max frequency", "0 long 3400000000");
	run_expect_absent(&run, "CPUs/0");
	run_release(&run);
}

/* ---- names of events ---------------------------------------------------------------------------------- */

static void each_layout_has_its_names(void **state)
{
	(void)state;
	static const struct {
		const char *tracer;
		int minor;
		const char *entry, *exit, *raise;
		const char *other_entry, *other_raise;
	} rows[] = {
		{ "lttng-modules", 1, "sys_open", "exit_syscall", "softirq_raise", "syscall_entry_open",
		  "irq_softirq_raise" },
		{ "lttng-modules", 5, "compat_sys_open", "exit_syscall", "softirq_raise", "syscall_entry_open",
		  "irq_softirq_raise" },
		{ "lttng-modules", 6, "syscall_entry_open", "syscall_exit_open", "softirq_raise", "sys_open",
		  "irq_softirq_raise" },
		{ "lttng-modules", 7, "compat_syscall_entry_open", "compat_syscall_exit_open", "irq_softirq_raise",
		  "sys_open", "softirq_raise" },
		{ "lttng-modules", 13, "syscall_entry_open", "syscall_exit_open", "irq_softirq_raise", "sys_open",
		  "softirq_raise" },
		{ "perf", -1, "syscalls:sys_enter_open", "syscalls:sys_exit_open", "irq:softirq_raise",
		  "syscall_entry_open", "softirq_raise" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct analysis_run run;
		run_begin(&run, &analysis_kernel, rows[i].tracer, 2, rows[i].minor, 0);
		run_event(&run, 10, 0, rows[i].entry, "");
		run_event(&run, 20, 0, rows[i].exit, "ret=0");
		run_event(&run, 30, 0, rows[i].other_entry, "");
		run_event(&run, 40, 0, rows[i].raise, "vec=1");
		run_event(&run, 50, 0, rows[i].other_raise, "vec=2");
		run_end(&run, 60);
		run_expect(&run, "Threads/-1/System_call", "0 null, 10 string open, 20 null");
		run_expect(&run, "CPUs/0/Soft_IRQs/1", "0 null, 40 int 1");
		run_expect_absent(&run, "CPUs/0/Soft_IRQs/2");
		run_release(&run);
	}
}

static void perf_calls_a_tid_a_pid(void **state)
{
	(void)state;
	struct analysis_run run;
	run_begin(&run, &analysis_kernel, "perf", -1, -1, 0);
	run_event(
		&run, 10, 1, "sched:sched_switch",
		"prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=0 next_comm=sh next_pid=7 next_prio=120");
	run_event(&run, 20, 1, "sched:sched_process_fork", "parent_comm=sh parent_pid=7 child_comm=sh child_pid=8");
	run_event(&run, 30, 1, "sched:sched_wakeup_new", "comm=sh pid=8 prio=120 target_cpu=0");
	run_event(&run, 40, 1, "sched:sched_migrate_task", "comm=sh pid=8 prio=120 orig_cpu=0 dest_cpu=2");
	run_event(&run, 50, 1, "sched:sched_pi_setprio", "comm=sh pid=8 oldprio=120 newprio=1");
	run_event(&run, 60, 1, "sched:sched_process_free", "comm=sh pid=8 prio=120");
	run_event(&run, 70, 1, "irq:irq_handler_entry", "irq=36 name=virtio1");
	run_event(&run, 80, 1, "irq:irq_handler_exit", "irq=36 ret=1");
	run_event(&run, 85, 1, "irq:softirq_entry", "vec=4");
	run_event(&run, 90, 1, "irq:softirq_exit", "vec=4");
	run_event(&run, 95, 1, "power:cpu_frequency", "state=1000 cpu_id=0");
	run_end(&run, 100);
	run_expect(&run, "CPUs/1", "0 null, 10 int 2, 70 int 16, 80 int 2, 85 int 8, 90 int 2");
	run_expect(&run, "Threads/8", "0 null, 20 int 5, 60 null");
	run_expect(&run, "Threads/8/PPID", "0 null, 20 int 7, 60 null");
	run_expect(&run, "Threads/8/Prio", "0 null, 30 int 120, 50 int 1, 60 null");
	run_expect(&run, "Threads/8/Current_cpu_rq", "0 null, 20 int 1, 30 int 0, 40 int 2, 60 null");
	run_expect_absent(&run, "Threads/8/PID");
	run_expect(&run, "IRQs/36\\/virtio1", "0 null, 70 int 1, 80 null");
	run_expect(&run, "CPUs/0/Frequency", "0 null, 95 long 1000000");
	run_release(&run);
}

static void system_calls_are_named_by_number_and_machine(void **state)
{
	(void)state;
	static const struct {
		const char *machine, *states;
	} rows[] = {
		{ "x86_64", "0 null, 10 string openat, 20 null, 30 string openat, 40 string syscall_99999" },
		{ "i686", "0 null, 10 string remap_file_pages, 20 null, 30 string remap_file_pages, 40 string "
			  "syscall_99999" },
		{ "", "0 null, 10 string syscall_257, 20 null, 30 string syscall_257, 40 string syscall_99999" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct analysis_run run;
		run_begin(&run, &analysis_kernel, "perf", -1, -1, 0);
		run.events.trace.machine = rows[i].machine;
		run_event(&run, 10, 0, "raw_syscalls:sys_enter", "id=257");
		run_event(&run, 20, 0, "raw_syscalls:sys_exit", "id=257 ret=3");
		run_event(&run, 30, 0, "raw_syscalls:sys_enter", "id=257");
		run_event(&run, 40, 0, "raw_syscalls:sys_enter", "id=99999");
		run_event(&run, 50, 0, "raw_syscalls:sys_enter", "id=-1");
		run_end(&run, 60);
		char expected[RUN_TEXT_SIZE];
		snprintf(expected, sizeof(expected), "%s, 50 string syscall_-1", rows[i].states);
		run_expect(&run, "Threads/-1/System_call", expected);
		run_release(&run);
	}
}

/* An experiment may hold traces of programs as well, and any name can occur there. */
static void events_of_programs_are_not_the_kernels(void **state)
{
	(void)state;
	struct analysis_run run;
	run_begin(&run, &analysis_kernel, "lttng-ust", 2, 8, 0);
	run_event(&run, 10, 0, "syscall_entry_read", "");
	run_end(&run, 20);
	assert_int_equal(run.history.attribute_count, 0);
	run_release(&run);
}

static void only_kernel_traces_are_for_the_kernel_analysis(void **state)
{
	(void)state;
	struct event_trace trace = { .domain = "kernel", .tracer_name = "lttng-modules" };
	assert_true(analysis_kernel.applies(&trace));
	assert_true(analysis_kernel_2016.applies(&trace));
	trace = (struct event_trace){ .domain = "ust", .tracer_name = "lttng-ust" };
	assert_false(analysis_kernel.applies(&trace));
	trace = (struct event_trace){ .domain = "", .tracer_name = "perf" };
	assert_true(analysis_kernel.applies(&trace));
}

/* ---- odd traces --------------------------------------------------------------------------------------- */

static void a_clock_that_steps_back_replaces_the_ongoing_value(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	run_event(&run, 100, 0, "syscall_entry_read", "");
	run_event(&run, 90, 0, "syscall_exit_read", "");
	run_event(&run, 95, 0, "syscall_entry_write", "");
	run_end(&run, 200);
	run_expect(&run, "Threads/-1", "0 null, 100 int 3");
	run_expect(&run, "Threads/-1/System_call", "0 null, 100 string write");
	assert_int_equal(analysis_kernel.refused(run.instance), 0);
	run_release(&run);
}

static void odd_events_say_nothing(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	run_event(&run, 10, -1, "syscall_entry_read", "");
	run_event(&run, 10, INT32_MIN, "irq_softirq_raise", "vec=1");
	run_event(&run, 10, 0, "sched_waking", "tid=5 prio=20");
	run_event(&run, 10, 0, "sched_wakeup", "tid=text prio=20 target_cpu=1");
	run_event(&run, 10, 0, "sched_process_free", "");
	run_event(&run, 10, -1, "sched_pi_setprio", "tid=0 newprio=3");
	run_event(&run, 10, 0, "power_cpu_frequency", "state=1 cpu_id=-4");
	run_event(&run, 10, 0, "some_other_event", "tid=5");
	run_end(&run, 20);
	assert_int_equal(run.history.attribute_count, 0);
	run_release(&run);
}

static void huge_numbers_are_names_like_others(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	run_event(&run, 10, INT32_MAX, "irq_handler_entry", "irq=2147483647 name=x");
	run_event(&run, 20, INT32_MAX, "irq_handler_exit", "irq=2147483647");
	run_event(&run, 30, 0, "irq_softirq_entry", "vec=-1");
	run_event(&run, 40, 0, "sched_pi_setprio", "tid=-2147483648 newprio=99999999999");
	run_end(&run, 50);
	run_expect(&run, "CPUs/2147483647/IRQs/2147483647\\/x", "0 null, 10 int 2147483647, 20 null");
	run_expect(&run, "Soft_IRQs/-1", "0 null, 30 int 8");
	run_expect(&run, "Threads/-2147483648/Prio", "0 null, 40 int 1215752191");
	run_release(&run);
}

static void a_refused_change_ends_its_event_and_is_counted(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	histree_quark prio;
	assert_int_equal(histree_state_attribute(run.system, HISTREE_ROOT, "Threads/5/Prio", &prio, NULL),
			 HISTREE_OK);
	assert_int_equal(histree_state_modify(run.system, 1, prio, histree_string("high"), NULL), HISTREE_OK);
	switch_threads(&run, 10, 0, 4, 0, 5);
	run_event(&run, 20, 0, "sched_waking", "tid=6 prio=20 target_cpu=0");
	assert_int_equal(analysis_kernel.refused(run.instance), 1);
	run_end(&run, 30);
	run_expect(&run, "Threads/5", "0 null, 10 int 2");
	run_expect(&run, "Threads/5/Prio", "0 null, 1 string high");
	run_expect_absent(&run, "CPUs/0/Current_thread");
	run_expect(&run, "Threads/6/Prio", "0 null, 20 int 20");
	run_release(&run);
}

static void a_name_too_long_for_a_node_is_refused(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	run.system->sink.value_size_max = 8;
	run_event(&run, 10, 0, "syscall_entry_a_name_of_more_than_eight", "");
	run_event(&run, 20, 0, "syscall_entry_short", "");
	assert_int_equal(analysis_kernel.refused(run.instance), 1);
	run_end(&run, 30);
	run_expect(&run, "Threads/-1/System_call", "0 null, 20 string short");
	run_release(&run);
}

static enum histree_status fail_to_add(void *context, const struct histree_interval *interval,
				       struct histree_error *error)
{
	(void)context;
	(void)interval;
	error->status = HISTREE_ERR_IO;
	snprintf(error->message, sizeof(error->message), "disk full");
	return HISTREE_ERR_IO;
}

static void a_full_disk_ends_the_build(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	run.system->sink.add = fail_to_add;
	assert_int_equal(run_try(&run, 10, 0, "syscall_entry_read", ""), HISTREE_ERR_IO);
	assert_string_equal(run.error.message, "disk full");
	assert_int_equal(analysis_kernel.refused(run.instance), 0);
	run_release(&run);
}

/* ---- 2016 --------------------------------------------------------------------------------------------- */

static void the_2016_version_has_other_attributes(void **state)
{
	(void)state;
	struct analysis_run run;
	begin_2016(&run);
	switch_threads(&run, 10, 3, 0, 0, 9);
	run_event(&run, 20, 3, "syscall_entry_read", "");
	run_event(&run, 30, 3, "sched_process_fork", "parent_tid=9 child_tid=10 child_pid=9 child_comm=w");
	run_event(&run, 40, 3, "syscall_exit_read", "");
	run_event(&run, 50, 3, "sched_wakeup", "tid=10 prio=20 target_cpu=1");
	run_event(&run, 60, 3, "sched_waking", "tid=11 prio=20 target_cpu=1");
	run_event(&run, 60, 3, "sched_migrate_task", "tid=12 prio=20 orig_cpu=1 dest_cpu=2");
	switch_threads(&run, 70, 3, 9, 1, 0);
	run_event(&run, 80, 3, "sched_process_free", "comm=n tid=10 prio=20");
	run_end(&run, 90);
	run_expect(&run, "CPUs/3", "0 null");
	run_expect(&run, "CPUs/3/Status", "0 null, 10 int 2, 20 int 4, 40 int 2, 70 int 0");
	run_expect(&run, "Threads/9", "0 null");
	run_expect(&run, "Threads/9/Status", "0 null, 10 int 2, 20 int 3, 40 int 2, 70 int 1");
	run_expect(&run, "Threads/9/System_call", "0 null, 20 string syscall_entry_read, 40 null");
	run_expect(&run, "Threads/9/PPID", "0 null");
	run_expect(&run, "Threads/10/Status", "0 null, 30 int 5, 80 null");
	run_expect(&run, "Threads/10/System_call", "0 null, 30 string syscall_entry_read, 80 null");
	run_expect_absent(&run, "Threads/10/PID");
	run_expect_absent(&run, "Threads/9/Current_cpu_rq");
	run_expect_absent(&run, "Threads/11");
	run_expect_absent(&run, "Threads/12");
	run_release(&run);
}

static void the_2016_version_keeps_its_error_of_interrupts(void **state)
{
	(void)state;
	struct analysis_run run;
	begin_2016(&run);
	switch_threads(&run, 10, 3, 8, 0, 9);
	run_event(&run, 20, 3, "irq_handler_entry", "irq=1 name=a");
	run_event(&run, 30, 3, "irq_handler_entry", "irq=2 name=b");
	run_event(&run, 40, 3, "irq_handler_exit", "irq=2 ret=1");
	run_event(&run, 50, 3, "irq_softirq_raise", "vec=1");
	run_event(&run, 60, 3, "irq_handler_exit", "irq=1 ret=1");
	run_event(&run, 70, 3, "irq_softirq_entry", "vec=1");
	run_event(&run, 80, 3, "irq_softirq_exit", "vec=1");
	run_event(&run, 85, 3, "irq_handler_exit", "irq=77 ret=1");
	run_end(&run, 90);
	run_expect(&run, "CPUs/3/IRQs/1", "0 null, 20 int 3, 60 null");
	run_expect(&run, "CPUs/3/IRQs/77", "0 null");
	run_expect(&run, "CPUs/3/Status", "0 null, 10 int 2, 20 int 16, 40 int 3, 60 int 1, 70 int 8, 80 int 2");
	run_expect(&run, "Threads/9/Status", "0 null, 10 int 2, 20 int 4, 40 int 2, 70 int 4, 80 int 2");
	run_expect_absent(&run, "IRQs");
	run_expect_absent(&run, "Soft_IRQs");
	run_release(&run);
}

static void the_2016_version_reads_a_state_dump_its_own_way(void **state)
{
	(void)state;
	struct analysis_run run;
	begin_2016(&run);
	run_event(&run, 10, 0, "lttng_statedump_process_state", "tid=5 pid=5 ppid=1 name=d status=5");
	run_event(&run, 10, 0, "lttng_statedump_process_state", "tid=6 pid=5 ppid=1 name=d status=2");
	run_event(&run, 10, 0, "lttng_statedump_process_state", "tid=7 pid=5 ppid=1 name=d status=7");
	run_end(&run, 20);
	run_expect(&run, "Threads/5/PPID", "0 null, 10 int 1");
	run_expect(&run, "Threads/5/Status", "0 null, 10 int 6");
	run_expect(&run, "Threads/6/PPID", "0 null, 10 int 5");
	run_expect(&run, "Threads/6/Status", "0 null, 10 int 5");
	run_expect(&run, "Threads/7/Status", "0 null, 10 int 0");
	run_expect_absent(&run, "Threads/6/PID");
	run_release(&run);
}

/* ---- gaps --------------------------------------------------------------------------------------------- */

static void a_gap_leaves_in_doubt_what_does_not_run_elsewhere(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	switch_threads(&run, 10, 0, 8, 1, 9);
	switch_threads(&run, 20, 1, 5, 1, 6);
	run_event(&run, 25, 0, "syscall_entry_read", "fd=1");
	run_event(&run, 26, 0, "irq_handler_entry", "irq=3 name=disk");
	run_event(&run, 27, 0, "irq_handler_exit", "irq=3 ret=1");
	run_gap(&run, 30, 50, 0);
	switch_threads(&run, 40, 1, 6, 1, 7); /* the gap is still open: 6 may go on where nothing is seen */
	run_event(&run, 60, 0, "syscall_exit_read", "ret=0");
	switch_threads(&run, 70, 0, 9, 1, 6);
	run_end(&run, 80);
	run_expect(&run, "CPUs/0/Current_thread", "0 null, 10 int 9, 30 unknown , 70 int 6");
	run_expect(&run, "CPUs/0",
		   "0 null, 10 int 2, 25 int 4, 26 int 16, 27 int 4, 30 unknown , 60 int 2, 70 unknown ");
	run_expect(&run, "CPUs/0/IRQs/3\\/disk", "0 null, 26 int 0, 27 null, 30 unknown , 60 null");
	run_expect(&run, "CPUs/1", "0 null, 20 int 2, 40 unknown "); /* 7 may be in a system call */
	run_expect(&run, "CPUs/1/Current_thread", "0 null, 20 int 6, 40 int 7");
	run_expect(&run, "Threads/8", "0 null, 10 int 1, 30 unknown ");
	run_expect(&run, "Threads/5", "0 null, 20 int 1, 30 unknown ");
	run_expect(&run, "Threads/9/System_call", "0 null, 25 string read, 30 unknown ");
	run_expect(&run, "Threads/9/Exec_name", "0 null, 10 string n, 70 string p");
	run_expect(&run, "Threads/6", "0 null, 20 int 2, 40 unknown ");
	run_expect(&run, "Threads/7/Current_cpu_rq", "0 null, 40 unknown ");
	run_release(&run);
}

static void the_dead_stay_dead_in_a_gap(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	switch_threads(&run, 10, 0, 8, 64, 9);
	run_event(&run, 15, 0, "sched_process_free", "comm=p tid=8 prio=20");
	run_gap(&run, 20, 30, 0);
	switch_threads(&run, 40, 0, 8, 1, 9);
	run_end(&run, 50);
	run_expect(&run, "Threads/8", "0 null, 40 int 1");
	run_expect(&run, "Threads/8/Prio", "0 null, 10 int 20, 15 null, 40 int 20");
	/* It may have begun a system call in the gap. */
	run_expect(&run, "Threads/8/System_call", "0 null, 40 unknown ");
	run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_switch_says_what_both_threads_and_the_cpu_do),
		cmocka_unit_test(the_task_state_decides_what_a_thread_does_off_the_cpu),
		cmocka_unit_test(a_thread_that_is_switched_in_goes_on_with_its_system_call),
		cmocka_unit_test(a_child_takes_over_what_its_parent_does),
		cmocka_unit_test(a_freed_thread_leaves_nothing),
		cmocka_unit_test(a_wake_up_makes_a_thread_wait_unless_it_runs),
		cmocka_unit_test(a_migration_moves_a_thread_but_no_idle_one),
		cmocka_unit_test(priorities_change_by_event),
		cmocka_unit_test(a_state_dump_tells_only_what_is_not_known),
		cmocka_unit_test(interrupts_nest),
		cmocka_unit_test(softirqs_of_all_cpus_have_a_total),
		cmocka_unit_test(an_interrupt_that_began_before_the_trace_changes_nothing),
		cmocka_unit_test(vectors_have_no_name),
		cmocka_unit_test(frequencies_have_extremes_for_the_whole_history),
		cmocka_unit_test(each_layout_has_its_names),
		cmocka_unit_test(perf_calls_a_tid_a_pid),
		cmocka_unit_test(system_calls_are_named_by_number_and_machine),
		cmocka_unit_test(events_of_programs_are_not_the_kernels),
		cmocka_unit_test(only_kernel_traces_are_for_the_kernel_analysis),
		cmocka_unit_test(a_clock_that_steps_back_replaces_the_ongoing_value),
		cmocka_unit_test(odd_events_say_nothing),
		cmocka_unit_test(huge_numbers_are_names_like_others),
		cmocka_unit_test(a_refused_change_ends_its_event_and_is_counted),
		cmocka_unit_test(a_name_too_long_for_a_node_is_refused),
		cmocka_unit_test(a_full_disk_ends_the_build),
		cmocka_unit_test(the_2016_version_has_other_attributes),
		cmocka_unit_test(the_2016_version_keeps_its_error_of_interrupts),
		cmocka_unit_test(the_2016_version_reads_a_state_dump_its_own_way),
		cmocka_unit_test(a_gap_leaves_in_doubt_what_does_not_run_elsewhere),
		cmocka_unit_test(the_dead_stay_dead_in_a_gap),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
