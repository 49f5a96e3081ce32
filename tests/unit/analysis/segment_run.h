/* SPDX-License-Identifier: MIT */
/*
 * segment_run.h - a segment analysis fed with events that are written by hand, and the segments that come of it.
 *
 *	struct segment_run run;
 *	segment_run_begin(&run, &segment_analysis_irqs, "lttng-modules", 2, 8);
 *	segment_run_event(&run, 10, 0, "irq_handler_entry", "irq=19 name=ahci");
 *	segment_run_event(&run, 15, 0, "irq_handler_exit", "irq=19 ret=1");
 *	struct histree_cursor *iter = segment_run_iterate(&run);
 *	char text[SEGMENT_RUN_TEXT_SIZE];
 *	segment_run_next(&run, iter, text);             "10-15 ahci, 19, 0"
 *	segment_run_expect_alone(&run, 0, 0);
 *	histree_cursor_free(iter);
 *	segment_run_release(&run);
 */
#ifndef SEGMENT_RUN_H
#define SEGMENT_RUN_H

#include <inttypes.h>

#include "support/analysis_feed.h"
#include "support/written_events.h"

enum { SEGMENT_RUN_TEXT_SIZE = 4096 };

struct segment_run {
	const struct segment_analysis *analysis;
	void *instance;
	struct analysis_inputs inputs;
	struct histree_segment_store *store;
	struct written_events events;
	struct histree_error error;
};

static inline void segment_run_begin(struct segment_run *run, const struct segment_analysis *analysis,
				     const char *tracer, int major, int minor)
{
	*run = (struct segment_run){ .analysis = analysis };
	written_events_init(&run->events, tracer, major, minor);
	assert_true(analysis->applies(&run->events.trace));
	const struct histree_segment_store_options options = {
		.kind = HISTREE_SEGMENTS_LAZY,
		.schema = { .provider = analysis->name,
			    .fields = analysis->fields,
			    .field_count = analysis->field_count },
	};
	assert_ok(histree_segment_store_create(&options, &run->store, &run->error));
	assert_ok(feed_segments_create(&run->inputs, analysis, run->store, &run->instance, &run->error));
}

static inline void segment_run_feed(struct segment_run *run, const struct event *event)
{
	assert_ok(feed_segments_event(&run->inputs, &run->analysis, &run->instance, 1, event, &run->error));
}

static inline void segment_run_event(struct segment_run *run, histree_time time, int32_t cpu, const char *name,
				     const char *fields)
{
	struct event event = written_event(&run->events, time, cpu, name, fields);
	segment_run_feed(run, &event);
}

/* What happened on a CPU from here on was lost. */
static inline void segment_run_gap(struct segment_run *run, histree_time begin, histree_time end, int32_t cpu)
{
	const struct event_gap gap = { .trace = &run->events.trace, .cpu = cpu, .begin = begin, .end = end };
	const struct event event = { .time = begin, .cpu = cpu, .gap = &gap };
	segment_run_feed(run, &event);
}

static inline size_t segment_value_text(char *text, size_t size, const struct histree_value *value)
{
	switch (value->type) {
	case HISTREE_NULL:
		return (size_t)snprintf(text, size, "null");
	case HISTREE_INT:
		return (size_t)snprintf(text, size, "%" PRId32, value->int32);
	case HISTREE_LONG:
		return (size_t)snprintf(text, size, "%" PRId64, value->int64);
	case HISTREE_BOOL:
		return (size_t)snprintf(text, size, "%s", value->boolean ? "true" : "false");
	case HISTREE_STRING:
		return (size_t)snprintf(text, size, "%.*s", (int)value->size, (const char *)value->bytes);
	default:
		fail_msg("no analysis makes a %s", histree_type_name(value->type));
		return 0;
	}
}

/* Hands out the segments of a finished store by start, then by end; the content is borrowed until the next. */
static inline struct histree_cursor *segment_run_iterate(struct segment_run *run)
{
	struct histree_cursor *iter;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	query.order = HISTREE_SEGMENTS_BY_START;
	histree_time end = INT64_MIN;
	if (run->analysis->finish != NULL)
		assert_ok(run->analysis->finish(run->instance, &end, &run->error));
	assert_ok(histree_segment_store_finish(run->store, &run->error));
	assert_ok(histree_segments_create(run->store, &iter, &run->error));
	assert_ok(histree_segments_start(iter, &query, NULL, &run->error));
	return iter;
}

static inline void segment_run_release(struct segment_run *run)
{
	run->analysis->free(run->instance);
	analysis_inputs_release(&run->inputs);
	histree_segment_store_close(run->store);
}

/* Writes the next segment, "START-END VALUE, ..."; returns false if there is none. */
static inline bool segment_run_next(struct segment_run *run, struct histree_cursor *iter,
				    char text[static SEGMENT_RUN_TEXT_SIZE])
{
	if (histree_cursor_next(iter, &run->error) != HISTREE_OK)
		return false;
	const struct histree_segment segment = *histree_cursor_segment(iter);
	size_t used =
		(size_t)snprintf(text, SEGMENT_RUN_TEXT_SIZE, "%" PRId64 "-%" PRId64, segment.start, segment.end);
	for (size_t i = 0; i < run->analysis->field_count; i++) {
		used += (size_t)snprintf(text + used, SEGMENT_RUN_TEXT_SIZE - used, i == 0 ? " " : ", ");
		used += segment_value_text(text + used, SEGMENT_RUN_TEXT_SIZE - used, &segment.content[i]);
	}
	assert_true(used < SEGMENT_RUN_TEXT_SIZE);
	return true;
}

/* How many segments lack their start, and their end. */
static inline void segment_run_expect_alone(struct segment_run *run, uint64_t without_start, uint64_t without_end)
{
	struct segment_counts counts = segment_analysis_counts(run->analysis, run->instance);
	assert_int_equal(counts.without_start, without_start);
	assert_int_equal(counts.without_end, without_end);
}

#endif
