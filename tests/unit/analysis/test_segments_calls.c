// SPDX-License-Identifier: MIT
/*
 * test_segments_calls.c - segments of function calls are the states of ust-calls, on random events and on real
 * ones; and what cases/segments_calls.txt cannot say.
 */
#include "analysis/ust/call_stacks.h"
#include "analysis_run.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "segment_run.h"
#include "support/data.h"
#include "support/effort.h"
#include "support/workload.h"
#include "trace/trace.h"

#define ENTRY "lttng_ust_cyg_profile:func_entry"
#define EXIT "lttng_ust_cyg_profile:func_exit"

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

TEST(too_deep_calls_are_counted)
{
	struct segment_run run;
	begin(&run);
	histree_time time = 0;
	for (int depth = 0; depth < CALL_DEPTH_MAX + 2; depth++)
		call(&run, time++, ENTRY, depth);
	for (int depth = CALL_DEPTH_MAX + 2; depth > CALL_DEPTH_MAX - 2; depth--)
		call(&run, time++, EXIT, depth - 1);
	struct histree_cursor *iter = segment_run_iterate(&run);
	static const char *const ended[] = { "65534-65541 0xfffe, 5, p, 65535, 2, 0xfffd, null, null",
					     "65535-65540 0xffff, 5, p, 65536, null, 0xfffe, null, null" };
	char text[SEGMENT_RUN_TEXT_SIZE];
	int open = 0, count = 0;
	while (segment_run_next(&run, iter, text)) {
		if (strcmp(text + strlen(text) - strlen(", open"), ", open") == 0) {
			open++;
			continue;
		}
		assert_true(count < 2);
		assert_string_equal(text, ended[count++]);
	}
	assert_int_equal(count, 2);
	assert_int_equal(open, CALL_DEPTH_MAX - 2);
	/* The two below the limit are alone, both their entries and their exits. */
	segment_run_expect_alone(&run, 2, 2 + CALL_DEPTH_MAX - 2);
	histree_cursor_free(iter);
	segment_run_release(&run);
}

TEST(it_is_for_user_space_traces)
{
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
COMPARE(compare_intervals, struct recorded_interval, BY(quark) BY(start))

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
	struct histree_cursor *iter = segment_run_iterate(&both->segments);
	for (; histree_cursor_next(iter, &both->segments.error) == HISTREE_OK; count++) {
		segment = *histree_cursor_segment(iter);
		expect_state(both, &segment);
	}
	histree_cursor_free(iter);
	assert_int_equal(analysis_ust_calls.refused(both->states.instance), 0);
	segment_run_release(&both->segments);
	run_release(&both->states);
	return count;
}

/* Some 3,000 entries and exits of three threads: most match, some are missing, and now and then there is a gap. */
TEST(random_calls_are_what_the_states_say)
{
	uint64_t seed = test_seed();
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
	assert_ok(trace_open((const char *const[]){ path }, 1, &trace, &both.states.error));
	while (trace_next(trace, &event, &both.states.error) == HISTREE_OK) {
		assert_ok(
			feed_event(&both.states.inputs, both.states.analysis, both.states.instance, &event, NULL));
		segment_run_feed(&both.segments, &event);
		end = event.time;
	}
	trace_close(trace);
	return both_compare(&both, end);
}

TEST(real_calls_are_what_the_states_say)
{
	assert_int_equal(compare_trace("traces/lttng-ust/cyg-profile/glxgears-cyg-profile"), 2487 + 3);
	assert_int_equal(compare_trace("traces/lttng-ust/cyg-profile/glxgears-cyg-profile-fast"), 2579 + 3);
}
