// SPDX-License-Identifier: MIT
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/answer.h"
#include "cli/interval_rows.h"
#include "cli/lookup_rows.h"
#include "cli/state_where.h"
#include "cli/target.h"
#include "cli/time_option.h"
#include "cli/verb.h"

/* A list of times is held in memory: eight bytes each. */
#define TIMES_MAX (UINT64_C(1) << 24)

struct query_options {
	const char *analysis, *format;
	const char *at, *from, *to, *where;
	uint64_t step, count, top;
	bool stats, stack_top, first_value, changes, reverse;
};

static const struct cli_option options[] = {
	{ .name = "at",
	  .argument = "TIME",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct query_options, at),
	  .help = "print the states at this time: those of the attributes that match, or all" },
	{ .name = "from",
	  .argument = "TIME",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct query_options, from),
	  .help = "print the states from this time on" },
	{ .name = "to",
	  .argument = "TIME",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct query_options, to),
	  .help = "print the states up to this time, inclusive" },
	{ .name = "where",
	  .argument = "EXPR",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct query_options, where),
	  .help = "print only states that pass, as in 'value == 5 && duration > 1ms'; alone, of the whole "
		  "history" },
	{ .name = "step",
	  .argument = "NS",
	  .kind = CLI_DURATION,
	  .member = offsetof(struct query_options, step),
	  .help = "print only the states at --from and every NS after it",
	  .min = 1,
	  .max = INT64_MAX },
	{ .name = "count",
	  .argument = "N",
	  .kind = CLI_NUMBER,
	  .member = offsetof(struct query_options, count),
	  .help = "print only the states at N times at equal distances, including --from and --to",
	  .min = 2,
	  .max = TIMES_MAX },
	{ .name = "stack-top",
	  .kind = CLI_FLAG,
	  .member = offsetof(struct query_options, stack_top),
	  .help = "print the state on top of each stack that matches, such as a call stack, at --at" },
	{ .name = "first-value",
	  .kind = CLI_FLAG,
	  .member = offsetof(struct query_options, first_value),
	  .help = "print only the first state of each attribute in the range that is not null" },
	{ .name = "changes",
	  .kind = CLI_FLAG,
	  .member = offsetof(struct query_options, changes),
	  .help = "print the states that begin in the range, of all attributes together in the order of time" },
	{ .name = "reverse",
	  .letter = 'r',
	  .kind = CLI_FLAG,
	  .member = offsetof(struct query_options, reverse),
	  .help = "of --changes, print the latest first" },
	{ .name = "top",
	  .letter = 'n',
	  .argument = "N",
	  .kind = CLI_NUMBER,
	  .member = offsetof(struct query_options, top),
	  .help = "of --changes, print only the first N",
	  .min = 1,
	  .max = INT64_MAX },
	CLI_OPTION_ANALYSIS(struct query_options,
			    "read the history of this analysis; default: kernel, or the first"),
	CLI_OPTION_FORMAT(struct query_options),
	{ .name = "stats",
	  .kind = CLI_FLAG,
	  .member = offsetof(struct query_options, stats),
	  .help = "print on standard error how long the query took and how many nodes it read" },
	{ 0 },
};

/* What is asked for instead of the states at a time or in a range. */
static enum lookup lookup_of(const struct query_options *chosen)
{
	if (chosen->stack_top)
		return LOOKUP_STACK_TOP;
	if (chosen->first_value)
		return LOOKUP_FIRST_VALUE;
	return chosen->changes ? LOOKUP_CHANGES : LOOKUP_NONE;
}

static enum cli_exit check_lookup(const struct query_options *chosen)
{
	if (chosen->stack_top + chosen->first_value + chosen->changes > 1)
		return report_exit(CLI_USAGE, "'--stack-top', '--first-value' and '--changes' are different "
					      "questions: choose one");
	if (chosen->stack_top && chosen->at == NULL)
		return report_exit(CLI_USAGE, "'--stack-top' is of one time: it needs '--at'");
	if ((chosen->first_value || chosen->changes) && chosen->at != NULL)
		return report_exit(CLI_USAGE, "'--%s' is of a range: it needs '--from' and '--to'",
				   chosen->changes ? "changes" : "first-value");
	if (lookup_of(chosen) != LOOKUP_NONE && (chosen->step != 0 || chosen->count != 0 || chosen->stats))
		return report_exit(
			CLI_USAGE,
			"'--step', '--count' and '--stats' are of the states of a range or a time, not of "
			"'--stack-top', '--first-value' or '--changes'");
	if ((chosen->stack_top || chosen->first_value) && chosen->where != NULL)
		return report_exit(CLI_USAGE,
				   "'--where' is of the states of a range or a time, and of '--changes'");
	if (!chosen->changes && (chosen->reverse || chosen->top != 0))
		return report_exit(CLI_USAGE, "'--%s' is of '--changes'", chosen->reverse ? "reverse" : "top");
	return CLI_OK;
}

/* Checks what does not depend on the history. */
static enum cli_exit check(const struct query_options *chosen, const struct cli_words *words)
{
	bool is_range = chosen->from != NULL || chosen->to != NULL;
	if (chosen->at != NULL && is_range)
		return report_exit(CLI_USAGE, "'--at' is one time, '--from' and '--to' are a range: choose one");
	if (chosen->at == NULL && chosen->where == NULL && (chosen->from == NULL || chosen->to == NULL))
		return report_exit(CLI_USAGE,
				   "needs '--at TIME', '--from TIME' and '--to TIME', or '--where EXPR'");
	if (chosen->at != NULL && (chosen->step != 0 || chosen->count != 0))
		return report_exit(CLI_USAGE, "'--%s' divides a range: it needs '--from' and '--to'",
				   chosen->step != 0 ? "step" : "count");
	if (chosen->step != 0 && chosen->count != 0)
		return report_exit(CLI_USAGE, "'--step' and '--count' both choose the times: choose one");
	if (is_range && chosen->where == NULL && words->count < 2)
		return report_exit(CLI_USAGE, "a range needs a PATTERN; '**' is every attribute");
	return check_lookup(chosen);
}

static enum cli_exit read_range(const struct query_options *chosen, struct answer_question *question)
{
	struct time_span span = time_span_of_history(histree_history_info(question->history));
	if (chosen->at == NULL)
		return time_option_range(chosen->from, chosen->to, &span, &question->from, &question->to);
	enum cli_exit code = time_option_read("at", chosen->at, &span, &question->from);
	question->to = question->from;
	return code;
}

/*
 * The times of --step or --count, each once; *times is the caller's to free and stays NULL where the whole range
 * is asked for.
 */
static enum cli_exit choose_times(const struct query_options *chosen, struct answer_question *question,
				  histree_time **times)
{
	if (chosen->step == 0 && chosen->count == 0)
		return CLI_OK;
	uint64_t span = (uint64_t)question->to - (uint64_t)question->from;
	uint64_t steps = chosen->step != 0 ? span / chosen->step : chosen->count - 1;
	if (steps >= TIMES_MAX)
		return report_exit(CLI_USAGE,
				   "'--step' makes %" PRIu64 " times of this range; at most %" PRIu64
				   " can be asked for at once",
				   steps + 1, TIMES_MAX);
	*times = malloc((steps + 1) * sizeof(**times));
	if (*times == NULL)
		return report_no_memory();
	size_t count = 0;
	for (uint64_t i = 0; i <= steps; i++) {
		/* This is span * i / steps, which could overflow. */
		uint64_t after = chosen->step != 0 ? i * chosen->step : span / steps * i + span % steps * i / steps;
		histree_time time = (histree_time)((uint64_t)question->from + after);
		if (count == 0 || time != (*times)[count - 1])
			(*times)[count++] = time;
	}
	assert(count > 0 && count <= steps + 1 && (*times)[count - 1] <= question->to);
	question->times = *times;
	question->time_count = count;
	return CLI_OK;
}

/* A list of times stays as it is: a filter leaves fewer states of it, not fewer times. */
static enum cli_exit narrow(const struct query_options *chosen, struct answer_question *question,
			    struct attribute_list *list, int status)
{
	bool is_range = question->times == NULL && chosen->at == NULL;
	if (chosen->where == NULL)
		return status;
	enum cli_exit code =
		state_where_apply(chosen->where, question->history, list, is_range ? &question->from : NULL,
				  is_range ? &question->to : NULL, &question->filter);
	return code != CLI_OK ? code : (enum cli_exit)status;
}

static void report_stats(const struct answer_stats *stats)
{
	report("%" PRId64 ".%03d us, %" PRIu64 " nodes visited, %" PRIu64 " read from the file, %" PRIu64
	       " intervals",
	       stats->ns / 1000, (int)(stats->ns % 1000), stats->query.nodes_visited, stats->query.nodes_loaded,
	       stats->query.intervals);
}

static int print(const struct answer_question *question, const struct query_options *chosen, int status)
{
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	struct interval_rows rows;
	struct answer_stats stats = { 0 };
	struct histree_error error = { 0 };
	interval_rows_begin(&rows, row_format_find(chosen->format), output, question->history, question->attributes,
			    true);
	if (answer(question, interval_rows_take, &rows, &stats, &error) != HISTREE_OK)
		status = report_error(&error);
	else if (chosen->stats)
		report_stats(&stats);
	if (status == CLI_OK && question->filter != NULL && rows.rows.row_count == 0)
		status = report_exit(CLI_NOTHING, "there are no such states");
	interval_rows_finish(&rows);
	return cli_end(output, answer_exit(stats.query.nodes_damaged > 0, status));
}

static int print_lookup(const struct answer_question *question, const struct query_options *chosen, int status)
{
	const struct lookup_question lookup = { .lookup = lookup_of(chosen),
						.history = question->history,
						.attributes = question->attributes,
						.from = question->from,
						.to = question->to,
						.filter = question->filter,
						.backwards = chosen->reverse,
						.count_max = chosen->top };
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	struct interval_rows rows;
	interval_rows_begin(&rows, row_format_find(chosen->format), output, question->history, question->attributes,
			    true);
	enum cli_exit code = lookup_rows_print(&lookup, &rows);
	interval_rows_finish(&rows);
	return cli_end(output, code != CLI_OK ? (int)code : status);
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct query_options chosen = { 0 };
	struct cli_words words;
	int status;
	if (!cli_begin(verb, argc, argv, &chosen, &words, &status))
		return status;
	status = check(&chosen, &words);
	if (status != CLI_OK)
		return status;
	struct target target;
	struct attribute_list list = { 0 };
	struct answer_question question = { .attributes = &list };
	histree_time *times = NULL;
	status = target_open_history(&target, words.words[0], chosen.analysis, &question.history);
	if (status == CLI_OK)
		status = read_range(&chosen, &question);
	if (status == CLI_OK)
		status = choose_times(&chosen, &question, &times);
	if (status == CLI_OK)
		status = attribute_list_match(&list, histree_history_attributes(question.history), words.words + 1,
					      words.count - 1, ATTRIBUTES_WITH_STATES);
	if (status == CLI_OK || (status == CLI_NOTHING && list.count > 0))
		status = narrow(&chosen, &question, &list, status);
	if (question.history != NULL && (status == CLI_OK || status == CLI_NOTHING))
		status = lookup_of(&chosen) != LOOKUP_NONE ? print_lookup(&question, &chosen, status)
							   : print(&question, &chosen, status);
	free(times);
	histree_state_filter_free(question.filter);
	attribute_list_release(&list);
	histree_history_close(question.history);
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
