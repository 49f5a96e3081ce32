/* SPDX-License-Identifier: MIT */
/*
 * verb_states.h - what `states` can be asked, and what answers it: states as intervals, or sums of numbers.
 */
#ifndef CLI_VERB_STATES_H
#define CLI_VERB_STATES_H

#include "cli/option.h"
#include "cli/target.h"
#include "histree/states.h"

struct states_options {
	struct cli_question question;
	uint64_t step, times;
	bool stats, stack_top, first_value, changes, numbers, growth;
};

/*
 * The verb behind its target: asks a history, prints the answer on standard output, and returns what to exit with.
 * `words` are the store and the patterns.
 */
int states_print(const struct target *target, struct histree_history *history, const struct states_options *chosen,
		 const struct cli_words *words, struct histree_work work);

/* Runs `states --numbers`. */
int state_numbers_run(void *said, const struct cli_words *words);

#endif
