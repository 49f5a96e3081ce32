// SPDX-License-Identifier: MIT
/*
 * verb_completion.c - a bash completion, made from the tables of options.
 */
#include <unistd.h>

#include "cli/verb.h"
#include "histree/build.h"

static const char *const shells[] = { "bash", NULL };

static void print_verbs(struct output *output)
{
	for (const struct cli_verb *const *verb = cli_verbs; *verb != NULL; verb++)
		output_format(output, "%s%s", verb > cli_verbs ? " " : "", (*verb)->name);
}

static void print_words(struct output *output, const char *const *words)
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

/* Returns the command of the script that offers what an argument can be. */
static void print_offer(struct output *output, enum cli_complete complete, const char *const *choices)
{
	if (complete == CLI_COMPLETE_NOTHING && choices == NULL) {
		output_char(output, ':');
		return;
	}
	if (complete == CLI_COMPLETE_PATH) {
		output_text(output, "_histree_offer -f");
		return;
	}
	output_text(output, "_histree_offer -W '");
	if (choices != NULL)
		print_words(output, choices);
	else if (complete == CLI_COMPLETE_ANALYSIS)
		print_analyses(output);
	else if (complete == CLI_COMPLETE_SHELL)
		print_words(output, shells);
	else if (complete == CLI_COMPLETE_VERB)
		print_verbs(output);
	output_char(output, '\'');
}

static void print_option_arguments(struct output *output, const struct cli_verb *verb)
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

static void print_options(struct output *output, const struct cli_verb *verb)
{
	output_format(output, "\t%s:-*) _histree_offer -W '", verb->name);
	for (const struct cli_option *option = verb->options; option->name != NULL; option++)
		output_format(output, "--%s ", option->name);
	output_text(output, "--help' ;;\n");
}

static void print_script(struct output *output)
{
	output_text(output, "# bash completion for histree; made by 'histree completion bash'\n"
			    "\n"
			    "_histree_offer()\n"
			    "{\n"
			    "\tmapfile -t COMPREPLY < <(compgen \"$@\" -- \"$word\")\n"
			    "}\n"
			    "\n"
			    "_histree()\n"
			    "{\n"
			    "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
			    "\tlocal verb=${COMP_WORDS[1]}\n"
			    "\tif [[ $before == = ]]; then # --option=word comes as three words\n"
			    "\t\tbefore=${COMP_WORDS[COMP_CWORD - 2]}\n"
			    "\telif [[ $word == = ]]; then\n"
			    "\t\tword=\n"
			    "\tfi\n"
			    "\tCOMPREPLY=()\n"
			    "\tif ((COMP_CWORD == 1)); then\n"
			    "\t\t_histree_offer -W '");
	print_verbs(output);
	output_text(output, " --help --version'\n"
			    "\t\treturn\n"
			    "\tfi\n"
			    "\tcase $verb:$before in\n");
	for (const struct cli_verb *const *verb = cli_verbs; *verb != NULL; verb++)
		print_option_arguments(output, *verb);
	output_text(output, "\tesac\n"
			    "\tcase $verb:$word in\n");
	for (const struct cli_verb *const *verb = cli_verbs; *verb != NULL; verb++) {
		print_options(output, *verb);
		output_format(output, "\t%s:*) ", (*verb)->name);
		print_offer(output, (*verb)->complete, NULL);
		output_text(output, " ;;\n");
	}
	output_text(output, "\tesac\n"
			    "}\n"
			    "\n"
			    "complete -o filenames -F _histree histree\n");
}

static const struct cli_option options[] = { { 0 } };

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct cli_words words;
	int status;
	if (!cli_begin(verb, argc, argv, NULL, &words, &status))
		return status;
	if (strcmp(words.words[0], shells[0]) != 0)
		return report_exit(CLI_USAGE, "no completion for '%s'; there is one for %s", words.words[0],
				   shells[0]);
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	print_script(output);
	return cli_end(output, CLI_OK);
}

const struct cli_verb verb_completion = {
	.name = "completion",
	.summary = "print a completion script for a shell",
	.arguments = "bash",
	.words_min = 1,
	.words_max = 1,
	.complete = CLI_COMPLETE_SHELL,
	.options = options,
	.run = run,
};
