// SPDX-License-Identifier: MIT
/*
 * verb_compare.c - `histree compare`: what differs between two stores A and B, or between two windows or hosts of
 * one.
 *
 * The rows are states by time, or groups of segments by duration; call stacks of both sides make one flame graph.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/option.h"
#include "cli/picture_file.h"
#include "cli/row_writer.h"
#include "cli/segment_target.h"
#include "cli/target.h"
#include "cli/verb.h"
#include "cli/verb_flame.h"
#include "histree/segment_stats.h"
#include "histree/states.h"

enum { SIDES = 2 };

struct compare_options {
	struct cli_question question, question_b; /* of A, and what is B's own */
	struct picture_choice picture;
	const char *segments;
	bool flame;
};

static enum cli_exit report_damaged(const char *path)
{
	return report_exit(CLI_INPUT, "'%s' is damaged, and what is lost counts as unknown; see 'histree verify'",
			   path);
}

/* ---- compare flame ------------------------------------------------------------------------------------------- */

struct flame_side {
	struct target target;
	struct histree_history *history;
};

static enum cli_exit add_samples(struct histree_flame *flame, const struct cli_words *words, unsigned number,
				 const struct cli_question *question)
{
	const struct sample_question asked = { .threads = words->words + SIDES,
					       .thread_count = words->count - SIDES,
					       .question = question,
					       .side = number };
	return sample_flame_add(flame, words->words[number], &asked);
}

static enum cli_exit add_side(struct histree_flame *flame, struct flame_side *side, const struct cli_words *words,
			      unsigned number, const struct cli_question *question)
{
	if (sample_flame_is_meant(words->words[number], question->analysis, false))
		return add_samples(flame, words, number, question);
	enum cli_exit code =
		stack_history_open(&side->target, words->words[number], question->analysis, &side->history);
	struct histree_history *added = side->history;
	if (code == CLI_OK && question->host != NULL)
		code = host_part_history(&side->target, side->history, question->host_name, question->host, &added);
	if (code != CLI_OK)
		return code;
	const struct stack_question asked = { .history = added,
					      .whole = side->history,
					      .patterns = words->words + SIDES,
					      .pattern_count = words->count - SIDES,
					      .question = question,
					      .side = number };
	return stack_history_add(flame, &asked);
}

static int print(const struct histree_flame *flame, const struct cli_question *question)
{
	const struct flame_rows_request request = { .question = question, .is_difference = true };
	uint32_t count;
	const struct histree_flame_node *nodes = histree_flame_nodes(flame, &count);
	const bool is_empty = nodes[0].total[0] == 0 && nodes[0].total[1] == 0;
	return flame_rows_print(flame, &request,
				is_empty ? report_exit(CLI_NOTHING, "no call is active in that time") : CLI_OK);
}

static enum cli_exit compare_flame_draw_file(struct flame_drawing *drawing, char *const paths[SIDES],
					     const struct cli_question questions[SIDES], const char *path)
{
	char *names[SIDES] = { NULL }, *title = NULL;
	for (int i = 0; i < SIDES; i++)
		names[i] = host_part_title(paths[i], questions[i].host);
	enum cli_exit code = names[0] == NULL || names[1] == NULL ||
					     asprintf(&title, "%s (A) and %s (B)", names[0], names[1]) < 0
				     ? report_no_memory()
				     : CLI_OK;
	drawing->options.look.title = title;
	if (code == CLI_OK)
		code = picture_file_draw(path, flame_draw, drawing);
	free(names[0]);
	free(names[1]);
	free(title);
	return code;
}

/* The first two words are stores, the others patterns, or of samples threads.  Returns what to exit with. */
static int compare_flame_run(const struct cli_words *words, const struct cli_question questions[SIDES],
			     const struct picture_choice *picture)
{
	struct flame_side sides[SIDES] = { 0 };
	struct flame_drawing drawing = { .options = { .is_difference = true } };
	struct histree_flame *flame = NULL;
	struct histree_error error = { 0 };
	int code = picture_choice_read(picture, &drawing.options.look);
	if (code == CLI_OK &&
	    histree_flame_create(&(struct histree_flame_options){ 0 }, &flame, &error) != HISTREE_OK)
		code = report_error(&error);
	for (unsigned i = 0; i < SIDES && code == CLI_OK; i++)
		code = add_side(flame, &sides[i], words, i, &questions[i]);
	if (code == CLI_OK && histree_flame_finish(flame, &error) != HISTREE_OK)
		code = report_error(&error);
	drawing.flame = flame;
	if (code == CLI_OK)
		code = picture->output != NULL
			       ? (int)compare_flame_draw_file(&drawing, words->words, questions, picture->output)
			       : print(flame, &questions[0]);
	for (unsigned i = 0; i < SIDES; i++) {
		/* Patterns need not ask for what is missing, and a host was named. */
		if (code == CLI_OK && words->count == SIDES && questions[i].host == NULL &&
		    sides[i].history != NULL)
			code = host_part_missing(sides[i].history);
		if (flame != NULL && code == CLI_OK && histree_flame_loss(flame, i).nodes > 0)
			code = sides[i].history == NULL ? sample_flame_damaged() : report_damaged(words->words[i]);
		histree_history_close(sides[i].history);
		target_close(&sides[i].target);
	}
	histree_flame_free(flame);
	return code;
}

/* ---- compare rows -------------------------------------------------------------------------------------------- */

/* People have few digits, programs all. */
static void put_rounded(struct row_writer *rows, double number, const char *printed)
{
	char text[64];
	if (!rows->format->for_people) {
		row_real(rows, number);
		return;
	}
	snprintf(text, sizeof(text), printed, number);
	/* What is rounded to zero has no sign. */
	const bool is_signed = text[0] == '+' || text[0] == '-';
	row_text(rows, is_signed && strspn(text + 1, "0.") == strlen(text + 1) ? text + 1 : text);
}

static void put_four_digits(struct row_writer *rows, const void *number)
{
	put_rounded(rows, *(const double *)number, "%.4f");
}

static void put_three_digits(struct row_writer *rows, const void *number)
{
	put_rounded(rows, *(const double *)number, "%.3f");
}

static void put_power(struct row_writer *rows, const void *number)
{
	put_rounded(rows, *(const double *)number, "%.1e");
}

/* ---- states -------------------------------------------------------------------------------------- */

static double difference_of(const struct histree_state_difference *state)
{
	return state->b_share - state->a_share;
}

static void put_difference(struct row_writer *rows, const void *state)
{
	put_rounded(rows, difference_of(state), "%+.4f");
}

static void put_state(struct row_writer *rows, const void *row)
{
	const struct histree_state_difference *state = row;
	if (state->label != NULL)
		row_text(rows, state->label);
	else if (state->value.type == HISTREE_UNKNOWN)
		row_text(rows, "(unknown)");
	else
		row_value(rows, &state->value);
}

static void put_state_verdict(struct row_writer *rows, const void *state)
{
	row_text(rows, histree_state_difference_verdict(state, rows->format->for_people));
}

#define COLUMN(text, columns, who, ...)                                        \
	{                                                                      \
		.name = text, .width = columns, .when = ROW_##who, __VA_ARGS__ \
	}
#define RIGHT(text, columns, who, ...) COLUMN(text, columns, who, .to_the_right = true, __VA_ARGS__)
#define OF(at) .offset = offsetof(struct histree_state_difference, at)
static const struct row_column state_columns[] = {
	COLUMN("what", 16, ALL, .cell = CELL_TEXT, OF(kind)),
	COLUMN("state", 32, PEOPLE, .put = put_state),
	COLUMN("value", 0, PROGRAMS, .cell = CELL_VALUE, OF(value)),
	COLUMN("label", 0, PROGRAMS, .cell = CELL_TEXT, OF(label)),
	COLUMN("a_ns", 0, PROGRAMS, .cell = CELL_UNSIGNED, OF(a_ns)),
	COLUMN("b_ns", 0, PROGRAMS, .cell = CELL_UNSIGNED, OF(b_ns)),
	RIGHT("A", 10, PEOPLE, .put = put_four_digits, OF(a_share)),
	RIGHT("B", 10, PEOPLE, .put = put_four_digits, OF(b_share)),
	COLUMN("a_share", 0, PROGRAMS, .put = put_four_digits, OF(a_share)),
	COLUMN("b_share", 0, PROGRAMS, .put = put_four_digits, OF(b_share)),
	RIGHT("difference", 10, ALL, .put = put_difference),
	RIGHT("noise", 10, ALL, .put = put_four_digits, OF(noise)),
	COLUMN("verdict", 0, ALL, .put = put_state_verdict),
};
#undef OF

static enum cli_exit open_rows(struct row_writer *rows, const struct cli_question *question,
			       const struct row_column *columns, size_t count, const char *sentence)
{
	enum cli_exit code = rows_open(rows, question, columns, count, ROWS_PLAIN);
	if (code == CLI_OK && rows->format->for_people)
		output_text(rows->output, sentence);
	if (code == CLI_OK)
		row_names(rows);
	return code;
}

/* ---- segments ------------------------------------------------------------------------------------ */

static void put_verdict(struct row_writer *rows, const void *difference)
{
	row_text(rows, histree_segment_difference_verdict(difference, rows->format->for_people));
}

/* Without segments there is no duration. */
static void put_duration(struct row_writer *rows, const struct histree_segment_group *group, size_t offset)
{
	uint64_t ns;
	memcpy(&ns, (const char *)group + offset, sizeof(ns));
	if (group->count > 0)
		row_duration(rows, ns);
	else if (rows->format->for_people)
		row_text(rows, "-");
	else
		row_null(rows);
}

#define GROUP(at) offsetof(struct histree_segment_group, at)
#define DURATION(name, at)                                                 \
	static void put_##name(struct row_writer *rows, const void *group) \
	{                                                                  \
		put_duration(rows, group, GROUP(at));                      \
	}
DURATION(p50, percentiles[HISTREE_P50])
DURATION(p90, percentiles[HISTREE_P90])
DURATION(p99, percentiles[HISTREE_P99])
DURATION(max, max)
#undef DURATION
#undef GROUP

#define OF(at) .offset = offsetof(struct histree_segment_difference, at)
static const struct row_column segment_columns[] = {
	COLUMN("value", 20, ALL, .cell = CELL_GROUP, OF(a.value)),
	RIGHT("A", 8, PEOPLE, .cell = CELL_UNSIGNED, OF(a.count)),
	RIGHT("B", 8, PEOPLE, .cell = CELL_UNSIGNED, OF(b.count)),
	COLUMN("a_count", 0, PROGRAMS, .cell = CELL_UNSIGNED, OF(a.count)),
	COLUMN("b_count", 0, PROGRAMS, .cell = CELL_UNSIGNED, OF(b.count)),
	COLUMN("unit", 0, PROGRAMS, .cell = CELL_NS),
	COLUMN("a_mean", 0, PROGRAMS, .cell = CELL_REAL, OF(a.mean)),
	COLUMN("b_mean", 0, PROGRAMS, .cell = CELL_REAL, OF(b.mean)),
	RIGHT("A p50", 10, PEOPLE, .put = put_p50, OF(a)),
	RIGHT("B p50", 10, PEOPLE, .put = put_p50, OF(b)),
	COLUMN("a_p50", 0, PROGRAMS, .put = put_p50, OF(a)),
	COLUMN("b_p50", 0, PROGRAMS, .put = put_p50, OF(b)),
	COLUMN("a_p90", 0, PROGRAMS, .put = put_p90, OF(a)),
	COLUMN("b_p90", 0, PROGRAMS, .put = put_p90, OF(b)),
	RIGHT("A p99", 10, PEOPLE, .put = put_p99, OF(a)),
	RIGHT("B p99", 10, PEOPLE, .put = put_p99, OF(b)),
	COLUMN("a_p99", 0, PROGRAMS, .put = put_p99, OF(a)),
	COLUMN("b_p99", 0, PROGRAMS, .put = put_p99, OF(b)),
	COLUMN("a_max", 0, PROGRAMS, .put = put_max, OF(a)),
	COLUMN("b_max", 0, PROGRAMS, .put = put_max, OF(b)),
	COLUMN("a_total", 0, PROGRAMS, .cell = CELL_UNSIGNED, OF(a.total)),
	COLUMN("b_total", 0, PROGRAMS, .cell = CELL_UNSIGNED, OF(b.total)),
	RIGHT("longer", 7, ALL, .put = put_three_digits, OF(longer)),
	RIGHT("noise", 7, ALL, .put = put_three_digits, OF(noise)),
	RIGHT("p", 8, ALL, .put = put_power, OF(p)),
	COLUMN("distance", 0, PROGRAMS, .cell = CELL_REAL, OF(distance)),
	COLUMN("verdict", 0, ALL, .put = put_verdict),
};
#undef OF
#undef RIGHT
#undef COLUMN

/* People also see the comparison of all segments together, which is no row of the limit. */
static void put_segments(struct row_writer *rows, const struct histree_segment_comparison *comparison)
{
	const struct histree_segment_difference *group;
	struct histree_segment_difference all = *histree_segment_comparison_all(comparison);
	for (size_t i = 0;
	     !rows_are_full(rows) && (group = histree_segment_comparison_group(comparison, i)) != NULL; i++)
		row_put(rows, group);
	rows->row_max = UINT64_MAX;
	all.a.value = histree_string("(all)");
	if (rows->format->for_people)
		row_put(rows, &all);
}

/* ---- verb compare -------------------------------------------------------------------------------------------- */

#define OF_B(text, of, at, means)                                                        \
	{                                                                                \
		.name = text, .argument = of, .kind = CLI_TEXT,                          \
		.member = offsetof(struct compare_options, question_b.at), .help = means \
	}
static const struct cli_option options[] = {
	{ .name = "segments",
	  .argument = "ANALYSIS",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct compare_options, segments) },
	CLI_OPTION_FLAG("flame", 0, struct compare_options, flame,
			"compare call stacks: the share of each function in A and in B"),
	OF_B("host-b", "HOST", host, "B is this host of a store of several"),
	OF_B("from-b", "TIME", from, "the window of B begins here; default: the start of B"),
	OF_B("to-b", "TIME", to, "the window of B ends here; default: the end of B"),
	CLI_OPTIONS_PICTURE(struct compare_options, picture, "draw the comparison", "it needs"),
	{ 0 },
};
#undef OF_B

/* ---- pictures ------------------------------------------------------------------------------------ */

struct verb_compare_drawing {
	struct histree_draw_comparison_options options;
	const struct histree_state_comparison *states; /* NULL: segments */
	const struct histree_segment_difference *segments;
	struct histree_segment_density *densities[SIDES];
};

static enum histree_status verb_compare_draw(void *context, picture_write *write, void *file,
					     struct histree_error *error)
{
	const struct verb_compare_drawing *drawing = context;
	return drawing->states != NULL
		       ? histree_draw_states_compared(drawing->states, &drawing->options, write, file, error)
		       : histree_draw_segments_compared(drawing->segments, drawing->densities[0],
							drawing->densities[1], &drawing->options, write, file,
							error);
}

static int verb_compare_draw_file(struct verb_compare_drawing *drawing, const char *a, const char *b,
				  const struct cli_question questions[SIDES], const char *path)
{
	char *names[SIDES] = { host_part_title(a, questions[0].host), host_part_title(b, questions[1].host) };
	drawing->options.names[0] = names[0];
	drawing->options.names[1] = names[1];
	drawing->options.look.title = drawing->states != NULL ? "Time in states" : questions[0].analysis;
	int code = names[0] != NULL && names[1] != NULL ? picture_file_draw(path, verb_compare_draw, drawing)
							: report_no_memory();
	free(names[0]);
	free(names[1]);
	return code;
}

/* ---- states -------------------------------------------------------------------------------------- */

struct state_side {
	struct target target;
	struct histree_history *history;  /* of all hosts */
	struct histree_history *compared; /* itself, or that of one of them */
	struct histree_selection selection;
	bool has_selection;
};

/* Times are those of all hosts, so that both sides have one beginning. */
static enum cli_exit open_side(struct state_side *side, const struct cli_words *words, int number,
			       const struct cli_question *question)
{
	enum cli_exit code =
		target_open_history(&side->target, words->words[number], question->analysis, &side->history);
	side->compared = side->history;
	if (code == CLI_OK && question->host != NULL)
		code = host_part_history(&side->target, side->history, question->host_name, question->host,
					 &side->compared);
	if (code != CLI_OK)
		return code;
	const struct time_span span = time_span_of_history(histree_history_info(side->history));
	histree_selection_begin(&side->selection, side->compared);
	side->has_selection = true;
	code = question_range(question, &span, &side->selection.window.from, &side->selection.window.to);
	if (code != CLI_OK)
		return code;

	/* If there are no patterns, every attribute that has labels is compared. */
	struct histree_error error = { 0 };
	if (words->count == SIDES)
		return CLI_OK;
	histree_selection_none(&side->selection);
	for (size_t i = SIDES; i < words->count; i++)
		if (histree_selection_add_pattern(&side->selection, words->words[i], &error) != HISTREE_OK)
			return report_error(&error);
	if (side->selection.count == 0)
		return report_exit(CLI_NOTHING,
				   "no attribute of '%s' matches; 'histree info --attributes' lists what there is",
				   side->target.path);
	return CLI_OK;
}

static int print_states(const struct state_side sides[SIDES], const struct histree_state_comparison *comparison,
			const struct cli_question *question)
{
	struct row_writer rows;
	const struct histree_state_difference *state;
	int status = open_rows(&rows, question, ROW_COLUMNS(state_columns),
			       "How many were in each state, on average:\n");
	if (status != CLI_OK)
		return status;
	for (size_t i = 0; !rows_are_full(&rows) && (state = histree_state_comparison_state(comparison, i)) != NULL;
	     i++)
		row_put(&rows, state);
	status = rows.row_count > 0 ? CLI_OK : CLI_NOTHING;
	for (int i = 0; i < SIDES; i++)
		if (histree_state_comparison_loss(comparison, i).nodes > 0)
			status = report_damaged(sides[i].target.path);
	return rows_close(&rows, status);
}

/*
 * If '--analysis' is not given, each store has the history of its own default; states of different analyses do
 * not match.
 */
static enum cli_exit check_analyses(const struct state_side sides[SIDES])
{
	static const char kernel[] = "kernel";
	const char *a = histree_history_info(sides[0].history)->provider;
	const char *b = histree_history_info(sides[1].history)->provider;
	bool are_alike = strcmp(a, b) == 0 ||
			 (strncmp(a, kernel, strlen(kernel)) == 0 && strncmp(b, kernel, strlen(kernel)) == 0);
	return are_alike ? CLI_OK
			 : report_exit(
				   CLI_USAGE,
				   "'%s' has states of '%s' and '%s' those of '%s', which cannot be compared: "
				   "choose an analysis that both have with '--analysis', or build one with '-a %s'",
				   sides[0].target.path, a, sides[1].target.path, b, a);
}

static int compare_states(const struct cli_words *words, const struct cli_question questions[SIDES],
			  const struct picture_choice *picture)
{
	struct state_side sides[SIDES] = { 0 };
	struct histree_error error = { 0 };
	struct histree_state_comparison *comparison = NULL;
	struct verb_compare_drawing drawing = { .states = NULL };
	int status = picture_choice_read(picture, &drawing.options.look);
	for (int i = 0; i < SIDES && status == CLI_OK; i++)
		status = open_side(&sides[i], words, i, &questions[i]);
	if (status == CLI_OK && questions[0].analysis == NULL && words->count == SIDES)
		status = check_analyses(sides);
	if (status == CLI_OK &&
	    histree_state_comparison_create(&sides[0].selection, &sides[1].selection, (struct histree_work){ 0 },
					    &comparison, &error) != HISTREE_OK)
		status = report_error(&error);
	drawing.states = comparison;
	if (status == CLI_OK)
		status = picture->output != NULL
				 ? verb_compare_draw_file(&drawing, sides[0].target.path, sides[1].target.path,
							  questions, picture->output)
				 : print_states(sides, comparison, &questions[0]);
	if (status == CLI_OK) {
		/* Where patterns are given, they need not ask for what is missing. */
		for (int i = 0; i < SIDES && words->count == SIDES; i++)
			if (host_part_missing(sides[i].compared) != CLI_OK)
				status = CLI_INPUT;
	}
	histree_state_comparison_free(comparison);
	for (int i = 0; i < SIDES; i++) {
		if (sides[i].has_selection)
			histree_selection_release(&sides[i].selection);
		histree_history_close(sides[i].history);
		target_close(&sides[i].target);
	}
	return status;
}

/* ---- segments ------------------------------------------------------------------------------------ */

static int print_segments(const struct segment_target targets[SIDES],
			  const struct histree_segment_comparison *comparison, const struct cli_question *question)
{
	struct row_writer rows;
	const struct histree_segment_difference *all = histree_segment_comparison_all(comparison);
	int status = all->a.count + all->b.count > 0 ? CLI_OK : (int)report_none("segments", question->where);
	enum cli_exit code = open_rows(&rows, question, ROW_COLUMNS(segment_columns),
				       "How many there were, and how long they lasted:\n");
	if (code != CLI_OK)
		return code;
	put_segments(&rows, comparison);
	for (int i = 0; i < SIDES; i++) {
		const struct histree_loss loss = histree_segment_comparison_loss(comparison, i);
		if (loss.nodes > 0)
			status = segment_target_report_loss(targets[i].store, &loss);
	}
	return rows_close(&rows, status);
}

/* Ten buckets for each power of ten. */
static int draw_segments(const struct cli_words *words, const struct histree_segment_side sides[SIDES],
			 const struct histree_segment_comparison *comparison, struct verb_compare_drawing *drawing,
			 const struct cli_question questions[SIDES], const char *path)
{
	const struct histree_density_options buckets = { .per_decade = 10, .field = HISTREE_SEGMENTS_TOGETHER };
	struct histree_error error = { 0 };
	int status = CLI_OK;
	drawing->segments = histree_segment_comparison_all(comparison);
	for (int i = 0; i < SIDES && status == CLI_OK; i++)
		if (histree_segment_density_create(sides[i].store, &sides[i].query, &buckets,
						   &drawing->densities[i], &error) < 0)
			status = report_error(&error);
	if (status == CLI_OK)
		status = verb_compare_draw_file(drawing, words->words[0], words->words[1], questions, path);
	for (int i = 0; i < SIDES; i++)
		histree_segment_density_free(drawing->densities[i]);
	return status;
}

static int compare_segments(const struct cli_words *words, const struct cli_question questions[SIDES],
			    const struct picture_choice *picture)
{
	struct segment_target targets[SIDES] = { 0 };
	struct histree_segment_side sides[SIDES] = { 0 };
	struct histree_segment_comparison *comparison = NULL;
	struct histree_error error = { 0 };
	struct verb_compare_drawing drawing = { .states = NULL };
	int status = picture_choice_read(picture, &drawing.options.look);
	for (int i = 0; i < SIDES && status == CLI_OK; i++) {
		status = segment_target_open(&targets[i], words->words[i], questions[i].analysis, &questions[i]);
		if (status == CLI_OK)
			status = segment_target_groups(
				&targets[i], questions[i].by != NULL ? questions[i].by : "name", &sides[i].field);
		sides[i].store = targets[i].store;
		sides[i].query = targets[i].query;
	}
	if (status == CLI_OK && histree_segment_comparison_create(&sides[0], &sides[1], &comparison, &error) < 0)
		status = report_error(&error);
	if (status == CLI_OK)
		status = picture->output != NULL
				 ? draw_segments(words, sides, comparison, &drawing, questions, picture->output)
				 : print_segments(targets, comparison, &questions[0]);
	histree_segment_comparison_free(comparison);
	for (int i = 0; i < SIDES; i++)
		segment_target_close(&targets[i]);
	return status;
}

/* ---- what is compared ---------------------------------------------------------------------------- */

static int compare_run(void *said, const struct cli_words *words)
{
	struct compare_options *chosen = said;
	struct cli_question questions[SIDES];
	struct cli_question *question = &chosen->question;
	if (chosen->segments != NULL && question->analysis != NULL)
		return report_exit(CLI_USAGE, "'--segments' is an old name of '--analysis': leave one out");
	const bool are_segments = chosen->segments != NULL ||
				  (!chosen->flame && target_is_of_segments(words->words[0], question->analysis));
	if (chosen->segments != NULL)
		question->analysis = chosen->segments;
	if (!are_segments && (question->by != NULL || (question->where != NULL && !chosen->flame)))
		return report_exit(CLI_USAGE,
				   "'--by' and '--where' are for segments; name them with '-a ANALYSIS'");
	if (are_segments && words->count > SIDES)
		return report_exit(CLI_USAGE, "patterns are for states, and '%s' has segments", question->analysis);
	if (chosen->flame && are_segments)
		return report_exit(CLI_USAGE, "'--flame' compares call stacks, and '%s' has segments",
				   question->analysis);

	/* What is not said of B alone is said of both. */
	questions[0] = questions[1] = chosen->question;
	questions[0].host_name = "host";
	questions[1].from = chosen->question_b.from;
	questions[1].to = chosen->question_b.to;
	questions[1].host = chosen->question_b.host;
	questions[1].from_name = "from-b";
	questions[1].to_name = "to-b";
	questions[1].host_name = "host-b";

	if (chosen->flame)
		return compare_flame_run(words, questions, &chosen->picture);
	return are_segments ? compare_segments(words, questions, &chosen->picture)
			    : compare_states(words, questions, &chosen->picture);
}

const struct cli_verb verb_compare = {
	.name = "compare",
	.summary = "say what differs between two stores, or two windows or hosts of one",
	.arguments = { "A B [PATTERN...]", SIDES, CLI_WORDS_ANY },
	.complete = CLI_COMPLETE_ATTRIBUTE,
	.asks = ASKS_RANGE | ASKS(WHERE) | ASKS(BY) | ASKS(LIMIT) | ASKS(COLUMNS) | ASKS(ANALYSIS) | ASKS(HOST) |
		ASKS(FORMAT),
	.says = { [ASK_FROM] = " of A",
		  [ASK_TO] = " of A",
		  [ASK_HOST] = ": it is A",
		  [ASK_WHERE] = ", as in 'tid == 42'; of segments and, with --flame, samples and calls",
		  [ASK_BY] = ", a field of segments; default: name",
		  [ASK_ANALYSIS] = ": its states, or how long its segments last; default: kernel, or the first "
				   "history" },
	CLI_OPTIONS(options, struct compare_options),
	.run = compare_run,
};
