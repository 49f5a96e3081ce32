// SPDX-License-Identifier: MIT
/*
 * cube_verify.c - the cube of a history is made once more in memory, and compared, cell by cell.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "overview/cube_maker.h"
#include "overview/cube_verify.h"
#include "overview/window_walk.h"
#include "state/history.h"
#include "store/overview_faults.h"

enum { STATES_IN_WINDOW = 128 << 10, ATTRIBUTES_AT_ONCE = 64 << 10 };

struct verifying {
	struct cube_maker maker;
	const struct leveled_overview *overview;
	struct histree_query *query;
	struct overview_faults faults;
	bool is_wrong[CUBE_PARTS][LEVELED_LEVELS_MAX]; /* which was told */
};

static enum histree_status take_window(void *context, struct overview_window *window, struct histree_error *error)
{
	return cube_maker_take(context, NULL, window, error);
}

static enum histree_status make_again(struct verifying *verifying, struct histree_history *history,
				      struct histree_error *error)
{
	const struct overview_progress silent = { 0 };
	const struct window_walk walk = {
		.history = history,
		.path = history_path(history),
		.choice = &verifying->maker.choice,
		.progress = &silent,
		.states_in_window = STATES_IN_WINDOW,
		.take = take_window,
		.context = &verifying->maker,
	};
	struct cube_maker *maker = &verifying->maker;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && maker->left > 0 && !maker->is_of_no_use) {
		status = cube_maker_choose(maker, NULL, NULL, ATTRIBUTES_AT_ONCE, error);
		maker->choice.states = histree_history_info(history)->interval_count;
		if (status == HISTREE_OK && maker->choice.count > 0)
			status = window_walk(&walk, error);
	}
	return status;
}

static void tell(struct verifying *verifying, const struct cube_state *state, histree_quark quark)
{
	char fault[128];
	snprintf(fault, sizeof(fault),
		 "attribute %" PRIu32 "/%" PRIu32 " does not say what the states of the history do",
		 state->level + 1, quark);
	if (!verifying->is_wrong[state->part][state->level])
		overview_faults_report(&verifying->faults, fault);
	verifying->is_wrong[state->part][state->level] = true;
}

/* Cells of null may be one state or several. */
static bool is_said(const struct cube_state *state, const struct histree_interval *found)
{
	if (state->value.type == HISTREE_NULL)
		return found->value.type == HISTREE_NULL && found->start <= state->start &&
		       found->end >= state->end;
	return found->start == state->start && found->end == state->end &&
	       histree_value_equal(&found->value, &state->value);
}

static enum histree_status compare_cell(void *context, const struct cube_state *state, struct histree_error *error)
{
	struct verifying *verifying = context;
	const struct thread_quarks *threads = &verifying->maker.threads;
	const histree_quark quark = state->part == CUBE_OF_CALLS ? threads->above : threads->above_cpus;
	const struct level_entry *entry = overview_level_find(&verifying->overview->levels[state->level], quark);
	const struct level_entry *first = overview_level_find(&verifying->overview->levels[0], quark);
	struct histree_interval found;
	if (state->part == CUBE_OF_OWNERS && first == NULL)
		return HISTREE_OK; /* it may be left out */
	if (entry == NULL) {
		tell(verifying, state, quark);
		return HISTREE_OK;
	}
	enum histree_status status =
		histree_query_single(verifying->query, entry->own, state->start, &found, error);
	if (status == HISTREE_OK && !is_said(state, &found))
		tell(verifying, state, quark);
	return status;
}

static void ignore_fault(void *context, const char *fault)
{
	(void)context, (void)fault;
}

static enum histree_status compare(struct verifying *verifying, struct histree_error *error)
{
	const struct leveled_overview *overview = verifying->overview;
	struct cube_cells *cells = &verifying->maker.cells;
	enum histree_status status = histree_query_create(overview->history, &verifying->query, error);
	if (status != HISTREE_OK)
		return status;
	if (verifying->maker.is_of_no_use || verifying->maker.threads.count == 0 ||
	    overview->level_count != cells->levels.count) {
		overview_faults_report(&verifying->faults, "it has other levels, or is of what no cube says");
	} else {
		cells->bytes_max = cube_cell_bytes_max(histree_history_info(overview->history)->node_size);
		status = cube_cells_each(cells, compare_cell, verifying, error);
	}
	histree_query_free(verifying->query);
	return status;
}

enum histree_status cube_verify(struct histree_history *history, void (*report)(void *context, const char *fault),
				void *context, struct histree_error *error)
{
	const struct leveled_overview *overview = history_cube(history);
	struct verifying verifying = { .overview = overview };
	if (overview->history == NULL)
		return HISTREE_OK;
	verifying.faults = (struct overview_faults){ .report = report != NULL ? report : ignore_fault,
						     .context = context,
						     .path = history_path(overview->history) };
	const struct histree_history_info *info = histree_history_info(history);
	const struct cube_levels levels = cube_levels(info, overview->log2);
	enum histree_status status = HISTREE_OK;
	if (cube_level_cells(&levels, 0) > CUBE_CELLS_MAX) {
		overview_faults_report(&verifying.faults, "it has more cells than any");
	} else {
		status = cube_maker_begin(&verifying.maker, history, overview->log2, UINT32_MAX / 4, error);
		if (status == HISTREE_OK)
			status = make_again(&verifying, history, error);
		if (status == HISTREE_OK)
			status = compare(&verifying, error);
	}
	cube_maker_release(&verifying.maker);
	return status == HISTREE_OK ? overview_faults_sum(&verifying.faults, history_path(history), error) : status;
}
