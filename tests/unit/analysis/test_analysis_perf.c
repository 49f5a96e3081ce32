// SPDX-License-Identifier: MIT
/*
 * test_analysis_perf.c - what perf's events say of the thread in which they happen, to the kernel analysis: of a
 * recorded program.  cases/states_perf.txt has the states that come of events written by hand.
 */
#include "analysis_run.h"
#include "support/data.h"
#include "trace/trace.h"

/* At each event but a switch, the thread of the state is the one that the event names. */
TEST(a_real_program_runs_where_its_events_say)
{
	char path[DATA_PATH_SIZE];
	source_path(path, "tests/data/demo-trace");
	struct trace *trace;
	struct analysis_run run;
	struct event event;
	size_t count = 0;
	run_begin(&run, &analysis_kernel, "perf", -1, -1, 0);
	assert_ok(trace_open((const char *const[]){ path }, 1, &trace, &run.error));
	while (trace_next(trace, &event, &run.error) == HISTREE_OK) {
		int64_t tid;
		char current[64];
		histree_quark quark;
		struct histree_value value;
		assert_ok(feed_event(&run.inputs, run.analysis, run.instance, &event, &run.error));
		assert_true(event_int(&event, event_class_field(event.class, "common_pid"), &tid));
		snprintf(current, sizeof(current), "CPUs/%d/Current_thread", (int)event.cpu);
		if (strcmp(event.class->name, "sched:sched_switch") == 0 ||
		    histree_state_attribute(run.system, HISTREE_ROOT, current, &quark, NULL) != HISTREE_OK)
			continue;
		assert_ok(histree_state_ongoing(run.system, quark, &value, NULL, NULL));
		assert_int_equal(value.int32, tid);
		count++;
	}
	assert_true(count > 4000);
	trace_close(trace);
	run_release(&run);
}
