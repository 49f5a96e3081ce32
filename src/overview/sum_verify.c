// SPDX-License-Identifier: MIT
/*
 * sum_verify.c - the overview of sums of a history is made once more in memory, and compared (level_prints.h); then
 * its cube is.
 */
#include "base/error.h"
#include "histree/time_in_state.h"
#include "overview/cube_verify.h"
#include "overview/level_prints.h"
#include "overview/sum_ladder.h"
#include "state/history.h"
#include "state/history_union.h"

struct verifying {
	struct level_prints prints;
	struct sum_ladder ladder;
};

/* The histories that have an overview say which levels it has: each of its attributes has all of them. */
static enum histree_status add_attributes(void *context, const struct level_prints *prints,
					  struct histree_error *error)
{
	struct verifying *verifying = context;
	const struct leveled_overview *sums = prints->overview;
	const struct histree_history_info *of = histree_history_info(prints->history);
	enum histree_status status = HISTREE_OK;
	sum_ladder_reset(&verifying->ladder, of->start, (uint64_t)of->end - (uint64_t)of->start, sums->log2);
	for (uint32_t i = 0; i < prints->choice.count && status == HISTREE_OK; i++) {
		histree_quark own[LEVELED_LEVELS_MAX];
		uint32_t levels = leveled_overview_find(sums, prints->choice.condensed[i].quark, own);
		if (levels != verifying->ladder.levels || verifying->ladder.rung_count + levels > SUM_RUNGS_MAX)
			return error_set(error, HISTREE_ERR_FORMAT,
					 "overview '%s' has other levels or more attributes than any; remove the "
					 "file",
					 history_path(sums->history));
		status = sum_ladder_attribute(&verifying->ladder, error);
		for (uint32_t each = 0; each < levels && status == HISTREE_OK; each++)
			verifying->ladder.attributes[i].own[each] = own[each];
	}
	return status;
}

static enum histree_status take_window(void *context, struct overview_window *window, struct histree_error *error)
{
	struct verifying *verifying = context;
	enum histree_status status = sum_ladder_add_window(&verifying->ladder, NULL, window, error);
	level_prints_add(&verifying->prints, &verifying->ladder.states);
	return status;
}

static enum histree_status verify_sums(struct histree_history *history,
				       void (*report)(void *context, const char *fault), void *context,
				       struct histree_error *error)
{
	struct verifying verifying = { 0 };
	const struct level_check check = { add_attributes, take_window, &verifying };
	enum histree_status status = level_prints_check(&verifying.prints, history, history_sums(history), &check,
							report, context, error);
	sum_ladder_release(&verifying.ladder);
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
