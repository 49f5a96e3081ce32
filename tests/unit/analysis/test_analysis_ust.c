// SPDX-License-Identifier: MIT
/*
 * test_analysis_ust.c - function calls as stacks, of a real trace where there is one.
 *
 * cases/states_ust.txt has the states that come of events written by hand.
 */
#include "analysis/registry.h"
#include "analysis_run.h"
#include "support/data.h"
#include "trace/trace.h"

#define ENTRY "lttng_ust_cyg_profile:func_entry"

/* A thread's stack kept by hand, against which the state system's is held. */
struct calls {
	int64_t addresses[64];
	size_t depth;
};

static void expect_stack(struct analysis_run *run, const char *path, const struct calls *calls)
{
	histree_quark quark;
	struct histree_value depth, top;
	assert_ok(histree_state_attribute(run->system, HISTREE_ROOT, path, &quark, NULL));
	assert_ok(histree_state_ongoing(run->system, quark, &depth, NULL, NULL));
	assert_int_equal(depth.int32, calls->depth);
	if (calls->depth == 0) {
		assert_int_equal(histree_state_top(run->system, quark, &top, NULL), HISTREE_NOT_FOUND);
		return;
	}
	assert_ok(histree_state_top(run->system, quark, &top, NULL));
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

TEST(a_real_program_has_the_stack_that_its_events_say)
{
	char path[DATA_PATH_SIZE];
	if (!shared_path(path, "traces/lttng-ust/cyg-profile/glxgears-cyg-profile"))
		skip();
	struct trace *trace;
	struct analysis_run run;
	run_begin(&run, &analysis_ust_calls, "lttng-ust", 2, 3, 0);
	assert_ok(trace_open((const char *const[]){ path }, 1, &trace, &run.error));
	assert_true(analysis_ust_calls.applies(trace_at(trace, 0)));
	struct calls calls = { .depth = 0 };
	struct event event;
	size_t count = 0;
	histree_time end = 0;
	while (trace_next(trace, &event, &run.error) == HISTREE_OK) {
		assert_ok(feed_event(&run.inputs, run.analysis, run.instance, &event, &run.error));
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

TEST(it_is_for_user_space_traces)
{
	struct event_trace trace = { .domain = "ust", .tracer_name = "" };
	assert_true(analysis_ust_calls.applies(&trace));
	trace = (struct event_trace){ .domain = "kernel", .tracer_name = "lttng-modules" };
	assert_false(analysis_ust_calls.applies(&trace));
}

/* What a trace declares chooses; one that declares nothing is of calls. */
TEST(what_is_declared_is_built_by_default)
{
	static const struct {
		int declares;
		bool calls, memory;
	} cases[] = {
		{ 0, true, false },
		{ EVENT_DECLARES_CALLS, true, false },
		{ EVENT_DECLARES_MEMORY, false, true },
		{ EVENT_DECLARES_CALLS | EVENT_DECLARES_MEMORY, true, true },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct event_trace trace = { .domain = "ust",
						   .tracer_name = "lttng-ust",
						   .declares = cases[i].declares };
		assert_int_equal(registry_is_default(registry_find("ust-calls"), &trace), cases[i].calls);
		assert_int_equal(registry_is_default(registry_find("ust-memory"), &trace), cases[i].memory);
		assert_int_equal(registry_is_default(registry_find("allocations"), &trace), cases[i].memory);
	}
}
