// SPDX-License-Identifier: MIT
#include "analysis_run.h"
#include "case_kind.h"
#include "trace/trace_source.h"

struct state_run {
	struct analysis_run run;
	bool is_ended;
	unsigned expectation_count;
};

static void *begin(const struct registry_entry *entry, const char *tracer, int major, int minor)
{
	struct state_run *state = calloc(1, sizeof(*state));
	assert_non_null(state);
	run_begin(&state->run, entry->analysis, tracer, major, minor, 0);
	return state;
}

static void follow_event(void *run, histree_time time, int32_t cpu, const char *name, const char *fields)
{
	struct state_run *state = run;
	assert_false(state->is_ended);
	run_event(&state->run, time, cpu, name, fields);
}

static void follow_gap(void *run, histree_time begin, histree_time end, int32_t cpu)
{
	struct state_run *state = run;
	assert_false(state->is_ended);
	run_gap(&state->run, begin, end, cpu);
}

static void end_states(struct state_run *state, histree_time end)
{
	assert_false(state->is_ended);
	run_end(&state->run, end);
	state->is_ended = true;
}

static void set_machine(struct state_run *state, const char *machine)
{
	state->run.events.trace.machine = strcmp(machine, "-") == 0 ? "" : machine;
}

/* "PATH: STATES" */
static void expect_states(const struct state_run *state, const char *line)
{
	char path[RUN_TEXT_SIZE];
	const char *states = strstr(line, ": ");
	assert_non_null(states);
	snprintf(path, sizeof(path), "%.*s", (int)(states - line), line);
	run_expect(&state->run, path, states + 2);
}

/* Returns false if the line expects nothing. */
static bool expect(struct state_run *state, const char *line)
{
	bool is_states = strncmp(line, "= ", 2) == 0, is_absent = strncmp(line, "no ", 3) == 0;
	if (!is_states && !is_absent && strcmp(line, "nothing") != 0)
		return false;
	assert_true(state->is_ended);
	state->expectation_count++;
	if (is_states)
		expect_states(state, line + 2);
	else if (is_absent)
		run_expect_absent(&state->run, line + 3);
	else
		assert_int_equal(state->run.history.attribute_count, 0);
	return true;
}

static bool follow_line(void *run, const char *line)
{
	struct state_run *state = run;
	histree_time end;
	if (strncmp(line, "machine ", 8) == 0)
		set_machine(state, line + 8);
	else if (strncmp(line, "linux ", 6) == 0)
		state->run.events.trace.has_new_task_states = trace_release_has_new_task_states(line + 6);
	else if (sscanf(line, "end %" SCNd64, &end) == 1)
		end_states(state, end);
	else
		return expect(state, line);
	return true;
}

static void end(void *run)
{
	struct state_run *state = run;
	assert_int_not_equal(state->expectation_count, 0);
	assert_int_equal(state->run.analysis->refused(state->run.instance), 0);
	run_release(&state->run);
	free(state);
}

const struct case_kind state_case = {
	.begin = begin,
	.event = follow_event,
	.gap = follow_gap,
	.line = follow_line,
	.end = end,
};
