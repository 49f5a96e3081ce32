// SPDX-License-Identifier: MIT
/*
 * verbs.c - the table of verbs, and 'histree help', which prints verbs and options from their tables.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "cli/verb.h"

/* ---- verbs --------------------------------------------------------------------------------------------------- */

const struct cli_verb *const cli_verbs[] = {
	&verb_build,      &verb_info,    &verb_ls,       &verb_query,         &verb_dump,     &verb_load,
	&verb_draw,       &verb_export,  &verb_numbers,  &verb_critical_path, &verb_why,      &verb_top,
	&verb_flame,      &verb_report,  &verb_segments, &verb_stats,         &verb_compare,  &verb_density,
	&verb_join,       &verb_events,  &verb_sync,     &verb_sql,           &verb_serve,    &verb_verify,
	&verb_repair,     &verb_convert, &verb_add,      &verb_rebuild,       &verb_analyses, &verb_bench,
	&verb_completion, &verb_help,    NULL,
};

const struct cli_verb *cli_verb_named(const char *name)
{
	for (const struct cli_verb *const *verb = cli_verbs; *verb != NULL; verb++)
		if (strcmp((*verb)->name, name) == 0)
			return *verb;
	return NULL;
}

const struct cli_verb *cli_verb_find(const char *name)
{
	const struct cli_verb *found = cli_verb_named(name);
	struct nearest nearest = nearest_begin(name);
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
		struct output *output = output_create(STDOUT_FILENO);
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
		status = verb->run(options_of, &words);
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

static void print_verb(struct output *output, const struct cli_verb *verb)
{
	static const struct cli_option help = { .name = "help", .letter = 'h', .help = "print this text" };
	output_format(output, "usage: %s %s [OPTION]...%s%s\n\n", report_program(), verb->name,
		      *verb->arguments != '\0' ? " " : "", verb->arguments);
	output_format(output, "%c%s.\n\n", toupper(verb->summary[0]), verb->summary + 1);
	struct cli_option options_of[CLI_OPTIONS_MAX + 1];
	size_t count = cli_options_of(verb, options_of);
	for (size_t i = 0; i < count; i++)
		if (options_of[i].help != NULL)
			print_option(output, &options_of[i]);
	print_option(output, &help);
}

static void print_command(struct output *output)
{
	output_text(output, "usage: histree TRACE|STORE\n"
			    "       histree VERB [OPTION]... [ARGUMENT]...\n"
			    "\n"
			    "Keep every state of a system trace, and ask for any time.  A trace or store alone\n"
			    "is built if need be, and its report is printed.\n"
			    "\n");
	for (const struct cli_verb *const *verb = cli_verbs; *verb != NULL; verb++)
		output_format(output, "  %-14s %s\n", (*verb)->name, (*verb)->summary);
	output_text(output,
		    "\n"
		    "'histree help VERB' or 'histree VERB --help' says more, as does the manual: histree(1),\n"
		    "histree-VERB(1), histree-states(7).  'histree --version' prints the version.\n");
}

void help_print(struct output *output, const struct cli_verb *verb)
{
	if (verb == NULL)
		print_command(output);
	else
		print_verb(output, verb);
}

static const struct cli_option options[] = { { 0 } };

static int help_run(void *said, const struct cli_words *words)
{
	(void)said;
	const struct cli_verb *subject = NULL;
	if (words->count > 0 && (subject = cli_verb_find(words->words[0])) == NULL)
		return CLI_USAGE;
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	help_print(output, subject);
	return cli_end(output, CLI_OK);
}

const struct cli_verb verb_help = {
	.name = "help",
	.summary = "print a short help for the command, or for one verb",
	.arguments = "[VERB]",
	.words_max = 1,
	.complete = CLI_COMPLETE_VERB,
	.options = options,
	.run = help_run,
};
