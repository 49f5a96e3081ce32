/* SPDX-License-Identifier: MIT */
/*
 * analysis_run.h - an analysis fed with events that are written by hand, and the states that come of it.
 *
 *	struct analysis_run run;
 *	run_begin(&run, &analysis_kernel, "lttng-modules", 2, 8, 0);
 *	run_event(&run, 10, 0, "sched_waking", "tid=5 prio=20 target_cpu=1");
 *	run_end(&run, 100);
 *	run_expect(&run, "Threads/5", "0 null, 10 int 5");
 *	run_release(&run);
 */
#ifndef ANALYSIS_RUN_H
#define ANALYSIS_RUN_H

#include "state/state_system.h"
#include "support/analysis_feed.h"
#include "support/recorded_history.h"
#include "support/test.h"
#include "support/written_events.h"

enum { RUN_TEXT_SIZE = 512 };

struct analysis_run {
	const struct analysis *analysis;
	void *instance;
	struct analysis_inputs inputs;
	struct histree_state_system *system;
	struct recorded_history history;
	histree_time start, end;
	struct written_events events;
	struct histree_error error;
};

static inline void run_begin(struct analysis_run *run, const struct analysis *analysis, const char *tracer,
			     int major, int minor, histree_time start)
{
	*run = (struct analysis_run){ .analysis = analysis, .start = start };
	written_events_init(&run->events, tracer, major, minor);
	struct interval_sink sink = recorded_history_sink(&run->history);
	assert_ok(state_system_create(start, &sink, &run->system, &run->error));
	assert_ok(feed_create(&run->inputs, analysis, run->system, &run->instance, &run->error));
}

static inline enum histree_status run_try(struct analysis_run *run, histree_time time, int32_t cpu,
					  const char *name, const char *fields)
{
	struct event event = written_event(&run->events, time, cpu, name, fields);
	return feed_event(&run->inputs, run->analysis, run->instance, &event, &run->error);
}

static inline void run_event(struct analysis_run *run, histree_time time, int32_t cpu, const char *name,
			     const char *fields)
{
	assert_ok(run_try(run, time, cpu, name, fields));
}

/* What happened on a CPU from here on was lost. */
static inline void run_gap(struct analysis_run *run, histree_time begin, histree_time end, int32_t cpu)
{
	const struct event_gap gap = { .trace = &run->events.trace, .cpu = cpu, .begin = begin, .end = end };
	const struct event event = { .time = begin, .cpu = cpu, .gap = &gap };
	assert_ok(feed_event(&run->inputs, run->analysis, run->instance, &event, &run->error));
}

/* As at the end of a trace whose last event is at `end` or before. */
static inline void run_end(struct analysis_run *run, histree_time end)
{
	histree_time later = INT64_MIN;
	if (run->analysis->finish != NULL)
		assert_ok(run->analysis->finish(run->instance, &later, &run->error));
	assert_true(later <= end);
	run->end = end;
	assert_ok(histree_state_close(run->system, end, &run->error));
}

/* All states of an attribute, "START TYPE VALUE, ..."; that they leave no gap is checked on the way. */
static inline void run_states(const struct analysis_run *run, histree_quark quark, char text[static RUN_TEXT_SIZE])
{
	histree_time next = run->start;
	size_t size = 0;
	text[0] = '\0';
	for (size_t i = 0; i < run->history.count; i++) {
		const struct recorded_interval *interval = &run->history.intervals[i];
		if (interval->quark != quark)
			continue;
		assert_int_equal(interval->start, next);
		next = interval->end + 1;
		bool has_value = interval->type != HISTREE_NULL && interval->type != HISTREE_UNKNOWN;
		size += (size_t)snprintf(text + size, RUN_TEXT_SIZE - size, "%s%" PRId64 " %s%s%s",
					 size == 0 ? "" : ", ", interval->start, histree_type_name(interval->type),
					 has_value ? " " : "", interval->value);
		assert_true(size < RUN_TEXT_SIZE);
	}
	assert_int_equal(next, run->end + 1);
}

static inline void run_expect(const struct analysis_run *run, const char *path, const char *expected)
{
	histree_quark quark = recorded_history_find(&run->history, path);
	if (quark == HISTREE_ROOT)
		fail_msg("there is no attribute '%s'", path);
	char states[RUN_TEXT_SIZE];
	run_states(run, quark, states);
	if (strcmp(states, expected) != 0)
		fail_msg("'%s' is '%s', not '%s'", path, states, expected);
}

static inline void run_expect_absent(const struct analysis_run *run, const char *path)
{
	if (recorded_history_find(&run->history, path) != HISTREE_ROOT)
		fail_msg("there is an attribute '%s'", path);
}

static inline void run_release(struct analysis_run *run)
{
	run->analysis->free(run->instance);
	analysis_inputs_release(&run->inputs);
	histree_state_free(run->system);
	recorded_history_release(&run->history);
}

#endif
