// SPDX-License-Identifier: MIT
/*
 * test_segments_threads.c - segments of threads in a kernel trace: system calls, futex, wake-ups; on events written
 * by hand.
 */
#include "segment_run.h"

static void begin(struct segment_run *run, const struct segment_analysis *analysis)
{
	segment_run_begin(run, analysis, "lttng-modules", 2, 8);
}

static void begin_perf(struct segment_run *run, const struct segment_analysis *analysis)
{
	segment_run_begin(run, analysis, "perf", -1, -1);
}

/* Threads are called "t7" after their tid. */
static void switch_threads(struct segment_run *run, histree_time time, int cpu, int prev, int prev_state, int next)
{
	char fields[WRITTEN_TEXT_SIZE];
	snprintf(fields, sizeof(fields),
		 "prev_comm=t%d prev_tid=%d prev_prio=20 prev_state=%d next_comm=t%d next_tid=%d next_prio=20",
		 prev, prev, prev_state, next, next);
	segment_run_event(run, time, cpu, "sched_switch", fields);
}

static void wake(struct segment_run *run, histree_time time, int cpu, const char *event, int tid)
{
	char fields[WRITTEN_TEXT_SIZE];
	snprintf(fields, sizeof(fields), "comm=x tid=%d prio=%d target_cpu=0", tid, 100 + tid);
	segment_run_event(run, time, cpu, event, fields);
}

/* ---- system calls ---------------------------------------------------------------------------------------- */

static void a_call_is_the_thread_s_that_runs_there(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_system_calls);
	switch_threads(&run, 1, 0, 0, 0, 7);
	switch_threads(&run, 1, 1, 0, 0, 8);
	segment_run_event(&run, 10, 0, "syscall_entry_read", "fd=3 count=64");
	segment_run_event(&run, 12, 1, "compat_syscall_entry_openat", "dfd=-100 filename=/etc/passwd");
	segment_run_event(&run, 15, 1, "compat_syscall_exit_openat", "ret=-2");
	segment_run_event(&run, 20, 0, "syscall_exit_read", "ret=64 buf=0x7fff00001000");
	segment_run_expect(&run,
			   "10-20 read, 7, t7, 64, fd = 3, count = 64; "
			   "12-15 openat, 8, t8, -2, dfd = -100, filename = \"/etc/passwd\"",
			   0, 0);
}

static void a_call_goes_where_its_thread_goes(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_system_calls);
	switch_threads(&run, 1, 0, 0, 0, 7);
	segment_run_event(&run, 10, 0, "syscall_entry_poll", "");
	switch_threads(&run, 11, 0, 7, 1, 8);
	segment_run_event(&run, 12, 0, "syscall_entry_getpid", "");
	switch_threads(&run, 20, 1, 0, 0, 7);
	segment_run_event(&run, 21, 1, "syscall_exit_poll", "ret=1");
	segment_run_event(&run, 22, 0, "syscall_exit_getpid", "ret=8");
	segment_run_expect(&run, "10-21 poll, 7, t7, 1, null; 12-22 getpid, 8, t8, 8, null", 0, 0);
}

static void before_the_first_switch_a_call_is_the_cpu_s(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_system_calls);
	/* Begun and ended before: whose it was, nobody says. */
	segment_run_event(&run, 10, 0, "syscall_entry_getpid", "");
	segment_run_event(&run, 11, 0, "syscall_exit_getpid", "ret=7");
	/* The switch says who it was that began this one. */
	segment_run_event(&run, 12, 0, "syscall_entry_poll", "");
	switch_threads(&run, 13, 0, 7, 1, 8);
	switch_threads(&run, 20, 1, 0, 0, 7);
	segment_run_event(&run, 21, 1, "syscall_exit_poll", "ret=1");
	segment_run_expect(&run, "10-11 getpid, null, null, 7, null; 12-21 poll, 7, t7, 1, null", 0, 0);
}

static void what_has_no_counterpart_is_counted(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_system_calls);
	switch_threads(&run, 1, 0, 0, 0, 7);
	segment_run_event(&run, 10, 0, "syscall_exit_clone", "ret=0"); /* a child returns */
	segment_run_event(&run, 11, 0, "syscall_entry_read", "");      /* its exit is not there */
	segment_run_event(&run, 12, 0, "syscall_entry_write", "");     /* ... */
	segment_run_event(&run, 13, 0, "syscall_exit_write", "ret=5"); /* ... */
	switch_threads(&run, 14, 0, 7, 0, 8);
	segment_run_event(&run, 15, 0, "syscall_exit_write", "ret=5"); /* another thread's */
	segment_run_event(&run, 16, 0, "syscall_entry_exit", "");      /* has no exit: the thread goes */
	segment_run_event(&run, 17, 1, "sched_process_free", "comm=x tid=8 prio=20");
	segment_run_event(&run, 18, 0, "syscall_entry_pause", ""); /* goes on behind the trace */
	segment_run_expect(&run, "12-13 write, 7, t7, 5, null", 2, 3);
}

static void equal_times_are_a_call_without_duration(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_system_calls);
	switch_threads(&run, 10, 0, 0, 0, 7);
	segment_run_event(&run, 10, 0, "syscall_entry_a", "");
	segment_run_event(&run, 10, 0, "syscall_exit_a", "ret=0");
	segment_run_event(&run, 10, 0, "syscall_entry_b", "");
	/* Where the clock steps back, time stands still. */
	segment_run_event(&run, 9, 0, "syscall_exit_b", "ret=1");
	segment_run_expect(&run, "10-10 a, 7, t7, 0, null; 10-10 b, 7, t7, 1, null", 0, 0);
}

static void the_context_says_whose_a_call_is(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_system_calls);
	switch_threads(&run, 1, 0, 0, 0, 9);
	/* The payload's tid is an argument, the context's is the caller. */
	segment_run_event(&run, 10, 0, "syscall_entry_tkill", "tid=5 sig=9 | tid=7");
	segment_run_event(&run, 11, 0, "syscall_entry_getpid", "| tid=8");
	segment_run_event(&run, 12, 1, "syscall_exit_tkill", "ret=0 | tid=7");
	segment_run_event(&run, 13, 1, "syscall_exit_getpid", "ret=8 | tid=8");
	segment_run_expect(&run, "10-12 tkill, 7, null, 0, tid = 5, sig = 9; 11-13 getpid, 8, null, 8, null", 0, 0);
}

static void the_names_of_lttng_2_0(void **state)
{
	(void)state;
	struct segment_run run;
	segment_run_begin(&run, &segment_analysis_system_calls, "lttng-modules", 2, 0);
	switch_threads(&run, 1, 0, 0, 0, 7);
	segment_run_event(&run, 10, 0, "sys_read", "fd=3");
	segment_run_event(&run, 11, 0, "exit_syscall", "ret=4");
	segment_run_expect(&run, "10-11 read, 7, t7, 4, fd = 3", 0, 0);
}

static void perf_names_the_thread_and_numbers_the_call(void **state)
{
	(void)state;
	struct segment_run run;
	begin_perf(&run, &segment_analysis_system_calls);
	segment_run_event(&run, 10, 0, "raw_syscalls:sys_enter", "perf_tid=7 perf_pid=7 id=0 args=1");
	segment_run_event(&run, 11, 0, "raw_syscalls:sys_enter", "perf_tid=8 perf_pid=7 id=9999 args=1");
	segment_run_event(&run, 12, 0, "syscalls:sys_enter_close", "perf_tid=9 common_pid=9 __syscall_nr=3 fd=5");
	segment_run_event(&run, 15, 1, "raw_syscalls:sys_exit", "perf_tid=7 perf_pid=7 id=0 ret=5");
	segment_run_event(&run, 16, 1, "syscalls:sys_exit_close", "perf_tid=9 common_pid=9 __syscall_nr=3 ret=0");
	segment_run_event(&run, 17, 0, "raw_syscalls:sys_exit", "perf_tid=8 perf_pid=7 id=9999 ret=0");
	segment_run_expect(&run,
			   "10-15 read, 7, null, 5, null; 11-17 syscall_9999, 8, null, 0, null; "
			   "12-16 close, 9, null, 0, fd = 5",
			   0, 0);
}

/* Behind a gap an exit may be that of a call whose entry was lost. */
static void a_call_that_meets_a_gap_is_in_doubt(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_system_calls);
	switch_threads(&run, 1, 0, 0, 0, 7);
	segment_run_event(&run, 2, 0, "syscall_entry_read", "");
	segment_run_gap(&run, 5, 20, 0);
	segment_run_event(&run, 21, 0, "syscall_exit_read", "ret=1");
	/* As before the first switch, who runs there is not known until somebody is switched away. */
	segment_run_event(&run, 22, 0, "syscall_entry_write", "");
	switch_threads(&run, 23, 0, 8, 0, 9);
	switch_threads(&run, 24, 0, 9, 0, 8);
	segment_run_event(&run, 25, 0, "syscall_exit_write", "ret=2");
	segment_run_event(&run, 26, 0, "syscall_entry_close", "");
	segment_run_event(&run, 27, 0, "syscall_exit_close", "ret=0");
	/* The exit at 21 is nobody's: it is alone, as the entry at 2 is to the end. */
	segment_run_expect(&run, "22-25 write, 8, t8, 2, null; 26-27 close, 8, t8, 0, null", 1, 1);
}

static void a_gap_elsewhere_is_no_matter_to_a_thread_that_stays(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_system_calls);
	switch_threads(&run, 1, 0, 0, 0, 7);
	switch_threads(&run, 1, 1, 0, 0, 8);
	switch_threads(&run, 2, 1, 8, 1, 9);
	segment_run_event(&run, 3, 0, "syscall_entry_read", "");
	segment_run_gap(&run, 5, 50, 1);
	segment_run_event(&run, 10, 0, "syscall_exit_read", "ret=1");
	segment_run_event(&run, 11, 0, "syscall_entry_poll", "");
	/* Switched away, it may run on the other CPU, end the call there and begin another one. */
	switch_threads(&run, 12, 0, 7, 1, 8);
	switch_threads(&run, 20, 0, 8, 1, 7);
	segment_run_event(&run, 21, 0, "syscall_exit_poll", "ret=0");
	segment_run_event(&run, 60, 0, "syscall_entry_write", "");
	segment_run_event(&run, 61, 0, "syscall_exit_write", "ret=3");
	segment_run_expect(&run, "3-10 read, 7, t7, 1, null; 60-61 write, 7, t7, 3, null", 1, 1);
}

/* A gap is said to last until the end of the packet behind it; but there, nothing is missing. */
static void a_gap_ends_with_the_next_event_of_its_cpu(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_system_calls);
	switch_threads(&run, 1, 0, 0, 0, 7);
	switch_threads(&run, 1, 1, 0, 0, 8);
	segment_run_event(&run, 3, 0, "syscall_entry_read", "");
	switch_threads(&run, 4, 0, 7, 1, 9);
	segment_run_gap(&run, 5, 50, 1);
	segment_run_event(&run, 10, 1, "syscall_entry_write", "");
	segment_run_event(&run, 11, 1, "syscall_exit_write", "ret=3");
	switch_threads(&run, 12, 0, 9, 1, 7);
	segment_run_event(&run, 13, 0, "syscall_exit_read", "ret=1");
	segment_run_event(&run, 14, 0, "syscall_entry_poll", "");
	segment_run_event(&run, 15, 0, "syscall_exit_poll", "ret=0");
	segment_run_expect(&run, "10-11 write, null, null, 3, null; 14-15 poll, 7, t7, 0, null", 1, 1);
}

static void a_gap_of_an_unknown_cpu_is_everywhere(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_system_calls);
	switch_threads(&run, 1, 0, 0, 0, 7);
	segment_run_event(&run, 3, 0, "syscall_entry_read", "| tid=7");
	segment_run_gap(&run, 5, 50, -1);
	segment_run_event(&run, 10, 0, "syscall_exit_read", "ret=1 | tid=7");
	segment_run_event(&run, 11, 2, "syscall_entry_poll", "| tid=8");
	segment_run_event(&run, 51, 2, "syscall_exit_poll", "ret=0 | tid=8");
	segment_run_event(&run, 52, 2, "syscall_entry_getpid", "| tid=8");
	segment_run_event(&run, 53, 2, "syscall_exit_getpid", "ret=8 | tid=8");
	segment_run_expect(&run, "52-53 getpid, 8, null, 8, null", 2, 2);
}

/* ---- futex ----------------------------------------------------------------------------------------------- */

static void a_futex_call_that_is_switched_away_blocked(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_futex);
	switch_threads(&run, 1, 0, 0, 0, 7);
	segment_run_event(&run, 10, 0, "syscall_entry_futex", "uaddr=0x1000 op=128 val=2");
	switch_threads(&run, 11, 0, 7, 1, 8);
	segment_run_event(&run, 12, 0, "syscall_entry_futex", "uaddr=0x1000 op=129 val=1");
	segment_run_event(&run, 13, 0, "syscall_exit_futex", "ret=1");
	switch_threads(&run, 14, 0, 8, 0, 7);
	segment_run_event(&run, 15, 0, "syscall_exit_futex", "ret=0");
	/* Preempted, it waits for a CPU and for no lock. */
	segment_run_event(&run, 20, 0, "syscall_entry_futex", "uaddr=0x2000 op=99 val=0");
	switch_threads(&run, 21, 0, 7, 0, 8);
	switch_threads(&run, 22, 0, 8, 1, 7);
	segment_run_event(&run, 23, 0, "syscall_exit_futex", "ret=-38");
	segment_run_expect(&run,
			   "10-15 wait, 7, t7, 0, 4096, 2, true; 12-13 wake, 8, t8, 1, 4096, 1, false; "
			   "20-23 op 99, 7, t7, -38, 8192, 0, false",
			   0, 0);
}

static void other_calls_are_no_futex_and_not_counted(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_futex);
	switch_threads(&run, 1, 0, 0, 0, 7);
	segment_run_event(&run, 10, 0, "syscall_entry_read", "fd=1");
	segment_run_event(&run, 11, 0, "syscall_exit_read", "ret=1");
	segment_run_event(&run, 12, 0, "syscall_entry_futex", "uaddr=0x1000 op=0 val=2");
	/* A thread that enters another call has left this one. */
	segment_run_event(&run, 13, 0, "syscall_entry_read", "fd=1");
	segment_run_event(&run, 14, 0, "syscall_exit_read", "ret=1");
	segment_run_expect(&run, "", 0, 1);
}

static void a_futex_call_before_the_first_switch_and_one_in_a_gap(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_futex);
	segment_run_event(&run, 10, 0, "syscall_entry_futex", "uaddr=0x1000 op=0 val=2");
	switch_threads(&run, 11, 0, 7, 1, 8);
	switch_threads(&run, 12, 0, 8, 1, 7);
	segment_run_event(&run, 13, 0, "syscall_exit_futex", "ret=0");
	segment_run_event(&run, 14, 0, "syscall_entry_futex", "uaddr=0x1000 op=0 val=2");
	switch_threads(&run, 15, 0, 7, 1, 8);
	segment_run_gap(&run, 16, 20, 1);
	switch_threads(&run, 21, 0, 8, 1, 7);
	segment_run_event(&run, 22, 0, "syscall_exit_futex", "ret=0");
	segment_run_expect(&run, "10-13 wait, 7, t7, 0, 4096, 2, true", 1, 1);
}

static void perf_has_the_arguments_of_futex_too(void **state)
{
	(void)state;
	struct segment_run run;
	begin_perf(&run, &segment_analysis_futex);
	segment_run_event(&run, 10, 0, "syscalls:sys_enter_futex",
			  "perf_tid=7 __syscall_nr=202 uaddr=0x10 op=393 val=5");
	segment_run_event(&run, 11, 0, "syscalls:sys_exit_futex", "perf_tid=7 __syscall_nr=202 ret=-110");
	segment_run_expect(&run, "10-11 wait_bitset, 7, null, -110, 16, 5, false", 0, 0);
}

/* ---- wake-ups -------------------------------------------------------------------------------------------- */

static void a_wake_up_lasts_until_the_switch(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_wakeups);
	switch_threads(&run, 1, 0, 0, 0, 7);
	wake(&run, 10, 0, "sched_waking", 8);
	wake(&run, 11, 1, "sched_wakeup", 8); /* the same one, where the thread is to run */
	wake(&run, 12, 1, "sched_wakeup_new", 9);
	switch_threads(&run, 20, 1, 0, 0, 8);
	switch_threads(&run, 30, 1, 8, 0, 9);
	switch_threads(&run, 40, 1, 9, 1, 8); /* preempted before: nobody woke it up */
	segment_run_expect(&run, "10-20 t8, 8, 108, 1, 7; 12-30 t9, 9, 109, 1, null", 0, 0);
}

static void who_runs_needs_no_switch(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_wakeups);
	switch_threads(&run, 1, 0, 0, 0, 7);
	wake(&run, 2, 1, "sched_waking", 7);
	/* On the other CPU runs 8; but that shows only when it is switched away. */
	wake(&run, 3, 0, "sched_waking", 8);
	switch_threads(&run, 4, 1, 8, 1, 9);
	wake(&run, 5, 0, "sched_waking", 8);
	switch_threads(&run, 6, 1, 9, 1, 8);
	segment_run_expect(&run, "5-6 t8, 8, 108, 1, 7", 0, 1);
}

static void a_wake_up_of_who_never_runs_is_alone(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_wakeups);
	wake(&run, 10, 0, "sched_waking", 8);
	wake(&run, 11, 0, "sched_waking", 9);
	segment_run_event(&run, 12, 0, "sched_process_free", "comm=x tid=8 prio=20");
	segment_run_expect(&run, "", 0, 2);
}

static void equal_times_of_wake_up_and_switch(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_wakeups);
	wake(&run, 10, 0, "sched_waking", 8);
	switch_threads(&run, 10, 0, 7, 0, 8);
	segment_run_expect(&run, "10-10 t8, 8, 108, 0, null", 0, 0);
}

/* Between a wake-up and a switch, there may have been a switch and a wake-up that nobody saw. */
static void a_wake_up_that_meets_a_gap_is_in_doubt(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_wakeups);
	switch_threads(&run, 1, 0, 0, 0, 7);
	wake(&run, 2, 0, "sched_waking", 8);
	segment_run_gap(&run, 5, 20, 1);
	wake(&run, 6, 0, "sched_waking", 9);
	switch_threads(&run, 7, 0, 7, 0, 8);
	switch_threads(&run, 21, 0, 8, 1, 9);
	wake(&run, 22, 0, "sched_waking", 8);
	switch_threads(&run, 23, 1, 7, 0, 8);
	segment_run_expect(&run, "22-23 t8, 8, 108, 1, 9", 2, 2);
}

static void perf_says_pid_for_tid(void **state)
{
	(void)state;
	struct segment_run run;
	begin_perf(&run, &segment_analysis_wakeups);
	/* A thread that dies has no number of perf's any more. */
	segment_run_event(&run, 10, 0, "sched:sched_waking",
			  "perf_tid=-1 common_pid=7 comm=x pid=8 prio=120 target_cpu=1");
	segment_run_event(&run, 12, 1, "sched:sched_switch",
			  "perf_tid=0 prev_comm=s prev_pid=0 prev_prio=120 prev_state=0 next_comm=b next_pid=8 "
			  "next_prio=120");
	segment_run_expect(&run, "10-12 b, 8, 120, 1, 7", 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_is_the_thread_s_that_runs_there),
		cmocka_unit_test(a_call_goes_where_its_thread_goes),
		cmocka_unit_test(before_the_first_switch_a_call_is_the_cpu_s),
		cmocka_unit_test(what_has_no_counterpart_is_counted),
		cmocka_unit_test(equal_times_are_a_call_without_duration),
		cmocka_unit_test(the_context_says_whose_a_call_is),
		cmocka_unit_test(the_names_of_lttng_2_0),
		cmocka_unit_test(perf_names_the_thread_and_numbers_the_call),
		cmocka_unit_test(a_call_that_meets_a_gap_is_in_doubt),
		cmocka_unit_test(a_gap_elsewhere_is_no_matter_to_a_thread_that_stays),
		cmocka_unit_test(a_gap_ends_with_the_next_event_of_its_cpu),
		cmocka_unit_test(a_gap_of_an_unknown_cpu_is_everywhere),
		cmocka_unit_test(a_futex_call_that_is_switched_away_blocked),
		cmocka_unit_test(other_calls_are_no_futex_and_not_counted),
		cmocka_unit_test(a_futex_call_before_the_first_switch_and_one_in_a_gap),
		cmocka_unit_test(perf_has_the_arguments_of_futex_too),
		cmocka_unit_test(a_wake_up_lasts_until_the_switch),
		cmocka_unit_test(who_runs_needs_no_switch),
		cmocka_unit_test(a_wake_up_of_who_never_runs_is_alone),
		cmocka_unit_test(equal_times_of_wake_up_and_switch),
		cmocka_unit_test(a_wake_up_that_meets_a_gap_is_in_doubt),
		cmocka_unit_test(perf_says_pid_for_tid),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
