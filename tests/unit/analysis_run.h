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

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/analysis.h"
#include "recorded_history.h"
#include "state/state_system.h"

enum { RUN_CLASSES_MAX = 32, RUN_FIELDS_MAX = 16, RUN_TEXT_SIZE = 512 };

struct run_field {
	char name[32];
	bool is_number;
	int64_t number;
	char text[64];
};

struct run_class {
	struct event_class class;
	char name[64];
	const char *names[RUN_FIELDS_MAX];
	char name_texts[RUN_FIELDS_MAX][32];
};

struct analysis_run {
	const struct analysis *analysis;
	void *instance;
	struct histree_state_system *system;
	struct recorded_history history;
	histree_time start, end;
	struct event_trace trace;
	struct run_class classes[RUN_CLASSES_MAX];
	uint32_t class_count;
	struct run_field fields[RUN_FIELDS_MAX]; /* of the current event */
	uint32_t field_count;
	struct histree_error error;
};

static inline bool run_get_int(const struct event *event, uint32_t field, int64_t *out)
{
	const struct analysis_run *run = event->handle;
	if (field >= run->field_count || !run->fields[field].is_number)
		return false;
	*out = run->fields[field].number;
	return true;
}

static inline bool run_get_string(const struct event *event, uint32_t field, const char **text, size_t *size)
{
	const struct analysis_run *run = event->handle;
	if (field >= run->field_count || run->fields[field].is_number)
		return false;
	*text = run->fields[field].text;
	*size = strlen(*text);
	return true;
}

static inline void run_begin(struct analysis_run *run, const struct analysis *analysis, const char *tracer,
			     int major, int minor, histree_time start)
{
	*run = (struct analysis_run){ .analysis = analysis, .start = start };
	run->trace = (struct event_trace){ .path = "",
					   .domain = strcmp(tracer, "lttng-ust") == 0 ? "ust" : "kernel",
					   .tracer_name = tracer,
					   .tracer_major = major,
					   .tracer_minor = minor,
					   .hostname = "",
					   .machine = "x86_64",
					   .get_int = run_get_int,
					   .get_string = run_get_string };
	struct interval_sink sink = recorded_history_sink(&run->history);
	assert_int_equal(state_system_create(start, &sink, &run->system, &run->error), HISTREE_OK);
	assert_int_equal(analysis->create(run->system, &run->instance, &run->error), HISTREE_OK);
}

/* "tid=5 comm=sh": what does not begin like a number is text; blanks cannot be said. */
static inline void run_parse(struct analysis_run *run, const char *fields)
{
	char copy[RUN_TEXT_SIZE], *rest = NULL;
	snprintf(copy, sizeof(copy), "%s", fields);
	run->field_count = 0;
	for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
		struct run_field *field = &run->fields[run->field_count++];
		assert_true(run->field_count <= RUN_FIELDS_MAX);
		char *value = strchr(word, '=');
		assert_non_null(value);
		*value++ = '\0';
		snprintf(field->name, sizeof(field->name), "%s", word);
		snprintf(field->text, sizeof(field->text), "%s", value);
		char *behind;
		field->number = strtoll(value, &behind, 0);
		field->is_number = behind != value && *behind == '\0';
	}
}

/* The class of a name has the fields of the first event of that name. */
static inline const struct event_class *run_class(struct analysis_run *run, const char *name)
{
	for (uint32_t id = 0; id < run->class_count; id++)
		if (strcmp(run->classes[id].name, name) == 0)
			return &run->classes[id].class;
	assert_true(run->class_count < RUN_CLASSES_MAX);
	struct run_class *class = &run->classes[run->class_count];
	snprintf(class->name, sizeof(class->name), "%s", name);
	for (uint32_t field = 0; field < run->field_count; field++) {
		memcpy(class->name_texts[field], run->fields[field].name, sizeof(class->name_texts[field]));
		class->names[field] = class->name_texts[field];
	}
	class->class = (struct event_class){ .trace = &run->trace,
					     .id = run->class_count++,
					     .name = class->name,
					     .field_count = run->field_count,
					     .fields = class->names };
	return &class->class;
}

static inline enum histree_status run_try(struct analysis_run *run, histree_time time, int32_t cpu,
					  const char *name, const char *fields)
{
	run_parse(run, fields);
	struct event event = { .time = time, .cpu = cpu, .class = run_class(run, name), .handle = run };
	return run->analysis->event(run->instance, &event, &run->error);
}

static inline void run_event(struct analysis_run *run, histree_time time, int32_t cpu, const char *name,
			     const char *fields)
{
	assert_int_equal(run_try(run, time, cpu, name, fields), HISTREE_OK);
}

/* What happened on a CPU from here on was lost. */
static inline void run_gap(struct analysis_run *run, histree_time begin, histree_time end, int32_t cpu)
{
	const struct event_gap gap = { .trace = &run->trace, .cpu = cpu, .begin = begin, .end = end };
	assert_int_equal(run->analysis->gap(run->instance, &gap, &run->error), HISTREE_OK);
}

static inline void run_end(struct analysis_run *run, histree_time end)
{
	run->end = end;
	assert_int_equal(histree_state_close(run->system, end, &run->error), HISTREE_OK);
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
		size += (size_t)snprintf(text + size, RUN_TEXT_SIZE - size, "%s%" PRId64 " %s%s%s",
					 size == 0 ? "" : ", ", interval->start, histree_type_name(interval->type),
					 interval->type == HISTREE_NULL ? "" : " ", interval->value);
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
	histree_state_free(run->system);
	recorded_history_release(&run->history);
}

#endif
