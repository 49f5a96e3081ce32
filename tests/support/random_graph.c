// SPDX-License-Identifier: MIT
#include "support/random_graph.h"

#include <stdio.h>

#include "histree/history.h"
#include "state/state_file.h"

enum { THREADS = RANDOM_GRAPH_THREADS, ATTRIBUTES = 4, EDGE_BYTES = 4 };

struct line {
	histree_quark quarks[ATTRIBUTES]; /* the state, Woken_by, Received_from, Sent_at */
	histree_time last;
};

static enum histree_status name_all(struct histree_state_system *system, struct line *lines,
				    struct histree_error *error)
{
	static const char *const names[ATTRIBUTES] = { "", "/Woken_by", "/Received_from", "/Sent_at" };
	enum histree_status status = HISTREE_OK;
	char path[48];
	for (unsigned i = 0; i < THREADS * ATTRIBUTES && status == HISTREE_OK; i++) {
		snprintf(path, sizeof(path), "Threads/%u%s", i / ATTRIBUTES, names[i % ATTRIBUTES]);
		status = histree_state_attribute(system, HISTREE_ROOT, path,
						 &lines[i / ATTRIBUTES].quarks[i % ATTRIBUTES], error);
		lines[i / ATTRIBUTES].last = RANDOM_GRAPH_START;
	}
	return status;
}

static enum histree_status put(struct histree_state_system *system, struct line *line, unsigned attribute,
			       histree_time end, struct histree_value value, struct histree_error *error)
{
	const struct histree_interval interval = {
		.quark = line->quarks[attribute], .start = line->last, .end = end, .value = value
	};
	return histree_state_insert(system, &interval, 1, NULL, error);
}

static enum histree_status put_edge(struct histree_state_system *system, struct line *lines, const uint8_t *bytes,
				    histree_time *end, struct histree_error *error)
{
	struct line *line = &lines[bytes[0] % THREADS];
	histree_time last = line->last + bytes[2] % 16;
	last = last > *end - 1 ? last : *end - 1; /* intervals arrive by their ends */
	enum histree_status status = HISTREE_OK;
	int32_t state = bytes[1] % 16 < HISTREE_GRAPH_STATE_COUNT ? bytes[1] % 16 : HISTREE_GRAPH_BLOCKED;
	if (bytes[1] != 0xff)
		status = put(system, line, 0, last, histree_int(bytes[1] == 0xfe ? INT32_MIN : state), error);
	int32_t from = bytes[3] % 8 == 7 ? INT32_MAX : bytes[3] % 8;
	if (status == HISTREE_OK && bytes[3] < 0x60)
		status = put(system, line, 1, last, histree_int(from), error);
	if (status == HISTREE_OK && bytes[3] >= 0x50 && bytes[3] < 0xc0)
		status = put(system, line, 2, last, histree_int(from), error);
	if (status == HISTREE_OK && bytes[3] >= 0x58 && bytes[3] < 0xb8)
		status = put(system, line, 3, last, histree_long(line->last - (int8_t)bytes[2]), error);
	line->last = last + 1;
	*end = last + 1;
	return status;
}

enum histree_status random_graph_build(struct memory_io *memory, const uint8_t *bytes, size_t size,
				       struct histree_error *error)
{
	const struct histree_history_options options = {
		.path = "g",
		.provider = "graph",
		.provider_version = 1,
		.start = RANDOM_GRAPH_START,
		.tree = { .node_size = 4096, .threads = 1, .memory_max = 1 << 20 },
	};
	struct histree_state_system *system;
	struct line lines[THREADS];
	histree_time end = RANDOM_GRAPH_START + 1;
	enum histree_status status = state_file_create(&memory->io, &options, &system, error);
	if (status != HISTREE_OK)
		return status;
	status = name_all(system, lines, error);
	for (size_t at = 0; at + EDGE_BYTES <= size && status == HISTREE_OK; at += EDGE_BYTES)
		status = put_edge(system, lines, bytes + at, &end, error);
	if (status == HISTREE_OK)
		status = histree_state_close(system, end, error);
	histree_state_free(system);
	return status;
}

static const char *fault_of(const struct histree_path_step *step, const struct histree_history_info *info,
			    histree_time *before)
{
	const char *fault = NULL;
	if (step->start > step->end)
		fault = "a step goes back in time";
	else if (step->start < info->start || step->end > info->end + 1)
		fault = "a step leaves the history";
	else if ((unsigned)step->state >= HISTREE_GRAPH_STATE_COUNT)
		fault = "a step has a state that there is none of";
	else if (!step->is_arrow && step->to_tid != step->tid)
		fault = "a state leads to another thread";
	else if (step->end < *before)
		fault = "a path ends before a step on it";
	*before = step->end;
	return fault;
}

/* By our own rules each step begins where the one before ended, in time and on the same thread. */
static const char *fault_of_next(const struct histree_path_step *step, const struct histree_path_step *before)
{
	if (step->start != before->end)
		return "a step does not begin when the one before ends";
	return step->tid == before->to_tid ? NULL : "a step does not begin where the one before ends";
}

static const char *walk_thread(struct histree_cursor *path, const struct histree_path_request *request,
			       const struct histree_history_info *info, uint64_t *steps,
			       enum histree_status *status, struct histree_error *error)
{
	struct histree_path_step step, last = { 0 };
	histree_time before = info->start;
	const char *fault = NULL;
	bool is_own = request->rules == HISTREE_PATH_RULES_OWN, is_begun = false;
	*status = histree_critical_path_start(path, request, error);
	while (*status == HISTREE_OK && fault == NULL &&
	       (*status = histree_cursor_next(path, error)) == HISTREE_OK) {
		step = *histree_cursor_path_step(path);
		fault = fault_of(&step, info, &before);
		if (fault == NULL && is_own && is_begun)
			fault = fault_of_next(&step, &last);
		last = step;
		is_begun = true;
		++*steps;
	}
	if (*status == HISTREE_END || *status == HISTREE_NOT_FOUND)
		*status = HISTREE_OK;
	return fault;
}

const char *random_graph_walk(struct histree_history *history, uint64_t *steps, enum histree_status *status,
			      struct histree_error *error)
{
	static const enum histree_path_rules rules[] = { HISTREE_PATH_RULES_TRACE_COMPASS, HISTREE_PATH_RULES_OWN };
	const struct histree_history_info *info = histree_history_info(history);
	struct histree_cursor *path;
	const char *fault = NULL;
	*steps = 0;
	*status = histree_critical_path_create(history, &path, error);
	for (int32_t tid = 0; tid < 2 * THREADS && *status == HISTREE_OK && fault == NULL; tid++) {
		const struct histree_path_request request = {
			.rules = rules[tid % 2], .tid = tid / 2, .from = info->start, .to = info->end + 1
		};
		fault = walk_thread(path, &request, info, steps, status, error);
	}
	histree_cursor_free(path);
	return fault;
}
