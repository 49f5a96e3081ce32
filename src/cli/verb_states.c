// SPDX-License-Identifier: MIT
/*
 * verb_states.c - `histree states`: chooses attributes and times, and prints the intervals of the answer, of the
 * whole history if nothing else is said.  The ranks of a job print the same of a history whose hosts they have.
 *
 * --where is an expression that narrows the question.  Tops of stacks, first values, and changes in the order of
 * time (histree/states.h) are handed out as intervals too.
 */
#include "cli/verb_states.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/search.h"
#include "cli/answer.h"
#include "cli/attribute_list.h"
#include "cli/option.h"
#include "cli/row_writer.h"
#include "cli/state_where.h"
#include "cli/thread_words.h"
#include "cli/verb.h"
#include "histree/states.h"

enum lookup {
	LOOKUP_NONE,
	LOOKUP_STACK_TOP,   /* of the stacks among the attributes, at `from` */
	LOOKUP_FIRST_VALUE, /* that is not null, of each attribute */
	LOOKUP_CHANGES,     /* the states that begin in the range, in the order of time */
};

/* A list of times is held in memory: eight bytes each. */
#define QUERY_TIMES_MAX (UINT64_C(1) << 24)

struct query_question {
	const struct states_options *chosen;
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

COMPARE_POINTERS(compare_quarks, struct listed_attribute, BY(quark))

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
		status = cancel_or_next(&question->work, step, changes, error);
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
static enum lookup lookup_of(const struct states_options *chosen)
{
	if (chosen->stack_top)
		return LOOKUP_STACK_TOP;
	if (chosen->first_value)
		return LOOKUP_FIRST_VALUE;
	return chosen->changes ? LOOKUP_CHANGES : LOOKUP_NONE;
}

/* Checks what does not depend on the history. */
static enum cli_exit states_options_check(const struct states_options *chosen)
{
	if (chosen->question.at != NULL && (chosen->step != 0 || chosen->times != 0))
		return report_exit(CLI_USAGE, "'--%s' divides a range: it needs '--from' and '--to'",
				   chosen->step != 0 ? "step" : "times");
	if (chosen->step != 0 && chosen->times != 0)
		return report_exit(CLI_USAGE, "'--step' and '--times' both choose the times: choose one");
	if (chosen->stack_top && chosen->question.at == NULL)
		return report_exit(CLI_USAGE, "'--stack-top' is about one time: it needs '--at'");
	return CLI_OK;
}

/*
 * The times of --step or --times, each once; *times is the caller's to free and stays NULL where the whole range
 * is asked for.
 */
static enum cli_exit choose_times(const struct states_options *chosen, struct answer_question *question,
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
static enum cli_exit narrow(const struct states_options *chosen, const struct target *target,
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

/*
 * Makes the question for a history, with times relative to `span`.  Returns CLI_OK, CLI_NOTHING if some pattern
 * matches nothing, and another status if nothing can be asked; this was reported.  Call query_question_release() in
 * any case.
 */
static enum cli_exit query_question_make(struct query_question *question, const struct states_options *chosen,
					 const struct target *target, struct histree_history *history,
					 const struct time_span *span, char *const *patterns, size_t pattern_count)
{
	*question = (struct query_question){ .chosen = chosen };
	question->answer.history = history;
	question->answer.attributes = &question->list;
	const struct histree_history_info *info = histree_history_info(history);
	enum cli_exit status =
		question_range(&chosen->question, span, &question->answer.from, &question->answer.to);
	/* All of one host is what that host has. */
	if (chosen->question.at == NULL && chosen->question.from == NULL)
		question->answer.from = info->start;
	if (chosen->question.at == NULL && chosen->question.to == NULL)
		question->answer.to = info->end;
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
	struct interval_rows *printed;
	struct histree_work work; /* asked now and then whether the rest is wanted */
	uint64_t rows;
};

static void count_and_take(void *context, const struct listed_attribute *attribute,
			   const struct histree_interval *interval)
{
	struct counting *counting = context;
	counting->rows++;
	interval_rows_take(counting->printed, attribute, interval);
}

static void count_and_take_cell(void *context, const struct listed_attribute *attribute,
				const struct pixel_cell *cell)
{
	struct counting *counting = context;
	counting->rows++;
	interval_rows_take_cell(counting->printed, attribute, cell);
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
						.work = counting->work };

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

/* Prints the answer.  `status` is what query_question_make() returned. */
static void query_question_ask(const struct query_question *question, int status, struct interval_rows *printed,
			       struct histree_work work, struct query_outcome *outcome)
{
	struct counting counting = { .printed = printed, .work = work };
	struct histree_error error = { 0 };
	*outcome = (struct query_outcome){ .status = status, .attributes = question->list.count };
	if (question->chosen->question.parts != 0) {
		const struct pixel_question pixels = { .history = question->answer.history,
						       .attributes = &question->list,
						       .from = question->answer.from,
						       .to = question->answer.to,
						       .pixels = (uint32_t)question->chosen->question.parts,
						       .work = work };
		if (pixel_cells(&pixels, count_and_take_cell, &counting, &outcome->is_damaged, &error) !=
		    HISTREE_OK)
			outcome->status = report_error(&error);
	} else if (lookup_of(question->chosen) != LOOKUP_NONE) {
		enum cli_exit code = look_up(question, &counting, &outcome->is_damaged);
		if (code != CLI_OK)
			outcome->status = code;
	} else {
		struct answer_question wanted = question->answer;
		wanted.work = work;
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

/* Says on standard error what has to be said behind the rows, and returns what to exit with. */
static int query_outcome_report(const struct query_outcome *outcome, const struct states_options *chosen)
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

static void query_question_release(struct query_question *question)
{
	free(question->times);
	histree_state_filter_free(question->answer.filter);
	attribute_list_release(&question->list);
	*question = (struct query_question){ 0 };
}

/* ---- verb states --------------------------------------------------------------------------------------------- */

static const struct cli_option options[] = {
	CLI_OPTION_NUMBER("step", CLI_DURATION, "NS", struct states_options, step, 1, INT64_MAX,
			  "print only the states at --from and every NS after it"),
	{ .name = "times",
	  .argument = "N",
	  .kind = CLI_NUMBER,
	  .member = offsetof(struct states_options, times),
	  .old = "count",
	  .help = "print only the states at N times at equal distances, including --from and --to",
	  .min = 2,
	  .max = QUERY_TIMES_MAX },
	CLI_OPTION_FLAG("stack-top", 0, struct states_options, stack_top,
			"print the state on top of each stack that matches, such as a call stack, at --at"),
	CLI_OPTION_FLAG("first-value", 0, struct states_options, first_value,
			"print only the first state of each attribute in the range that is not null"),
	CLI_OPTION_FLAG(
		"changes", 0, struct states_options, changes,
		"print the states that begin in the range, of all attributes together in the order of time"),
	CLI_OPTION_FLAG("numbers", 0, struct states_options, numbers,
			"print the least, mean and greatest number that each attribute had"),
	{ .name = "growth",
	  .kind = CLI_FLAG,
	  .member = offsetof(struct states_options, growth),
	  .old = "change",
	  .help = "print by how much the number of each attribute grew in the range, the greatest first; for "
		  "running sums, that is what was counted in it" },
	CLI_OPTION_FLAG("stats", 0, struct states_options, stats,
			"print on standard error how long the query took and how many nodes it read"),
	{ 0 },
};

static int print(const struct query_question *question, int status, struct histree_work work)
{
	struct interval_rows rows;
	struct query_outcome outcome;
	const struct cli_question *chosen = &question->chosen->question;
	enum cli_exit code =
		interval_rows_open(&rows, output_create_paged(), chosen, question->answer.history, &question->list,
				   chosen->parts != 0 ? INTERVAL_CELLS : INTERVAL_STATES);
	if (code == CLI_OK) {
		query_question_ask(question, status, &rows, work, &outcome);
		code = query_outcome_report(&outcome, question->chosen);
	}
	return interval_rows_close(&rows, code);
}

/* Times are relative to all hosts, even if only one of them is queried. */
int states_print(const struct target *target, struct histree_history *history, const struct states_options *chosen,
		 const struct cli_words *words, struct histree_work work)
{
	const struct histree_history_info *info = histree_history_info(history);
	const struct time_span span = time_span_of_history(info);
	struct query_question question = { .chosen = chosen };
	struct histree_history *part;
	int status = states_options_check(chosen);
	if (status != CLI_OK)
		return status;
	status = host_part_of_question(target, history, &chosen->question, &part);
	if (status != CLI_OK)
		return status;
	status = query_question_make(&question, chosen, target, part, &span, words->words + 1, words->count - 1);
	if (status == CLI_OK || status == CLI_NOTHING)
		status = print(&question, status, work);
	query_question_release(&question);
	return status;
}

static int states_run(void *said, const struct cli_words *words)
{
	struct states_options *chosen = said;
	struct target target;
	struct histree_history *history = NULL;
	int status = target_open_history(&target, words->words[0], chosen->question.analysis, &history);
	if (status == CLI_OK)
		status = states_print(&target, history, chosen, words, (struct histree_work){ 0 });
	histree_history_close(history);
	target_close(&target);
	return status;
}

#define ASKS_OF_STATES (ASKS(LIMIT) | ASKS(COLUMNS) | ASKS(ANALYSIS) | ASKS(HOST) | ASKS(FORMAT))
#define ASKS_OF_NUMBERS ((ASKS_OF_STATES & ~ASKS(HOST)) | ASKS_RANGE | ASKS(AT) | ASKS(WHERE))

static const struct cli_form forms[] = {
#define FORM(name, asked, more)                                                                              \
	{                                                                                                    \
		name, { "STORE [PATTERN]...", 1, CLI_WORDS_ANY }, ASKS_OF_STATES | (asked), more, states_run \
	}
	{ "growth", { "STORE PATTERN...", 2, CLI_WORDS_ANY }, ASKS_OF_NUMBERS, "numbers", state_numbers_run },
	{ "numbers",
	  { "STORE PATTERN...", 2, CLI_WORDS_ANY },
	  ASKS_OF_NUMBERS | ASKS(PARTS),
	  NULL,
	  state_numbers_run },
	FORM("stack-top", ASKS(AT), NULL),
	FORM("first-value", ASKS_RANGE, NULL),
	FORM("changes", ASKS_RANGE | ASKS(WHERE) | ASKS(REVERSE), NULL),
	FORM("parts", ASKS_RANGE | ASKS(PARTS), NULL),
	FORM(NULL, ASKS_RANGE | ASKS(AT) | ASKS(WHERE), "step times stats"),
#undef FORM
};

static const struct cli_old_verb old_verbs[] = {
	{ .name = "query" },
	{ .name = "dump" },
	{ .name = "numbers", .means = { { "numbers", NULL } } },
	{ 0 },
};

const struct cli_verb verb_states = {
	.heading = "Ask",
	.name = "states",
	.summary = "print states at a time, over a range or of all time, or add numbers up",
	.complete = CLI_COMPLETE_ATTRIBUTE,
	.asks = ASKS_OF_STATES | ASKS_RANGE | ASKS(AT) | ASKS(WHERE) | ASKS(PARTS) | ASKS(REVERSE),
	.says = { [ASK_HOST] = "; paths then have no host",
		  [ASK_AT] = ": the states of the attributes that match, or of all",
		  [ASK_WHERE] = ", as in 'name == vlc && duration > 1ms'",
		  [ASK_PARTS] = ": what each attribute was for most of it",
		  [ASK_REVERSE] = "; only with --changes" },
	CLI_OPTIONS(options, struct states_options),
	.forms = forms,
	.old = old_verbs,
};
