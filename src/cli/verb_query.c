// SPDX-License-Identifier: MIT
/*
 * verb_query.c - `histree query`: checks the options, chooses attributes and times, and prints the intervals of the
 * answer.  The ranks of a job print the same of a history whose hosts they have.
 *
 * --where is an expression that narrows the question.  Tops of stacks, first values, and changes in the order of
 * time (histree/states.h) are handed out as intervals too.
 */
#include "cli/verb_query.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cancel.h"
#include "cli/answer.h"
#include "cli/attribute_list.h"
#include "cli/option.h"
#include "cli/row_writer.h"
#include "cli/state_where.h"
#include "cli/thread_words.h"
#include "cli/verb.h"
#include "histree/states.h"

struct lookup_question {
	enum lookup lookup;
	struct histree_history *history;
	const struct attribute_list *attributes;
	histree_time from, to;
	struct histree_state_filter *filter; /* of changes: which are wanted; NULL: all */
	bool backwards;                      /* changes: the latest comes first */
	uint64_t count_max;                  /* of changes; 0: all */
	struct histree_work work;            /* asked now and then */
};

/* ---- lookup rows --------------------------------------------------------------------------------------------- */

/* ---- one attribute after the other ---------------------------------------------------------------------- */

static enum cli_exit print_top(const struct lookup_question *question, const struct listed_attribute *attribute,
			       struct histree_cursor *query, answer_taker *take, void *context)
{
	const struct histree_attributes *attributes = histree_history_attributes(question->history);
	struct histree_interval interval;
	struct histree_error error = { 0 };
	histree_quark first;
	bool has_frames = histree_attributes_child(attributes, attribute->quark, "1", 1, &first) == HISTREE_OK;
	/* What is unknown would pass for a stack whose depth is. */
	if (!has_frames && question->attributes->count > 1)
		return CLI_OK;
	enum histree_status status =
		histree_lookup_stack_top(query, attribute->quark, question->from, &interval, &error);
	bool is_no_stack = status == HISTREE_ERR_TYPE || status == HISTREE_ERR_ARGUMENT;
	if (status == HISTREE_OK) {
		/* The top of a stack is a state of another attribute, below the one that was asked for. */
		size_t size = histree_attributes_path(attributes, interval.quark, NULL, 0);
		char *path = malloc(size + 1);
		if (path == NULL)
			return report_no_memory();
		histree_attributes_path(attributes, interval.quark, path, size + 1);
		const struct listed_attribute top = { .path = path,
						      .path_size = (uint32_t)size,
						      .quark = interval.quark };
		take(context, &top, &interval);
		free(path);
		return CLI_OK;
	}
	/* A pattern may match others too. */
	if (status == HISTREE_NOT_FOUND || (is_no_stack && question->attributes->count > 1))
		return CLI_OK;
	return is_no_stack ? report_exit(CLI_USAGE, "%s", error.message) : report_error(&error);
}

static enum cli_exit print_first_value(const struct lookup_question *question,
				       const struct listed_attribute *attribute, struct histree_cursor *query,
				       answer_taker *take, void *context)
{
	struct histree_interval interval;
	struct histree_error error = { 0 };
	enum histree_status status = histree_lookup_first_value(query, attribute->quark, question->from,
								question->to, &interval, &error);
	if (status == HISTREE_OK)
		take(context, attribute, &interval);
	return status == HISTREE_OK || status == HISTREE_NOT_FOUND ? CLI_OK : report_error(&error);
}

/* ---- changes -------------------------------------------------------------------------------------------- */

static int compare_quarks(const void *one, const void *other)
{
	const struct listed_attribute *const *a = one, *const *b = other;
	return ((*a)->quark > (*b)->quark) - ((*a)->quark < (*b)->quark);
}

static const struct listed_attribute *find(const struct listed_attribute *const *by_quark, size_t count,
					   histree_quark quark)
{
	const struct listed_attribute wanted = { .quark = quark }, *key = &wanted;
	const struct listed_attribute *const *found =
		bsearch(&key, by_quark, count, sizeof(*by_quark), compare_quarks);
	return found != NULL ? *found : NULL;
}

/* `by_quark` has the attributes that are asked for, and `quarks` their quarks. */
static enum histree_status put_changes(const struct lookup_question *question,
				       const struct listed_attribute *const *by_quark, const histree_quark *quarks,
				       answer_taker *take, void *context, bool *is_damaged,
				       struct histree_error *error)
{
	size_t count = question->attributes->count;
	const struct histree_changes_region region = { .quarks = quarks,
						       .quark_count = count,
						       .from = question->from,
						       .to = question->to,
						       .backwards = question->backwards };
	struct histree_cursor *changes = NULL;
	uint64_t left = question->count_max != 0 ? question->count_max : UINT64_MAX;
	enum histree_status status = histree_changes_create(question->history, &changes, error);
	if (status == HISTREE_OK)
		status = histree_changes_start(changes, &region, error);
	for (uint64_t step = 0; status == HISTREE_OK && left > 0; step++) {
		status = cancel_check(&question->work, step, error);
		if (status == HISTREE_OK)
			status = histree_cursor_next(changes, error);
		if (status != HISTREE_OK)
			break;
		const struct histree_change *change = histree_cursor_change(changes);
		for (size_t i = 0; i < change->count && left > 0; i++) {
			const struct histree_interval *state = &change->intervals[i];
			if (question->filter != NULL && !histree_state_filter_match(question->filter, state))
				continue;
			take(context, find(by_quark, count, state->quark), state);
			left--;
		}
	}
	*is_damaged = changes != NULL && histree_cursor_loss(changes).nodes > 0;
	histree_cursor_free(changes);
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* Reports that nothing was found. */
static enum cli_exit lookup_report_nothing(enum lookup lookup)
{
	static const char *const sentences[] = {
		[LOOKUP_NONE] = "",
		[LOOKUP_STACK_TOP] = "no attribute that matches is a stack with something on it at that time",
		[LOOKUP_FIRST_VALUE] = "all attributes that match are null in that range",
		[LOOKUP_CHANGES] = "no attribute that matches changes in that range",
	};
	return report_exit(CLI_NOTHING, "%s", sentences[lookup]);
}

/* ---- query question ------------------------------------------------------------------------------------------ */

/* What is asked for instead of the states at a time or in a range. */
static enum lookup lookup_of(const struct query_options *chosen)
{
	if (chosen->stack_top)
		return LOOKUP_STACK_TOP;
	if (chosen->first_value)
		return LOOKUP_FIRST_VALUE;
	return chosen->changes ? LOOKUP_CHANGES : LOOKUP_NONE;
}

static enum cli_exit check_pixels(const struct query_options *chosen)
{
	bool is_other = chosen->step != 0 || chosen->times != 0 || chosen->question.where != NULL ||
			chosen->stats || lookup_of(chosen) != LOOKUP_NONE || chosen->question.reverse;
	if (chosen->question.parts == 0)
		return CLI_OK;
	if (chosen->question.from == NULL || chosen->question.to == NULL)
		return report_exit(CLI_USAGE, "'--parts' divides a range: it needs '--from' and '--to'");
	if (is_other)
		return report_exit(CLI_USAGE, "'--parts' asks what a chart of the range shows: of the other "
					      "options it takes only '--analysis' and those of rows");
	return CLI_OK;
}

static enum cli_exit check_lookup(const struct query_options *chosen)
{
	if (chosen->stack_top + chosen->first_value + chosen->changes > 1)
		return report_exit(CLI_USAGE, "'--stack-top', '--first-value' and '--changes' are different "
					      "questions: choose one");
	if (chosen->stack_top && chosen->question.at == NULL)
		return report_exit(CLI_USAGE, "'--stack-top' is about one time: it needs '--at'");
	if ((chosen->first_value || chosen->changes) && chosen->question.at != NULL)
		return report_exit(CLI_USAGE, "'--%s' is about a range: it needs '--from' and '--to'",
				   chosen->changes ? "changes" : "first-value");
	if (lookup_of(chosen) != LOOKUP_NONE && (chosen->step != 0 || chosen->times != 0 || chosen->stats))
		return report_exit(CLI_USAGE, "'--step', '--times' and '--stats' are for the states of a range or "
					      "a time, not for '--stack-top', '--first-value' or '--changes'");
	if ((chosen->stack_top || chosen->first_value) && chosen->question.where != NULL)
		return report_exit(CLI_USAGE,
				   "'--where' is for the states of a range or a time, and for '--changes'");
	if (!chosen->changes && chosen->question.reverse)
		return report_exit(CLI_USAGE, "'--reverse' goes with '--changes'");
	return CLI_OK;
}

/* Checks what does not depend on the history. */
enum cli_exit query_options_check(const struct query_options *chosen, size_t pattern_count)
{
	bool is_range = chosen->question.from != NULL || chosen->question.to != NULL;
	if (chosen->question.at != NULL && is_range)
		return report_exit(CLI_USAGE, "'--at' is one time, '--from' and '--to' are a range: choose one");
	if (chosen->question.at == NULL && chosen->question.where == NULL &&
	    (chosen->question.from == NULL || chosen->question.to == NULL))
		return report_exit(CLI_USAGE,
				   "needs '--at TIME', '--from TIME' and '--to TIME', or '--where EXPR'");
	if (chosen->question.at != NULL && (chosen->step != 0 || chosen->times != 0))
		return report_exit(CLI_USAGE, "'--%s' divides a range: it needs '--from' and '--to'",
				   chosen->step != 0 ? "step" : "times");
	if (chosen->step != 0 && chosen->times != 0)
		return report_exit(CLI_USAGE, "'--step' and '--times' both choose the times: choose one");
	if (is_range && chosen->question.where == NULL && pattern_count == 0)
		return report_exit(CLI_USAGE, "a range needs a PATTERN; '**' is every attribute");
	enum cli_exit code = check_pixels(chosen);
	return code == CLI_OK ? check_lookup(chosen) : code;
}

/*
 * The times of --step or --count, each once; *times is the caller's to free and stays NULL where the whole range
 * is asked for.
 */
static enum cli_exit choose_times(const struct query_options *chosen, struct answer_question *question,
				  histree_time **times)
{
	if (chosen->step == 0 && chosen->times == 0)
		return CLI_OK;
	uint64_t span = (uint64_t)question->to - (uint64_t)question->from;
	uint64_t steps = chosen->step != 0 ? span / chosen->step : chosen->times - 1;
	if (steps >= QUERY_TIMES_MAX)
		return report_exit(CLI_USAGE,
				   "'--step' makes %" PRIu64 " times of this range; at most %" PRIu64
				   " can be asked for at once",
				   steps + 1, QUERY_TIMES_MAX);
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
static enum cli_exit narrow(const struct query_options *chosen, const struct target *target,
			    struct answer_question *question, struct attribute_list *list, int status)
{
	bool is_range = question->times == NULL && chosen->question.at == NULL;
	if (chosen->question.where == NULL)
		return status;
	const struct state_where where = { &chosen->question, target, question->history };
	enum cli_exit code = state_where_states(&where, list, is_range ? &question->from : NULL,
						is_range ? &question->to : NULL, &question->filter);
	return code != CLI_OK ? code : (enum cli_exit)status;
}

enum cli_exit query_question_make(struct query_question *question, const struct query_options *chosen,
				  const struct target *target, struct histree_history *history,
				  const struct time_span *span, char *const *patterns, size_t pattern_count)
{
	*question = (struct query_question){ .chosen = chosen };
	question->answer.history = history;
	question->answer.attributes = &question->list;
	enum cli_exit status =
		question_range(&chosen->question, span, &question->answer.from, &question->answer.to);
	if (status == CLI_OK)
		status = choose_times(chosen, &question->answer, &question->times);
	if (status == CLI_OK)
		status = thread_words_match(&question->list, target, history, patterns, pattern_count,
					    ATTRIBUTES_WITH_STATES);
	if (status == CLI_OK || (status == CLI_NOTHING && question->list.count > 0))
		status = narrow(chosen, target, &question->answer, &question->list, status);
	return status;
}

/* ---- ask ------------------------------------------------------------------------------------------------ */

struct counting {
	const struct query_taker *taker;
	uint64_t rows;
};

static void count_and_take(void *context, const struct listed_attribute *attribute,
			   const struct histree_interval *interval)
{
	struct counting *counting = context;
	counting->rows++;
	counting->taker->state(counting->taker->context, attribute, interval);
}

static void count_and_take_cell(void *context, const struct listed_attribute *attribute,
				const struct pixel_cell *cell)
{
	struct counting *counting = context;
	counting->rows++;
	counting->taker->cell(counting->taker->context, attribute, cell);
}

static enum cli_exit look_up(const struct query_question *question, struct counting *counting, bool *is_damaged)
{
	const struct answer_question *answer = &question->answer;
	const struct lookup_question lookup = { .lookup = lookup_of(question->chosen),
						.history = answer->history,
						.attributes = answer->attributes,
						.from = answer->from,
						.to = answer->to,
						.filter = answer->filter,
						.backwards = question->chosen->question.reverse,
						.count_max = question->chosen->question.limit,
						.work = counting->taker->work };

	/*
	 * Hands the rows to `take`, in order.  *is_damaged says whether the history is damaged where it was looked
	 * at; what else is wrong is reported on standard error.
	 */
	*is_damaged = false;
	if (lookup.lookup != LOOKUP_CHANGES) {
		struct histree_cursor *query;
		struct histree_error error = { 0 };
		enum cli_exit code = CLI_OK;
		if (histree_query_create(lookup.history, &query, &error) != HISTREE_OK)
			return report_error(&error);
		for (size_t i = 0; i < lookup.attributes->count && code == CLI_OK; i++) {
			const struct listed_attribute *attribute = &lookup.attributes->attributes[i];
			if (cancel_check(&lookup.work, 0, &error) != HISTREE_OK) {
				code = report_error(&error);
				break;
			}
			code = lookup.lookup == LOOKUP_STACK_TOP
				       ? print_top(&lookup, attribute, query, count_and_take, counting)
				       : print_first_value(&lookup, attribute, query, count_and_take, counting);
			*is_damaged |= histree_cursor_loss(query).nodes > 0;
		}
		histree_cursor_free(query);
		return code;
	}
	size_t count = lookup.attributes->count;
	struct histree_error error = { 0 };
	enum cli_exit code = CLI_OK;
	histree_quark *quarks = malloc((count + 1) * sizeof(*quarks));
	const struct listed_attribute **by_quark = malloc((count + 1) * sizeof(struct listed_attribute *));
	if (quarks == NULL || by_quark == NULL) {
		code = report_no_memory();
	} else {
		for (size_t i = 0; i < count; i++)
			by_quark[i] = &lookup.attributes->attributes[i];
		qsort((void *)by_quark, count, sizeof(struct listed_attribute *), compare_quarks);
		for (size_t i = 0; i < count; i++)
			quarks[i] = by_quark[i]->quark;
		if (count > 0 && put_changes(&lookup, by_quark, quarks, count_and_take, counting, is_damaged,
					     &error) != HISTREE_OK)
			code = report_error(&error);
	}
	free((void *)by_quark);
	free(quarks);
	return code;
}

static bool is_listed(const struct attribute_list *list, histree_quark quark)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->attributes[i].quark == quark)
			return true;
	return false;
}

void query_question_ask(const struct query_question *question, int status, const struct query_taker *taker,
			struct query_outcome *outcome)
{
	struct counting counting = { .taker = taker };
	struct histree_error error = { 0 };
	*outcome = (struct query_outcome){ .status = status, .attributes = question->list.count };
	if (question->chosen->question.parts != 0) {
		const struct pixel_question pixels = { .history = question->answer.history,
						       .attributes = &question->list,
						       .from = question->answer.from,
						       .to = question->answer.to,
						       .pixels = (uint32_t)question->chosen->question.parts,
						       .work = taker->work };
		if (pixel_cells(&pixels, count_and_take_cell, &counting, &outcome->is_damaged, &error) !=
		    HISTREE_OK)
			outcome->status = report_error(&error);
	} else if (lookup_of(question->chosen) != LOOKUP_NONE) {
		enum cli_exit code = look_up(question, &counting, &outcome->is_damaged);
		if (code != CLI_OK)
			outcome->status = code;
	} else {
		struct answer_question wanted = question->answer;
		wanted.work = taker->work;
		wanted.row_max = question->chosen->question.limit;
		if (answer(&wanted, count_and_take, &counting, &outcome->stats, &error) != HISTREE_OK)
			outcome->status = report_error(&error);
		outcome->is_damaged = outcome->stats.nodes_damaged > 0;
	}
	outcome->rows = counting.rows;
	if (outcome->is_damaged) {
		/* Reports the missing hosts whose rows stand for what was asked. */
		size_t count;
		const struct histree_history_host *hosts = histree_history_hosts(question->answer.history, &count);
		for (size_t i = 0; i < count; i++)
			if (hosts[i].history == NULL && hosts[i].why != NULL &&
			    is_listed(&question->list, hosts[i].folder))
				report("incomplete: host '%s' is missing: %s", hosts[i].name, hosts[i].why);
	}
}

int query_outcome_report(const struct query_outcome *outcome, const struct query_options *chosen)
{
	int status = outcome->status;
	enum lookup lookup = lookup_of(chosen);
	if (lookup == LOOKUP_NONE && status <= CLI_NOTHING && chosen->stats) {
		report("%" PRId64 ".%03d us, %" PRIu64 " nodes visited, %" PRIu64 " read from the file, %" PRIu64
		       " intervals",
		       outcome->stats.ns / 1000, (int)(outcome->stats.ns % 1000),
		       outcome->stats.query.nodes_visited, outcome->stats.query.nodes_loaded,
		       outcome->stats.query.rows);
	}
	if (status == CLI_OK && outcome->rows == 0 && lookup != LOOKUP_NONE && outcome->attributes > 0)
		status = lookup_report_nothing(lookup);
	else if (status == CLI_OK && outcome->rows == 0 && lookup == LOOKUP_NONE && chosen->question.where != NULL)
		status = report_none("states", chosen->question.where);
	if (lookup != LOOKUP_NONE && status > CLI_NOTHING)
		return status;
	return answer_exit(outcome->is_damaged, status);
}

void query_question_release(struct query_question *question)
{
	free(question->times);
	histree_state_filter_free(question->answer.filter);
	attribute_list_release(&question->list);
	*question = (struct query_question){ 0 };
}

/* ---- verb query ---------------------------------------------------------------------------------------------- */

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

static int print(const struct query_question *question, int status, struct histree_work work)
{
	struct interval_rows rows;
	struct query_outcome outcome;
	const struct query_taker taker = {
		.state = interval_rows_take, .cell = interval_rows_take_cell, .context = &rows, .work = work
	};
	const struct cli_question *chosen = &question->chosen->question;
	enum cli_exit code =
		interval_rows_open(&rows, output_create_paged(), chosen, question->answer.history, &question->list,
				   chosen->parts != 0 ? INTERVAL_CELLS : INTERVAL_LABELS);
	if (code == CLI_OK) {
		query_question_ask(question, status, &taker, &outcome);
		code = query_outcome_report(&outcome, question->chosen);
	}
	return interval_rows_close(&rows, code);
}

/* Times are relative to all hosts, even if only one of them is queried. */
int query_print(const struct target *target, struct histree_history *history, const struct query_options *chosen,
		char *const *patterns, size_t pattern_count, struct histree_work work)
{
	const struct histree_history_info *info = histree_history_info(history);
	const struct time_span span = time_span_of_history(info);
	struct query_question question = { .chosen = chosen };
	struct histree_history *part;
	target_warn_of_version(target, info->provider, info->provider_version);
	int status = host_part_of_question(target, history, &chosen->question, &part);
	if (status != CLI_OK)
		return status;
	status = query_question_make(&question, chosen, target, part, &span, patterns, pattern_count);
	if (status == CLI_OK || status == CLI_NOTHING)
		status = print(&question, status, work);
	query_question_release(&question);
	return status;
}

static int query_run(void *said, const struct cli_words *words)
{
	struct query_options *chosen = said;
	struct target target;
	struct histree_history *history = NULL;
	struct histree_error error = { 0 };
	int status = query_options_check(chosen, words->count - 1);
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
	.says = { [ASK_HOST] = "; paths then have no host",
		  [ASK_AT] = ": the states of the attributes that match, or of all",
		  [ASK_WHERE] = ", as in 'name == vlc && duration > 1ms'; alone, of the whole history",
		  [ASK_PARTS] = ": what each attribute was for most of it",
		  [ASK_REVERSE] = "; only with --changes" },
	.options = options,
	.options_size = sizeof(struct query_options),
	.run = query_run,
};
