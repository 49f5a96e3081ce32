// SPDX-License-Identifier: MIT
/*
 * pyramid_verify.c - whether a pyramid says what its history says: each is made again, and compared level by
 * level.
 *
 * Whether an overview with levels says what the states of its history do.
 *
 * Of each of its attributes all states that it should have are summed up as fingerprints of 128 bits, and those
 * that it has are taken off: nothing is left.
 *
 * The number overview of a history is made once more in memory, and compared (pyramid_verify.c).
 *
 * The overview of sums of a history is made once more in memory, and compared (pyramid_verify.c); then
 * its cube is.
 *
 * The cube of a history is made once more in memory, and compared, cell by cell.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "histree/history.h"
#include "histree/lookup.h"
#include "histree/time_in_state.h"
#include "overview/cube_pyramid.h"
#include "overview/number_pyramid.h"
#include "overview/overview_window.h"
#include "overview/pyramid_file.h"
#include "overview/sum_pyramid.h"
#include "state/history.h"
#include "state/history_union.h"
#include "state/pyramid.h"
#include "store/overview_faults.h"

struct level_prints {
	const struct pyramid *overview;
	struct histree_history *history; /* that it is of */
	struct overview_choice choice;   /* its attributes */
	struct level_print *prints;      /* by attribute of the overview */
};

/* How what it should have is made again, of windows of its attributes. */
struct level_check {
	enum histree_status (*begin)(void *context, const struct level_prints *prints, struct histree_error *error);
	enum histree_status (*take)(void *context, struct overview_window *window, struct histree_error *error);
	void *context;
};

static enum histree_status cube_verify(struct histree_history *history,
				       void (*report)(void *context, const char *fault), void *context,
				       struct histree_error *error);

/* ---- level prints -------------------------------------------------------------------------------------------- */

enum { LEVEL_PRINTS_STATES_IN_WINDOW = 128 << 10 };

/* A sum of two hashes of each state. */
struct level_print {
	uint64_t one, other;
};

static void add_print(struct level_print *print, const struct histree_interval *state, uint64_t sign)
{
	const struct histree_value *value = &state->value;
	const bool has_bytes = value->type == HISTREE_CUSTOM || value->type == HISTREE_STRING;
	const uint64_t first = hash_mix((uint64_t)state->start), after = hash_mix((uint64_t)state->end + 1);
	uint64_t content = hash_mix((uint64_t)value->type);
	if (value->type == HISTREE_NULL)
		return; /* what is left over; where there is too much of it, something else is missing */
	if (has_bytes)
		content += hash_bytes(value->bytes, value->size);
	else if (value->type == HISTREE_INT)
		content += hash_mix((uint32_t)value->int32);
	if (!has_bytes || value->size <= 1) {
		/* Cells that are alike may be one state or several, whose prints add up to that of all of them. */
		print->one += sign * (hash_mix(content) * (after - first));
		print->other += sign * (hash_mix(~content) * (after - first));
	} else {
		print->one += sign * hash_mix(content ^ (first + 3 * after));
		print->other += sign * hash_mix(content + 5 * first + 7 * after);
	}
}

/* Of each quark of the history that is in level 1. */
static enum histree_status choose(struct level_prints *prints, struct histree_error *error)
{
	const struct pyramid_level *level = &prints->overview->levels[0];
	struct overview_choice *choice = &prints->choice;
	choice->states = histree_history_info(prints->history)->interval_count;
	if (!array_reserve(&choice->condensed, &choice->capacity, level->count + 1))
		return error_memory(error, "an overview");
	for (size_t i = 0; i < level->count; i++)
		choice->condensed[choice->count++] =
			(struct condensed){ .source = level->entries[i].quark, .quark = level->entries[i].quark };
	return HISTREE_OK;
}

static enum histree_status init(struct level_prints *prints, struct histree_history *history,
				const struct pyramid *overview, struct histree_error *error)
{
	const size_t count = histree_history_info(overview->levels[0].history)->attribute_count;
	*prints = (struct level_prints){ .overview = overview, .history = history };
	prints->prints = calloc(count + 1, sizeof(*prints->prints));
	if (prints->prints == NULL)
		return error_memory(error, "what an overview is compared with");
	return choose(prints, error);
}

static enum histree_status walk_windows(const struct level_prints *prints, const struct level_check *check,
					struct histree_error *error)
{
	const struct overview_progress silent = { 0 };
	const struct window_walk walk = {
		.history = prints->history,
		.path = history_path(prints->history),
		.choice = &prints->choice,
		.progress = &silent,
		.states_in_window = LEVEL_PRINTS_STATES_IN_WINDOW,
		.take = check->take,
		.context = check->context,
	};
	return prints->choice.count > 0 ? window_walk(&walk, error) : HISTREE_OK;
}

/* For `take`: add states that it should have, and forget them. */
static void level_prints_add(struct level_prints *prints, struct ladder_states *states)
{
	for (size_t i = 0; i < states->count; i++) {
		const struct histree_interval state = ladder_states_get(states, i);
		add_print(&prints->prints[state.quark], &state, 1);
	}
	ladder_states_clear(states);
}

static enum histree_status take_off_all(struct level_prints *prints, struct histree_error *error)
{
	const struct histree_history_info *of = histree_history_info(prints->history);
	const struct histree_region all = { .from = of->start, .to = of->end };
	struct histree_interval state;
	struct histree_query *query;
	enum histree_status status = histree_query_create(prints->overview->levels[0].history, &query, error);
	if (status != HISTREE_OK)
		return status;
	status = histree_query_start(query, &all, error);
	while (status == HISTREE_OK && (status = histree_query_next(query, &state, error)) == HISTREE_OK)
		add_print(&prints->prints[state.quark], &state, UINT64_MAX); /* -1 */
	histree_query_free(query);
	return status == HISTREE_END ? HISTREE_OK : status;
}

static void report_wrong(const struct level_prints *prints, struct overview_faults *faults)
{
	for (uint32_t level = 0; level < prints->overview->level_count; level++)
		for (size_t i = 0; i < prints->overview->levels[level].count; i++) {
			const struct pyramid_entry *entry = &prints->overview->levels[level].entries[i];
			const struct level_print *print = &prints->prints[entry->own];
			char fault[128];
			snprintf(fault, sizeof(fault),
				 "attribute %" PRIu32 "/%" PRIu32 " does not say what the states of the history do",
				 level + 1, entry->quark);
			if (print->one != 0 || print->other != 0)
				overview_faults_report(faults, fault);
		}
}

static void level_prints_ignore_fault(void *context, const char *fault)
{
	(void)context, (void)fault;
}

static enum histree_status level_prints_compare(struct level_prints *prints,
						void (*report)(void *context, const char *fault), void *context,
						struct histree_error *error)
{
	struct overview_faults faults = { .report = report != NULL ? report : level_prints_ignore_fault,
					  .context = context };
	faults.path = history_path(prints->overview->levels[0].history);
	enum histree_status status = take_off_all(prints, error);
	if (status != HISTREE_OK)
		return status;
	report_wrong(prints, &faults);
	return overview_faults_sum(&faults, history_path(prints->history), error);
}

/*
 * Read the history and the overview, and report each attribute that has other states; NULL: nobody hears it.
 * Returns HISTREE_ERR_FORMAT if there are some.  Nothing is done if there is no overview.
 */
static enum histree_status level_prints_check(struct level_prints *prints, struct histree_history *history,
					      const struct pyramid *overview, const struct level_check *check,
					      void (*report)(void *context, const char *fault), void *context,
					      struct histree_error *error)
{
	if (overview->level_count == 0)
		return HISTREE_OK;
	enum histree_status status = init(prints, history, overview, error);
	if (status == HISTREE_OK)
		status = check->begin(check->context, prints, error);
	if (status == HISTREE_OK)
		status = walk_windows(prints, check, error);
	if (status == HISTREE_OK)
		status = level_prints_compare(prints, report, context, error);
	overview_choice_release(&prints->choice);
	free(prints->prints);
	*prints = (struct level_prints){ 0 };
	return status;
}

/* ---- number verify ------------------------------------------------------------------------------------------- */

struct number_verify_verifying {
	struct level_prints prints;
	struct number_ladder ladder;
	histree_time end; /* of the history */
};

static enum histree_status number_verify_add_attributes(void *context, const struct level_prints *prints,
							struct histree_error *error)
{
	struct number_verify_verifying *number_verify_verifying = context;
	const struct pyramid *numbers = prints->overview;
	enum histree_status status = HISTREE_OK;
	number_ladder_reset(&number_verify_verifying->ladder, numbers->log2);
	for (uint32_t i = 0; i < prints->choice.count && status == HISTREE_OK; i++) {
		histree_quark own[PYRAMID_LEVELS_MAX];
		uint32_t levels = pyramid_find(numbers, prints->choice.condensed[i].quark, own);
		if (number_verify_verifying->ladder.rung_count + levels > NUMBER_RUNGS_MAX)
			return error_set(error, HISTREE_ERR_FORMAT,
					 "overview '%s' has more attributes than any; remove the file",
					 history_path(numbers->levels[0].history));
		status = number_ladder_attribute(&number_verify_verifying->ladder, levels, error);
		for (uint32_t each = 0; each < levels && status == HISTREE_OK; each++)
			number_verify_verifying->ladder.attributes[i].own[each] = own[each];
	}
	return status;
}

static enum histree_status number_verify_take_window(void *context, struct overview_window *window,
						     struct histree_error *error)
{
	struct number_verify_verifying *number_verify_verifying = context;
	enum histree_status status = number_ladder_add_window(&number_verify_verifying->ladder, NULL, window,
							      number_verify_verifying->end, error);
	level_prints_add(&number_verify_verifying->prints, &number_verify_verifying->ladder.states);
	return status;
}

static enum histree_status verify_numbers(struct histree_history *history,
					  void (*report)(void *context, const char *fault), void *context,
					  struct histree_error *error)
{
	struct number_verify_verifying number_verify_verifying = { .end = histree_history_info(history)->end };
	const struct level_check check = { number_verify_add_attributes, number_verify_take_window,
					   &number_verify_verifying };
	enum histree_status status =
		level_prints_check(&number_verify_verifying.prints, history,
				   history_pyramid(history, PYRAMID_NUMBERS), &check, report, context, error);
	number_ladder_release(&number_verify_verifying.ladder);
	return status;
}

enum histree_status histree_numbers_verify(struct histree_history *history,
					   void (*report)(void *context, const char *fault), void *context,
					   struct histree_error *error)
{
	const struct history_union *hosts = history_union_of(history);
	return hosts != NULL ? history_union_check(hosts, verify_numbers, report, context, error)
			     : verify_numbers(history, report, context, error);
}

/* ---- sum verify ---------------------------------------------------------------------------------------------- */

struct sum_verify_verifying {
	struct level_prints prints;
	struct sum_ladder ladder;
};

/* The histories that have an overview say which levels it has: each of its attributes has all of them. */
static enum histree_status sum_verify_add_attributes(void *context, const struct level_prints *prints,
						     struct histree_error *error)
{
	struct sum_verify_verifying *sum_verify_verifying = context;
	const struct pyramid *sums = prints->overview;
	const struct histree_history_info *of = histree_history_info(prints->history);
	enum histree_status status = HISTREE_OK;
	sum_ladder_reset(&sum_verify_verifying->ladder, of->start, (uint64_t)of->end - (uint64_t)of->start,
			 sums->log2);
	for (uint32_t i = 0; i < prints->choice.count && status == HISTREE_OK; i++) {
		histree_quark own[PYRAMID_LEVELS_MAX];
		uint32_t levels = pyramid_find(sums, prints->choice.condensed[i].quark, own);
		if (levels != sum_verify_verifying->ladder.levels ||
		    sum_verify_verifying->ladder.rung_count + levels > SUM_RUNGS_MAX)
			return error_set(error, HISTREE_ERR_FORMAT,
					 "overview '%s' has other levels or more attributes than any; remove the "
					 "file",
					 history_path(sums->levels[0].history));
		status = sum_ladder_attribute(&sum_verify_verifying->ladder, error);
		for (uint32_t each = 0; each < levels && status == HISTREE_OK; each++)
			sum_verify_verifying->ladder.attributes[i].own[each] = own[each];
	}
	return status;
}

static enum histree_status sum_verify_take_window(void *context, struct overview_window *window,
						  struct histree_error *error)
{
	struct sum_verify_verifying *sum_verify_verifying = context;
	enum histree_status status = sum_ladder_add_window(&sum_verify_verifying->ladder, NULL, window, error);
	level_prints_add(&sum_verify_verifying->prints, &sum_verify_verifying->ladder.states);
	return status;
}

static enum histree_status verify_sums(struct histree_history *history,
				       void (*report)(void *context, const char *fault), void *context,
				       struct histree_error *error)
{
	struct sum_verify_verifying sum_verify_verifying = { 0 };
	const struct level_check check = { sum_verify_add_attributes, sum_verify_take_window,
					   &sum_verify_verifying };
	enum histree_status status =
		level_prints_check(&sum_verify_verifying.prints, history, history_pyramid(history, PYRAMID_SUMS),
				   &check, report, context, error);
	sum_ladder_release(&sum_verify_verifying.ladder);
	if (status != HISTREE_OK && status != HISTREE_ERR_FORMAT)
		return status;
	const enum histree_status of_cube =
		cube_verify(history, report, context, status == HISTREE_OK ? error : NULL);
	return of_cube != HISTREE_OK ? of_cube : status;
}

enum histree_status histree_sums_verify(struct histree_history *history,
					void (*report)(void *context, const char *fault), void *context,
					struct histree_error *error)
{
	const struct history_union *hosts = history_union_of(history);
	return hosts != NULL ? history_union_check(hosts, verify_sums, report, context, error)
			     : verify_sums(history, report, context, error);
}

/* ---- cube verify --------------------------------------------------------------------------------------------- */

enum { CUBE_VERIFY_STATES_IN_WINDOW = 128 << 10, ATTRIBUTES_AT_ONCE = 64 << 10 };

struct cube_verify_verifying {
	struct cube_maker maker;
	const struct pyramid *overview;
	struct histree_query *query;
	struct overview_faults faults;
	bool is_wrong[CUBE_PARTS][PYRAMID_STEPS_MAX]; /* which was told */
};

static enum histree_status cube_verify_take_window(void *context, struct overview_window *window,
						   struct histree_error *error)
{
	return cube_maker_take(context, NULL, window, error);
}

static enum histree_status make_again(struct cube_verify_verifying *cube_verify_verifying,
				      struct histree_history *history, struct histree_error *error)
{
	const struct overview_progress silent = { 0 };
	const struct window_walk walk = {
		.history = history,
		.path = history_path(history),
		.choice = &cube_verify_verifying->maker.choice,
		.progress = &silent,
		.states_in_window = CUBE_VERIFY_STATES_IN_WINDOW,
		.take = cube_verify_take_window,
		.context = &cube_verify_verifying->maker,
	};
	struct cube_maker *maker = &cube_verify_verifying->maker;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && maker->left > 0 && !maker->is_of_no_use) {
		status = cube_maker_choose(maker, NULL, NULL, ATTRIBUTES_AT_ONCE, error);
		maker->choice.states = histree_history_info(history)->interval_count;
		if (status == HISTREE_OK && maker->choice.count > 0)
			status = window_walk(&walk, error);
	}
	return status;
}

static void tell(struct cube_verify_verifying *cube_verify_verifying, const struct cube_state *state,
		 histree_quark quark)
{
	char fault[128];
	snprintf(fault, sizeof(fault),
		 "attribute %" PRIu32 "/%" PRIu32 " does not say what the states of the history do",
		 state->level + 1, quark);
	if (!cube_verify_verifying->is_wrong[state->part][state->level])
		overview_faults_report(&cube_verify_verifying->faults, fault);
	cube_verify_verifying->is_wrong[state->part][state->level] = true;
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
	struct cube_verify_verifying *cube_verify_verifying = context;
	const struct thread_quarks *threads = &cube_verify_verifying->maker.threads;
	const histree_quark quark = state->part == CUBE_OF_CALLS ? threads->above : threads->above_cpus;
	const struct pyramid_entry *entry =
		pyramid_level_find(&cube_verify_verifying->overview->levels[state->level], quark);
	const struct pyramid_entry *first = pyramid_level_find(&cube_verify_verifying->overview->levels[0], quark);
	struct histree_interval found;
	if (state->part == CUBE_OF_OWNERS && first == NULL)
		return HISTREE_OK; /* it may be left out */
	if (entry == NULL) {
		tell(cube_verify_verifying, state, quark);
		return HISTREE_OK;
	}
	enum histree_status status =
		histree_query_single(cube_verify_verifying->query, entry->own, state->start, &found, error);
	if (status == HISTREE_OK && !is_said(state, &found))
		tell(cube_verify_verifying, state, quark);
	return status;
}

static void cube_verify_ignore_fault(void *context, const char *fault)
{
	(void)context, (void)fault;
}

static enum histree_status cube_verify_compare(struct cube_verify_verifying *cube_verify_verifying,
					       struct histree_error *error)
{
	const struct pyramid *overview = cube_verify_verifying->overview;
	struct cube_cells *cells = &cube_verify_verifying->maker.cells;
	enum histree_status status =
		histree_query_create(overview->levels[0].history, &cube_verify_verifying->query, error);
	if (status != HISTREE_OK)
		return status;
	if (cube_verify_verifying->maker.is_of_no_use || cube_verify_verifying->maker.threads.count == 0 ||
	    overview->level_count != cells->levels.level_count) {
		overview_faults_report(&cube_verify_verifying->faults,
				       "it has other levels, or is of what no cube says");
	} else {
		cells->bytes_max =
			cube_cell_bytes_max(histree_history_info(overview->levels[0].history)->node_size);
		status = cube_cells_each(cells, compare_cell, cube_verify_verifying, error);
	}
	histree_query_free(cube_verify_verifying->query);
	return status;
}

/*
 * Returns HISTREE_ERR_FORMAT if it says something else; `report` is called with a sentence for each attribute that
 * does.
 */
static enum histree_status cube_verify(struct histree_history *history,
				       void (*report)(void *context, const char *fault), void *context,
				       struct histree_error *error)
{
	const struct pyramid *overview = history_pyramid(history, PYRAMID_CUBE);
	struct cube_verify_verifying cube_verify_verifying = { .overview = overview };
	if (overview->level_count == 0)
		return HISTREE_OK;
	cube_verify_verifying.faults =
		(struct overview_faults){ .report = report != NULL ? report : cube_verify_ignore_fault,
					  .context = context,
					  .path = history_path(overview->levels[0].history) };
	const struct histree_history_info *info = histree_history_info(history);
	const struct pyramid_grid levels = pyramid_grid(PYRAMID_CUBE, info, overview->log2);
	enum histree_status status = HISTREE_OK;
	if (pyramid_grid_cells(&levels, 0) > CUBE_CELLS_MAX) {
		overview_faults_report(&cube_verify_verifying.faults, "it has more cells than any");
	} else {
		status = cube_maker_begin(&cube_verify_verifying.maker, history, overview->log2, UINT32_MAX / 4,
					  error);
		if (status == HISTREE_OK)
			status = make_again(&cube_verify_verifying, history, error);
		if (status == HISTREE_OK)
			status = cube_verify_compare(&cube_verify_verifying, error);
	}
	cube_maker_release(&cube_verify_verifying.maker);
	return status == HISTREE_OK
		       ? overview_faults_sum(&cube_verify_verifying.faults, history_path(history), error)
		       : status;
}
