// SPDX-License-Identifier: MIT
#include "overview/level_prints.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "overview/window_walk.h"
#include "state/history.h"
#include "store/overview_faults.h"

enum { STATES_IN_WINDOW = 128 << 10 };

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
	const struct overview_level *level = &prints->overview->levels[0];
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
				const struct leveled_overview *overview, struct histree_error *error)
{
	const size_t count = histree_history_info(overview->history)->attribute_count;
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
		.states_in_window = STATES_IN_WINDOW,
		.take = check->take,
		.context = check->context,
	};
	return prints->choice.count > 0 ? window_walk(&walk, error) : HISTREE_OK;
}

void level_prints_add(struct level_prints *prints, struct ladder_states *states)
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
	enum histree_status status = histree_query_create(prints->overview->history, &query, error);
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
			const struct level_entry *entry = &prints->overview->levels[level].entries[i];
			const struct level_print *print = &prints->prints[entry->own];
			char fault[128];
			snprintf(fault, sizeof(fault),
				 "attribute %" PRIu32 "/%" PRIu32 " does not say what the states of the history do",
				 level + 1, entry->quark);
			if (print->one != 0 || print->other != 0)
				overview_faults_report(faults, fault);
		}
}

static void ignore_fault(void *context, const char *fault)
{
	(void)context, (void)fault;
}

static enum histree_status compare(struct level_prints *prints, void (*report)(void *context, const char *fault),
				   void *context, struct histree_error *error)
{
	struct overview_faults faults = { .report = report != NULL ? report : ignore_fault, .context = context };
	faults.path = history_path(prints->overview->history);
	enum histree_status status = take_off_all(prints, error);
	if (status != HISTREE_OK)
		return status;
	report_wrong(prints, &faults);
	return overview_faults_sum(&faults, history_path(prints->history), error);
}

enum histree_status level_prints_check(struct level_prints *prints, struct histree_history *history,
				       const struct leveled_overview *overview, const struct level_check *check,
				       void (*report)(void *context, const char *fault), void *context,
				       struct histree_error *error)
{
	if (overview->history == NULL)
		return HISTREE_OK;
	enum histree_status status = init(prints, history, overview, error);
	if (status == HISTREE_OK)
		status = check->begin(check->context, prints, error);
	if (status == HISTREE_OK)
		status = walk_windows(prints, check, error);
	if (status == HISTREE_OK)
		status = compare(prints, report, context, error);
	overview_choice_release(&prints->choice);
	free(prints->prints);
	*prints = (struct level_prints){ 0 };
	return status;
}
