// SPDX-License-Identifier: MIT
/*
 * verbs.c - the table of verbs, and 'histree help', which prints verbs and options from their tables.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "cli/completion_scripts.h"
#include "cli/verb.h"
#include "histree/build.h"

/* ---- verbs --------------------------------------------------------------------------------------------------- */

const struct cli_verb *const cli_verbs[] = {
	&verb_states,  &verb_segments, &verb_events, &verb_top,        &verb_why,   &verb_flame,
	&verb_compare, &verb_report,   &verb_sql,    &verb_draw,       &verb_serve, &verb_mcp,
	&verb_export,  &verb_build,    &verb_add,    &verb_load,       &verb_copy,  &verb_sync,
	&verb_info,    &verb_verify,   &verb_bench,  &verb_completion, &verb_help,  NULL,
};

static const char *const shells[] = { "bash", "zsh", "fish", NULL };

static const struct cli_option no_options[] = { { 0 } };

const struct cli_verb *cli_verb_named(const char *name)
{
	for (const struct cli_verb *const *verb = cli_verbs; *verb != NULL; verb++)
		if (strcmp((*verb)->name, name) == 0 || cli_old_verb(*verb, name) != NULL)
			return *verb;
	return NULL;
}

/* People learn the new name; the output of a script stays what it was. */
static void say_new_name(const struct cli_verb *verb, const struct cli_old_verb *old)
{
	char options[128] = "";
	size_t size = 0;
	for (size_t i = 0; i < sizeof(old->means) / sizeof(*old->means) && old->means[i].option != NULL; i++)
		size += (size_t)snprintf(options + size, sizeof(options) - size, " --%s%s%s", old->means[i].option,
					 old->means[i].argument != NULL ? " " : "",
					 old->means[i].argument != NULL ? old->means[i].argument : "");
	report("'%s' is '%s%s' now; the old name goes with the next release", old->name, verb->name, options);
}

const struct cli_verb *cli_verb_find(const char *name)
{
	const struct cli_verb *found = cli_verb_named(name);
	const struct cli_old_verb *old = found != NULL ? cli_old_verb(found, name) : NULL;
	struct nearest nearest = nearest_begin(name);
	if (old != NULL && isatty(STDERR_FILENO))
		say_new_name(found, old);
	if (found != NULL)
		return found;
	for (const struct cli_verb *const *verb = cli_verbs; *verb != NULL; verb++)
		nearest_offer(&nearest, (*verb)->name);
	if (nearest.word != NULL)
		report("unknown verb '%s'; the nearest is '%s'; see 'histree help'", name, nearest.word);
	else
		report("unknown verb '%s'; see 'histree help'", name);
	return NULL;
}

bool cli_begin(const struct cli_verb *verb, int argc, char **argv, void *values, struct cli_words *words,
	       int *status)
{
	enum cli_parsed parsed = cli_parse(verb, argc, argv, values, words, stderr);
	*status = CLI_USAGE;
	if (parsed == CLI_HELP) {
		struct output *output = output_create_paged();
		if (output != NULL)
			help_print(output, verb);
		*status = cli_end(output, output != NULL ? CLI_OK : (int)report_no_memory());
	}
	return parsed == CLI_PARSED;
}

int cli_run(const struct cli_verb *verb, int argc, char **argv)
{
	struct cli_words words;
	int status;
	void *options_of = calloc(1, verb->options_size + 1);
	if (options_of == NULL)
		return report_no_memory();
	if (verb->defaults != NULL)
		memcpy(options_of, verb->defaults, verb->options_size);
	if (cli_begin(verb, argc, argv, options_of, &words, &status))
		status = (words.form != NULL ? words.form->run : verb->run)(options_of, &words);
	free(options_of);
	return status;
}

/* ---- verb help ----------------------------------------------------------------------------------------------- */

/* Where the text of an option begins.  If the option itself is wider, its text begins on the next line. */
enum { HELP_COLUMN = 30, HELP_WIDTH = 80 };

/*
 * Prints `text` in lines that begin at HELP_COLUMN and break between words.  The first line has `used` characters
 * already.
 */
static void print_wrapped(struct output *output, const char *text, size_t used)
{
	if (used + 2 > HELP_COLUMN) {
		output_char(output, '\n');
		used = 0;
	}
	output_spaces(output, HELP_COLUMN - used);
	size_t column = HELP_COLUMN;
	while (*text != '\0') {
		size_t size = strcspn(text, " ");
		if (column > HELP_COLUMN && column + 1 + size > HELP_WIDTH) {
			output_char(output, '\n');
			output_spaces(output, HELP_COLUMN);
			column = HELP_COLUMN;
		} else if (column > HELP_COLUMN) {
			output_char(output, ' ');
			column++;
		}
		output_bytes(output, text, size);
		column += size;
		text += size;
		text += strspn(text, " ");
	}
	output_char(output, '\n');
}

static void print_option(struct output *output, const struct cli_option *option)
{
	char left[HELP_WIDTH];
	char letter[] = "-x, ";
	letter[1] = option->letter;
	int used =
		snprintf(left, sizeof(left), "  %s--%s%s%s", option->letter != '\0' ? letter : "    ", option->name,
			 option->argument != NULL ? " " : "", option->argument != NULL ? option->argument : "");
	char help[CLI_HELP_SIZE];
	cli_option_help(option, help);
	output_text(output, left);
	print_wrapped(output, help, (size_t)used);
}

static void print_command(struct output *output)
{
	output_text(output, "usage: histree TRACE|STORE\n"
			    "       histree VERB [OPTION]... [ARGUMENT]...\n"
			    "\n"
			    "Keep every state of a system trace, and ask for any time.  A trace or store alone\n"
			    "is built if need be, and its report is printed.\n"
			    "\n");
	for (const struct cli_verb *const *verb = cli_verbs; *verb != NULL; verb++) {
		if ((*verb)->heading != NULL)
			output_format(output, "%s%s\n", verb > cli_verbs ? "\n" : "", (*verb)->heading);
		output_format(output, "  %-10s  %s\n", (*verb)->name, (*verb)->summary);
	}
	output_text(output, "\nOld names, which this release still knows\n");
	for (const struct cli_verb *const *verb = cli_verbs; *verb != NULL; verb++) {
		if ((*verb)->old == NULL)
			continue;
		output_format(output, "  %-10s ", (*verb)->name);
		for (const struct cli_old_verb *old = (*verb)->old; old->name != NULL; old++)
			output_format(output, "%s %s", old > (*verb)->old ? "," : " was", old->name);
		output_char(output, '\n');
	}
	output_text(output,
		    "\n"
		    "'histree help VERB' or 'histree VERB --help' says more, as does the manual: histree(1),\n"
		    "histree-VERB(1), histree-states(7).  'histree --version' prints the version.\n");
}

/* A line for each question that the verb answers; the one without an option is last in its table. */
static void print_usage(struct output *output, const struct cli_verb *verb)
{
	static const char usage[] = "usage:";
	const struct cli_form *form = verb->forms;
	const char *const before = form != NULL ? "" : verb->arguments.text;
	if (form == NULL) {
		output_format(output, "%s %s %s [OPTION]...%s%s\n", usage, report_program(), verb->name,
			      *before != '\0' ? " " : "", before);
		return;
	}
	while (form->option != NULL)
		form++;
	output_format(output, "%s %s %s [OPTION]... %s\n", usage, report_program(), verb->name,
		      form->arguments.text);
	for (form = verb->forms; form->option != NULL; form++) {
		struct cli_option all[CLI_OPTIONS_MAX + 1], *option = all;
		cli_options_of(verb, all);
		while (strcmp(option->name, form->option) != 0)
			option++;
		output_format(output, "%*s %s %s --%s%s%s [OPTION]...%s%s\n", (int)strlen(usage), "",
			      report_program(), verb->name, form->option, option->argument != NULL ? " " : "",
			      option->argument != NULL ? option->argument : "",
			      *form->arguments.text != '\0' ? " " : "", form->arguments.text);
	}
}

void help_print(struct output *output, const struct cli_verb *verb)
{
	if (verb == NULL) {
		print_command(output);
	} else {
		static const struct cli_option help = { .name = "help", .letter = 'h', .help = "print this text" };
		print_usage(output, verb);
		output_format(output, "\n%c%s.\n\n", toupper(verb->summary[0]), verb->summary + 1);
		struct cli_option options_of[CLI_OPTIONS_MAX + 1];
		size_t count = cli_options_of(verb, options_of);
		for (size_t i = 0; i < count; i++)
			if (options_of[i].help != NULL)
				print_option(output, &options_of[i]);
		print_option(output, &help);
	}
}

static int help_run(void *said, const struct cli_words *words)
{
	(void)said;
	const struct cli_verb *subject = NULL;
	if (words->count > 0 && (subject = cli_verb_find(words->words[0])) == NULL)
		return CLI_USAGE;
	struct output *output = output_create_paged();
	if (output == NULL)
		return report_no_memory();
	help_print(output, subject);
	return cli_end(output, CLI_OK);
}

const struct cli_verb verb_help = {
	.name = "help",
	.summary = "print a short help for the command, or for one verb",
	.arguments = { "[VERB]", 0, 1 },
	.complete = CLI_COMPLETE_VERB,
	.options = no_options,
	.run = help_run,
};

/* ---- verb completion ----------------------------------------------------------------------------------------- */

/* Prints the command of a script that offers what an argument can be. */
typedef void completion_offer(struct output *output, enum cli_complete complete, const char *const *choices);

/* What the files of a store say: which of some analyses it has not, or else, of which it has segments. */
static bool is_of_store(enum cli_complete complete)
{
	return complete == CLI_COMPLETE_NEW_ANALYSES || complete == CLI_COMPLETE_SEGMENTS;
}

static void completion_print_verbs(struct output *output)
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

/* Print the words that an argument can be, with spaces between them; nothing if it can be anything. */
static void completion_print_words(struct output *output, enum cli_complete complete, const char *const *choices)
{
	if (choices != NULL)
		print_list(output, choices);
	else if (complete == CLI_COMPLETE_ANALYSIS || complete == CLI_COMPLETE_ANALYSES ||
		 complete == CLI_COMPLETE_NEW_ANALYSES)
		print_analyses(output);
	else if (complete == CLI_COMPLETE_SHELL)
		print_list(output, shells);
	else if (complete == CLI_COMPLETE_VERB)
		completion_print_verbs(output);
}

static void print_cases_of(struct output *output, const struct cli_verb *verb, completion_offer *print_offer)
{
	struct cli_option all[CLI_OPTIONS_MAX + 1];
	const size_t count = cli_options_of(verb, all);
	for (const struct cli_option *option = all; option < all + count; option++) {
		if (option->argument == NULL || option->help == NULL)
			continue;
		output_format(output, "\t%s:--%s", verb->name, option->name);
		if (option->letter != '\0')
			output_format(output, " | %s:-%c", verb->name, option->letter);
		output_text(output, ") ");
		print_offer(output, option->complete, option->choices);
		output_text(output, "; return ;;\n");
	}
}

/* Print the case of a script for bash or zsh, whose `array` has the line, that completes what is no option. */
static void print_case_of_words(struct output *output, const struct cli_verb *verb, const char *array,
				completion_offer *print_offer)
{
	output_format(output, "\t%s:*) ", verb->name);
	for (const struct cli_form *form = verb->forms; form != NULL && form->option != NULL; form++)
		if (form->arguments.max == 0)
			output_format(output, "[[ \" ${%s[*]} \" == *' --%s '* ]] || ", array, form->option);
	print_offer(output, verb->complete, NULL);
	output_text(output, " ;;\n");
}

/* ---- completion bash ----------------------------------------------------------------------------------------- */

/* Print the command of the script that offers what an argument can be. */
static void bash_print_offer(struct output *output, enum cli_complete complete, const char *const *choices)
{
	if (complete == CLI_COMPLETE_NOTHING && choices == NULL) {
		output_char(output, ':');
	} else if (complete == CLI_COMPLETE_PATH) {
		output_text(output, "_histree_offer -f");
	} else if (complete == CLI_COMPLETE_ATTRIBUTE) {
		output_text(output, "_histree_attributes");
	} else {
		output_text(output, complete == CLI_COMPLETE_ANALYSES ? "_histree_list '"
				    : is_of_store(complete)           ? "_histree_analyses '"
								      : "_histree_offer -W '");
		completion_print_words(output, complete, choices);
		output_char(output, '\'');
	}
}

/* The options of a verb, between what offers words to the shell and what ends them. */
static void print_options(struct output *output, const struct cli_verb *verb, const char *offer, const char *end)
{
	output_format(output, "\t%s:-*) %s", verb->name, offer);
	struct cli_option all[CLI_OPTIONS_MAX + 1];
	const size_t count = cli_options_of(verb, all);
	for (size_t i = 0; i < count; i++)
		if (all[i].help != NULL)
			output_format(output, "--%s ", all[i].name);
	output_format(output, "--help%s ;;\n", end);
}

static void bash_print_verb(struct output *output, const struct cli_verb *verb)
{
	print_options(output, verb, "_histree_offer -W '", "'");
	print_case_of_words(output, verb, "COMP_WORDS", bash_print_offer);
}

/* ---- completion fish ----------------------------------------------------------------------------------------- */

/* Print a text in single quotes. */
static void print_quoted(struct output *output, const char *text)
{
	output_char(output, '\'');
	for (; *text != '\0'; text++) {
		if (*text == '\'' || *text == '\\')
			output_char(output, '\\');
		output_char(output, *text);
	}
	output_char(output, '\'');
}

/* Print what an argument can be, as options of fish's complete. */
static void fish_print_offer(struct output *output, enum cli_complete complete, const char *const *choices)
{
	if (complete == CLI_COMPLETE_PATH) {
		output_text(output, " -F");
	} else if (complete == CLI_COMPLETE_ATTRIBUTE) {
		output_text(output, " -a '(__histree_attributes)'");
	} else if (complete != CLI_COMPLETE_NOTHING || choices != NULL) {
		const bool is_list = complete == CLI_COMPLETE_ANALYSES;
		output_text(output, is_list                 ? " -a '(__histree_list "
				    : is_of_store(complete) ? " -a '(__histree_analyses "
							    : " -a '");
		completion_print_words(output, complete, choices);
		output_text(output, is_list || is_of_store(complete) ? ")'" : "'");
	}
}

static void fish_print_verb(struct output *output, const struct cli_verb *verb)
{
	output_format(output, "complete -c histree -n '__histree_verb' -a %s -d ", verb->name);
	print_quoted(output, verb->summary);
	output_format(output, "\ncomplete -c histree -n '__histree_verb %s' -l help -s h -d 'print a help text'\n",
		      verb->name);
	struct cli_option all[CLI_OPTIONS_MAX + 1];
	const size_t count = cli_options_of(verb, all);
	for (size_t i = 0; i < count; i++)
		if (all[i].help != NULL) {
			output_format(output, "complete -c histree -n '__histree_verb %s' -l %s", verb->name,
				      all[i].name);
			if (all[i].letter != '\0')
				output_format(output, " -s %c", all[i].letter);
			if (all[i].argument != NULL)
				output_text(output, all[i].complete == CLI_COMPLETE_PATH ? " -r" : " -x");
			fish_print_offer(output, all[i].complete, all[i].choices);
			output_text(output, " -d ");
			char help[CLI_HELP_SIZE];
			cli_option_help(&all[i], help);
			print_quoted(output, help);
			output_char(output, '\n');
		}
	if (verb->complete == CLI_COMPLETE_NOTHING)
		return;
	output_format(output, "complete -c histree -n '__histree_verb %s", verb->name);
	for (const struct cli_form *form = verb->forms; form != NULL && form->option != NULL; form++)
		if (form->arguments.max == 0)
			output_format(output, "; and not contains -- --%s (commandline -opc)", form->option);
	output_char(output, '\'');
	fish_print_offer(output, verb->complete, NULL);
	output_char(output, '\n');
}

/* ---- completion zsh ------------------------------------------------------------------------------------------ */

static void zsh_print_offer(struct output *output, enum cli_complete complete, const char *const *choices)
{
	if (complete == CLI_COMPLETE_NOTHING && choices == NULL) {
		output_char(output, ':');
	} else if (complete == CLI_COMPLETE_PATH) {
		output_text(output, "_files");
	} else if (complete == CLI_COMPLETE_ATTRIBUTE) {
		output_text(output, "_histree_attributes");
	} else {
		output_text(output, complete == CLI_COMPLETE_ANALYSES ? "compset -P '*,'; compadd -S '' -- "
				    : is_of_store(complete)           ? "_histree_analyses "
								      : "compadd -- ");
		completion_print_words(output, complete, choices);
	}
}

static void zsh_print_verb(struct output *output, const struct cli_verb *verb)
{
	print_options(output, verb, "compadd -- ", "");
	print_case_of_words(output, verb, "words", zsh_print_offer);
}

/* A script is a file, in which @@verbs@@, @@arguments@@ and @@words@@ stand for what the tables of verbs say. */
static const struct completion {
	const char *script;
	completion_offer *print_offer; /* NULL: there are no cases of arguments */
	void (*print_words)(struct output *output, const struct cli_verb *verb);
} completions[] = {
	{ completion_bash, bash_print_offer, bash_print_verb },
	{ completion_zsh, zsh_print_offer, zsh_print_verb },
	{ completion_fish, NULL, fish_print_verb },
};

static void print_place(struct output *output, const struct completion *completion, const char *place)
{
	if (strncmp(place, "verbs", strlen("verbs")) == 0) {
		completion_print_verbs(output);
		return;
	}
	for (const struct cli_verb *const *verb = cli_verbs; *verb != NULL; verb++)
		if (strncmp(place, "arguments", strlen("arguments")) == 0)
			print_cases_of(output, *verb, completion->print_offer);
		else
			completion->print_words(output, *verb);
}

static int completion_run(void *said, const struct cli_words *words)
{
	(void)said;
	size_t shell = 0;
	while (shells[shell] != NULL && strcmp(words->words[0], shells[shell]) != 0)
		shell++;
	if (shells[shell] == NULL)
		return report_exit(CLI_USAGE, "no completion for '%s'; there is one for bash, zsh and fish",
				   words->words[0]);
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	const char *at = completions[shell].script;
	for (const char *place; (place = strstr(at, "@@")) != NULL;) {
		output_bytes(output, at, (size_t)(place - at));
		print_place(output, &completions[shell], place + 2);
		at = strstr(place + 2, "@@") + 2;
		at += at[0] == '\n' && place[2] != 'v'; /* the lines of a place end themselves */
	}
	output_text(output, at);
	return cli_end(output, CLI_OK);
}

const struct cli_verb verb_completion = {
	.name = "completion",
	.summary = "print a completion script for a shell",
	.arguments = { "bash|zsh|fish", 1, 1 },
	.complete = CLI_COMPLETE_SHELL,
	.options = no_options,
	.run = completion_run,
};
