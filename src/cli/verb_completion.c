// SPDX-License-Identifier: MIT
/*
 * verb_completion.c - completion for a shell, made from the tables of options.
 */
#include <unistd.h>

#include "cli/completion.h"
#include "histree/build.h"

static const char *const shells[] = { "bash", "zsh", "fish", NULL };

void completion_print_verbs(struct output *output)
{
	for (const struct cli_verb *const *verb = cli_verbs; *verb != NULL; verb++)
		output_format(output, "%s%s", verb > cli_verbs ? " " : "", (*verb)->name);
}

static void print_list(struct output *output, const char *const *words)
{
	for (const char *const *word = words; *word != NULL; word++)
		output_format(output, "%s%s", word > words ? " " : "", *word);
}

static void print_analyses(struct output *output)
{
	struct histree_analysis_info analysis;
	for (size_t i = 0; histree_analysis(i, &analysis); i++)
		output_format(output, "%s%s", i > 0 ? " " : "", analysis.name);
}

void completion_print_words(struct output *output, enum cli_complete complete, const char *const *choices)
{
	if (choices != NULL)
		print_list(output, choices);
	else if (complete == CLI_COMPLETE_ANALYSIS || complete == CLI_COMPLETE_ANALYSES)
		print_analyses(output);
	else if (complete == CLI_COMPLETE_SHELL)
		print_list(output, shells);
	else if (complete == CLI_COMPLETE_VERB)
		completion_print_verbs(output);
}

static void print_cases_of(struct output *output, const struct cli_verb *verb, completion_offer *print_offer)
{
	for (const struct cli_option *option = verb->options; option->name != NULL; option++) {
		if (option->argument == NULL)
			continue;
		output_format(output, "\t%s:--%s", verb->name, option->name);
		if (option->letter != '\0')
			output_format(output, " | %s:-%c", verb->name, option->letter);
		output_text(output, ") ");
		print_offer(output, option->complete, option->choices);
		output_text(output, "; return ;;\n");
	}
}

void completion_print_cases(struct output *output, completion_offer *print_offer)
{
	for (const struct cli_verb *const *verb = cli_verbs; *verb != NULL; verb++)
		print_cases_of(output, *verb, print_offer);
}

static const struct cli_option options[] = { { 0 } };

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	static void (*const print[])(struct output *) = { completion_print_bash, completion_print_zsh,
							  completion_print_fish };
	struct cli_words words;
	int status;
	if (!cli_begin(verb, argc, argv, NULL, &words, &status))
		return status;
	size_t shell = 0;
	while (shells[shell] != NULL && strcmp(words.words[0], shells[shell]) != 0)
		shell++;
	if (shells[shell] == NULL)
		return report_exit(CLI_USAGE, "no completion for '%s'; there is one for bash, zsh and fish",
				   words.words[0]);
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	print[shell](output);
	return cli_end(output, CLI_OK);
}

const struct cli_verb verb_completion = {
	.name = "completion",
	.summary = "print a completion script for a shell",
	.arguments = "bash|zsh|fish",
	.words_min = 1,
	.words_max = 1,
	.complete = CLI_COMPLETE_SHELL,
	.options = options,
	.run = run,
};
