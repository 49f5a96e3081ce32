// SPDX-License-Identifier: MIT
/*
 * test_memory_analyses.c - the analyses of memory and of counters while memory is out: the build ends with a
 * sentence that says so, or all is as if nothing had been refused; and nothing leaks.
 */
#include "histree/segments.h"
#include "state/state_system.h"
#include "support/analysis_feed.h"
#include "support/faulty_memory.h"
#include "support/test.h"
#include "support/written_events.h"

enum { EVENTS = 300, REQUESTS_MAX = 2000 };

/* Blocks of some threads, of which every other one is freed, with counters. */
static struct event event_of(struct written_events *events, int number)
{
	char fields[200];
	bool is_free = number % 2 == 1;
	snprintf(fields, sizeof(fields),
		 "%sptr=%d | vtid=%d vpid=4 procname=p%d perf_thread_cycles=%d perf_cpu_cycles=%d",
		 is_free ? "" : "size=24 ", 64 * (number / 4 * 4 + 1 + (is_free ? 0 : number % 4)), number % 7,
		 number % 5, number * 3, number * 2);
	return written_event(events, number * 10, 0, is_free ? "lttng_ust_libc:free" : "lttng_ust_libc:malloc",
			     fields);
}

static enum histree_status make_segments(struct written_events *events, uint64_t *count)
{
	const struct segment_analysis *analysis = &segment_analysis_allocations;
	const struct histree_segment_store_options options = {
		.kind = HISTREE_SEGMENTS_LAZY,
		.schema = { analysis->name, analysis->version, analysis->fields, analysis->field_count }
	};
	struct analysis_inputs inputs = { 0 };
	struct histree_segment_store *store = NULL;
	struct histree_error error = { 0 };
	histree_time end = INT64_MIN;
	void *instance = NULL;
	enum histree_status status = histree_segment_store_create(&options, &store, &error);
	if (status == HISTREE_OK)
		status = feed_segments_create(&inputs, analysis, store, &instance, &error);
	for (int i = 0; i < EVENTS && status == HISTREE_OK; i++) {
		const struct event event = event_of(events, i);
		status = feed_segments_event(&inputs, &analysis, &instance, 1, &event, &error);
	}
	if (status == HISTREE_OK)
		status = analysis->finish(instance, &end, &error);
	if (status == HISTREE_OK)
		*count = analysis->counts(instance).without_start;
	if (status != HISTREE_OK)
		assert_true(error.message[0] != '\0');
	analysis->free(instance);
	analysis_inputs_release(&inputs);
	histree_segment_store_close(store);
	return status;
}

/* Intervals go nowhere. */
static enum histree_status drop(void *context, const struct histree_interval *interval, struct histree_error *error)
{
	(void)context, (void)interval, (void)error;
	return HISTREE_OK;
}

static void nothing(void *context)
{
	(void)context;
}

static enum histree_status make_states(const struct analysis *analysis, struct written_events *events)
{
	const struct interval_sink sink = { .add = drop, .free = nothing, .value_size_max = 1000 };
	struct analysis_inputs inputs = { 0 };
	struct histree_error error = { 0 };
	struct histree_state_system *system = NULL;
	void *instance = NULL;
	enum histree_status status = state_system_create(0, &sink, &system, &error);
	if (status == HISTREE_OK)
		status = feed_create(&inputs, analysis, system, &instance, &error);
	for (int i = 0; i < EVENTS && status == HISTREE_OK; i++) {
		const struct event event = event_of(events, i);
		status = feed_event(&inputs, analysis, instance, &event, &error);
	}
	if (status != HISTREE_OK)
		assert_true(error.message[0] != '\0');
	analysis->free(instance);
	analysis_inputs_release(&inputs);
	histree_state_free(system);
	return status;
}

static enum histree_status make(unsigned which, struct written_events *events)
{
	uint64_t without_start = 0;
	if (which > 0)
		return make_states(which == 1 ? &analysis_ust_memory : &analysis_counters, events);
	enum histree_status status = make_segments(events, &without_start);
	if (status == HISTREE_OK)
		assert_true(without_start > 0);
	return status;
}

TEST(memory_is_out_at_any_request)
{
	for (unsigned which = 0; which < 3; which++) {
		uint64_t fail_at = 1;
		for (bool refused = true; refused; fail_at++) {
			struct written_events events;
			written_events_init(&events, "lttng-ust", 2, 13);
			faulty_memory_begin(fail_at, false);
			enum histree_status status = make(which, &events);
			refused = faulty_memory.refused;
			faulty_memory_end();
			if (refused)
				assert_true(status == HISTREE_OK || status == HISTREE_ERR_MEMORY);
			else
				assert_ok(status);
		}
		assert_in_range(fail_at, 10, REQUESTS_MAX);
	}
}
