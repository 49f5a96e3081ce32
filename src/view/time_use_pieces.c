// SPDX-License-Identifier: MIT
/*
 * time_use_pieces.c - a piece goes to its row, if the filter lets it pass.
 */
#include <stdalign.h>
#include <string.h>

#include "base/error.h"
#include "view/thread_list.h"
#include "view/time_use_inside.h"

/* ---- rows --------------------------------------------------------------------------------------------------- */

/* Kept by the texts. */
static enum histree_status keep_name(struct histree_time_use *use, const char *name, const char **out,
				     struct histree_error *error)
{
	size_t size;
	const uint32_t text = intern_add(&use->rows.texts, name, strlen(name));
	*out = text != INTERN_NONE ? intern_get(&use->rows.texts, text, &size) : "";
	return text != INTERN_NONE ? HISTREE_OK : error_memory(error, "the use of time");
}

/* Who has a CPU in the range need not have a status in it, and so not be in the list. */
static enum histree_status name_of_owner(struct histree_time_use *use, int32_t tid, const struct use_piece *piece,
					 const char **out, struct histree_error *error)
{
	uint32_t count, found = HISTREE_NO_INDEX;
	/* Cells have no times of their own. */
	const bool has_time = use->flow != NULL && piece->thread != NULL;
	const histree_time from = has_time ? piece->start : use->request.from;
	const histree_time to = has_time ? piece->start : use->request.to;
	bool are_several;
	*out = tid == 0 ? "(idle)" : "";
	if (tid <= 0)
		return HISTREE_OK;
	if (use->flow != NULL)
		found = histree_control_flow_find_at(use->flow, tid, -1, to);
	if (found != HISTREE_NO_INDEX)
		return keep_name(use, histree_control_flow_threads(use->flow, &count)[found].name, out, error);
	enum histree_status status =
		thread_list_name(use->history, tid, from, to, &use->rows.texts, out, &are_several, error);
	use->is_parted |= use->flow == NULL && are_several;
	return status;
}

/* Returns which life of its number the thread is that has the CPU. */
static int32_t life_of_owner(const struct histree_time_use *use, const struct use_piece *piece)
{
	uint32_t count;
	if (!use->has_lives || piece->had_by <= 0)
		return 0;
	const uint32_t found = histree_control_flow_find_at(use->flow, piece->had_by, -1, piece->start);
	return found != HISTREE_NO_INDEX ? histree_control_flow_threads(use->flow, &count)[found].life : 0;
}

static enum histree_status find_row(struct histree_time_use *use, const struct use_key *key,
				    const struct use_piece *piece, struct histree_use_row **out,
				    struct histree_error *error)
{
	bool is_new;
	struct histree_use_row *row = *out = use_rows_find(&use->rows, key, &is_new);
	enum histree_status status = row != NULL ? HISTREE_OK : error_memory(error, "the use of time");
	if (status == HISTREE_OK && is_new && (use->request.by & HISTREE_BY(THREAD)) != 0) {
		const struct histree_thread *thread = piece->thread;
		row->from = thread->from;
		row->to = thread->to;
		status = keep_name(use,
				   thread->tid == 0  ? "(idle)"
				   : thread->tid < 0 ? ""
						     : thread->name,
				   &row->name, error);
	}
	if (status == HISTREE_OK && is_new && (use->request.by & HISTREE_BY(HAD_BY)) != 0)
		status = name_of_owner(use, key->keys[HISTREE_USE_BY_HAD_BY], piece, &row->had_by_name, error);
	return status;
}

/* ---- pieces ------------------------------------------------------------------------------------------------- */

static void fill_of_thread(const struct histree_time_use *use, const struct histree_thread *thread,
			   struct histree_value *values)
{
	values[FIELD_HOST] = histree_string(use->host_name);
	values[FIELD_THREAD] = histree_int(thread->tid);
	values[FIELD_PROCESS] = thread->has_process ? histree_int(thread->pid) : histree_unknown();
	values[FIELD_NAME] = histree_string(thread->name);
}

static bool passes(const struct histree_time_use *use, const struct use_piece *piece)
{
	struct histree_value values[FIELD_COUNT] = { 0 };
	if (!use->filters_pieces)
		return true; /* those of threads that do not are not read */
	if (piece->thread != NULL)
		fill_of_thread(use, piece->thread, values);
	else
		values[FIELD_HOST] = histree_string(use->host_name);
	values[FIELD_CPU] = use_rows_value(&use->rows, HISTREE_USE_BY_CPU, piece->cpu);
	values[FIELD_STATE] = histree_string(histree_use_name(piece->use));
	values[FIELD_SYSTEM_CALL] = use_rows_value(&use->rows, HISTREE_USE_BY_SYSTEM_CALL, piece->system_call);
	values[FIELD_HAD_BY] = use_rows_value(&use->rows, HISTREE_USE_BY_HAD_BY, piece->had_by);
	return histree_filter_match(use->filter, values);
}

bool time_use_has_idle(const struct histree_time_use *use)
{
	return (use->request.by & (HISTREE_BY(CPU) | HISTREE_BY(STATE))) != 0;
}

bool time_use_wants(void *context, const struct histree_thread *thread)
{
	const struct histree_time_use *use = context;
	struct histree_value values[FIELD_COUNT] = { 0 };
	bool are_known[FIELD_COUNT] = {
		[FIELD_HOST] = true, [FIELD_THREAD] = true, [FIELD_PROCESS] = true, [FIELD_NAME] = true
	};
	if (thread->tid == 0 && !time_use_has_idle(use))
		return false;
	if (use->filter == NULL)
		return true;
	fill_of_thread(use, thread, values);
	return use->filters_pieces ? histree_filter_may_pass(use->filter, values, are_known)
				   : histree_filter_match(use->filter, values);
}

bool time_use_wants_host(const struct histree_time_use *use)
{
	struct histree_value values[FIELD_COUNT] = { [FIELD_HOST] = histree_string(use->host_name) };
	const bool are_known[FIELD_COUNT] = { [FIELD_HOST] = true };
	return use->filter == NULL || histree_filter_may_pass(use->filter, values, are_known);
}

/* A wait goes on where the piece before it ended, if that was of the same row. */
static void follow_run(struct histree_time_use *use, const struct use_piece *piece)
{
	struct use_run *run = &use->runs[piece->number];
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

/* By system call, a row counts the calls that it has a part of, whatever their number of states; else states. */
static bool count(struct histree_time_use *use, const struct use_piece *piece)
{
	const uint32_t number = use->rows.last;
	struct histree_use_row *row = &use->rows.rows[number];
	if ((use->request.by & HISTREE_BY(SYSTEM_CALL)) == 0 || piece->system_call == USE_NOTHING) {
		row->count += piece->firsts;
		return true;
	}
	if (piece->thread == NULL || piece->call_is_counted) {
		row->count += piece->calls;
		return true;
	}
	const uint64_t id = (uint64_t)number << 32 | piece->number;
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

enum histree_status time_use_take(void *context, const struct use_piece *piece, struct histree_error *error)
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
		[HISTREE_USE_BY_THREAD] = piece->thread != NULL ? piece->thread->tid : USE_NOTHING,
		[HISTREE_USE_BY_PROCESS] = piece->thread == NULL        ? USE_NOTHING
					   : piece->thread->has_process ? piece->thread->pid
									: USE_NOT_KNOWN,
		[HISTREE_USE_BY_NAME] = name,
		[HISTREE_USE_BY_CPU] = piece->cpu,
		[HISTREE_USE_BY_STATE] = (int32_t)piece->use,
		[HISTREE_USE_BY_SYSTEM_CALL] = piece->system_call,
		[HISTREE_USE_BY_HAD_BY] = piece->had_by,
	};
	key.host = use->host;
	key.life = (by & HISTREE_BY(THREAD)) != 0 && piece->thread != NULL ? piece->thread->life : 0;
	key.had_by_life = (by & HISTREE_BY(HAD_BY)) != 0 ? life_of_owner(use, piece) : 0;
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
