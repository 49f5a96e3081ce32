// SPDX-License-Identifier: MIT
/*
 * verb_compare.c - what differs between two stores, or between two windows or hosts of one: time in states, or
 * durations.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/compare_flame.h"
#include "cli/compare_rows.h"
#include "cli/host_part.h"
#include "cli/picture_file.h"
#include "cli/segment_target.h"
#include "cli/target.h"
#include "cli/time_option.h"
#include "cli/verb.h"

enum { SIDES = 2 };

struct compare_options {
	const char *analysis, *segments, *by, *where, *format;
	const char *from, *to, *from_b, *to_b;
	const char *host, *host_b;
	const char *output, *size;
	uint64_t top;
	bool flame, force;
};

#define WINDOW(text, member_of, means)                                               \
	{                                                                            \
		.name = text, .argument = "TIME", .kind = CLI_TEXT,                  \
		.member = offsetof(struct compare_options, member_of), .help = means \
	}

static const struct cli_option options[] = {
	{ .name = "segments",
	  .argument = "ANALYSIS",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct compare_options, segments),
	  .help = "compare how long the segments of this analysis last, instead of states",
	  .complete = CLI_COMPLETE_ANALYSIS },
	{ .name = "flame",
	  .kind = CLI_FLAG,
	  .member = offsetof(struct compare_options, flame),
	  .help = "compare call stacks: the share of each function in A and in B" },
	{ .name = "output",
	  .letter = 'o',
	  .argument = "FILE",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct compare_options, output),
	  .help = "draw the comparison into this file, whose name ends in .svg or .png",
	  .complete = CLI_COMPLETE_PATH },
	CLI_OPTION_FORCE(struct compare_options, "replace an existing FILE once the new one is whole"),
	{ .name = "size",
	  .argument = "SIZE",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct compare_options, size),
	  .help = "make the picture WIDTHxHEIGHT or WIDTH pixels large; default: 1200 wide and as high as it "
		  "needs" },
	{ .name = "by",
	  .argument = "FIELD",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct compare_options, by),
	  .help = "with --segments: one row for each value of this field; default: name" },
	{ .name = "where",
	  .argument = "EXPR",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct compare_options, where),
	  .help = "with --segments, or --flame of samples: only those that pass, as in 'tid == 42'" },
	{ .name = "host",
	  .argument = "HOST",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct compare_options, host),
	  .help = "A is this host of a store of several; patterns are then those of its own paths" },
	{ .name = "host-b",
	  .argument = "HOST",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct compare_options, host_b),
	  .help = "B is this host of a store of several" },
	WINDOW("from", from, "the window of A begins here; default: the start of A"),
	WINDOW("to", to, "the window of A ends here; default: the end of A"),
	WINDOW("from-b", from_b, "the window of B begins here; default: the start of B"),
	WINDOW("to-b", to_b, "the window of B ends here; default: the end of B"),
	{ .name = "top",
	  .letter = 'n',
	  .argument = "N",
	  .kind = CLI_NUMBER,
	  .member = offsetof(struct compare_options, top),
	  .help = "print the N rows that differ most; default: all",
	  .min = 1,
	  .max = UINT32_MAX },
	CLI_OPTION_ANALYSIS(struct compare_options,
			    "compare the histories of this analysis; default: kernel, or the first"),
	CLI_OPTION_FORMAT(struct compare_options),
	{ 0 },
};

/* ---- pictures ------------------------------------------------------------------------------------ */

struct drawing {
	struct histree_draw_comparison_options options;
	const struct histree_state_comparison *states; /* NULL: segments */
	const struct histree_segment_difference *segments;
	struct histree_segment_density *densities[SIDES];
};

static enum histree_status draw(void *context, picture_write *write, void *file, struct histree_error *error)
{
	const struct drawing *drawing = context;
	return drawing->states != NULL
		       ? histree_draw_states_compared(drawing->states, &drawing->options, write, file, error)
		       : histree_draw_segments_compared(drawing->segments, drawing->densities[0],
							drawing->densities[1], &drawing->options, write, file,
							error);
}

/* Checks what does not depend on the stores. */
static enum cli_exit choose_picture(const struct compare_options *chosen,
				    struct histree_draw_comparison_options *out)
{
	enum cli_exit code = picture_file_size(chosen->size, &out->width, &out->height);
	if (code != CLI_OK || chosen->output == NULL)
		return code;
	return picture_file_format(chosen->output, chosen->force, &out->format);
}

static int draw_file(struct drawing *drawing, const char *a, const char *b, const struct compare_options *chosen)
{
	char *names[SIDES] = { host_part_title(a, chosen->host), host_part_title(b, chosen->host_b) };
	drawing->options.names[0] = names[0];
	drawing->options.names[1] = names[1];
	drawing->options.title = drawing->states != NULL ? "Time in states" : chosen->segments;
	int code = names[0] != NULL && names[1] != NULL ? picture_file_draw(chosen->output, draw, drawing)
							: report_no_memory();
	free(names[0]);
	free(names[1]);
	return code;
}

/* ---- states -------------------------------------------------------------------------------------- */

static const char *const host_options[SIDES] = { "host", "host-b" };

static const char *host_of(const struct compare_options *chosen, int side)
{
	return side == 0 ? chosen->host : chosen->host_b;
}

struct state_side {
	struct target target;
	struct histree_history *history;  /* of all hosts */
	struct histree_history *compared; /* itself, or that of one of them */
	struct histree_selection selection;
	bool has_selection;
};

/* If there are no patterns, every attribute that has labels is compared. */
static enum cli_exit choose_attributes(struct state_side *side, const struct cli_words *words)
{
	struct histree_error error = { 0 };
	if (words->count == SIDES)
		return CLI_OK;
	histree_selection_none(&side->selection);
	for (size_t i = SIDES; i < words->count; i++)
		if (histree_selection_add_pattern(&side->selection, words->words[i], &error) != HISTREE_OK)
			return report_error(&error);
	if (side->selection.count == 0)
		return report_exit(CLI_NOTHING, "no attribute of '%s' matches; 'histree ls' lists what there is",
				   side->target.path);
	return CLI_OK;
}

/* Times are those of all hosts, so that both sides have one beginning. */
static enum cli_exit open_side(struct state_side *side, const struct cli_words *words, int number,
			       const struct compare_options *chosen, const struct time_range_options *range)
{
	const char *host = host_of(chosen, number);
	enum cli_exit code =
		target_open_history(&side->target, words->words[number], chosen->analysis, &side->history);
	side->compared = side->history;
	if (code == CLI_OK && host != NULL)
		code = host_part_history(&side->target, side->history, host_options[number], host, &side->compared);
	if (code != CLI_OK)
		return code;
	const struct time_span span = time_span_of_history(histree_history_info(side->history));
	histree_selection_begin(&side->selection, side->compared);
	side->has_selection = true;
	code = time_option_range_of(range, &span, &side->selection.window.from, &side->selection.window.to);
	return code == CLI_OK ? choose_attributes(side, words) : code;
}

static void close_side(struct state_side *side)
{
	if (side->has_selection)
		histree_selection_release(&side->selection);
	histree_history_close(side->history);
	target_close(&side->target);
}

static int print_states(const struct state_side sides[SIDES], const struct histree_state_comparison *comparison,
			const struct compare_options *chosen)
{
	struct output *output = output_create(STDOUT_FILENO);
	int status = histree_state_comparison_state(comparison, 0) != NULL ? CLI_OK : CLI_NOTHING;
	if (output == NULL)
		return report_no_memory();
	compare_rows_states(output, row_format_find(chosen->format), comparison, chosen->top);
	for (int i = 0; i < SIDES; i++)
		if (histree_state_comparison_is_damaged(comparison, i))
			status = report_exit(
				CLI_INPUT,
				"'%s' is damaged, and what is lost counts as unknown; see 'histree verify'",
				sides[i].target.path);
	return cli_end(output, status);
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
	return are_alike
		       ? CLI_OK
		       : report_exit(CLI_USAGE,
				     "'%s' has states of '%s' and '%s' those of '%s', which do not compare: choose "
				     "an analysis that both have with '--analysis', or build one with '-a %s'",
				     sides[0].target.path, a, sides[1].target.path, b, a);
}

/* Where patterns are given, they need not ask for what is missing. */
static enum cli_exit report_missing(const struct state_side sides[SIDES], const struct cli_words *words)
{
	enum cli_exit code = CLI_OK;
	for (int i = 0; i < SIDES && words->count == SIDES; i++)
		if (host_part_missing(sides[i].compared) != CLI_OK)
			code = CLI_INPUT;
	return code;
}

static int compare_states(const struct cli_words *words, const struct compare_options *chosen,
			  const struct time_range_options ranges[SIDES])
{
	struct state_side sides[SIDES] = { 0 };
	struct histree_error error = { 0 };
	struct histree_state_comparison *comparison = NULL;
	struct drawing drawing = { .states = NULL };
	int status = choose_picture(chosen, &drawing.options);
	for (int i = 0; i < SIDES && status == CLI_OK; i++)
		status = open_side(&sides[i], words, i, chosen, &ranges[i]);
	if (status == CLI_OK && chosen->analysis == NULL && words->count == SIDES)
		status = check_analyses(sides);
	if (status == CLI_OK &&
	    histree_state_comparison_create(&sides[0].selection, &sides[1].selection, (struct histree_cancel){ 0 },
					    &comparison, &error) != HISTREE_OK)
		status = report_error(&error);
	drawing.states = comparison;
	if (status == CLI_OK)
		status = chosen->output != NULL
				 ? draw_file(&drawing, sides[0].target.path, sides[1].target.path, chosen)
				 : print_states(sides, comparison, chosen);
	if (status == CLI_OK)
		status = report_missing(sides, words);
	histree_state_comparison_free(comparison);
	for (int i = 0; i < SIDES; i++)
		close_side(&sides[i]);
	return status;
}

/* ---- segments ------------------------------------------------------------------------------------ */

static int print_segments(const struct segment_target targets[SIDES],
			  const struct histree_segment_comparison *comparison, const struct compare_options *chosen)
{
	const struct histree_segment_difference *all = histree_segment_comparison_all(comparison);
	struct output *output = output_create(STDOUT_FILENO);
	int status = segment_target_judge(targets[0].store, NULL, all->a.count + all->b.count > 0, chosen->where);
	if (output == NULL)
		return report_no_memory();
	compare_rows_segments(output, row_format_find(chosen->format), comparison, chosen->top);
	for (int i = 0; i < SIDES; i++) {
		const struct histree_segment_loss *loss = histree_segment_comparison_loss(comparison, i);
		if (loss != NULL)
			status = segment_target_report_loss(targets[i].store, loss);
	}
	return cli_end(output, status);
}

static enum cli_exit open_segments(struct segment_target *target, char *path, const struct compare_options *chosen,
				   const struct time_range_options *range, int number,
				   struct histree_segment_side *side)
{
	char *const words[] = { path, (char *)(uintptr_t)chosen->segments };
	const struct segment_options wanted = { .from = range->from,
						.to = range->to,
						.where = chosen->where,
						.host = host_of(chosen, number),
						.host_name = host_options[number],
						.from_name = range->from_name,
						.to_name = range->to_name };
	enum cli_exit code =
		segment_target_open(target, &(struct cli_words){ .words = words, .count = 2 }, &wanted);
	if (code == CLI_OK)
		code = segment_target_groups(target, chosen->by != NULL ? chosen->by : "name", &side->field);
	side->store = target->store;
	side->query = target->query;
	return code;
}

/* Ten buckets for each power of ten. */
static int draw_segments(const struct cli_words *words, const struct histree_segment_side sides[SIDES],
			 const struct histree_segment_comparison *comparison, struct drawing *drawing,
			 const struct compare_options *chosen)
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
		status = draw_file(drawing, words->words[0], words->words[1], chosen);
	for (int i = 0; i < SIDES; i++)
		histree_segment_density_free(drawing->densities[i]);
	return status;
}

static int compare_segments(const struct cli_words *words, const struct compare_options *chosen,
			    const struct time_range_options ranges[SIDES])
{
	struct segment_target targets[SIDES] = { 0 };
	struct histree_segment_side sides[SIDES] = { 0 };
	struct histree_segment_comparison *comparison = NULL;
	struct histree_error error = { 0 };
	struct drawing drawing = { .states = NULL };
	int status = choose_picture(chosen, &drawing.options);
	for (int i = 0; i < SIDES && status == CLI_OK; i++)
		status = open_segments(&targets[i], words->words[i], chosen, &ranges[i], i, &sides[i]);
	if (status == CLI_OK && histree_segment_comparison_create(&sides[0], &sides[1], &comparison, &error) < 0)
		status = report_error(&error);
	if (status == CLI_OK)
		status = chosen->output != NULL ? draw_segments(words, sides, comparison, &drawing, chosen)
						: print_segments(targets, comparison, chosen);
	histree_segment_comparison_free(comparison);
	for (int i = 0; i < SIDES; i++)
		segment_target_close(&targets[i]);
	return status;
}

/* -------------------------------------------------------------------------------------------------- */

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct compare_options chosen = { 0 };
	struct cli_words words;
	int status;
	if (!cli_begin(verb, argc, argv, &chosen, &words, &status))
		return status;
	const struct time_range_options ranges[SIDES] = {
		{ .from_name = "from", .to_name = "to", .from = chosen.from, .to = chosen.to },
		{ .from_name = "from-b", .to_name = "to-b", .from = chosen.from_b, .to = chosen.to_b },
	};
	if (chosen.segments == NULL && (chosen.by != NULL || (chosen.where != NULL && !chosen.flame)))
		return report_exit(CLI_USAGE,
				   "'--by' and '--where' are for segments; name them with '--segments ANALYSIS'");
	if (chosen.segments != NULL && (words.count > SIDES || chosen.analysis != NULL))
		return report_exit(CLI_USAGE,
				   "patterns and '--analysis' are for states, and '--segments' is given");
	if (chosen.flame && (chosen.segments != NULL || chosen.top != 0))
		return report_exit(CLI_USAGE, "'--flame' goes with neither '--segments' nor '--top'");
	if (chosen.flame)
		return compare_flame_run(&words, &(struct compare_flame){ .analysis = chosen.analysis,
									  .format = chosen.format,
									  .output = chosen.output,
									  .replaces = chosen.force,
									  .size = chosen.size,
									  .where = chosen.where,
									  .hosts = { chosen.host, chosen.host_b },
									  .ranges = ranges });
	return chosen.segments != NULL ? compare_segments(&words, &chosen, ranges)
				       : compare_states(&words, &chosen, ranges);
}

const struct cli_verb verb_compare = {
	.name = "compare",
	.summary = "say what differs between two stores, or two windows or hosts of one",
	.arguments = "A B [PATTERN...]",
	.words_min = SIDES,
	.words_max = CLI_WORDS_ANY,
	.complete = CLI_COMPLETE_ATTRIBUTE,
	.options = options,
	.run = run,
};
