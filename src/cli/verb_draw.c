// SPDX-License-Identifier: MIT
/*
 * verb_draw.c - 'histree draw': chooses the view and its rows, and writes the picture.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/attribute_list.h"
#include "cli/option.h"
#include "cli/picture_file.h"
#include "cli/state_where.h"
#include "cli/target.h"
#include "cli/thread_words.h"
#include "cli/verb.h"
#include "cli/verb_flame.h"
#include "draw/pictures.h"

struct draw_options {
	struct cli_question question;
	struct picture_choice picture;
	const char *view, *chart, *rows;
};

/* In the order of enum histree_draw_view. */
static const char *const views[] = { "control-flow", "resources", "attributes", "tree", "flame", "chart", NULL };

static const struct cli_option options[] = {
	CLI_OPTION_CHOICE(
		"view", "VIEW", struct draw_options, view, views,
		"draw control-flow, resources, attributes, tree, flame (call stacks added up) or chart; default: "
		"control-flow, or attributes if there are no threads"),
	CLI_OPTION_TEXT("chart", "NAME", struct draw_options, chart,
			"draw this chart of the store, see 'histree info --charts'"),
	{ .name = "rows", .argument = "PATTERN", .kind = CLI_TEXT, .member = offsetof(struct draw_options, rows) },
	CLI_OPTIONS_PICTURE(struct draw_options, picture, "draw", "the rows"),
	CLI_OPTIONS_PICTURE_LOOK(struct draw_options, picture),
	{ 0 },
};

/* ---- what is asked for ------------------------------------------------------------------------------------ */

/* A chart is that of whichever history has it, unless one is named. */
static enum cli_exit open_history(struct target *target, const char *path, const struct draw_options *chosen,
				  struct histree_history **out)
{
	struct histree_error error = { 0 };
	const char *analysis = chosen->question.analysis;
	if (chosen->chart == NULL || analysis != NULL)
		return target_open_history(target, path, analysis, out);
	*out = NULL;
	if (target_open(target, path, &error) != HISTREE_OK)
		return report_error(&error);
	enum cli_exit code = chart_rows_find(target, chosen->chart, &analysis);
	if (code == CLI_OK && analysis == NULL && target->store != NULL)
		return report_exit(CLI_NOTHING,
				   "'%s' has no chart '%s'; 'histree info --charts' lists those that it has", path,
				   chosen->chart);
	if (code == CLI_OK && target_history(target, analysis, false, out, &error) != HISTREE_OK)
		return report_error(&error);
	return code;
}

static bool has_threads(const struct histree_history *history)
{
	histree_quark found;
	size_t count;
	const struct histree_attributes *attributes = histree_history_attributes(history);
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	for (size_t i = 0; i < count; i++)
		if (hosts[i].history != NULL && has_threads(hosts[i].history))
			return true;
	return histree_attributes_find(attributes, HISTREE_ROOT, "CPUs", &found) == HISTREE_OK &&
	       histree_attributes_find(attributes, HISTREE_ROOT, "Threads", &found) == HISTREE_OK;
}

static void choose_view(const struct draw_options *chosen, const struct histree_history *history,
			struct histree_draw_options *picture)
{
	picture->chart = chosen->chart;
	if (chosen->chart != NULL) {
		picture->view = HISTREE_DRAW_CHART;
		return;
	}
	picture->view = has_threads(history) ? HISTREE_DRAW_CONTROL_FLOW : HISTREE_DRAW_ATTRIBUTES;
	if (chosen->view != NULL)
		picture->view = (enum histree_draw_view)cli_choice_number(views, chosen->view);
}

/* The quarks of the patterns and of --where, by path; the caller frees *quarks. */
static enum cli_exit choose_rows(char *const *patterns, size_t pattern_count, const struct state_where *where,
				 struct histree_draw_options *picture, histree_quark **quarks)
{
	const enum attribute_kinds kinds =
		picture->view == HISTREE_DRAW_FLAME ? ALL_ATTRIBUTES : ATTRIBUTES_WITH_STATES;
	struct attribute_list list = { 0 };
	if (pattern_count == 0 && where->question->where == NULL)
		return CLI_OK;
	enum cli_exit code =
		thread_words_match(&list, where->target, where->history, patterns, pattern_count, kinds);
	if (code == CLI_OK)
		code = state_where_rows(where, &list, picture->from, picture->to);
	if (code == CLI_OK) {
		*quarks = malloc(list.count * sizeof(**quarks));
		code = *quarks == NULL ? report_no_memory() : CLI_OK;
	}
	for (size_t i = 0; i < list.count && code == CLI_OK; i++)
		(*quarks)[i] = list.attributes[i].quark;
	picture->quarks = *quarks;
	picture->quark_count = list.count;
	attribute_list_release(&list);
	return code;
}

/* Times are relative to all hosts, even if only one of them is drawn, for as long as it was recorded. */
static enum cli_exit read_range(const struct cli_question *question, const struct histree_history *history,
				const struct histree_history *part, struct histree_draw_options *picture)
{
	const struct time_span span = time_span_of_history(histree_history_info(history));
	const struct histree_history_info *own = histree_history_info(part);
	const enum cli_exit code = question_range(question, &span, &picture->from, &picture->to);
	if (code != CLI_OK)
		return code;
	return host_part_cut(question->host, own->start, own->end, &picture->from, &picture->to);
}

/* --rows PATTERN is the old spelling of one pattern. */
/* ---- the file --------------------------------------------------------------------------------------------- */

struct drawing {
	struct histree_history *history;
	const struct histree_draw_options *picture;
};

static enum histree_status draw(void *context, picture_write *write, void *file, struct histree_error *error)
{
	const struct drawing *drawing = context;
	return histree_draw(drawing->history, drawing->picture, write, file, error);
}

static int draw_run(void *said, const struct cli_words *words)
{
	struct draw_options *chosen = said;
	struct histree_draw_options picture = { 0 };

	/* Checks what does not depend on the history. */
	enum cli_exit code = CLI_OK;
	if (chosen->picture.output == NULL && histree_can_draw())
		code = report_exit(CLI_USAGE, "needs '-o FILE', a name that ends in .svg or .png");
	else
		code = picture_choice_read(&chosen->picture, &picture.look);
	if (code != CLI_OK)
		return code;
	struct target target;
	struct histree_history *history, *part = NULL;
	histree_quark *quarks = NULL;
	if (chosen->view != NULL && (strcmp(chosen->view, "chart") == 0) != (chosen->chart != NULL))
		return report_exit(CLI_USAGE, chosen->chart == NULL
						      ? "'--view chart' needs '--chart NAME', which 'histree info "
							"--charts' lists"
						      : "'--chart' is of '--view chart'");
	code = chosen->view != NULL && strcmp(chosen->view, "flame") == 0
		       ? stack_history_open(&target, words->words[0], chosen->question.analysis, &history)
		       : open_history(&target, words->words[0], chosen, &history);
	if (code == CLI_OK)
		code = host_part_of_question(&target, history, &chosen->question, &part);
	char *title = code == CLI_OK ? host_part_title(target.path, chosen->question.host) : NULL;
	if (code == CLI_OK && title == NULL)
		code = report_no_memory();
	if (picture.look.title == NULL)
		picture.look.title = title;
	if (code == CLI_OK)
		code = read_range(&chosen->question, history, part, &picture);
	if (code == CLI_OK) {
		choose_view(chosen, part, &picture);
		char *old[] = { (char *)(uintptr_t)chosen->rows };
		const struct state_where where = { &chosen->question, &target, part };
		code = chosen->rows != NULL
			       ? choose_rows(old, 1, &where, &picture, &quarks)
			       : choose_rows(words->words + 1, words->count - 1, &where, &picture, &quarks);
		/* A picture of tracks can do without, and one of a host does, as flows are of all hosts. */
		if (part == history && strcmp(histree_history_info(history)->provider, "tracks") == 0)
			picture.flows = target_segments_if_any(&target, "track-flows");
	}
	if (code == CLI_OK)
		code = picture_file_draw(chosen->picture.output, draw, &(struct drawing){ part, &picture });
	free(quarks);
	free(title);
	histree_segment_store_close(picture.flows);
	histree_history_close(history);
	target_close(&target);
	return code;
}

const struct cli_verb verb_draw = {
	.heading = "Show and hand on",
	.name = "draw",
	.summary = "draw a picture of states or numbers over time, or of the tree",
	.arguments = { "STORE [PATTERN]...", 1, CLI_WORDS_ANY },
	.complete = CLI_COMPLETE_ATTRIBUTE,
	.asks = ASKS_RANGE | ASKS(WHERE) | ASKS(ANALYSIS) | ASKS(HOST),
	.says = { [ASK_WHERE] = " over path, quark, thread, process, name and host of a row" },
	CLI_OPTIONS(options, struct draw_options),
	.run = draw_run,
};
