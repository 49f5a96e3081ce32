// SPDX-License-Identifier: MIT
/*
 * number_verify.c - the number overview of a history is made once more in memory, and compared (level_prints.h).
 */
#include "base/error.h"
#include "histree/lookup.h"
#include "overview/level_prints.h"
#include "overview/number_ladder.h"
#include "state/history.h"
#include "state/history_numbers.h"
#include "state/history_union.h"

struct verifying {
	struct level_prints prints;
	struct number_ladder ladder;
	histree_time end; /* of the history */
};

static enum histree_status add_attributes(void *context, const struct level_prints *prints,
					  struct histree_error *error)
{
	struct verifying *verifying = context;
	const struct leveled_overview *numbers = prints->overview;
	enum histree_status status = HISTREE_OK;
	number_ladder_reset(&verifying->ladder, numbers->log2);
	for (uint32_t i = 0; i < prints->choice.count && status == HISTREE_OK; i++) {
		histree_quark own[LEVELED_LEVELS_MAX];
		uint32_t levels = leveled_overview_find(numbers, prints->choice.condensed[i].quark, own);
		if (verifying->ladder.rung_count + levels > NUMBER_RUNGS_MAX)
			return error_set(error, HISTREE_ERR_FORMAT,
					 "overview '%s' has more attributes than any; remove the file",
					 history_path(numbers->history));
		status = number_ladder_attribute(&verifying->ladder, levels, error);
		for (uint32_t each = 0; each < levels && status == HISTREE_OK; each++)
			verifying->ladder.attributes[i].own[each] = own[each];
	}
	return status;
}

static enum histree_status take_window(void *context, struct overview_window *window, struct histree_error *error)
{
	struct verifying *verifying = context;
	enum histree_status status =
		number_ladder_add_window(&verifying->ladder, NULL, window, verifying->end, error);
	level_prints_add(&verifying->prints, &verifying->ladder.states);
	return status;
}

static enum histree_status verify_numbers(struct histree_history *history,
					  void (*report)(void *context, const char *fault), void *context,
					  struct histree_error *error)
{
	struct verifying verifying = { .end = histree_history_info(history)->end };
	const struct level_check check = { add_attributes, take_window, &verifying };
	enum histree_status status = level_prints_check(&verifying.prints, history, history_numbers(history),
							&check, report, context, error);
	number_ladder_release(&verifying.ladder);
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
