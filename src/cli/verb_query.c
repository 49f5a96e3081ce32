// SPDX-License-Identifier: MIT
#include <unistd.h>

#include "cli/interval_rows.h"
#include "cli/query_question.h"
#include "cli/target.h"
#include "cli/verb.h"

struct query_words {
	struct query_options query;
};

static const struct cli_option options[] = {
	CLI_OPTIONS_QUERY(struct query_words, query),
	{ 0 },
};

static int print(const struct query_question *question, int status)
{
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	struct interval_rows rows;
	struct query_outcome outcome;
	const struct query_taker taker = { .state = interval_rows_take,
					   .cell = interval_rows_take_cell,
					   .context = &rows };
	interval_rows_begin_wide(&rows, row_format_find(question->chosen->format), output, question->answer.history,
				 attribute_list_width(&question->list, INTERVAL_PATH_WIDTH_MAX),
				 question->chosen->pixels != 0 ? INTERVAL_CELLS : INTERVAL_LABELS);
	query_question_ask(question, status, &taker, &outcome);
	status = query_outcome_report(&outcome, question->chosen);
	interval_rows_finish(&rows);
	return cli_end(output, status);
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct query_words chosen = { 0 };
	struct cli_words words;
	int status;
	if (!cli_begin(verb, argc, argv, &chosen, &words, &status))
		return status;
	status = query_options_check(&chosen.query, words.count - 1);
	if (status != CLI_OK)
		return status;
	struct target target;
	struct histree_history *history;
	struct query_question question = { 0 };
	status = target_open_history(&target, words.words[0], chosen.query.analysis, &history);
	if (status == CLI_OK) {
		struct time_span span = time_span_of_history(histree_history_info(history));
		status = query_question_make(&question, &chosen.query, history, &span, words.words + 1,
					     words.count - 1);
		if (status == CLI_OK || status == CLI_NOTHING)
			status = print(&question, status);
	}
	query_question_release(&question);
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
	.options = options,
	.run = run,
};
