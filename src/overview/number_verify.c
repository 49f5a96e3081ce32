// SPDX-License-Identifier: MIT
/*
 * number_verify.c - the number overview of a history is made once more in memory.  Of each attribute of it all
 * states that it should have are summed up as fingerprints, and those that it has are taken off: nothing is left.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "histree/lookup.h"
#include "overview/number_ladder.h"
#include "overview/window_walk.h"
#include "state/history.h"
#include "state/history_union.h"
#include "store/overview_faults.h"

enum { STATES_IN_WINDOW = 128 << 10 };

/* A sum of two hashes of each state. */
struct fingerprint {
	uint64_t one, other;
};

struct verifying {
	const struct history_numbers *numbers;
	const struct histree_history_info *of;
	struct overview_choice choice;
	struct number_ladder ladder;
	struct fingerprint *prints; /* by attribute of the overview */
};

static struct fingerprint fingerprint_of(histree_time start, histree_time end, const void *bytes, size_t size)
{
	uint64_t content = hash_bytes(bytes, size);
	uint64_t times = hash_mix((uint64_t)start) + 3 * hash_mix(~(uint64_t)end);
	return (struct fingerprint){ hash_mix(content ^ times), hash_mix(content + UINT64_C(5) * times) };
}

/* ---- what it should have --------------------------------------------------------------------------------- */

static enum histree_status choose(struct verifying *verifying, struct histree_error *error)
{
	const struct overview_level *level = &verifying->numbers->levels[0];
	struct overview_choice *choice = &verifying->choice;
	choice->states = verifying->of->interval_count;
	number_ladder_reset(&verifying->ladder, verifying->numbers->states_log2);
	for (size_t i = 0; verifying->numbers->level_count > 0 && i < level->count; i++) {
		histree_quark own[NUMBERS_LEVELS_MAX], quark = level->entries[i].quark;
		uint32_t levels = history_numbers_find(verifying->numbers, quark, own);
		if (verifying->ladder.rung_count + levels > NUMBER_RUNGS_MAX)
			return error_set(error, HISTREE_ERR_FORMAT,
					 "overview '%s' has more attributes than any; remove the file",
					 history_path(verifying->numbers->history));
		if (!array_reserve(&choice->condensed, &choice->capacity, (size_t)choice->count + 1))
			return error_memory(error, "an overview");
		choice->condensed[choice->count++] = (struct condensed){ .source = quark, .quark = quark };
		enum histree_status status = number_ladder_attribute(&verifying->ladder, levels, error);
		if (status != HISTREE_OK)
			return status;
		for (uint32_t each = 0; each < levels; each++)
			verifying->ladder.attributes[i].own[each] = own[each];
	}
	return HISTREE_OK;
}

static enum histree_status sort_window(void *context, struct overview_window *window, struct histree_error *error)
{
	struct verifying *verifying = context;
	return overview_window_sort(window, &verifying->choice, error);
}

static enum histree_status take_window(void *context, struct overview_window *window, struct histree_error *error)
{
	struct verifying *verifying = context;
	struct number_ladder *ladder = &verifying->ladder;
	enum histree_status status = number_ladder_add_window(ladder, NULL, window, verifying->of->end, error);
	for (size_t i = 0; status == HISTREE_OK && i < ladder->state_count; i++) {
		const struct number_state *state = &ladder->states[i];
		struct fingerprint print =
			fingerprint_of(state->start, state->end, ladder->bytes + state->at, state->size);
		histree_quark own = ladder->attributes[state->attribute].own[state->level - 1];
		verifying->prints[own].one += print.one;
		verifying->prints[own].other += print.other;
	}
	number_ladder_clear(ladder);
	return status;
}

static enum histree_status add_all(struct verifying *verifying, struct histree_history *history,
				   struct histree_error *error)
{
	const struct overview_progress silent = { 0 };
	enum histree_status status = choose(verifying, error);
	if (status != HISTREE_OK || verifying->choice.count == 0)
		return status;
	const struct window_walk walk = {
		.history = history,
		.path = history_path(history),
		.choice = &verifying->choice,
		.progress = &silent,
		.states_in_window = STATES_IN_WINDOW,
		.prepare = sort_window,
		.take = take_window,
		.context = verifying,
	};
	return window_walk(&walk, error);
}

/* ---- what it has ----------------------------------------------------------------------------------------- */

static enum histree_status take_off_all(struct verifying *verifying, struct histree_error *error)
{
	const struct histree_region all = { .from = verifying->of->start, .to = verifying->of->end };
	struct histree_interval state;
	struct histree_query *query;
	enum histree_status status = histree_query_create(verifying->numbers->history, &query, error);
	if (status != HISTREE_OK)
		return status;
	status = histree_query_start(query, &all, error);
	while (status == HISTREE_OK && (status = histree_query_next(query, &state, error)) == HISTREE_OK) {
		if (state.value.type == HISTREE_NULL) /* it groups others; else its fingerprint is too small */
			continue;
		bool is_summary = state.value.type == HISTREE_CUSTOM;
		struct fingerprint print =
			fingerprint_of(state.start, state.end, is_summary ? state.value.bytes : "",
				       is_summary ? state.value.size : 0);
		verifying->prints[state.quark].one -= print.one;
		verifying->prints[state.quark].other -= print.other;
	}
	histree_query_free(query);
	return status == HISTREE_END ? HISTREE_OK : status;
}

static void report_wrong(const struct verifying *verifying, struct overview_faults *faults)
{
	for (uint32_t level = 0; level < verifying->numbers->level_count; level++)
		for (size_t i = 0; i < verifying->numbers->levels[level].count; i++) {
			const struct level_entry *entry = &verifying->numbers->levels[level].entries[i];
			const struct fingerprint *print = &verifying->prints[entry->own];
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

static enum histree_status verify_numbers(struct histree_history *history,
					  void (*report)(void *context, const char *fault), void *context,
					  struct histree_error *error)
{
	struct verifying verifying = { .numbers = history_numbers(history), .of = histree_history_info(history) };
	struct overview_faults faults = { .report = report != NULL ? report : ignore_fault, .context = context };
	if (verifying.numbers->history == NULL)
		return HISTREE_OK;
	size_t count = histree_history_info(verifying.numbers->history)->attribute_count;
	faults.path = history_path(verifying.numbers->history);
	verifying.prints = calloc(count + 1, sizeof(*verifying.prints));
	enum histree_status status =
		verifying.prints != NULL ? HISTREE_OK : error_memory(error, "what an overview is compared with");
	if (status == HISTREE_OK)
		status = add_all(&verifying, history, error);
	if (status == HISTREE_OK)
		status = take_off_all(&verifying, error);
	if (status == HISTREE_OK)
		report_wrong(&verifying, &faults);
	overview_choice_release(&verifying.choice);
	number_ladder_release(&verifying.ladder);
	free(verifying.prints);
	return status == HISTREE_OK ? overview_faults_sum(&faults, history_path(history), error) : status;
}

enum histree_status histree_numbers_verify(struct histree_history *history,
					   void (*report)(void *context, const char *fault), void *context,
					   struct histree_error *error)
{
	const struct history_union *hosts = history_union_of(history);
	return hosts != NULL ? history_union_check(hosts, verify_numbers, report, context, error)
			     : verify_numbers(history, report, context, error);
}
