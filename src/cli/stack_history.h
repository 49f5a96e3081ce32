/* SPDX-License-Identifier: MIT */
/*
 * stack_history.h - the history of a store that has call stacks, and a flame graph of it.
 */
#ifndef CLI_STACK_HISTORY_H
#define CLI_STACK_HISTORY_H

#include "cli/target.h"
#include "cli/time_option.h"
#include "histree/flame.h"

/* Whether a store has a history with call stacks. */
bool stack_history_is_there(const struct target *target);

/*
 * Opens the target and the history of an analysis; NULL: the first one that has call stacks, `ust-calls` and
 * `tracks` before others.  What failed is reported.
 */
enum cli_exit stack_history_open(struct target *target, const char *path, const char *analysis,
				 struct histree_history **out);

/*
 * Adds the stacks at and below the attributes that the patterns match, or all, to a side of a flame graph: those of
 * a range of time, which may be NULL in both.  What failed is reported.
 */
struct stack_question {
	struct histree_history *history;
	struct histree_history *whole; /* whose times the range has; NULL: the same */
	char *const *patterns;
	size_t pattern_count;
	struct time_range_options range;
	unsigned side;
	bool by_thread;
};
enum cli_exit stack_history_add(struct histree_flame *flame, const struct stack_question *question);

#endif
