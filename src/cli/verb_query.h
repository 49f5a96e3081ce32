/* SPDX-License-Identifier: MIT */
/*
 * verb_query.h - the question of `query`, from its command line to its intervals, which the caller prints.
 *
 * Some frequent questions about a history (histree/states.h) are also answered as intervals: tops of stacks, first
 * values, and changes in the order of time.
 */
#ifndef CLI_VERB_QUERY_H
#define CLI_VERB_QUERY_H

#include "cli/answer.h"
#include "cli/attribute_list.h"
#include "cli/option.h"
#include "cli/target.h"
#include "histree/states.h"

enum lookup {
	LOOKUP_NONE,
	LOOKUP_STACK_TOP,   /* of the stacks among the attributes, at `from` */
	LOOKUP_FIRST_VALUE, /* that is not null, of each attribute */
	LOOKUP_CHANGES,     /* the states that begin in the range, in the order of time */
};

/* A list of times is held in memory: eight bytes each. */
#define QUERY_TIMES_MAX (UINT64_C(1) << 24)

struct query_options {
	struct cli_question question;
	uint64_t step, times;
	bool stats, stack_top, first_value, changes;
};

struct query_question {
	const struct query_options *chosen;
	struct answer_question answer;
	struct attribute_list list;
	histree_time *times;
};

/* The result. */
struct query_outcome {
	int status; /* CLI_OK, CLI_NOTHING if a pattern matched nothing, or what failed, which was reported */
	bool is_damaged;
	uint64_t attributes, rows;
	struct answer_stats stats;
};

/* Checks what does not depend on the history. */
enum cli_exit query_options_check(const struct query_options *chosen, size_t pattern_count);

/*
 * Makes the question for a history, with times relative to `span`.  Returns CLI_OK, CLI_NOTHING if some pattern
 * matches nothing, and another status if nothing can be asked; this was reported.  Call query_question_release() in
 * any case.
 */
enum cli_exit query_question_make(struct query_question *question, const struct query_options *chosen,
				  const struct target *target, struct histree_history *history,
				  const struct time_span *span, char *const *patterns, size_t pattern_count);

/* Who takes the answer: states, or the cells of a question for pixels. */
struct query_taker {
	answer_taker *state;
	pixel_taker *cell;
	void *context;
	struct histree_work work; /* asked now and then whether the rest is wanted */
};

/* Hands on the answer in its order.  `status` is what query_question_make() returned. */
void query_question_ask(const struct query_question *question, int status, const struct query_taker *taker,
			struct query_outcome *outcome);

/* Says on standard error what has to be said behind the rows, and returns what to exit with. */
int query_outcome_report(const struct query_outcome *outcome, const struct query_options *chosen);
void query_question_release(struct query_question *question);

/*
 * The verb behind its checks: asks a history of the target, prints the answer on standard output, and returns what
 * to exit with.
 */
int query_print(const struct target *target, struct histree_history *history, const struct query_options *chosen,
		char *const *patterns, size_t pattern_count, struct histree_work work);

#endif
