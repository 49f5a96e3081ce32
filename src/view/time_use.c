// SPDX-License-Identifier: MIT
/*
 * time_use.c - pieces of threads' states, added up by what was asked for.
 */
#include "histree/time_use.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/id_map.h"
#include "histree/filter.h"
#include "view/control_flow.h"
#include "view/thread_list.h"
#include "view/use_question.h"
#include "view/use_rows.h"
#include "view/use_sweep.h"
#include "view/window_states.h"

/* Of the filter. */
enum field {
	FIELD_HOST,
	FIELD_THREAD,
	FIELD_PROCESS,
	FIELD_NAME,
	FIELD_CPU,
	FIELD_STATE,
	FIELD_SYSTEM_CALL,
	FIELD_HAD_BY,
	FIELD_COUNT,
	FIELDS_OF_THREAD = FIELD_CPU, /* those before say nothing of a piece */
};

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

/* What a thread did last, in one piece. */
struct use_run {
	histree_time start;
	uint64_t ns;
	enum histree_use use;
	uint32_t row;
};

/* The call of a thread that a row counted last. */
struct counted_call {
	histree_time start;
};

struct histree_time_use {
	struct histree_time_use_request request;
	struct histree_filter *filter; /* NULL: all is counted */
	bool filters_pieces;           /* it names more than threads */
	struct use_rows rows;
	/* The host that is being read. */
	uint32_t host;
	const char *host_name;
	struct histree_history *history;
	const struct histree_control_flow *flow;
	const struct histree_thread *threads; /* of it, */
	struct use_run *runs;                 /* and what each did; NULL: that is not asked for */
	struct id_map counted;                /* calls by row and thread, if rows are told apart by calls, */
	struct arena calls;                   /* and where they are */
	bool has_threads, is_damaged;
};

const char *histree_use_name(enum histree_use use)
{
	static const char *const names[HISTREE_USE_COUNT] = { "user",    "system",  "interrupted", "idle",
							      "waiting", "blocked", "other",       "unknown" };
	return names[(unsigned)use < HISTREE_USE_COUNT ? use : HISTREE_USE_UNKNOWN];
}

/* ---- rows --------------------------------------------------------------------------------------------------- */

/* Kept by the texts.  Who has a CPU in the range need not have a status in it, and so not be in the list. */
static enum histree_status name_of(struct histree_time_use *use, int32_t tid, const char **out,
				   struct histree_error *error)
{
	uint32_t count, found = histree_control_flow_find(use->flow, tid, -1), text;
	size_t size;
	*out = tid == 0 ? "(idle)" : "";
	if (tid <= 0)
		return HISTREE_OK;
	if (found == HISTREE_NO_INDEX)
		return thread_list_name(use->history, tid, &use->rows.texts, out, error);
	const char *name = histree_control_flow_threads(use->flow, &count)[found].name;
	text = intern_add(&use->rows.texts, name, strlen(name));
	if (text == INTERN_NONE)
		return error_memory(error, "the use of time");
	*out = intern_get(&use->rows.texts, text, &size);
	return HISTREE_OK;
}

static enum histree_status find_row(struct histree_time_use *use, const struct use_key *key,
				    const struct use_piece *piece, struct histree_use_row **out,
				    struct histree_error *error)
{
	bool is_new;
	struct histree_use_row *row = *out = use_rows_find(&use->rows, key, &is_new);
	enum histree_status status = row != NULL ? HISTREE_OK : error_memory(error, "the use of time");
	if (status == HISTREE_OK && is_new && (use->request.by & HISTREE_BY(THREAD)) != 0)
		status = name_of(use, piece->thread->tid, &row->name, error);
	if (status == HISTREE_OK && is_new && (use->request.by & HISTREE_BY(HAD_BY)) != 0)
		status = name_of(use, key->keys[HISTREE_USE_BY_HAD_BY], &row->had_by_name, error);
	return status;
}

/* ---- pieces ------------------------------------------------------------------------------------------------- */

static void fill_of_thread(const struct histree_time_use *use, const struct histree_thread *thread,
			   struct histree_value *values)
{
	values[FIELD_HOST] = histree_string(use->host_name);
	values[FIELD_THREAD] = histree_int(thread->tid);
	values[FIELD_PROCESS] = histree_int(thread->pid);
	values[FIELD_NAME] = histree_string(thread->name);
}

static bool passes(const struct histree_time_use *use, const struct use_piece *piece)
{
	struct histree_value values[FIELD_COUNT];
	if (!use->filters_pieces)
		return true; /* those of threads that do not are not read */
	fill_of_thread(use, piece->thread, values);
	values[FIELD_CPU] = use_rows_value(&use->rows, HISTREE_USE_BY_CPU, piece->cpu);
	values[FIELD_STATE] = histree_string(histree_use_name(piece->use));
	values[FIELD_SYSTEM_CALL] = use_rows_value(&use->rows, HISTREE_USE_BY_SYSTEM_CALL, piece->system_call);
	values[FIELD_HAD_BY] = use_rows_value(&use->rows, HISTREE_USE_BY_HAD_BY, piece->had_by);
	return histree_filter_match(use->filter, values);
}

static bool wants(void *context, const struct histree_thread *thread)
{
	const struct histree_time_use *use = context;
	const unsigned by_idle = HISTREE_BY(CPU) | HISTREE_BY(STATE);
	struct histree_value values[FIELD_COUNT] = { 0 };
	bool are_known[FIELD_COUNT] = {
		[FIELD_HOST] = true, [FIELD_THREAD] = true, [FIELD_PROCESS] = true, [FIELD_NAME] = true
	};
	if (thread->tid == 0 && (use->request.by & by_idle) == 0)
		return false;
	if (use->filter == NULL)
		return true;
	fill_of_thread(use, thread, values);
	return use->filters_pieces ? histree_filter_may_pass(use->filter, values, are_known)
				   : histree_filter_match(use->filter, values);
}

/* Whether the filter lets anything pass of the host that is read, so that one which is missing is missed. */
static bool wants_host(const struct histree_time_use *use)
{
	struct histree_value values[FIELD_COUNT] = { [FIELD_HOST] = histree_string(use->host_name) };
	const bool are_known[FIELD_COUNT] = { [FIELD_HOST] = true };
	return use->filter == NULL || histree_filter_may_pass(use->filter, values, are_known);
}

/* A wait goes on where the piece before it ended, if that was of the same row. */
static void follow_run(struct histree_time_use *use, const struct use_piece *piece)
{
	struct use_run *run = &use->runs[piece->thread - use->threads];
	const uint32_t number = use->rows.last;
	struct histree_use_row *row = &use->rows.rows[number];
	struct histree_use_longest *longest = piece->use == HISTREE_USE_WAITING   ? &row->longest_wait
					      : piece->use == HISTREE_USE_BLOCKED ? &row->longest_block
										  : NULL;
	const bool goes_on = run->ns > 0 && run->use == piece->use && run->row == number &&
			     (uint64_t)piece->start - (uint64_t)run->start == run->ns;
	if (!goes_on)
		*run = (struct use_run){ .start = piece->start, .use = piece->use, .row = number };
	run->ns += piece->ns;
	if (longest != NULL && (run->ns > longest->ns || (run->ns == longest->ns && run->start < longest->start)))
		*longest = (struct histree_use_longest){ .ns = run->ns, .start = run->start };
}

/* By system call, a row counts the calls of which it has a part, however many states that is; else states. */
static bool count(struct histree_time_use *use, const struct use_piece *piece)
{
	const uint32_t number = use->rows.last;
	struct histree_use_row *row = &use->rows.rows[number];
	if ((use->request.by & HISTREE_BY(SYSTEM_CALL)) == 0 || piece->system_call == USE_NOTHING) {
		row->count += piece->firsts;
		return true;
	}
	const uint64_t id = (uint64_t)number << 32 | (uint32_t)(piece->thread - use->threads);
	struct counted_call *call = id_map_find(&use->counted, id);
	if (call != NULL && call->start == piece->call_start)
		return true;
	if (call == NULL) {
		call = arena_allocate(&use->calls, sizeof(*call), alignof(struct counted_call));
		if (call == NULL || !id_map_add(&use->counted, id, call))
			return false;
	}
	call->start = piece->call_start;
	row->count++;
	return true;
}

static enum histree_status take(void *context, const struct use_piece *piece, struct histree_error *error)
{
	struct histree_time_use *use = context;
	const unsigned by = use->request.by;
	struct use_key key;
	if (!passes(use, piece))
		return HISTREE_OK;
	int32_t name = 0;
	if (by & HISTREE_BY(NAME)) {
		uint32_t text = intern_add(&use->rows.texts, piece->thread->name, strlen(piece->thread->name));
		if (text == INTERN_NONE)
			return error_memory(error, "the use of time");
		name = (int32_t)text;
	}
	const int32_t all[HISTREE_USE_KEY_COUNT] = {
		[HISTREE_USE_BY_THREAD] = piece->thread->tid,
		[HISTREE_USE_BY_PROCESS] = piece->thread->pid,
		[HISTREE_USE_BY_NAME] = name,
		[HISTREE_USE_BY_CPU] = piece->cpu,
		[HISTREE_USE_BY_STATE] = (int32_t)piece->use,
		[HISTREE_USE_BY_SYSTEM_CALL] = piece->system_call,
		[HISTREE_USE_BY_HAD_BY] = piece->had_by,
	};
	key.host = use->host;
	for (size_t i = 0; i < HISTREE_USE_KEY_COUNT; i++)
		key.keys[i] = by & 1U << i ? all[i] : USE_NOTHING;
	struct histree_use_row *row;
	enum histree_status status = find_row(use, &key, piece, &row, error);
	if (status != HISTREE_OK)
		return status;
	if (!count(use, piece))
		return error_memory(error, "the use of time");
	row->ns[piece->use] += piece->ns;
	if (use->runs != NULL)
		follow_run(use, piece);
	return HISTREE_OK;
}

/* ---- hosts -------------------------------------------------------------------------------------------------- */

static bool needs(const struct histree_time_use *use, enum histree_use_key key, enum field field)
{
	return (use->request.by & 1U << key) != 0 ||
	       (use->filter != NULL && histree_filter_needs(use->filter, field));
}

static enum histree_status sweep_host(struct histree_time_use *use, struct histree_history *history,
				      struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(history);
	const struct histree_time_use_request *request = &use->request;
	struct use_sweep sweep = {
		.history = history,
		.flow = use->flow,
		.from = request->from > info->start ? request->from : info->start,
		.to = request->to < info->end ? request->to : info->end,
		.needs_cpus = needs(use, HISTREE_USE_BY_CPU, FIELD_CPU),
		.needs_calls = needs(use, HISTREE_USE_BY_SYSTEM_CALL, FIELD_SYSTEM_CALL),
		.needs_owners = needs(use, HISTREE_USE_BY_HAD_BY, FIELD_HAD_BY),
		.needs_order = request->longest,
		.wants = wants,
		.take = take,
		.context = use,
		.texts = &use->rows.texts,
		.states_max = request->states_max > 0 ? request->states_max : WINDOW_STATES_MAX,
		.cancel = &use->request.cancel,
	};
	enum histree_status status = use_sweep_run(&sweep, error);
	use->is_damaged |= sweep.is_damaged;
	return status;
}

static enum histree_status read_host(struct histree_time_use *use, struct histree_history *history,
				     struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(history);
	struct histree_control_flow *flow;
	uint32_t count;
	if (strncmp(info->provider, "kernel", strlen("kernel")) != 0)
		return HISTREE_OK; /* its states mean something else */
	if (use->request.from > info->end || use->request.to < info->start) {
		use->has_threads = true; /* nobody knows; nothing is wrong with it */
		return HISTREE_OK;
	}
	enum histree_status status = control_flow_create_during(history, use->request.from, use->request.to,
								use->request.cancel, &flow, error);
	if (status != HISTREE_OK)
		return status;
	use->history = history;
	use->flow = flow;
	use->threads = histree_control_flow_threads(flow, &count);
	if (use->request.longest && (use->runs = calloc((size_t)count + 1, sizeof(*use->runs))) == NULL)
		status = error_memory(error, "the use of time");
	if (count > 0 && status == HISTREE_OK) {
		use->has_threads = true;
		status = sweep_host(use, history, error);
	}
	histree_control_flow_free(flow);
	free(use->runs);
	use->runs = NULL;
	use->flow = NULL;
	return status;
}

static enum histree_status read_hosts(struct histree_time_use *use, const struct histree_history_host *hosts,
				      size_t count, const struct use_asked *asked, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		use->host = (uint32_t)i;
		use->host_name = hosts[i].name;
		use->is_damaged |= hosts[i].history == NULL && hosts[i].why != NULL && wants_host(use);
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
	if (status == HISTREE_OK && !use->has_threads)
		status =
			error_set(error, HISTREE_ERR_ARGUMENT,
				  "the history is of the analysis '%s' and has no threads; the use of time is that "
				  "of 'kernel'; build it with '-a kernel'",
				  info->provider);
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
