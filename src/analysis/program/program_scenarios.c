// SPDX-License-Identifier: MIT
/*
 * program_scenarios.c - state machines that may have many scenarios under way: the rules of Trace Compass's
 * patterns (its user guide, "Defining an XML pattern provider", and dumps of its results).
 *
 * The number of a scenario that is over is reused immediately; the attributes below its own are null except
 * "status", "state" and the time at which it entered its last state.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/program/program_builder.h"
#include "analysis/program/program_run.h"
#include "base/hash_index.h"
#include "base/table.h"
#include "histree/attributes.h"
#include "state/state_system.h"

/* ---- program scenarios --------------------------------------------------------------------------------------- */

/* Of one machine, under way at one time: each event is shown to all of them. */
enum { SCENARIOS_MAX = 10000 };

enum status { STATUS_PENDING = 0, STATUS_UNDER_WAY = 1, STATUS_OVER = 2 };

static void program_scenarios_fail(struct program_run *run)
{
	changes_fail(&run->changes, HISTREE_ERR_MEMORY, "no memory for scenarios");
}

static histree_quark child(struct program_run *run, histree_quark parent, const char *name)
{
	return run_child(run, parent, name, strlen(name));
}

/* ---- states --------------------------------------------------------------------------------------------- */

static void enter(struct program_run *run, struct scenario *scenario, program_state state)
{
	const struct state_row *row = &run->program->states[state];
	histree_quark *entered = &scenario->entered[row->number];
	scenario->state = state;
	run_change(run, scenario->state_name, histree_string_n(row->name, row->name_size));
	if (*entered == NO_ATTRIBUTE)
		*entered = child(run, child(run, scenario->state_name, row->name), "startTime");
	run_change(run, *entered, histree_long(run->changes.time));
}

static struct scenario *add_scenario(struct program_run *run, struct fsm_run *fsm, const struct fsm_row *row)
{
	struct scenario *scenario = calloc(1, sizeof(*scenario));
	size_t known = row->state_count + run->program->fixed_count;
	if (scenario != NULL)
		scenario->entered = calloc(known + 1, sizeof(*scenario->entered));
	if (scenario == NULL || scenario->entered == NULL ||
	    !array_reserve(&fsm->scenarios, &fsm->capacity, fsm->count + 1)) {
		free(scenario != NULL ? scenario->entered : NULL);
		free(scenario);
		program_scenarios_fail(run);
		return NULL;
	}
	for (size_t i = 0; i < known; i++)
		scenario->entered[i] = NO_ATTRIBUTE;
	scenario->fixed = scenario->entered + row->state_count;
	if (run->scenarios == NO_ATTRIBUTE)
		run->scenarios = child(run, HISTREE_ROOT, "scenarios");
	if (fsm->quark == NO_ATTRIBUTE)
		fsm->quark = child(run, run->scenarios, row->name);
	scenario->quark = run_child_of_number(run, fsm->quark, (uint32_t)fsm->count);
	scenario->status = child(run, scenario->quark, "status");
	scenario->state_name = child(run, scenario->quark, "state");
	scenario->start_time = NO_ATTRIBUTE;
	fsm->scenarios[fsm->count++] = scenario;
	return scenario;
}

static void make_pending(struct program_run *run, struct fsm_run *fsm, const struct fsm_row *row)
{
	if (fsm->active_count >= SCENARIOS_MAX) {
		char text[256];
		snprintf(text, sizeof(text),
			 "state machine '%.100s' has more than %d scenarios under way at once: its conditions "
			 "begin them "
			 "and "
			 "end none",
			 row->name, SCENARIOS_MAX);
		changes_fail(&run->changes, HISTREE_ERR_FORMAT, text);
	}
	if (!array_reserve(&fsm->active, &fsm->active_capacity, fsm->active_count + 1))
		program_scenarios_fail(run);
	if (run->changes.status != HISTREE_OK)
		return;
	uint32_t number = free_numbers_has(&fsm->free) ? free_numbers_take(&fsm->free) : (uint32_t)fsm->count;
	struct scenario *scenario = number < fsm->count ? fsm->scenarios[number] : add_scenario(run, fsm, row);
	if (scenario == NULL)
		return;
	scenario->is_started = scenario->is_over = false;
	scenario->first_use = PROGRAM_NOTHING;
	fsm->pending = number;
	fsm->was_begun = true;
	run_change(run, scenario->status, histree_int(STATUS_PENDING));
	enter(run, scenario, row->begin);
}

/*
 * Releases a scenario; the next one may get its number.  Its attributes become null, except those that get
 * another value next.
 */
static void give_back(struct program_run *run, struct fsm_run *fsm, uint32_t number, const histree_quark *kept,
		      size_t kept_count)
{
	struct scenario *scenario = fsm->scenarios[number];
	scenario->is_over = true;
	for (uint32_t use = scenario->first_use; use != PROGRAM_NOTHING; use = run->uses[use].next)
		run_delete(run, run->uses[use].quark);
	run_pools_return(run, scenario);
	run_delete_but(run, scenario->quark, kept, kept_count);
	if (!free_numbers_give(&fsm->free, number))
		program_scenarios_fail(run);
}

/* ---- transitions ---------------------------------------------------------------------------------------- */

static void program_scenarios_take(struct program_run *run, struct fsm_run *fsm, uint32_t number,
				   const struct transition_row *row)
{
	const struct program *program = run->program;
	struct scenario *scenario = fsm->scenarios[number];
	const struct state_row *from = &program->states[scenario->state], *to = &program->states[row->to];
	bool is_other = row->to != scenario->state;
	if (!scenario->is_started) {
		if (scenario->start_time == NO_ATTRIBUTE)
			scenario->start_time = child(run, scenario->quark, "startTime");
		scenario->is_started = true;
		run_change(run, scenario->status, histree_int(STATUS_UNDER_WAY));
		run_change(run, scenario->start_time, histree_long(run->changes.time));
	}
	if (is_other)
		run_block(run, from->exit);
	run_block(run, row->block);
	if (is_other)
		run_block(run, to->entry);
	if (to->is_final) {
		const histree_quark kept[] = { scenario->status, scenario->state_name,
					       scenario->entered[to->number] };
		give_back(run, fsm, number, kept, is_other ? 3 : 1);
		run_change(run, scenario->status, histree_int(STATUS_OVER));
	}
	if (is_other)
		enter(run, scenario, row->to);
}

/* Returns whether the scenario took a transition. */
static bool handle(struct program_run *run, struct fsm_run *fsm, uint32_t number)
{
	const struct program *program = run->program;
	struct scenario *scenario = fsm->scenarios[number];
	bool took = false;
	run->scenario = scenario;
	for (uint32_t i = run->binding->first[scenario->state]; i != PROGRAM_NOTHING && !took;
	     i = run->binding->next[i]) {
		const struct transition_row *row = &program->transitions[i];
		took = run_is_true(run, row->condition);
		if (took)
			program_scenarios_take(run, fsm, number, row);
	}
	run->scenario = NULL;
	return took;
}

/* One of those that have a condition; others are decided by the name of the event. */
static bool precondition_holds(struct program_run *run, const struct fsm_row *row)
{
	const struct program *program = run->program;
	bool holds = false;
	for (uint32_t i = row->first_precondition; i != PROGRAM_NOTHING && !holds;
	     i = program->preconditions[i].next)
		holds = run->binding->preconditions[i] && run_is_true(run, program->preconditions[i].condition);
	return holds;
}

static void run_fsm(struct program_run *run, struct fsm_run *fsm, const struct fsm_row *row)
{
	bool is_consumed = false;
	size_t kept = 0, at = 0;
	for (; at < fsm->active_count && !is_consumed; at++) {
		uint32_t number = fsm->active[at];
		struct scenario *scenario = fsm->scenarios[number];
		if (run->binding->first[scenario->state] != PROGRAM_NOTHING)
			is_consumed = handle(run, fsm, number) && row->is_consuming;
		if (!scenario->is_over)
			fsm->active[kept++] = number;
	}
	if (kept < at)
		memmove(fsm->active + kept, fsm->active + at, (fsm->active_count - at) * sizeof(*fsm->active));
	fsm->active_count -= at - kept;
	if (is_consumed || fsm->pending == PROGRAM_NOTHING || !handle(run, fsm, fsm->pending))
		return;
	/* Room for it was reserved when it was made. */
	if (!fsm->scenarios[fsm->pending]->is_over)
		fsm->active[fsm->active_count++] = fsm->pending;
	fsm->pending = PROGRAM_NOTHING;
}

void run_scenarios(struct program_run *run)
{
	const struct program *program = run->program;
	for (size_t i = 0; i < program->fsms_count; i++) {
		struct fsm_run *fsm = &run->fsms[i];
		if (fsm->pending == PROGRAM_NOTHING && (program->fsms[i].is_multiple || !fsm->was_begun))
			make_pending(run, fsm, &program->fsms[i]);
	}
	for (size_t i = 0; i < program->fsms_count && run->changes.status == HISTREE_OK; i++) {
		const struct fsm_binding *binding = &run->binding->fsms[i];
		if (!binding->is_idle &&
		    (binding->precondition == PRECONDITION_HOLDS || precondition_holds(run, &program->fsms[i])))
			run_fsm(run, &run->fsms[i], &program->fsms[i]);
	}
}

/* ---- ends ----------------------------------------------------------------------------------------------- */

/*
 * After a gap it is not known how far they are.  A machine of one scenario begins again, if it was not over; a
 * pending one has nothing to forget.
 */
void run_forget_scenarios(struct program_run *run)
{
	for (size_t i = 0; i < run->program->fsms_count; i++) {
		struct fsm_run *fsm = &run->fsms[i];
		for (size_t at = 0; at < fsm->active_count; at++) {
			struct scenario *scenario = fsm->scenarios[fsm->active[at]];
			run_pools_return(run, scenario);
			scenario->is_over = true;
			run->without_end++;
			fsm->was_begun = false;
			if (!free_numbers_give(&fsm->free, fsm->active[at]))
				program_scenarios_fail(run);
		}
		fsm->active_count = 0;
		/* Its state is what it was, and is said again. */
		if (fsm->pending != PROGRAM_NOTHING) {
			if (!free_numbers_give(&fsm->free, fsm->pending))
				program_scenarios_fail(run);
			fsm->pending = PROGRAM_NOTHING;
			fsm->was_begun = false;
		}
	}
}

void run_end_scenarios(struct program_run *run, histree_time end)
{
	run->changes.time = end;
	for (size_t i = 0; i < run->program->fsms_count; i++) {
		struct fsm_run *fsm = &run->fsms[i];
		for (size_t at = 0; at < fsm->active_count; at++) {
			give_back(run, fsm, fsm->active[at], NULL, 0);
			run->without_end++;
		}
		fsm->active_count = 0;
	}
}

void run_release_scenarios(struct program_run *run)
{
	for (size_t i = 0; run->fsms != NULL && i < run->program->fsms_count; i++) {
		struct fsm_run *fsm = &run->fsms[i];
		for (size_t number = 0; number < fsm->count; number++) {
			free(fsm->scenarios[number]->entered);
			free(fsm->scenarios[number]);
		}
		free(fsm->scenarios);
		free(fsm->free.numbers);
		free(fsm->active);
	}
	for (size_t i = 0; i < run->pool_count; i++)
		free(run->pools[i].free.numbers);
	free(run->fsms);
	free(run->pools);
	free(run->uses);
	hash_index_release(&run->pool_index);
}
