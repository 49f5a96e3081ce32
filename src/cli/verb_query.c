// SPDX-License-Identifier: MIT
/*
 * verb_query.c - the verb that asks for states.  What it prints of a history, the ranks of a job print too, of a
 * history whose hosts they have.
 */
#include <unistd.h>

#include "cli/query_question.h"
#include "cli/row_writer.h"
#include "cli/verb.h"

static const struct cli_option options[] = {
	CLI_OPTION_NUMBER("step", CLI_DURATION, "NS", struct query_options, step, 1, INT64_MAX,
			  "print only the states at --from and every NS after it"),
	{ .name = "times",
	  .argument = "N",
	  .kind = CLI_NUMBER,
	  .member = offsetof(struct query_options, times),
	  .old = "count",
	  .help = "print only the states at N times at equal distances, including --from and --to",
	  .min = 2,
	  .max = QUERY_TIMES_MAX },
	CLI_OPTION_FLAG("stack-top", 0, struct query_options, stack_top,
			"print the state on top of each stack that matches, such as a call stack, at --at"),
	CLI_OPTION_FLAG("first-value", 0, struct query_options, first_value,
			"print only the first state of each attribute in the range that is not null"),
	CLI_OPTION_FLAG(
		"changes", 0, struct query_options, changes,
		"print the states that begin in the range, of all attributes together in the order of time"),
	CLI_OPTION_FLAG("stats", 0, struct query_options, stats,
			"print on standard error how long the query took and how many nodes it read"),
	{ 0 },
};

static int print(const struct query_question *question, int status, struct histree_work cancel)
{
	struct interval_rows rows;
	struct query_outcome outcome;
	const struct query_taker taker = {
		.state = interval_rows_take, .cell = interval_rows_take_cell, .context = &rows, .work = cancel
	};
	const struct cli_question *chosen = &question->chosen->question;
	enum cli_exit code =
		interval_rows_open(&rows, output_create(STDOUT_FILENO), chosen, question->answer.history,
				   &question->list, chosen->parts != 0 ? INTERVAL_CELLS : INTERVAL_LABELS);
	if (code == CLI_OK) {
		query_question_ask(question, status, &taker, &outcome);
		code = query_outcome_report(&outcome, question->chosen);
	}
	return interval_rows_close(&rows, code);
}

/* Times are those of all hosts, also where one of them is asked. */
int query_print(const struct target *target, struct histree_history *history, const struct query_options *chosen,
		char *const *patterns, size_t pattern_count, struct histree_work cancel)
{
	const struct histree_history_info *info = histree_history_info(history);
	const struct time_span span = time_span_of_history(info);
	struct query_question question = { .chosen = chosen };
	struct histree_history *part;
	target_warn_of_version(target, info->provider, info->provider_version);
	int status = host_part_of_question(target, history, &chosen->question, &part);
	if (status != CLI_OK)
		return status;
	status = query_question_make(&question, chosen, part, &span, patterns, pattern_count);
	if (status == CLI_OK || status == CLI_NOTHING)
		status = print(&question, status, cancel);
	query_question_release(&question);
	return status;
}

static int query_run(void *said, const struct cli_words *words)
{
	struct query_options *chosen = said;
	struct target target;
	struct histree_history *history = NULL;
	struct histree_error error = { 0 };
	int status;
	status = query_options_check(chosen, words->count - 1);
	if (status != CLI_OK)
		return status;
	enum histree_status opened = target_open(&target, words->words[0], &error);
	if (opened == HISTREE_OK)
		opened = target_history(&target, chosen->question.analysis, true, &history, &error);
	if (opened == HISTREE_OK)
		status = query_print(&target, history, chosen, words->words + 1, words->count - 1,
				     (struct histree_work){ 0 });
	else
		status = report_error(&error);
	histree_history_close(history);
	target_close(&target);
	return status;
}

const struct cli_verb verb_query = {
	.name = "query",
	.summary = "ask for the states at a time or over a range of times",
	.arguments = "STORE [PATTERN]...",
	.words_min = 1,
	.words_max = CLI_WORDS_ANY,
	.complete = CLI_COMPLETE_ATTRIBUTE,
	.asks = ASKS_RANGE | ASKS(AT) | ASKS(WHERE) | ASKS(PARTS) | ASKS(REVERSE) | ASKS(LIMIT) | ASKS(COLUMNS) |
		ASKS(ANALYSIS) | ASKS(HOST) | ASKS(FORMAT),
	.says = { [ASK_HOST] = "; paths are then those of its own",
		  [ASK_AT] = ": the states of the attributes that match, or of all",
		  [ASK_WHERE] = ", as in 'value == 5 && duration > 1ms'; alone, of the whole history",
		  [ASK_PARTS] = ": what each attribute was for most of it",
		  [ASK_REVERSE] = ", of --changes" },
	.options = options,
	.options_size = sizeof(struct query_options),
	.run = query_run,
};
