// SPDX-License-Identifier: MIT
#include "view/use_cube.h"

#include <stdlib.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/search.h"
#include "histree/query.h"
#include "query/thread_pieces.h"

enum histree_status use_cube_read(struct use_cube *cube, struct histree_error *error)
{
	const struct use_sweep *sweep = &cube->sweep;
	return range_cube_read(&cube->cells, sweep->history, sweep->from, sweep->to, sweep->needs_owners,
			       sweep->texts, error);
}

/* ---- cells -------------------------------------------------------------------------------------------------- */

/* Of waits there are two kinds of rows, of which one is asked for. */
static enum histree_status hand_out_part(const struct use_cube *cube, enum cube_part part,
					 struct histree_error *error)
{
	const struct use_sweep *sweep = &cube->sweep;
	const struct cube_cell *rows = &cube->cells.parts[part];
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < rows->count && status == HISTREE_OK; i++) {
		const struct cube_row *row = &rows->rows[i];
		const struct use_piece piece = {
			.ns = row->ns,
			.use = part == CUBE_OF_OWNERS ? HISTREE_USE_WAITING
						      : use_sweep_use(row->key.is_idle, row->key.status),
			.cpu = row->key.cpu,
			.system_call = row->key.system_call,
			.had_by = row->key.had_by,
			.firsts = row->begins,
			.calls = row->calls,
		};
		const bool is_elsewhere =
			part == CUBE_OF_CALLS && piece.use == HISTREE_USE_WAITING && sweep->needs_owners;
		if (!is_elsewhere && (cube->has_idle || !row->key.is_idle))
			status = sweep->take(sweep->context, &piece, error);
	}
	return status;
}

/* ---- threads ------------------------------------------------------------------------------------------------ */

static int by_status(const void *one, const void *other)
{
	const struct histree_thread *a = one, *b = other;
	return (a->status > b->status) - (a->status < b->status);
}

/* All that there are: nobody has to know more of them than where their states are. */
static enum histree_status find_threads(struct use_cube *cube, struct histree_error *error)
{
	struct thread_quarks quarks;
	enum histree_status status = thread_quarks_read(&quarks, cube->sweep.history, UINT32_MAX / 4, error);
	if (status == HISTREE_OK) {
		cube->threads = calloc(quarks.count + 1, sizeof(*cube->threads));
		cube->gone_since = malloc((quarks.count + 1) * sizeof(*cube->gone_since));
		if (cube->threads == NULL || cube->gone_since == NULL)
			status = error_memory(error, "the threads");
	}
	for (size_t i = 0; i < quarks.count && status == HISTREE_OK; i++)
		cube->threads[cube->thread_count++] = (struct histree_thread){
			.name = "",
			.tid = quarks.threads[i].tid,
			.pid = quarks.threads[i].tid,
			.cpu = quarks.threads[i].cpu,
			.node = quarks.threads[i].node,
			.status = quarks.threads[i].status,
			.system_call = quarks.threads[i].call,
			.from = INT64_MIN, /* of whichever has the number */
			.to = INT64_MAX,
		};
	thread_quarks_release(&quarks);
	if (cube->thread_count > 1)
		qsort(cube->threads, cube->thread_count, sizeof(*cube->threads), by_status);
	return status;
}

/* ---- calls that go from one part of the range to the next --------------------------------------------------- */

static uint32_t thread_of(const struct use_cube *cube, histree_quark status)
{
	return (uint32_t)SEARCH(i, 0, cube->thread_count, cube->threads[i].status < status);
}

/* Finds since when threads have no status at a time. */
static enum histree_status find_gone(struct use_cube *cube, histree_time time, struct histree_error *error)
{
	histree_quark *statuses = malloc((cube->thread_count + (size_t)1) * sizeof(*statuses));
	struct histree_query *query = NULL;
	struct histree_interval state;
	enum histree_status status = statuses != NULL ? histree_query_create(cube->sweep.history, &query, error)
						      : error_memory(error, "the use of time");
	for (uint32_t i = 0; i < cube->thread_count && status == HISTREE_OK; i++) {
		statuses[i] = cube->threads[i].status;
		cube->gone_since[i] = INT64_MAX;
	}
	const struct histree_region region = {
		.quarks = statuses, .quark_count = cube->thread_count, .times = &time, .time_count = 1
	};
	if (status == HISTREE_OK)
		status = histree_query_start(query, &region, error);
	for (uint64_t step = 0; status == HISTREE_OK; step++) {
		status = cancel_check(cube->sweep.cancel, step, error);
		if (status == HISTREE_OK)
			status = histree_query_next(query, &state, error);
		if (status == HISTREE_OK && state.value.type == HISTREE_NULL)
			cube->gone_since[thread_of(cube, state.quark)] = state.start;
	}
	histree_query_free(query);
	free(statuses);
	return status == HISTREE_END ? HISTREE_OK : status;
}

/*
 * A call in which the thread had a status before the range, then none, and one again in the cells: there it is not
 * new.
 */
static enum histree_status count_call(struct use_cube *cube, struct histree_query *query, uint32_t thread,
				      struct histree_error *error)
{
	const struct use_sweep *sweep = &cube->sweep;
	const histree_time before = cube->cells.from - 1;
	const histree_quark quark = cube->threads[thread].system_call;
	struct histree_interval state, call;
	enum histree_status status =
		histree_query_single(query, cube->threads[thread].status, before, &state, error);
	if (status != HISTREE_OK || state.end >= cube->cells.to)
		return status;
	status = histree_query_single(query, quark, before, &call, error);
	if (status != HISTREE_OK || call.start >= state.start || call.end <= state.end)
		return status;
	int64_t text;
	struct use_piece piece = { .cpu = USE_NOTHING, .had_by = USE_NOTHING, .calls = 1 };
	switch (thread_pieces_value(sweep->texts, &call.value, HISTREE_WHOLE, &text)) {
	case WINDOW_SKIPS:
		return HISTREE_OK;
	case WINDOW_HAS_NO_MEMORY:
		return error_memory(error, "the use of time");
	case WINDOW_KEEPS:
		break;
	}
	piece.system_call = (int32_t)text;
	return sweep->take(sweep->context, &piece, error);
}

static enum histree_status count_calls(struct use_cube *cube, struct histree_error *error)
{
	const struct use_sweep *sweep = &cube->sweep;
	const histree_time start = histree_history_info(sweep->history)->start;
	struct histree_query *query;
	enum histree_status status = find_gone(cube, cube->cells.from - 1, error);
	if (status != HISTREE_OK)
		return status;
	status = histree_query_create(sweep->history, &query, error);
	for (uint32_t i = 0; i < cube->thread_count && status == HISTREE_OK; i++) {
		const struct histree_thread *thread = &cube->threads[i];
		if (cube->gone_since[i] > start && cube->gone_since[i] <= sweep->from &&
		    thread->system_call != HISTREE_ROOT && thread->tid != 0)
			status = count_call(cube, query, i, error);
	}
	histree_query_free(query);
	return status;
}

/* ---- the ends ----------------------------------------------------------------------------------------------- */

/* Behind the cells, a call that went on there is counted if the thread had a status in it, and in the range. */
static enum histree_status take_behind(void *context, const struct use_piece *piece, struct histree_error *error)
{
	const struct use_cube *cube = context;
	const struct use_sweep *sweep = &cube->sweep;
	struct use_piece here = *piece;
	if (piece->system_call != USE_NOTHING && piece->call_start <= cube->cells.to) {
		const histree_time since = piece->call_start > sweep->from ? piece->call_start : sweep->from;
		here.call_is_counted = cube->gone_since[piece->number] > since;
	}
	return sweep->take(sweep->context, &here, error);
}

static bool wants_behind(void *context, const struct histree_thread *thread)
{
	const struct use_sweep *sweep = &((const struct use_cube *)context)->sweep;
	return sweep->wants(sweep->context, thread);
}

static enum histree_status sweep_end(struct use_cube *cube, histree_time from, histree_time to, bool is_behind,
				     struct histree_error *error)
{
	struct use_sweep sweep = cube->sweep;
	sweep.threads = cube->threads;
	sweep.thread_count = cube->thread_count;
	sweep.from = from;
	sweep.to = to;
	sweep.goes_on = is_behind;
	if (is_behind && sweep.needs_calls) {
		sweep.wants = wants_behind;
		sweep.take = take_behind;
		sweep.context = cube;
	}
	enum histree_status status = use_sweep_run(&sweep, error);
	cube->sweep.is_damaged |= sweep.is_damaged;
	return status;
}

static enum histree_status read_ends(struct use_cube *cube, struct histree_error *error)
{
	const struct range_cube *cells = &cube->cells;
	const struct use_sweep *sweep = &cube->sweep;
	const bool is_before = cells->from > sweep->from, is_behind = cells->to < sweep->to;
	enum histree_status status = is_before || is_behind ? find_threads(cube, error) : HISTREE_OK;
	if (status == HISTREE_OK && is_before)
		status = sweep_end(cube, sweep->from, cells->from - 1, false, error);
	if (status == HISTREE_OK && is_before && sweep->needs_calls)
		status = count_calls(cube, error);
	if (status == HISTREE_OK && is_behind && sweep->needs_calls)
		status = find_gone(cube, cells->to, error);
	if (status == HISTREE_OK && is_behind)
		status = sweep_end(cube, cells->to + 1, sweep->to, true, error);
	return status;
}

enum histree_status use_cube_hand_out(struct use_cube *cube, struct histree_error *error)
{
	enum histree_status status = hand_out_part(cube, CUBE_OF_CALLS, error);
	if (status == HISTREE_OK && cube->sweep.needs_owners)
		status = hand_out_part(cube, CUBE_OF_OWNERS, error);
	return status == HISTREE_OK ? read_ends(cube, error) : status;
}

void use_cube_release(struct use_cube *cube)
{
	range_cube_release(&cube->cells);
	free(cube->threads);
	free(cube->gone_since);
}
