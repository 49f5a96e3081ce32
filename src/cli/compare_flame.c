// SPDX-License-Identifier: MIT
/*
 * compare_flame.c - the call stacks of both sides of a comparison in one flame graph.
 */
#include "cli/compare_flame.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/verb_flame.h"
#include "cli/host_part.h"
#include "cli/picture_file.h"
#include "cli/verb.h"

struct flame_side {
	struct target target;
	struct histree_history *history;
};

struct drawing {
	const struct histree_flame *flame;
	struct histree_draw_flame_options options;
};

static enum histree_status draw(void *context, picture_write *write, void *file, struct histree_error *error)
{
	const struct drawing *drawing = context;
	return histree_draw_flame(drawing->flame, &drawing->options, write, file, error);
}

static const char *const host_options[HISTREE_FLAME_SIDES] = { "host", "host-b" };

static enum cli_exit add_samples(struct histree_flame *flame, const struct cli_words *words, unsigned number,
				 const struct compare_flame *chosen)
{
	const struct sample_question question = { .threads = words->words + HISTREE_FLAME_SIDES,
						  .thread_count = words->count - HISTREE_FLAME_SIDES,
						  .where = chosen->where,
						  .host = chosen->hosts[number],
						  .host_option = host_options[number],
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
		code = host_part_history(&side->target, side->history, host_options[number], host, &added);
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

static enum cli_exit draw_file(struct drawing *drawing, char *const paths[HISTREE_FLAME_SIDES],
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
		code = picture_file_draw(path, draw, drawing);
	free(names[0]);
	free(names[1]);
	free(title);
	return code;
}

int compare_flame_run(const struct cli_words *words, const struct compare_flame *chosen)
{
	struct flame_side sides[HISTREE_FLAME_SIDES] = { 0 };
	struct drawing drawing = { .options = { .is_difference = true } };
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
		code = chosen->output != NULL ? draw_file(&drawing, words->words, chosen->hosts, chosen->output)
					      : print(flame, chosen);
	for (unsigned i = 0; i < HISTREE_FLAME_SIDES; i++) {
		/* Patterns need not ask for what is missing, and a host was named. */
		if (code == CLI_OK && words->count == HISTREE_FLAME_SIDES && chosen->hosts[i] == NULL &&
		    sides[i].history != NULL)
			code = host_part_missing(sides[i].history);
		if (flame != NULL && code == CLI_OK && histree_flame_is_damaged(flame, i))
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
