// SPDX-License-Identifier: MIT
#include "cli/completion.h"

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
static void print_offer(struct output *output, enum cli_complete complete, const char *const *choices)
{
	if (complete == CLI_COMPLETE_PATH) {
		output_text(output, " -F");
	} else if (complete == CLI_COMPLETE_ATTRIBUTE) {
		output_text(output, " -a '(__histree_attributes)'");
	} else if (complete != CLI_COMPLETE_NOTHING || choices != NULL) {
		output_text(output, complete == CLI_COMPLETE_ANALYSES ? " -a '(__histree_list " : " -a '");
		completion_print_words(output, complete, choices);
		output_text(output, complete == CLI_COMPLETE_ANALYSES ? ")'" : "'");
	}
}

static void print_option(struct output *output, const struct cli_verb *verb, const struct cli_option *option)
{
	output_format(output, "complete -c histree -n '__histree_verb %s' -l %s", verb->name, option->name);
	if (option->letter != '\0')
		output_format(output, " -s %c", option->letter);
	if (option->argument != NULL)
		output_text(output, option->complete == CLI_COMPLETE_PATH ? " -r" : " -x");
	print_offer(output, option->complete, option->choices);
	output_text(output, " -d ");
	print_quoted(output, option->help);
	output_char(output, '\n');
}

static void print_verb(struct output *output, const struct cli_verb *verb)
{
	output_format(output, "complete -c histree -n '__histree_verb' -a %s -d ", verb->name);
	print_quoted(output, verb->summary);
	output_format(output, "\ncomplete -c histree -n '__histree_verb %s' -l help -s h -d 'print a help text'\n",
		      verb->name);
	for (const struct cli_option *option = verb->options; option->name != NULL; option++)
		print_option(output, verb, option);
	if (verb->complete == CLI_COMPLETE_NOTHING)
		return;
	output_format(output, "complete -c histree -n '__histree_verb %s'", verb->name);
	print_offer(output, verb->complete, NULL);
	output_char(output, '\n');
}

void completion_print_fish(struct output *output)
{
	output_text(output, "# fish completion for histree; made by 'histree completion fish'\n"
			    "\n"
			    "# whether the verb is this one; without an argument, whether there is none yet\n"
			    "function __histree_verb\n"
			    "\tset -l words (commandline -opc)\n"
			    "\ttest \"$words[2]\" = \"$argv[1]\"\n"
			    "end\n"
			    "\n"
			    "# words with commas between them\n"
			    "function __histree_list\n"
			    "\tset -l word (commandline -ct | string replace -r '^--[^=]*=' '')\n"
			    "\tset -l head (string replace -r '[^,]*$' '' -- \"$word\")\n"
			    "\tfor name in $argv\n"
			    "\t\techo $head$name\n"
			    "\tend\n"
			    "end\n"
			    "\n"
			    "# the store, and after it the paths of its attributes\n"
			    "function __histree_attributes\n"
			    "\tfor word in (commandline -opc)[3..-1]\n"
			    "\t\tif test -d $word\n"
			    "\t\t\thistree ls --format tsv $word (commandline -ct)'*' 2>/dev/null |\n"
			    "\t\t\t\tsed 1d | cut -f 2 | head -n 500\n"
			    "\t\t\treturn\n"
			    "\t\tend\n"
			    "\tend\n"
			    "\t__fish_complete_path (commandline -ct)\n"
			    "end\n"
			    "\n"
			    "complete -c histree -f\n"
			    "complete -c histree -n '__histree_verb' -l help -d 'print a help text'\n"
			    "complete -c histree -n '__histree_verb' -l version -d 'print the version'\n");
	for (const struct cli_verb *const *verb = cli_verbs; *verb != NULL; verb++)
		print_verb(output, *verb);
}
