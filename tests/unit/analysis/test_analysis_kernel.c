// SPDX-License-Identifier: MIT
/*
 * test_analysis_kernel.c - which traces the kernel analysis is for, and what becomes of a change that is refused.
 *
 * cases/states_kernel.txt has the states that come of events.
 */
#include "analysis_run.h"

static void begin(struct analysis_run *run)
{
	run_begin(run, &analysis_kernel, "lttng-modules", 2, 8, 0);
}

TEST(only_kernel_traces_are_for_the_kernel_analysis)
{
	struct event_trace trace = { .domain = "kernel", .tracer_name = "lttng-modules" };
	assert_true(analysis_kernel.applies(&trace));
	assert_true(analysis_kernel_2016.applies(&trace));
	trace = (struct event_trace){ .domain = "ust", .tracer_name = "lttng-ust" };
	assert_false(analysis_kernel.applies(&trace));
	trace = (struct event_trace){ .domain = "", .tracer_name = "perf" };
	assert_true(analysis_kernel.applies(&trace));
}

TEST(a_refused_change_ends_its_event_and_is_counted)
{
	struct analysis_run run;
	begin(&run);
	histree_quark prio;
	assert_ok(histree_state_attribute(run.system, HISTREE_ROOT, "Threads/5/Prio", &prio, NULL));
	assert_ok(histree_state_modify(run.system, 1, prio, histree_string("high"), NULL));
	run_event(&run, 10, 0, "sched_switch",
		  "prev_comm=p prev_tid=4 prev_prio=20 prev_state=0 next_comm=n next_tid=5 next_prio=20");
	run_event(&run, 20, 0, "sched_waking", "tid=6 prio=20 target_cpu=0");
	assert_int_equal(analysis_kernel.refused(run.instance), 1);
	run_end(&run, 30);
	run_expect(&run, "Threads/5", "0 null, 10 int 2");
	run_expect(&run, "Threads/5/Prio", "0 null, 1 string high");
	run_expect_absent(&run, "CPUs/0/Current_thread");
	run_expect(&run, "Threads/6/Prio", "0 null, 20 int 20");
	run_release(&run);
}

TEST(a_name_too_long_for_a_node_is_refused)
{
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

/* What counts of a switch comes before the names. */
TEST(a_thread_whose_name_is_too_long_runs)
{
	struct analysis_run run;
	begin(&run);
	run.system->sink.value_size_max = 8;
	run_event(&run, 10, 0, "sched_switch",
		  "prev_comm=p prev_tid=4 prev_prio=20 prev_state=0 next_comm=more_than_eight next_tid=5 "
		  "next_prio=20");
	run_event(&run, 20, 0, "sched_switch",
		  "prev_comm=p prev_tid=5 prev_prio=20 prev_state=1 next_comm=n next_tid=0 next_prio=20");
	assert_int_equal(analysis_kernel.refused(run.instance), 1);
	run_end(&run, 30);
	run_expect(&run, "Threads/5", "0 null, 10 int 2, 20 int 1");
	run_expect(&run, "CPUs/0/Current_thread", "0 null, 10 int 5, 20 int 0");
	run_release(&run);
}

/*
 * CPU 0 goes from the idle thread to another and back; so many of these switches leave a thread that was not there.
 * Of a program alone there are those that end its turns.
 */
static void expect_missing(unsigned switches, unsigned denials, bool of_program, const char *expected)
{
	struct analysis_run run;
	char fields[256], missing[400];
	unsigned current = 4;
	begin(&run);
	for (unsigned i = 0; i < switches; i++) {
		bool is_denial = of_program || (i >= 1 && i <= denials);
		unsigned next = of_program || i % 2 == 0 ? 0 : i + 1;
		snprintf(fields, sizeof(fields),
			 "prev_comm=p prev_tid=%u prev_prio=20 prev_state=1 next_comm=n next_tid=%u next_prio=20",
			 is_denial ? i + 100000 : current, next);
		run_event(&run, 10 + i, 0, "sched_switch", fields);
		current = next;
	}
	analysis_kernel.missing(run.instance, missing, sizeof(missing));
	assert_string_equal(missing, expected);
	run_end(&run, 10 + switches);
	run_release(&run);
}

TEST(many_denials_are_losses)
{
	expect_missing(2000, 0, false, "");
	expect_missing(2000, 9, false, "");
	expect_missing(2000, 10, false,
		       "events are missing that nobody said were lost: 10 times a thread ran where none of 2000 "
		       "switches had brought it; which threads ran meanwhile is unknown");
	expect_missing(20000, 20, false, "");
	/* A program was recorded, and not who runs between. */
	expect_missing(2000, 0, true, "");
}

TEST(calls_and_interrupts_that_do_not_match_are_counted)
{
	struct analysis_run run;
	char missing[400];
	begin(&run);
	run_event(&run, 5, 0, "sched_switch",
		  "prev_comm=p prev_tid=4 prev_prio=20 prev_state=0 next_comm=n next_tid=5 next_prio=20");
	for (int i = 0; i < 11; i++) {
		run_event(&run, 10 + i, 0, "syscall_entry_read", "fd=1");
		run_event(&run, 10 + i, 0, "irq_handler_entry", "irq=3 name=disk");
	}
	for (int i = 0; i < 3; i++) {
		run_event(&run, 40 + i, 0, "irq_handler_exit", "irq=3 ret=1");
		run_event(&run, 40 + i, 0, "irq_softirq_entry", "vec=3");
	}
	analysis_kernel.missing(run.instance, missing, sizeof(missing));
	assert_string_equal(missing,
			    "events are missing that nobody said were lost: 10 of 11 beginnings and ends of system "
			    "calls do not match, 14 of 17 beginnings and ends of interrupts do not match; which "
			    "threads ran meanwhile is unknown");
	run_end(&run, 100);
	run_release(&run);
}

/* LTTng has no name for what ends a signal handler, and no event for the end of that. */
TEST(a_signal_handler_that_returns_is_no_loss)
{
	static const char *const names[] = { "syscall_entry_unknown", "syscall_entry_rt_sigreturn" };
	for (size_t name = 0; name < sizeof(names) / sizeof(names[0]); name++) {
		struct analysis_run run;
		char missing[400];
		begin(&run);
		run_event(&run, 5, 0, "sched_switch",
			  "prev_comm=p prev_tid=4 prev_prio=20 prev_state=0 next_comm=n next_tid=5 next_prio=20");
		for (int i = 0; i < 20; i++) {
			run_event(&run, 10 + 3 * i, 0, names[name], "id=15");
			run_event(&run, 11 + 3 * i, 0, "syscall_entry_read", "fd=1");
			run_event(&run, 12 + 3 * i, 0, "syscall_exit_read", "ret=0");
		}
		analysis_kernel.missing(run.instance, missing, sizeof(missing));
		assert_string_equal(missing, "");
		run_end(&run, 100);
		run_release(&run);
	}
}

TEST(a_full_disk_ends_the_build)
{
	struct analysis_run run;
	begin(&run);
	run.system->sink.add = fail_to_add;
	assert_int_equal(run_try(&run, 10, 0, "syscall_entry_read", ""), HISTREE_ERR_IO);
	assert_string_equal(run.error.message, "disk full");
	assert_int_equal(analysis_kernel.refused(run.instance), 0);
	run_release(&run);
}
