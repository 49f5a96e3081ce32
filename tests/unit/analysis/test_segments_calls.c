// SPDX-License-Identifier: MIT
/*
 * test_segments_calls.c - segments of function calls, on events written by hand; and that they are the states of
 * ust-calls, on random events and on real ones.
 */
#include "analysis/ust/call_stacks.h"
#include "analysis_run.h"
#include "base/random.h"
#include "segment_run.h"
#include "support/data.h"
#include "support/effort.h"
#include "support/workload.h"
#include "trace/trace.h"

#define ENTRY "lttng_ust_cyg_profile:func_entry"
#define EXIT "lttng_ust_cyg_profile:func_exit"
#define FAST_ENTRY "lttng_ust_cyg_profile_fast:func_entry"
#define FAST_EXIT "lttng_ust_cyg_profile_fast:func_exit"

static void begin(struct segment_run *run)
{
	segment_run_begin(run, &segment_analysis_function_calls, "lttng-ust", 2, 3);
}

static void call(struct segment_run *run, histree_time time, const char *event, int address)
{
	char fields[WRITTEN_TEXT_SIZE];
	snprintf(fields, sizeof(fields), "addr=%d call_site=1 | vtid=5 procname=p", address);
	segment_run_event(run, time, (int)(time % 3), event, fields);
}

static void a_call_lasts_from_entry_to_exit(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run);
	segment_run_event(&run, 10, 0, ENTRY, "addr=0x40472b call_site=1 | vtid=5 procname=gears");
	segment_run_event(&run, 20, 1, ENTRY, "addr=-1 call_site=1 | vtid=5 procname=gears");
	segment_run_event(&run, 25, 1, EXIT, "addr=-1 call_site=1 | vtid=5 procname=gears");
	segment_run_event(&run, 30, 1, ENTRY, "addr=0x10 call_site=1 | vtid=5 procname=gears");
	segment_run_event(&run, 37, 1, EXIT, "addr=0x10 call_site=1 | vtid=5 procname=gears");
	segment_run_event(&run, 50, 2, EXIT, "addr=0x40472b call_site=1 | vtid=5 procname=gears");
	segment_run_expect(&run,
			   "10-50 0x40472b, 5, gears, 1, 28, null; "
			   "20-25 0xffffffffffffffff, 5, gears, 2, 5, 0x40472b; "
			   "30-37 0x10, 5, gears, 2, 7, 0x40472b",
			   0, 0);
}

static void the_fast_events_are_the_same(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run);
	segment_run_event(&run, 10, 0, FAST_ENTRY, "addr=16 | vtid=5");
	segment_run_event(&run, 12, 0, FAST_ENTRY, "addr=17 | vtid=5");
	segment_run_event(&run, 13, 0, FAST_EXIT, "| vtid=5");
	segment_run_event(&run, 20, 0, FAST_EXIT, "| vtid=5");
	segment_run_event(&run, 21, 0, FAST_EXIT, "| vtid=5");
	segment_run_expect(&run, "10-20 0x10, 5, null, 1, 9, null; 12-13 0x11, 5, null, 2, 1, 0x10", 1, 0);
}

static void recursion_is_calls_within_calls(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run);
	call(&run, 10, ENTRY, 1);
	call(&run, 11, ENTRY, 1);
	call(&run, 12, ENTRY, 1);
	call(&run, 12, EXIT, 1);
	call(&run, 14, EXIT, 1);
	call(&run, 18, EXIT, 1);
	segment_run_expect(
		&run, "10-18 0x1, 5, p, 1, 5, null; 11-14 0x1, 5, p, 2, 3, 0x1; 12-12 0x1, 5, p, 3, 0, 0x1", 0, 0);
}

static void each_thread_has_its_own_calls(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run);
	segment_run_event(&run, 10, 0, FAST_ENTRY, "addr=1 | vtid=5 procname=a");
	segment_run_event(&run, 11, 0, FAST_ENTRY, "addr=2 | vtid=6 procname=b");
	segment_run_event(&run, 12, 0, FAST_EXIT, "| vtid=5 procname=a");
	segment_run_event(&run, 14, 0, FAST_EXIT, "| vtid=6 procname=c");
	segment_run_expect(&run, "10-12 0x1, 5, a, 1, 2, null; 11-14 0x2, 6, c, 1, 3, null", 0, 0);
}

/* Threads move between CPUs, and a process has many of them: neither says whose a call is. */
static void calls_of_nobody_are_counted(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run);
	segment_run_event(&run, 10, 0, ENTRY, "addr=1 call_site=1 | vpid=5");
	segment_run_event(&run, 11, 0, ENTRY, "addr=2 call_site=1 | vpid=5");
	segment_run_event(&run, 12, 0, EXIT, "addr=2 call_site=1 | vpid=5");
	segment_run_event(&run, 13, 0, "lttng_ust_libc:malloc", "size=1 | vpid=5");
	segment_run_expect(&run, "", 1, 2);
}

static void the_tid_does_where_there_is_no_vtid(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run);
	segment_run_event(&run, 10, 0, FAST_ENTRY, "addr=1 | tid=9");
	segment_run_event(&run, 11, 0, FAST_EXIT, "| tid=9");
	segment_run_expect(&run, "10-11 0x1, 9, null, 1, 1, null", 0, 0);
}

/* longjmp() leaves 2 and 3 without an exit; how long they took, and so what 1 did itself, nobody knows. */
static void an_exit_ends_the_call_of_its_function(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run);
	call(&run, 9, ENTRY, 7);
	call(&run, 10, ENTRY, 1);
	call(&run, 12, ENTRY, 2);
	call(&run, 13, ENTRY, 3);
	call(&run, 20, EXIT, 1);
	call(&run, 22, EXIT, 7);
	segment_run_expect(&run, "9-22 0x7, 5, p, 1, 3, null; 10-20 0x1, 5, p, 2, null, 0x7", 0, 2);
}

static void an_exit_of_another_function_ends_nothing(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run);
	call(&run, 5, EXIT, 1);
	call(&run, 10, ENTRY, 2);
	call(&run, 11, EXIT, 1); /* its entry is not there, and when it began neither */
	call(&run, 12, EXIT, 2);
	call(&run, 13, ENTRY, 3);
	segment_run_expect(&run, "10-12 0x2, 5, p, 1, null, null", 2, 1);
}

static void time_stands_still_where_the_clock_steps_back(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run);
	call(&run, 100, ENTRY, 1);
	call(&run, 90, ENTRY, 2);
	call(&run, 95, EXIT, 2);
	call(&run, 120, EXIT, 1);
	segment_run_expect(&run, "100-100 0x2, 5, p, 2, 0, 0x1; 100-120 0x1, 5, p, 1, 20, null", 0, 0);
}

static void a_call_that_meets_a_gap_is_in_doubt(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run);
	call(&run, 10, ENTRY, 1);
	call(&run, 20, ENTRY, 2);
	segment_run_gap(&run, 30, 50, 1);
	call(&run, 35, ENTRY, 3);
	call(&run, 40, EXIT, 3);
	call(&run, 60, EXIT, 2);
	call(&run, 61, ENTRY, 4);
	call(&run, 63, EXIT, 4);
	call(&run, 64, EXIT, 1);
	segment_run_expect(&run, "61-63 0x4, 5, p, 1, 2, null", 3, 3);
}

/* A gap is said to last until the end of the packet behind it; but there, nothing is missing. */
static void a_gap_ends_with_the_next_event_of_its_cpu(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run);
	segment_run_event(&run, 10, 0, FAST_ENTRY, "addr=1 | vtid=5");
	segment_run_gap(&run, 20, 50, 1);
	segment_run_gap(&run, 21, 40, 2);
	segment_run_event(&run, 30, 1, FAST_ENTRY, "addr=2 | vtid=6");
	segment_run_event(&run, 31, 2, FAST_ENTRY, "addr=3 | vtid=6");
	segment_run_event(&run, 32, 2, FAST_EXIT, "| vtid=6");
	segment_run_event(&run, 33, 0, FAST_EXIT, "| vtid=5");
	segment_run_expect(&run, "31-32 0x3, 6, null, 1, 1, null", 1, 2);
}

static void too_deep_calls_are_counted(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run);
	histree_time time = 0;
	for (int depth = 0; depth < CALL_DEPTH_MAX + 2; depth++)
		call(&run, time++, ENTRY, depth);
	for (int depth = CALL_DEPTH_MAX + 2; depth > CALL_DEPTH_MAX - 2; depth--)
		call(&run, time++, EXIT, depth - 1);
	/* The two below the limit are alone, both their entries and their exits. */
	segment_run_expect(
		&run, "65534-65541 0xfffe, 5, p, 65535, 2, 0xfffd; 65535-65540 0xffff, 5, p, 65536, null, 0xfffe",
		2, 2 + CALL_DEPTH_MAX - 2);
}

static void it_is_for_user_space_traces(void **state)
{
	(void)state;
	struct event_trace trace = { .domain = "ust", .tracer_name = "" };
	assert_true(segment_analysis_function_calls.applies(&trace));
	trace = (struct event_trace){ .domain = "kernel", .tracer_name = "lttng-modules" };
	assert_false(segment_analysis_function_calls.applies(&trace));
}

/* ---- the same as the states ------------------------------------------------------------------------------ */

/* Both analyses, fed with the same events. */
struct both {
	struct analysis_run states;
	struct segment_run segments;
};

static void both_begin(struct both *both)
{
	run_begin(&both->states, &analysis_ust_calls, "lttng-ust", 2, 3, 0);
	begin(&both->segments);
}

/* Intervals of the places of all stacks, by attribute and start. */
static int compare_intervals(const void *left, const void *right)
{
	const struct recorded_interval *a = left, *b = right;
	if (a->quark != b->quark)
		return a->quark < b->quark ? -1 : 1;
	return (a->start > b->start) - (a->start < b->start);
}

static const struct recorded_interval *interval_at(const struct recorded_history *history, histree_quark quark,
						   histree_time time)
{
	size_t low = 0, high = history->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct recorded_interval *interval = &history->intervals[middle];
		if (interval->quark < quark || (interval->quark == quark && interval->end < time))
			low = middle + 1;
		else
			high = middle;
	}
	assert_true(low < history->count && history->intervals[low].quark == quark);
	return &history->intervals[low];
}

/* A call is the function at its depth from its first ns to the one before its last, in one state or several. */
static void expect_state(const struct both *both, const struct histree_segment *segment)
{
	char path[64], name[CALL_NAME_SIZE];
	snprintf(path, sizeof(path), "Threads/%d/CallStack/%d", segment->content[1].int32,
		 segment->content[3].int32);
	segment_value_text(name, sizeof(name), &segment->content[0]);
	const struct recorded_history *history = &both->states.history;
	histree_quark quark = recorded_history_find(history, path);
	for (histree_time time = segment->start; time < segment->end;) {
		const struct recorded_interval *interval = interval_at(history, quark, time);
		assert_string_equal(interval->value, name);
		time = interval->end + 1;
	}
}

/* Gives the number of segments; the end of both. */
static size_t both_compare(struct both *both, histree_time end)
{
	size_t count = 0;
	struct histree_segment segment;
	run_end(&both->states, end);
	qsort(both->states.history.intervals, both->states.history.count, sizeof(struct recorded_interval),
	      compare_intervals);
	struct histree_segment_iter *iter = segment_run_iterate(&both->segments);
	for (; histree_segment_iter_next(iter, &segment, &both->segments.error) == HISTREE_OK; count++)
		expect_state(both, &segment);
	histree_segment_iter_free(iter);
	assert_int_equal(analysis_ust_calls.refused(both->states.instance), 0);
	both->segments.analysis->free(both->segments.instance);
	histree_segment_store_close(both->segments.store);
	run_release(&both->states);
	return count;
}

/* Some 3,000 entries and exits of three threads: most match, some are missing, and now and then there is a gap. */
static void random_calls_are_what_the_states_say(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	print_message("seed %" PRIu64 "\n", seed);
	for (int round = 0; round < 20; round++, seed++) {
		struct random random = { .state = seed };
		struct both both;
		both_begin(&both);
		histree_time time = 1;
		for (int i = 0; i < 3000; i++) {
			char fields[WRITTEN_TEXT_SIZE];
			time += (histree_time)random_below(&random, 3);
			if (random_below(&random, 500) == 0) {
				run_gap(&both.states, time, time + 5, 1);
				segment_run_gap(&both.segments, time, time + 5, 1);
			}
			snprintf(fields, sizeof(fields),
				 "addr=%" PRIu64 " call_site=1 | vtid=%" PRIu64 " procname=p",
				 1 + random_below(&random, 4), 1 + random_below(&random, 3));
			const char *event = random_below(&random, 9) < 4 ? ENTRY : EXIT;
			int cpu = (int)random_below(&random, 2);
			run_event(&both.states, time, cpu, event, fields);
			segment_run_event(&both.segments, time, cpu, event, fields);
		}
		assert_true(both_compare(&both, time + 1) > 500);
	}
}

static size_t compare_trace(const char *name)
{
	char path[DATA_PATH_SIZE];
	if (!shared_path(path, name))
		skip();
	struct trace *trace;
	struct both both;
	struct event event;
	histree_time end = 0;
	both_begin(&both);
	assert_int_equal(trace_open((const char *const[]){ path }, 1, &trace, &both.states.error), HISTREE_OK);
	while (trace_next(trace, &event, &both.states.error) == HISTREE_OK) {
		assert_int_equal(
			feed_event(&both.states.inputs, both.states.analysis, both.states.instance, &event, NULL),
			HISTREE_OK);
		segment_run_feed(&both.segments, &event);
		end = event.time;
	}
	trace_close(trace);
	return both_compare(&both, end);
}

static void real_calls_are_what_the_states_say(void **state)
{
	(void)state;
	assert_int_equal(compare_trace("traces/lttng-ust/cyg-profile/glxgears-cyg-profile"), 2487);
	assert_int_equal(compare_trace("traces/lttng-ust/cyg-profile/glxgears-cyg-profile-fast"), 2579);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_lasts_from_entry_to_exit),
		cmocka_unit_test(the_fast_events_are_the_same),
		cmocka_unit_test(recursion_is_calls_within_calls),
		cmocka_unit_test(each_thread_has_its_own_calls),
		cmocka_unit_test(calls_of_nobody_are_counted),
		cmocka_unit_test(the_tid_does_where_there_is_no_vtid),
		cmocka_unit_test(an_exit_ends_the_call_of_its_function),
		cmocka_unit_test(an_exit_of_another_function_ends_nothing),
		cmocka_unit_test(time_stands_still_where_the_clock_steps_back),
		cmocka_unit_test(a_call_that_meets_a_gap_is_in_doubt),
		cmocka_unit_test(a_gap_ends_with_the_next_event_of_its_cpu),
		cmocka_unit_test(too_deep_calls_are_counted),
		cmocka_unit_test(it_is_for_user_space_traces),
		cmocka_unit_test(random_calls_are_what_the_states_say),
		cmocka_unit_test(real_calls_are_what_the_states_say),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
