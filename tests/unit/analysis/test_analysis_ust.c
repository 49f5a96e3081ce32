// SPDX-License-Identifier: MIT
/*
 * test_analysis_ust.c - function calls as stacks: events written by hand, and a real trace where there is one.
 */
#include "analysis_run.h"
#include "support/data.h"
#include "trace/trace.h"

#define ENTRY "lttng_ust_cyg_profile:func_entry"
#define EXIT "lttng_ust_cyg_profile:func_exit"

static void begin(struct analysis_run *run)
{
	run_begin(run, &analysis_ust_calls, "lttng-ust", 2, 3, 0);
}

static void calls_are_a_stack_for_each_thread(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	run_event(&run, 10, 0, ENTRY, "addr=0x40472b call_site=1 vtid=5 procname=gears");
	run_event(&run, 20, 1, ENTRY, "addr=0x403d60 call_site=1 vtid=5 procname=gears");
	run_event(&run, 25, 2, ENTRY, "addr=-1 call_site=1 vtid=6 procname=gears");
	run_event(&run, 30, 0, EXIT, "addr=0x403d60 call_site=1 vtid=5 procname=gears");
	run_event(&run, 40, 0, ENTRY, "addr=0x1 call_site=1 vtid=5 procname=other");
	run_end(&run, 50);
	run_expect(&run, "Threads/5/CallStack", "0 null, 10 int 1, 20 int 2, 30 int 1, 40 int 2");
	run_expect(&run, "Threads/5/CallStack/1", "0 null, 10 string 0x40472b");
	run_expect(&run, "Threads/5/CallStack/2", "0 null, 20 string 0x403d60, 30 null, 40 string 0x1");
	run_expect(&run, "Threads/5/Name", "0 null, 10 string gears, 40 string other");
	run_expect(&run, "Threads/6/CallStack/1", "0 null, 25 string 0xffffffffffffffff");
	run_release(&run);
}

static void the_fast_events_are_the_same(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	run_event(&run, 10, 0, "lttng_ust_cyg_profile_fast:func_entry", "addr=16 vtid=5 procname=a");
	run_event(&run, 20, 0, "lttng_ust_cyg_profile_fast:func_exit", "vtid=5 procname=a");
	run_end(&run, 30);
	run_expect(&run, "Threads/5/CallStack/1", "0 null, 10 string 0x10, 20 null");
	run_release(&run);
}

static void an_exit_without_entry_changes_nothing(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	run_event(&run, 10, 0, EXIT, "addr=1 vtid=5");
	run_event(&run, 20, 0, ENTRY, "addr=2 vtid=5");
	run_end(&run, 30);
	run_expect(&run, "Threads/5/CallStack/1", "0 null, 20 string 0x2");
	run_expect_absent(&run, "Threads/5/Name");
	assert_int_equal(analysis_ust_calls.refused(run.instance), 0);
	run_release(&run);
}

static void events_without_a_thread_or_of_other_kinds_say_nothing(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	run_event(&run, 10, 0, ENTRY, "addr=1");
	run_event(&run, 10, 0, "lttng_ust_libc:malloc", "size=1 vtid=5");
	run_end(&run, 30);
	assert_int_equal(run.history.attribute_count, 0);
	run_release(&run);
}

static void the_tid_does_where_there_is_no_vtid(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	run_event(&run, 10, 0, ENTRY, "addr=1 tid=9");
	run_end(&run, 30);
	run_expect(&run, "Threads/9/CallStack", "0 null, 10 int 1");
	run_release(&run);
}

static void time_stands_still_where_the_clock_steps_back(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	run_event(&run, 100, 0, ENTRY, "addr=1 vtid=5");
	run_event(&run, 90, 0, ENTRY, "addr=2 vtid=5");
	run_event(&run, 110, 0, EXIT, "addr=2 vtid=5");
	run_event(&run, 120, 0, EXIT, "addr=1 vtid=5");
	run_end(&run, 200);
	run_expect(&run, "Threads/5/CallStack", "0 null, 100 int 2, 110 int 1, 120 int 0");
	run_expect(&run, "Threads/5/CallStack/2", "0 null, 100 string 0x2, 110 null");
	assert_int_equal(analysis_ust_calls.refused(run.instance), 0);
	run_release(&run);
}

/* Nobody knows how deep a thread is behind a gap: its stack begins anew, as at the beginning of a trace. */
static void a_gap_leaves_every_stack_in_doubt(void **state)
{
	(void)state;
	struct analysis_run run;
	begin(&run);
	run_event(&run, 10, 0, ENTRY, "addr=1 vtid=5");
	run_event(&run, 20, 0, ENTRY, "addr=2 vtid=5");
	run_gap(&run, 30, 50, 1);
	run_event(&run, 40, 0, EXIT, "addr=2 vtid=5");
	run_event(&run, 45, 0, ENTRY, "addr=9 vtid=6");
	run_event(&run, 60, 0, EXIT, "addr=1 vtid=5");
	run_event(&run, 70, 0, ENTRY, "addr=3 vtid=5");
	run_end(&run, 80);
	run_expect(&run, "Threads/5/CallStack", "0 null, 10 int 1, 20 int 2, 30 unknown , 60 null, 70 int 1");
	run_expect(&run, "Threads/5/CallStack/1", "0 null, 10 string 0x1, 30 unknown , 60 null, 70 string 0x3");
	run_expect(&run, "Threads/5/CallStack/2", "0 null, 20 string 0x2, 30 unknown , 60 null");
	run_expect(&run, "Threads/6/CallStack", "0 null, 45 unknown ");
	assert_int_equal(analysis_ust_calls.refused(run.instance), 0);
	run_release(&run);
}

/* A thread's stack kept by hand, against which the state system's is held. */
struct calls {
	int64_t addresses[64];
	size_t depth;
};

static void expect_stack(struct analysis_run *run, const char *path, const struct calls *calls)
{
	histree_quark quark;
	struct histree_value depth, top;
	assert_int_equal(histree_state_attribute(run->system, HISTREE_ROOT, path, &quark, NULL), HISTREE_OK);
	assert_int_equal(histree_state_ongoing(run->system, quark, &depth, NULL, NULL), HISTREE_OK);
	assert_int_equal(depth.int32, calls->depth);
	if (calls->depth == 0) {
		assert_int_equal(histree_state_top(run->system, quark, &top, NULL), HISTREE_NOT_FOUND);
		return;
	}
	assert_int_equal(histree_state_top(run->system, quark, &top, NULL), HISTREE_OK);
	char address[24];
	int size = snprintf(address, sizeof(address), "0x%" PRIx64, calls->addresses[calls->depth - 1]);
	assert_int_equal(top.size, size);
	assert_memory_equal(top.bytes, address, size);
}

static void follow(struct calls *calls, const struct event *event)
{
	int64_t address;
	assert_true(event_int(event, event_class_field(event->class, "addr"), &address));
	if (strcmp(event->class->name, ENTRY) == 0) {
		assert_true(calls->depth < sizeof(calls->addresses) / sizeof(calls->addresses[0]));
		calls->addresses[calls->depth++] = address;
	} else if (calls->depth > 0) {
		calls->depth--;
	}
}

static void a_real_program_has_the_stack_that_its_events_say(void **state)
{
	(void)state;
	char path[DATA_PATH_SIZE];
	if (!shared_path(path, "traces/lttng-ust/cyg-profile/glxgears-cyg-profile"))
		skip();
	struct trace *trace;
	struct analysis_run run;
	begin(&run);
	assert_int_equal(trace_open((const char *const[]){ path }, 1, &trace, &run.error), HISTREE_OK);
	assert_true(analysis_ust_calls.applies(trace_at(trace, 0)));
	struct calls calls = { .depth = 0 };
	struct event event;
	size_t count = 0;
	histree_time end = 0;
	while (trace_next(trace, &event, &run.error) == HISTREE_OK) {
		assert_int_equal(feed_event(&run.inputs, run.analysis, run.instance, &event, &run.error),
				 HISTREE_OK);
		follow(&calls, &event);
		expect_stack(&run, "Threads/16073/CallStack", &calls);
		end = event.time;
		count++;
	}
	assert_int_equal(count, 4977);
	assert_int_equal(calls.depth, 3);
	assert_int_equal(analysis_ust_calls.refused(run.instance), 0);
	run_end(&run, end);
	run_expect(&run, "Threads/16073/CallStack/1", "0 null, 1378850463596911581 string 0x40472b");
	trace_close(trace);
	run_release(&run);
}

static void it_is_for_user_space_traces(void **state)
{
	(void)state;
	struct event_trace trace = { .domain = "ust", .tracer_name = "" };
	assert_true(analysis_ust_calls.applies(&trace));
	trace = (struct event_trace){ .domain = "kernel", .tracer_name = "lttng-modules" };
	assert_false(analysis_ust_calls.applies(&trace));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_a_stack_for_each_thread),
		cmocka_unit_test(the_fast_events_are_the_same),
		cmocka_unit_test(an_exit_without_entry_changes_nothing),
		cmocka_unit_test(events_without_a_thread_or_of_other_kinds_say_nothing),
		cmocka_unit_test(the_tid_does_where_there_is_no_vtid),
		cmocka_unit_test(time_stands_still_where_the_clock_steps_back),
		cmocka_unit_test(a_gap_leaves_every_stack_in_doubt),
		cmocka_unit_test(a_real_program_has_the_stack_that_its_events_say),
		cmocka_unit_test(it_is_for_user_space_traces),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
