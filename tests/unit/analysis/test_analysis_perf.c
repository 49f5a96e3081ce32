// SPDX-License-Identifier: MIT
/*
 * test_analysis_perf.c - what perf's events say of the thread in which they happen, to the kernel analysis.
 */
#include "analysis_run.h"
#include "support/data.h"
#include "trace/trace.h"

static void begin(struct analysis_run *run)
{
	run_begin(run, &analysis_kernel, "perf", -1, -1, 0);
}

static void switch_threads(struct analysis_run *run, histree_time time, int cpu, int prev, int next)
{
	char fields[RUN_TEXT_SIZE];
	snprintf(fields, sizeof(fields),
		 "common_pid=%d prev_comm=p prev_pid=%d prev_prio=20 prev_state=1 next_comm=n next_pid=%d "
		 "next_prio=20",
		 prev, prev, next);
	run_event(run, time, cpu, "sched:sched_switch", fields);
}

static void an_event_says_who_runs_before_the_first_switch(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	run_event(&run, 10, 1, "raw_syscalls:sys_enter", "perf_tid=7 common_pid=7 id=0");
	run_event(&run, 20, 1, "raw_syscalls:sys_exit", "perf_tid=7 common_pid=7 id=0 ret=1");
	switch_threads(&run, 30, 1, 7, 8);
	run_end(&run, 40);
	run_expect(&run, "CPUs/1", "0 null, 10 int 4, 20 int 2");
	run_expect(&run, "CPUs/1/Current_thread", "0 null, 10 int 7, 30 int 8");
	run_expect(&run, "Threads/7", "0 null, 10 int 3, 20 int 2, 30 int 1");
	run_expect(&run, "Threads/7/System_call", "0 null, 10 string read, 20 null");
	run_expect(&run, "Threads/7/Current_cpu_rq", "0 null, 10 int 1, 30 null");
	run_expect_absent(&run, "Threads/-1");
	run_release(&run);
}

/* It happens in an interrupt, whose handler borrows the thread that runs. */
static void an_event_of_an_interrupt_names_the_thread_below(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	run_event(&run, 10, 0, "irq:irq_handler_entry", "perf_tid=7 common_pid=7 irq=5 name=disk");
	run_event(&run, 20, 0, "sched:sched_wakeup", "common_pid=7 comm=x pid=9 prio=20 target_cpu=1");
	run_event(&run, 30, 0, "irq:irq_handler_exit", "perf_tid=7 common_pid=7 irq=5 ret=1");
	run_end(&run, 40);
	run_expect(&run, "Threads/7", "0 null, 10 int 4, 30 int 2");
	run_expect(&run, "Threads/9", "0 null, 20 int 5");
	run_expect(&run, "CPUs/0", "0 null, 10 int 16, 30 int 2");
	run_expect(&run, "CPUs/0/Current_thread", "0 null, 10 int 7");
	run_release(&run);
}

static void an_idle_cpu_is_known_as_well(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	run_event(&run, 10, 2, "sched:sched_wakeup", "common_pid=0 comm=x pid=9 prio=20 target_cpu=2");
	run_end(&run, 40);
	run_expect(&run, "CPUs/2", "0 null, 10 int 0");
	run_expect(&run, "CPUs/2/Current_thread", "0 null, 10 int 0");
	run_expect(&run, "Threads/0_2", "0 null, 10 int 2");
	run_release(&run);
}

/* perf records a program: the switch to it, from the idle thread, is not the program's. */
static void a_switch_that_is_not_recorded_shows_by_what_follows(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	switch_threads(&run, 10, 0, 7, 0);
	run_event(&run, 20, 0, "raw_syscalls:sys_exit", "common_pid=7 id=0 ret=1");
	switch_threads(&run, 30, 0, 7, 0);
	run_end(&run, 40);
	run_expect(&run, "CPUs/0/Current_thread", "0 null, 10 int 0, 20 int 7, 30 int 0");
	run_expect(&run, "CPUs/0", "0 null, 10 int 0, 20 int 2, 30 int 0");
	run_expect(&run, "Threads/7", "0 null, 10 int 1, 20 int 2, 30 int 1");
	run_expect(&run, "Threads/0_0", "0 null, 10 int 2, 20 int 5, 30 int 2");
	run_release(&run);
}

static void who_left_unseen_is_unknown_unless_it_is_seen_elsewhere(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	switch_threads(&run, 10, 0, 0, 7);
	run_event(&run, 20, 0, "raw_syscalls:sys_exit", "common_pid=8 id=0 ret=1");
	run_event(&run, 30, 1, "raw_syscalls:sys_exit", "common_pid=8 id=0 ret=1");
	run_event(&run, 40, 0, "raw_syscalls:sys_exit", "common_pid=9 id=0 ret=1");
	run_end(&run, 50);
	run_expect(&run, "Threads/7", "0 null, 10 int 2, 20 unknown ");
	run_expect(&run, "Threads/8", "0 null, 20 int 2");
	run_expect(&run, "Threads/8/Current_cpu_rq", "0 null, 20 int 0, 30 int 1");
	run_expect(&run, "Threads/9", "0 null, 40 int 2");
	run_release(&run);
}

/* perf's own number of a thread that dies is -1, the kernel's is not. */
static void the_kernel_s_number_comes_first(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	run_event(&run, 10, 0, "sched:sched_wakeup", "perf_tid=-1 common_pid=7 comm=x pid=9 prio=20 target_cpu=1");
	run_event(&run, 10, 1, "sched:sched_waking", "perf_tid=-1 comm=x pid=9 prio=20 target_cpu=1");
	run_event(&run, 20, 1, "sched:sched_migrate_task", "perf_tid=8 comm=x pid=9 prio=20 dest_cpu=1");
	run_end(&run, 30);
	run_expect(&run, "CPUs/0/Current_thread", "0 null, 10 int 7");
	run_expect(&run, "CPUs/1/Current_thread", "0 null, 20 int 8");
	run_release(&run);
}

static void behind_a_gap_an_event_says_who_runs_now(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	switch_threads(&run, 10, 0, 7, 8);
	run_gap(&run, 20, 30, 0);
	run_event(&run, 40, 0, "raw_syscalls:sys_exit", "common_pid=9 id=0 ret=1");
	run_end(&run, 50);
	run_expect(&run, "CPUs/0/Current_thread", "0 null, 10 int 8, 20 unknown , 40 int 9");
	run_expect(&run, "Threads/9", "0 null, 40 int 2");
	run_expect(&run, "CPUs/0", "0 null, 10 int 2, 20 unknown , 40 int 2");
	run_release(&run);
}

/* Of a recorded program: at each event but a switch, the state is the thread that the event names. */
static void a_real_program_runs_where_its_events_say(void **state)
{
	(void)state;
	char path[DATA_PATH_SIZE];
	source_path(path, "tests/data/demo-trace");
	struct trace *trace;
	struct analysis_run run;
	struct event event;
	size_t count = 0;
	begin(&run);
	assert_int_equal(trace_open((const char *const[]){ path }, 1, &trace, &run.error), HISTREE_OK);
	while (trace_next(trace, &event, &run.error) == HISTREE_OK) {
		int64_t tid;
		char current[64];
		histree_quark quark;
		struct histree_value value;
		assert_int_equal(feed_event(&run.inputs, run.analysis, run.instance, &event, &run.error),
				 HISTREE_OK);
		assert_true(event_int(&event, event_class_field(event.class, "common_pid"), &tid));
		snprintf(current, sizeof(current), "CPUs/%d/Current_thread", (int)event.cpu);
		if (strcmp(event.class->name, "sched:sched_switch") == 0 ||
		    histree_state_attribute(run.system, HISTREE_ROOT, current, &quark, NULL) != HISTREE_OK)
			continue;
		assert_int_equal(histree_state_ongoing(run.system, quark, &value, NULL, NULL), HISTREE_OK);
		assert_int_equal(value.int32, tid);
		count++;
	}
	assert_true(count > 4000);
	trace_close(trace);
	run_release(&run);
}

/* Trace Compass takes no notice of the context tid, and of LTTng's traces we make what it makes. */
static void lttng_and_the_analysis_of_2016_know_it_from_switches_only(void **state)
{
	(void)state;
	struct analysis_run run;
	run_begin(&run, &analysis_kernel, "lttng-modules", 2, 8, 0);
	run_event(&run, 10, 0, "syscall_entry_read", "fd=1 | tid=7");
	run_end(&run, 20);
	run_expect(&run, "Threads/-1/System_call", "0 null, 10 string read");
	run_expect_absent(&run, "Threads/7");
	run_release(&run);
	run_begin(&run, &analysis_kernel_2016, "perf", -1, -1, 0);
	run_event(&run, 10, 0, "raw_syscalls:sys_enter", "common_pid=7 id=0");
	run_end(&run, 20);
	run_expect_absent(&run, "Threads/7");
	run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_says_who_runs_before_the_first_switch),
		cmocka_unit_test(an_event_of_an_interrupt_names_the_thread_below),
		cmocka_unit_test(an_idle_cpu_is_known_as_well),
		cmocka_unit_test(a_switch_that_is_not_recorded_shows_by_what_follows),
		cmocka_unit_test(who_left_unseen_is_unknown_unless_it_is_seen_elsewhere),
		cmocka_unit_test(the_kernel_s_number_comes_first),
		cmocka_unit_test(behind_a_gap_an_event_says_who_runs_now),
		cmocka_unit_test(a_real_program_runs_where_its_events_say),
		cmocka_unit_test(lttng_and_the_analysis_of_2016_know_it_from_switches_only),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
