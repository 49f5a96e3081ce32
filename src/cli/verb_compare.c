// SPDX-License-Identifier: MIT
/*
 * verb_compare.c - `histree compare`: what differs between two stores A and B, or between two windows or hosts of
 * one.
 *
 * The rows are states by time, or groups of segments by duration; call stacks of both sides make one flame graph.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/option.h"
#include "cli/picture_file.h"
#include "cli/row_writer.h"
#include "cli/target.h"
#include "cli/verb.h"
#include "cli/verb_flame.h"
#include "histree/segment_compare.h"
#include "histree/state_compare.h"

struct compare_flame {
	const char *analysis, *format; /* as those options have them */
	const char *output;            /* a picture; NULL: rows */
	bool replaces;                 /* a file of that name */
	const char *size;
	const char *where;                       /* of samples: those that pass; NULL: all */
	const struct time_range_options *ranges; /* of A and of B */
	const char *hosts[2];                    /* of A and of B; NULL: all of a store */
};

/* ---- compare flame ------------------------------------------------------------------------------------------- */

struct flame_side {
	struct target target;
	struct histree_history *history;
};

struct compare_flame_drawing {
	const struct histree_flame *flame;
	struct histree_draw_flame_options options;
};

static enum histree_status compare_flame_draw(void *context, picture_write *write, void *file,
					      struct histree_error *error)
{
	const struct compare_flame_drawing *drawing = context;
	return histree_draw_flame(drawing->flame, &drawing->options, write, file, error);
}

static const char *const compare_flame_host_options[HISTREE_FLAME_SIDES] = { "host", "host-b" };

static enum cli_exit add_samples(struct histree_flame *flame, const struct cli_words *words, unsigned number,
				 const struct compare_flame *chosen)
{
	const struct sample_question question = { .threads = words->words + HISTREE_FLAME_SIDES,
						  .thread_count = words->count - HISTREE_FLAME_SIDES,
						  .where = chosen->where,
						  .host = chosen->hosts[number],
						  .host_option = compare_flame_host_options[number],
						  .range = chosen->ranges[number],
						  .side = number };
	return sample_flame_add(flame, words->words[number], &question);
}

static enum cli_exit add_side(struct histree_flame *flame, struct flame_side *side, const struct cli_words *words,
			      unsigned number, const struct compare_flame *chosen)
{
	if (sample_flame_is_meant(words->words[number], chosen->analysis))
		return add_samples(flame, words, number, chosen);
	if (chosen->where != NULL)
		return report_exit(CLI_USAGE, "'--where' is of samples and segments, and these are call stacks");
	const char *host = chosen->hosts[number];
	enum cli_exit code =
		stack_history_open(&side->target, words->words[number], chosen->analysis, &side->history);
	struct histree_history *added = side->history;
	if (code == CLI_OK && host != NULL)
		code = host_part_history(&side->target, side->history, compare_flame_host_options[number], host,
					 &added);
	if (code != CLI_OK)
		return code;
	const struct stack_question question = { .history = added,
						 .whole = side->history,
						 .patterns = words->words + HISTREE_FLAME_SIDES,
						 .pattern_count = words->count - HISTREE_FLAME_SIDES,
						 .range = chosen->ranges[number],
						 .side = number };
	return stack_history_add(flame, &question);
}

static enum cli_exit print(const struct histree_flame *flame, const struct compare_flame *chosen)
{
	const struct flame_rows_request request = { .format = row_format_find(chosen->format),
						    .is_difference = true };
	uint32_t count;
	const struct histree_flame_node *nodes = histree_flame_nodes(flame, &count);
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	enum cli_exit code = flame_rows_print(output, flame, &request);
	if (code == CLI_OK && nodes[0].total[0] == 0 && nodes[0].total[1] == 0)
		code = report_exit(CLI_NOTHING, "no call is going on in that time");
	return cli_end(output, code);
}

static enum cli_exit compare_flame_draw_file(struct compare_flame_drawing *drawing,
					     char *const paths[HISTREE_FLAME_SIDES],
					     const char *const hosts[HISTREE_FLAME_SIDES], const char *path)
{
	char *names[HISTREE_FLAME_SIDES] = { NULL }, *title = NULL;
	for (int i = 0; i < HISTREE_FLAME_SIDES; i++)
		names[i] = host_part_title(paths[i], hosts[i]);
	enum cli_exit code = names[0] == NULL || names[1] == NULL ||
					     asprintf(&title, "%s (A) and %s (B)", names[0], names[1]) < 0
				     ? report_no_memory()
				     : CLI_OK;
	drawing->options.title = title;
	if (code == CLI_OK)
		code = picture_file_draw(path, compare_flame_draw, drawing);
	free(names[0]);
	free(names[1]);
	free(title);
	return code;
}

/* The first two words are stores, the others patterns, or of samples threads.  Returns what to exit with. */
static int compare_flame_run(const struct cli_words *words, const struct compare_flame *chosen)
{
	struct flame_side sides[HISTREE_FLAME_SIDES] = { 0 };
	struct compare_flame_drawing drawing = { .options = { .is_difference = true } };
	struct histree_flame *flame = NULL;
	struct histree_error error = { 0 };
	enum cli_exit code = picture_file_size(chosen->size, &drawing.options.width, &drawing.options.height);
	if (code == CLI_OK && chosen->output != NULL)
		code = picture_file_format(chosen->output, chosen->replaces, &drawing.options.format);
	if (code == CLI_OK &&
	    histree_flame_create(&(struct histree_flame_options){ 0 }, &flame, &error) != HISTREE_OK)
		code = report_error(&error);
	for (unsigned i = 0; i < HISTREE_FLAME_SIDES && code == CLI_OK; i++)
		code = add_side(flame, &sides[i], words, i, chosen);
	if (code == CLI_OK && histree_flame_finish(flame, &error) != HISTREE_OK)
		code = report_error(&error);
	drawing.flame = flame;
	if (code == CLI_OK)
		code = chosen->output != NULL
			       ? compare_flame_draw_file(&drawing, words->words, chosen->hosts, chosen->output)
			       : print(flame, chosen);
	for (unsigned i = 0; i < HISTREE_FLAME_SIDES; i++) {
		/* Patterns need not ask for what is missing, and a host was named. */
		if (code == CLI_OK && words->count == HISTREE_FLAME_SIDES && chosen->hosts[i] == NULL &&
		    sides[i].history != NULL)
			code = host_part_missing(sides[i].history);
		if (flame != NULL && code == CLI_OK && histree_flame_loss(flame, i).nodes > 0)
			code = sides[i].history == NULL ? sample_flame_damaged()
							: report_exit(CLI_INPUT,
								      "'%s' is damaged, and what is lost counts as "
								      "unknown; see 'histree "
								      "verify'",
								      words->words[i]);
		histree_history_close(sides[i].history);
		target_close(&sides[i].target);
	}
	histree_flame_free(flame);
	return code;
}

/* ---- compare rows -------------------------------------------------------------------------------------------- */

enum { SHARE_WIDTH = 10 };

#define NUMBER(text, columns)                                        \
	{                                                            \
		.name = text, .width = columns, .to_the_right = true \
	}
static const struct row_column states_for_people[] = {
	{ .name = "what", .width = 16 }, { .name = "state", .width = 32 },  NUMBER("A", SHARE_WIDTH),
	NUMBER("B", SHARE_WIDTH),        NUMBER("difference", SHARE_WIDTH), NUMBER("noise", SHARE_WIDTH),
	{ .name = "verdict" },
};

static const struct row_column states_for_programs[] = {
	{ .name = "what" },  { .name = "value" },   { .name = "label" },   { .name = "a_ns" },
	{ .name = "b_ns" },  { .name = "a_share" }, { .name = "b_share" }, { .name = "difference" },
	{ .name = "noise" }, { .name = "verdict" },
};

static const struct row_column segments_for_people[] = {
	{ .name = "value", .width = 20 },
	NUMBER("A", 8),
	NUMBER("B", 8),
	NUMBER("A p50", 10),
	NUMBER("B p50", 10),
	NUMBER("A p99", 10),
	NUMBER("B p99", 10),
	NUMBER("longer", 7),
	NUMBER("noise", 7),
	NUMBER("p", 8),
	{ .name = "verdict" },
};

static const struct row_column segments_for_programs[] = {
	{ .name = "value" },   { .name = "a_count" }, { .name = "b_count" }, { .name = "unit" },
	{ .name = "a_mean" },  { .name = "b_mean" },  { .name = "a_p50" },   { .name = "b_p50" },
	{ .name = "a_p90" },   { .name = "b_p90" },   { .name = "a_p99" },   { .name = "b_p99" },
	{ .name = "a_max" },   { .name = "b_max" },   { .name = "a_total" }, { .name = "b_total" },
	{ .name = "longer" },  { .name = "noise" },   { .name = "p" },       { .name = "distance" },
	{ .name = "verdict" },
};

#define COLUMNS(columns) (columns), sizeof(columns) / sizeof((columns)[0])
static void compare_rows_begin(struct row_writer *rows, const struct row_format *format, struct output *output,
			       const struct row_column *columns, size_t count)
{
	row_writer_begin(rows, format, output, columns, count);
	if (!format->for_people)
		return;
	for (size_t i = 0; i < count; i++)
		row_text(rows, columns[i].name);
	row_end(rows);
}

/* People have few digits, programs all. */
static void put_real(struct row_writer *rows, double number, const char *printed)
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

/* ---- states -------------------------------------------------------------------------------------- */

static void put_state(struct row_writer *rows, const struct histree_state_difference *state)
{
	double difference = state->b_share - state->a_share;
	bool for_people = rows->format->for_people;
	row_text(rows, state->kind);
	if (for_people && state->label != NULL)
		row_text(rows, state->label);
	else if (for_people && state->value.type == HISTREE_UNKNOWN)
		row_text(rows, "(unknown)");
	else
		row_value(rows, &state->value);
	if (!for_people) {
		if (state->label != NULL)
			row_text(rows, state->label);
		else
			row_null(rows);
		row_unsigned(rows, state->a_ns);
		row_unsigned(rows, state->b_ns);
	}
	put_real(rows, state->a_share, "%.4f");
	put_real(rows, state->b_share, "%.4f");
	put_real(rows, difference, "%+.4f");
	put_real(rows, state->noise, "%.4f");
	row_text(rows, fabs(difference) <= state->noise ? "noise" : difference > 0 ? "more" : "less");
	row_end(rows);
}

/* Both print `top` rows at most; 0: all.  People also see the names of the columns. */
static void compare_rows_states(struct output *output, const struct row_format *format,
				const struct histree_state_comparison *comparison, uint64_t top)
{
	struct row_writer rows;
	const struct histree_state_difference *state;
	if (format->for_people) {
		output_text(output, "How many were in each state, on average:\n");
		compare_rows_begin(&rows, format, output, COLUMNS(states_for_people));
	} else
		compare_rows_begin(&rows, format, output, COLUMNS(states_for_programs));
	for (size_t i = 0; (state = histree_state_comparison_state(comparison, i)) != NULL && (top == 0 || i < top);
	     i++)
		put_state(&rows, state);
	row_writer_finish(&rows);
}

/* ---- segments ------------------------------------------------------------------------------------ */

static const char *word_of(enum histree_difference verdict)
{
	switch (verdict) {
	case HISTREE_DIFFERENCE_NONE:
		return "noise";
	case HISTREE_DIFFERENCE_LONGER:
		return "longer";
	case HISTREE_DIFFERENCE_SHORTER:
		return "shorter";
	case HISTREE_DIFFERENCE_UNSURE:
		break;
	}
	return "too few";
}

/* Without segments there is no duration. */
static void put_duration(struct row_writer *rows, const struct histree_segment_group *group, uint64_t ns)
{
	if (group->count > 0)
		row_duration(rows, ns);
	else if (rows->format->for_people)
		row_text(rows, "-");
	else
		row_null(rows);
}

static void put_facts_for_programs(struct row_writer *rows, const struct histree_segment_group *a,
				   const struct histree_segment_group *b)
{
	static const enum histree_percentile percentiles[] = { HISTREE_P50, HISTREE_P90, HISTREE_P99 };
	row_text(rows, "ns");
	row_real(rows, a->mean);
	row_real(rows, b->mean);
	for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++) {
		put_duration(rows, a, a->percentiles[percentiles[i]]);
		put_duration(rows, b, b->percentiles[percentiles[i]]);
	}
	put_duration(rows, a, a->max);
	put_duration(rows, b, b->max);
	row_unsigned(rows, a->total);
	row_unsigned(rows, b->total);
}

/* The cells after the value. */
static void put_difference(struct row_writer *rows, const struct histree_segment_difference *difference)
{
	const struct histree_segment_group *a = &difference->a, *b = &difference->b;
	row_unsigned(rows, a->count);
	row_unsigned(rows, b->count);
	if (rows->format->for_people) {
		put_duration(rows, a, a->percentiles[HISTREE_P50]);
		put_duration(rows, b, b->percentiles[HISTREE_P50]);
		put_duration(rows, a, a->percentiles[HISTREE_P99]);
		put_duration(rows, b, b->percentiles[HISTREE_P99]);
	} else {
		put_facts_for_programs(rows, a, b);
	}
	put_real(rows, difference->longer, "%.3f");
	put_real(rows, difference->noise, "%.3f");
	put_real(rows, difference->p, "%.1e");
	if (!rows->format->for_people)
		row_real(rows, difference->distance);
	row_text(rows, word_of(difference->verdict));
	row_end(rows);
}

/* People also see the comparison of all segments together. */
static void compare_rows_segments(struct output *output, const struct row_format *format,
				  const struct histree_segment_comparison *comparison, uint64_t top)
{
	struct row_writer rows;
	const struct histree_segment_difference *group;
	if (format->for_people) {
		output_text(output, "How many there were, and how long they lasted:\n");
		compare_rows_begin(&rows, format, output, COLUMNS(segments_for_people));
	} else
		compare_rows_begin(&rows, format, output, COLUMNS(segments_for_programs));
	for (size_t i = 0;
	     (group = histree_segment_comparison_group(comparison, i)) != NULL && (top == 0 || i < top); i++) {
		if (format->for_people && group->a.value.type == HISTREE_NULL)
			row_text(&rows, "(unknown)");
		else
			row_value(&rows, &group->a.value);
		put_difference(&rows, group);
	}
	if (format->for_people) {
		row_text(&rows, "(all)");
		put_difference(&rows, histree_segment_comparison_all(comparison));
	}
	row_writer_finish(&rows);
}

/* ---- verb compare -------------------------------------------------------------------------------------------- */

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

/* Checks what does not depend on the stores. */
static enum cli_exit choose_picture(const struct compare_options *chosen,
				    struct histree_draw_comparison_options *out)
{
	enum cli_exit code = picture_file_size(chosen->size, &out->width, &out->height);
	if (code != CLI_OK || chosen->output == NULL)
		return code;
	return picture_file_format(chosen->output, chosen->force, &out->format);
}

static int verb_compare_draw_file(struct verb_compare_drawing *drawing, const char *a, const char *b,
				  const struct compare_options *chosen)
{
	char *names[SIDES] = { host_part_title(a, chosen->host), host_part_title(b, chosen->host_b) };
	drawing->options.names[0] = names[0];
	drawing->options.names[1] = names[1];
	drawing->options.title = drawing->states != NULL ? "Time in states" : chosen->segments;
	int code = names[0] != NULL && names[1] != NULL
			   ? picture_file_draw(chosen->output, verb_compare_draw, drawing)
			   : report_no_memory();
	free(names[0]);
	free(names[1]);
	return code;
}

/* ---- states -------------------------------------------------------------------------------------- */

static const char *const verb_compare_host_options[SIDES] = { "host", "host-b" };

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
		code = host_part_history(&side->target, side->history, verb_compare_host_options[number], host,
					 &side->compared);
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
		if (histree_state_comparison_loss(comparison, i).nodes > 0)
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
	struct verb_compare_drawing drawing = { .states = NULL };
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
		status = chosen->output != NULL ? verb_compare_draw_file(&drawing, sides[0].target.path,
									 sides[1].target.path, chosen)
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
	int status = all->a.count + all->b.count > 0 ? CLI_OK : (int)report_none("segments", chosen->where);
	if (output == NULL)
		return report_no_memory();
	compare_rows_segments(output, row_format_find(chosen->format), comparison, chosen->top);
	for (int i = 0; i < SIDES; i++) {
		const struct histree_loss loss = histree_segment_comparison_loss(comparison, i);
		if (loss.nodes > 0)
			status = segment_target_report_loss(targets[i].store, &loss);
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
						.host_name = verb_compare_host_options[number],
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
			 const struct histree_segment_comparison *comparison, struct verb_compare_drawing *drawing,
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
		status = verb_compare_draw_file(drawing, words->words[0], words->words[1], chosen);
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
	struct verb_compare_drawing drawing = { .states = NULL };
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
