// SPDX-License-Identifier: MIT
/*
 * time_use.c - pieces of threads' states, added up by what was asked for.
 */
#include "histree/time_use.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "query/thread_pieces.h"
#include "query/window.h"
#include "view/control_flow.h"
#include "view/time_use_inside.h"
#include "view/use_cube.h"
#include "view/use_question.h"

static const struct histree_filter_field fields[FIELD_COUNT] = {
	[FIELD_HOST] = { "host", HISTREE_STRING, HISTREE_FILTER_PLAIN },
	[FIELD_THREAD] = { "thread", HISTREE_INT, HISTREE_FILTER_PLAIN },
	[FIELD_PROCESS] = { "process", HISTREE_INT, HISTREE_FILTER_PLAIN },
	[FIELD_NAME] = { "name", HISTREE_STRING, HISTREE_FILTER_PLAIN },
	[FIELD_CPU] = { "cpu", HISTREE_INT, HISTREE_FILTER_PLAIN },
	[FIELD_STATE] = { "state", HISTREE_STRING, HISTREE_FILTER_PLAIN },
	[FIELD_SYSTEM_CALL] = { "system_call", HISTREE_STRING, HISTREE_FILTER_PLAIN },
	[FIELD_HAD_BY] = { "had_by", HISTREE_INT, HISTREE_FILTER_PLAIN },
};

const char *histree_use_name(enum histree_use use)
{
	static const char *const names[HISTREE_USE_COUNT] = { "user",    "system",  "interrupted", "idle",
							      "waiting", "blocked", "other",       "unknown" };
	return names[(unsigned)use < HISTREE_USE_COUNT ? use : HISTREE_USE_UNKNOWN];
}

/* ---- hosts -------------------------------------------------------------------------------------------------- */

static bool needs(const struct histree_time_use *use, enum histree_use_key key, enum field field)
{
	return (use->request.by & 1U << key) != 0 ||
	       (use->filter != NULL && histree_filter_needs(use->filter, field));
}

static struct use_sweep sweep_of(struct histree_time_use *use, struct histree_history *history)
{
	const struct histree_history_info *info = histree_history_info(history);
	const struct histree_time_use_request *request = &use->request;
	return (struct use_sweep){
		.history = history,
		.from = request->from > info->start ? request->from : info->start,
		.to = request->to < info->end ? request->to : info->end,
		.needs_cpus = needs(use, HISTREE_USE_BY_CPU, FIELD_CPU),
		.needs_calls = needs(use, HISTREE_USE_BY_SYSTEM_CALL, FIELD_SYSTEM_CALL),
		.needs_owners = needs(use, HISTREE_USE_BY_HAD_BY, FIELD_HAD_BY),
		.needs_order = request->longest,
		.wants = time_use_wants,
		.take = time_use_take,
		.context = use,
		.texts = &use->rows.texts,
		.states_max = request->states_max > 0 ? request->states_max : WINDOW_STATES_MAX,
		.cancel = &use->request.cancel,
	};
}

/* ---- with the list of threads ------------------------------------------------------------------------------- */

static enum histree_status sweep_threads(struct histree_time_use *use, struct histree_history *history,
					 struct histree_error *error)
{
	struct use_sweep sweep = sweep_of(use, history);
	struct thread_walk walk;
	thread_walk_begin(&walk, histree_history_attributes(history));
	use->has_threads |= thread_walk_next(&walk); /* though nobody may live in the range */
	sweep.threads = histree_control_flow_threads(use->flow, &sweep.thread_count);
	if (sweep.thread_count == 0)
		return HISTREE_OK;
	use->has_lives = histree_control_flow_has_lives(use->flow);
	if (use->request.longest && (use->runs = calloc(sweep.thread_count, sizeof(*use->runs))) == NULL)
		return error_memory(error, "the use of time");
	enum histree_status status = use_sweep_run(&sweep, error);
	use->is_damaged |= sweep.is_damaged;
	free(use->runs);
	use->runs = NULL;
	return status;
}

static enum histree_status read_threads(struct histree_time_use *use, struct histree_history *history,
					struct histree_error *error)
{
	struct histree_control_flow *flow;
	enum histree_status status = control_flow_create_during(history, use->request.from, use->request.to,
								use->request.cancel, &flow, error);
	if (status != HISTREE_OK)
		return status;
	use->flow = flow;
	status = sweep_threads(use, history, error);
	histree_control_flow_free(flow);
	use->flow = NULL;
	return status;
}

/* ---- without it --------------------------------------------------------------------------------------------- */

/* Whether nothing is asked but these keys, which of the host does not matter: a filter names their fields alone. */
static bool asks_only(const struct histree_time_use *use, unsigned keys)
{
	static const enum field fields_of[HISTREE_USE_KEY_COUNT] = {
		FIELD_THREAD, FIELD_PROCESS, FIELD_NAME, FIELD_CPU, FIELD_STATE, FIELD_SYSTEM_CALL, FIELD_HAD_BY,
	};
	bool is_only = true;
	for (unsigned key = 0; key < HISTREE_USE_KEY_COUNT; key++)
		is_only &= (keys & 1U << key) != 0 || !needs(use, (enum histree_use_key)key, fields_of[key]);
	return is_only;
}

/*
 * What a cube can say.  By system call it counts calls, of which a filter on other keys could leave out a part; who
 * had a CPU it knows of waits alone, of each of which it knows nothing else.
 */
static bool is_for_cube(const struct histree_time_use *use)
{
	const unsigned by = use->request.by;
	if (use->request.longest)
		return false;
	if ((by & HISTREE_BY(SYSTEM_CALL)) != 0)
		return asks_only(use, HISTREE_BY(SYSTEM_CALL));
	return asks_only(use, HISTREE_BY(CPU) | HISTREE_BY(STATE) | HISTREE_BY(SYSTEM_CALL)) ||
	       asks_only(use, HISTREE_BY(STATE) | HISTREE_BY(HAD_BY));
}

/*
 * Names of a few threads are looked up one by one; for many the list is made.  The cells know numbers, and not
 * which of several threads had one.
 */
static enum histree_status hand_out(struct histree_time_use *use, struct use_cube *cube,
				    struct histree_error *error)
{
	enum { NAMES_MAX = 256 };
	struct histree_control_flow *flow = NULL;
	enum histree_status status = HISTREE_OK;
	if (cube->cells.parts[CUBE_OF_OWNERS].count > NAMES_MAX && (use->request.by & HISTREE_BY(HAD_BY)) != 0)
		status = control_flow_create_during(cube->sweep.history, use->request.from, use->request.to,
						    use->request.cancel, &flow, error);
	use->flow = flow;
	use->is_parted = flow != NULL && histree_control_flow_has_lives(flow);
	if (status == HISTREE_OK && !use->is_parted)
		status = use_cube_hand_out(cube, error);
	use->flow = NULL;
	histree_control_flow_free(flow);
	return status;
}

/* *is_read is false if there is no cube that says it; rows of the host may have been made. */
static enum histree_status read_cube(struct histree_time_use *use, struct histree_history *history, bool *is_read,
				     struct histree_error *error)
{
	struct use_cube cube = { .sweep = sweep_of(use, history), .has_idle = time_use_has_idle(use) };
	*is_read = false;
	if (!is_for_cube(use))
		return HISTREE_OK;
	enum histree_status status = use_cube_read(&cube, error);
	if (status == HISTREE_OK && cube.cells.is_any) {
		use->has_threads = true;
		status = hand_out(use, &cube, error);
		*is_read = !use->is_parted;
	}
	use->is_damaged |= cube.sweep.is_damaged;
	use_cube_release(&cube);
	return status;
}

/* ------------------------------------------------------------------------------------------------------------- */

static enum histree_status read_host(struct histree_time_use *use, struct histree_history *history,
				     struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(history);
	bool is_read;
	if (strncmp(info->provider, "kernel", strlen("kernel")) != 0)
		return HISTREE_OK; /* its states mean something else */
	if (use->request.from > info->end || use->request.to < info->start) {
		use->has_threads = true; /* nobody knows; nothing is wrong with it */
		return HISTREE_OK;
	}
	use->history = history;
	use->has_lives = use->is_parted = false;
	const size_t before = use->rows.count;
	enum histree_status status = read_cube(use, history, &is_read, error);
	if (status == HISTREE_OK && use->is_parted)
		use_rows_cut(&use->rows, before);
	return status == HISTREE_OK && !is_read ? read_threads(use, history, error) : status;
}

static enum histree_status read_hosts(struct histree_time_use *use, const struct histree_history_host *hosts,
				      size_t count, const struct use_asked *asked, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		use->host = (uint32_t)i;
		use->host_name = hosts[i].name;
		use->is_damaged |= hosts[i].history == NULL && hosts[i].why != NULL && time_use_wants_host(use);
		if (hosts[i].history != NULL && hosts[i].count > 0 && asked[i].source == NULL)
			status = read_host(use, hosts[i].history, error);
	}
	return status;
}

/* ---- hosts whose histories somebody else holds -------------------------------------------------------------- */

/* Asks the holders, so that they read while this process does. */
static enum histree_status ask_holders(const struct histree_time_use *use, const struct histree_history_info *info,
				       const struct histree_history_host *hosts, size_t count,
				       struct use_asked *asked, struct histree_error *error)
{
	struct use_question question = { .request = use->request, .start = info->start, .end = info->end };
	const struct use_asked *last = NULL;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		if (hosts[i].history == NULL || hosts[i].count == 0 || !use_question_is_for(hosts[i].history))
			continue;
		question.host_name = hosts[i].name;
		status = use_question_ask(&question, hosts[i].history, &asked[i], error);
		last = &asked[i];
	}
	return status == HISTREE_OK && last != NULL ? use_asked_send(last, error) : status;
}

static enum histree_status take_answers(struct histree_time_use *use, const struct use_asked *asked, size_t count,
					struct histree_error *error)
{
	const struct histree_time_use_request *request = &use->request;
	struct byte_reader answer;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		if (asked[i].source == NULL)
			continue;
		status = use_asked_take(&asked[i], &answer, error);
		if (status != HISTREE_OK)
			return status;
		use->has_threads |= saved_read_below(&answer, 2) != 0;
		use->is_damaged |= saved_read_below(&answer, 2) != 0;
		status = use_rows_load(&use->rows, request->by, request->longest, (uint32_t)i, &answer, error);
	}
	return status;
}

static enum histree_status read_all(struct histree_time_use *use, struct histree_history *history,
				    struct histree_error *error)
{
	size_t count;
	const struct histree_history_info *info = histree_history_info(history);
	const struct histree_history_host one = { .name = "", .history = history, .count = 1 };
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	if (count == 0) {
		hosts = &one;
		count = 1;
	}
	struct use_asked *asked = calloc(count, sizeof(*asked));
	enum histree_status status = asked != NULL ? ask_holders(use, info, hosts, count, asked, error)
						   : error_memory(error, "the use of time");
	if (status == HISTREE_OK)
		status = read_hosts(use, hosts, count, asked, error);
	if (status == HISTREE_OK)
		status = take_answers(use, asked, count, error);
	for (size_t i = 0; asked != NULL && i < count; i++)
		use_asked_drop(&asked[i]);
	free(asked);
	return status;
}

/* ---- the answer --------------------------------------------------------------------------------------------- */

/* Times in the expression are relative to `start` and `end`. */
static enum histree_status prepare(struct histree_time_use *use, histree_time start, histree_time end,
				   struct histree_error *error)
{
	const struct histree_filter_scope scope = { fields, FIELD_COUNT, start, end };
	const struct histree_time_use_request *request = &use->request;
	if (request->from > request->to || request->by >= 1U << HISTREE_USE_KEY_COUNT)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a use of time from %lld to %lld by %#x",
				 (long long)request->from, (long long)request->to, request->by);
	if (request->where == NULL)
		return HISTREE_OK;
	enum histree_status status = histree_filter_create(request->where, &scope, &use->filter, error);
	for (size_t field = FIELDS_OF_THREAD; field < FIELD_COUNT && status == HISTREE_OK; field++)
		use->filters_pieces |= histree_filter_needs(use->filter, field);
	return status;
}

enum histree_status histree_time_use_create(struct histree_history *history,
					    const struct histree_time_use_request *request,
					    struct histree_time_use **out, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(history);
	struct histree_time_use *use = *out = calloc(1, sizeof(*use));
	if (use == NULL)
		return error_memory(error, "the use of time");
	use->request = *request;
	enum histree_status status = prepare(use, info->start, info->end, error);
	if (status == HISTREE_OK)
		status = read_all(use, history, error);
	if (status == HISTREE_OK && !use->has_threads) {
		const bool is_kernel = strncmp(info->provider, "kernel", strlen("kernel")) == 0;
		status = error_set(
			error, HISTREE_ERR_ARGUMENT,
			"the history is of the analysis '%s' and has no threads; the use of time %s",
			info->provider,
			is_kernel ? "is made of sched_switch, sched_wakeup, interrupts and system calls, which "
				    "the trace has to record"
				  : "is that of 'kernel', of a trace that records sched_switch: build it with "
				    "'-a kernel'");
	}
	if (status != HISTREE_OK) {
		histree_time_use_free(use);
		*out = NULL;
		return status;
	}
	use_rows_sort(&use->rows, request->by);
	return HISTREE_OK;
}

enum histree_status histree_time_use_answer(struct histree_history *history, const void *bytes, size_t size,
					    struct histree_cancel cancel, void **answer, size_t *answer_size,
					    struct histree_error *error)
{
	struct use_question question;
	struct saved_bytes saved = { 0 };
	*answer = NULL;
	*answer_size = 0;
	if (!use_question_read(&question, bytes, size))
		return error_set(error, HISTREE_ERR_FORMAT, "this is no question about the use of time");
	struct histree_time_use *use = calloc(1, sizeof(*use));
	if (use == NULL)
		return error_memory(error, "the use of time");
	use->request = question.request;
	use->request.cancel = cancel;
	use->host_name = question.host_name;
	enum histree_status status = prepare(use, question.start, question.end, error);
	if (status == HISTREE_OK)
		status = read_host(use, history, error);
	if (status == HISTREE_OK) {
		saved_put(&saved, use->has_threads);
		saved_put(&saved, use->is_damaged);
		use_rows_put(&use->rows, use->request.by, use->request.longest, &saved);
		if (saved.no_memory)
			status = error_memory(error, "the use of time");
	}
	histree_time_use_free(use);
	if (status != HISTREE_OK) {
		saved_release(&saved);
		return status;
	}
	*answer = saved.bytes;
	*answer_size = saved.size;
	return HISTREE_OK;
}

void histree_time_use_free(struct histree_time_use *use)
{
	if (use == NULL)
		return;
	histree_filter_free(use->filter);
	use_rows_release(&use->rows);
	id_map_release(&use->counted);
	arena_release(&use->calls);
	free(use);
}

const struct histree_use_row *histree_time_use_rows(const struct histree_time_use *use, size_t *count)
{
	*count = use->rows.count;
	return use->rows.rows;
}

bool histree_time_use_is_damaged(const struct histree_time_use *use)
{
	return use->is_damaged;
}
