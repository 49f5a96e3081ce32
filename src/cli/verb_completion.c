// SPDX-License-Identifier: MIT
/*
 * verb_completion.c - `histree completion`: completion for each shell, in its own words, made from the tables of
 * options.
 */
#include "cli/verb_completion.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/verb.h"
#include "histree/build.h"

/* ---- shell word ---------------------------------------------------------------------------------------------- */

static bool is_plain(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=,.:/@%";
	return text[0] != '\0' && text[strspn(text, plain)] == '\0';
}

void shell_word_put(FILE *stream, const char *text)
{
	if (is_plain(text)) {
		fputs(text, stream);
		return;
	}
	fputc('\'', stream);
	for (; *text != '\0'; text++)
		if (*text == '\'')
			fputs("'\\''", stream);
		else
			fputc(*text, stream);
	fputc('\'', stream);
}

void shell_word_copy(char *word, size_t size, const char *text)
{
	FILE *stream = fmemopen(word, size, "w");
	word[0] = '\0';
	if (stream == NULL)
		return;
	shell_word_put(stream, text);
	long length = ftell(stream);
	fclose(stream);
	if (length < 0 || (size_t)length >= size)
		word[0] = '\0';
}

/* ---- verb completion ----------------------------------------------------------------------------------------- */

static void completion_print_verbs(struct output *output);

static void completion_print_words(struct output *output, enum cli_complete complete, const char *const *choices);

static void completion_print_cases(struct output *output, completion_offer *print_offer);

/* ---- completion ---------------------------------------------------------------------------------------------- */

/* What the files of a store say: which of some analyses it has not, or else, of which it has segments. */
static bool is_of_store(enum cli_complete complete)
{
	return complete == CLI_COMPLETE_NEW_ANALYSES || complete == CLI_COMPLETE_SEGMENTS;
}

/* ---- completion bash ----------------------------------------------------------------------------------------- */

/* Print the command of the script that offers what an argument can be. */
static void completion_bash_print_offer(struct output *output, enum cli_complete complete,
					const char *const *choices)
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

static void completion_bash_print_options(struct output *output, const struct cli_verb *verb)
{
	output_format(output, "\t%s:-*) _histree_offer -W '", verb->name);
	struct cli_option all[CLI_OPTIONS_MAX + 1];
	const size_t count = cli_options_of(verb, all);
	for (size_t i = 0; i < count; i++)
		if (all[i].help != NULL)
			output_format(output, "--%s ", all[i].name);
	output_text(output, "--help' ;;\n");
}

static void completion_print_bash(struct output *output)
{
	output_text(
		output,
		"# bash completion for histree; made by 'histree completion bash'\n"
		"\n"
		"_histree_offer()\n"
		"{\n"
		"\tmapfile -t COMPREPLY < <(compgen \"$@\" -- \"$word\")\n"
		"}\n"
		"\n"
		"# words with commas between them\n"
		"_histree_list()\n"
		"{\n"
		"\tlocal head=\n"
		"\t[[ $word == *,* ]] && head=${word%,*},\n"
		"\tmapfile -t COMPREPLY < <(compgen -P \"$head\" -W \"$1\" -- \"${word##*,}\")\n"
		"}\n"
		"\n"
		"# the store, and after it the paths of its attributes\n"
		"_histree_attributes()\n"
		"{\n"
		"\tlocal at\n"
		"\tfor ((at = 2; at < COMP_CWORD; at++)); do\n"
		"\t\tif [[ -d ${COMP_WORDS[at]} ]]; then\n"
		"\t\t\tmapfile -t COMPREPLY < <(histree ls --format tsv \"${COMP_WORDS[at]}\" \\\n"
		"\t\t\t\t\"$word*\" 2>/dev/null |\n"
		"\t\t\t\tsed 1d | cut -f 2 | head -n 500)\n"
		"\t\t\treturn\n"
		"\t\tfi\n"
		"\tdone\n"
		"\t_histree_offer -f\n"
		"}\n"
		"\n"
		"# the store, and after it the analyses of a list that it has not, or without one its segments\n"
		"_histree_analyses()\n"
		"{\n"
		"\tlocal at file name there=' ' offered=\n"
		"\tfor ((at = 2; at < COMP_CWORD; at++)); do\n"
		"\t\t[[ -d ${COMP_WORDS[at]} ]] || continue\n"
		"\t\tfor file in \"${COMP_WORDS[at]}\"/{,hosts/*/}*.{seg,sht}; do\n"
		"\t\t\tname=${file##*/}\n"
		"\t\t\t[[ -e $file ]] && there+=\"${name%.*} \"\n"
		"\t\t\t[[ -e $file && $name == *.seg && $1 == '' ]] && offered+=\"${name%.*} \"\n"
		"\t\tdone\n"
		"\t\tfor name in $1; do\n"
		"\t\t\t[[ $there == *\" $name \"* ]] || offered+=\"$name \"\n"
		"\t\tdone\n"
		"\t\t_histree_offer -W \"$offered\"\n"
		"\t\treturn\n"
		"\tdone\n"
		"\t_histree_offer -f\n"
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
	completion_print_verbs(output);
	output_text(output, " --help --version'\n"
			    "\t\treturn\n"
			    "\tfi\n"
			    "\tcase $verb:$before in\n");
	completion_print_cases(output, completion_bash_print_offer);
	output_text(output, "\tesac\n"
			    "\tcase $verb:$word in\n");
	for (const struct cli_verb *const *verb = cli_verbs; *verb != NULL; verb++) {
		completion_bash_print_options(output, *verb);
		output_format(output, "\t%s:*) ", (*verb)->name);
		completion_bash_print_offer(output, (*verb)->complete, NULL);
		output_text(output, " ;;\n");
	}
	output_text(output, "\tesac\n"
			    "}\n"
			    "\n"
			    "complete -o filenames -F _histree histree\n");
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
static void completion_fish_print_offer(struct output *output, enum cli_complete complete,
					const char *const *choices)
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

static void print_option(struct output *output, const struct cli_verb *verb, const struct cli_option *option)
{
	output_format(output, "complete -c histree -n '__histree_verb %s' -l %s", verb->name, option->name);
	if (option->letter != '\0')
		output_format(output, " -s %c", option->letter);
	if (option->argument != NULL)
		output_text(output, option->complete == CLI_COMPLETE_PATH ? " -r" : " -x");
	completion_fish_print_offer(output, option->complete, option->choices);
	output_text(output, " -d ");
	char help[CLI_HELP_SIZE];
	cli_option_help(option, help);
	print_quoted(output, help);
	output_char(output, '\n');
}

static void print_verb(struct output *output, const struct cli_verb *verb)
{
	output_format(output, "complete -c histree -n '__histree_verb' -a %s -d ", verb->name);
	print_quoted(output, verb->summary);
	output_format(output, "\ncomplete -c histree -n '__histree_verb %s' -l help -s h -d 'print a help text'\n",
		      verb->name);
	struct cli_option all[CLI_OPTIONS_MAX + 1];
	const size_t count = cli_options_of(verb, all);
	for (size_t i = 0; i < count; i++)
		if (all[i].help != NULL)
			print_option(output, verb, &all[i]);
	if (verb->complete == CLI_COMPLETE_NOTHING)
		return;
	output_format(output, "complete -c histree -n '__histree_verb %s'", verb->name);
	completion_fish_print_offer(output, verb->complete, NULL);
	output_char(output, '\n');
}

static void completion_print_fish(struct output *output)
{
	output_text(
		output,
		"# fish completion for histree; made by 'histree completion fish'\n"
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
		"# the store, and after it the analyses that are given and that it has not, or else its segments\n"
		"function __histree_analyses\n"
		"\tfor word in (commandline -opc)[3..-1]\n"
		"\t\ttest -d $word; or continue\n"
		"\t\tset -l segments\n"
		"\t\tset -l there\n"
		"\t\tfor file in $word/*.seg $word/hosts/*/*.seg\n"
		"\t\t\tset -a segments (string replace -r '.*/(.*)\\.seg' '$1' $file)\n"
		"\t\tend\n"
		"\t\tfor file in $word/*.sht $word/hosts/*/*.sht\n"
		"\t\t\tset -a there (string replace -r '.*/(.*)\\.sht' '$1' $file)\n"
		"\t\tend\n"
		"\t\tset -q argv[1]; or string join \\n $segments\n"
		"\t\tfor name in $argv\n"
		"\t\t\tcontains -- $name $segments $there; or echo $name\n"
		"\t\tend\n"
		"\t\treturn\n"
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

/* ---- completion zsh ------------------------------------------------------------------------------------------ */

static void completion_zsh_print_offer(struct output *output, enum cli_complete complete,
				       const char *const *choices)
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

static void completion_zsh_print_options(struct output *output, const struct cli_verb *verb)
{
	output_format(output, "\t%s:-*) compadd -- ", verb->name);
	struct cli_option all[CLI_OPTIONS_MAX + 1];
	const size_t count = cli_options_of(verb, all);
	for (size_t i = 0; i < count; i++)
		if (all[i].help != NULL)
			output_format(output, "--%s ", all[i].name);
	output_text(output, "--help ;;\n");
}

static void completion_print_zsh(struct output *output)
{
	output_text(
		output,
		"#compdef histree\n"
		"# zsh completion for histree; made by 'histree completion zsh'\n"
		"\n"
		"# the store, and after it the paths of its attributes\n"
		"_histree_attributes()\n"
		"{\n"
		"\tlocal at\n"
		"\tlocal -a found\n"
		"\tfor ((at = 3; at < CURRENT; at++)); do\n"
		"\t\tif [[ -d ${words[at]} ]]; then\n"
		"\t\t\tfound=(${(f)\"$(histree ls --format tsv ${words[at]} \"$PREFIX*\" \\\n"
		"\t\t\t\t2>/dev/null | sed 1d | cut -f 2 | head -n 500)\"})\n"
		"\t\t\tcompadd -- $found\n"
		"\t\t\treturn\n"
		"\t\tfi\n"
		"\tdone\n"
		"\t_files\n"
		"}\n"
		"\n"
		"# the store, and after it the analyses that are given and that it has not, or else its segments\n"
		"_histree_analyses()\n"
		"{\n"
		"\tlocal at file name\n"
		"\tlocal -a there offered\n"
		"\tfor ((at = 3; at < CURRENT; at++)); do\n"
		"\t\t[[ -d ${words[at]} ]] || continue\n"
		"\t\tfor file in ${words[at]}/{,hosts/*/}*.{seg,sht}(N); do\n"
		"\t\t\tthere+=(${file:t:r})\n"
		"\t\t\t[[ $file == *.seg && $# == 0 ]] && offered+=(${file:t:r})\n"
		"\t\tdone\n"
		"\t\tfor name in \"$@\"; do\n"
		"\t\t\t((${there[(Ie)$name]})) || offered+=($name)\n"
		"\t\tdone\n"
		"\t\tcompadd -- $offered\n"
		"\t\treturn\n"
		"\tdone\n"
		"\t_files\n"
		"}\n"
		"\n"
		"_histree()\n"
		"{\n"
		"\tlocal before=${words[CURRENT-1]} verb=${words[2]}\n"
		"\tif ((CURRENT == 2)); then\n"
		"\t\tcompadd -- ");
	completion_print_verbs(output);
	output_text(output, " --help --version\n"
			    "\t\treturn\n"
			    "\tfi\n"
			    "\tif [[ $PREFIX == --*=* ]]; then # --option=word is one word\n"
			    "\t\tbefore=${PREFIX%%=*}\n"
			    "\t\tcompset -P '*='\n"
			    "\tfi\n"
			    "\tcase $verb:$before in\n");
	completion_print_cases(output, completion_zsh_print_offer);
	output_text(output, "\tesac\n"
			    "\tcase $verb:$PREFIX in\n");
	for (const struct cli_verb *const *verb = cli_verbs; *verb != NULL; verb++) {
		completion_zsh_print_options(output, *verb);
		output_format(output, "\t%s:*) ", (*verb)->name);
		completion_zsh_print_offer(output, (*verb)->complete, NULL);
		output_text(output, " ;;\n");
	}
	output_text(output, "\tesac\n"
			    "}\n"
			    "\n"
			    "# read by 'source', or called as a function that compinit found\n"
			    "if [[ $funcstack[1] == _histree ]]; then\n"
			    "\t_histree \"$@\"\n"
			    "elif ((${+functions[compdef]})); then\n"
			    "\tcompdef _histree histree\n"
			    "fi\n");
}

/* ---- verb completion ----------------------------------------------------------------------------------------- */

static const char *const shells[] = { "bash", "zsh", "fish", NULL };

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

/* Print the cases VERB:OPTION of a script for bash or zsh, for all options that have an argument. */
static void completion_print_cases(struct output *output, completion_offer *print_offer)
{
	for (const struct cli_verb *const *verb = cli_verbs; *verb != NULL; verb++)
		print_cases_of(output, *verb, print_offer);
}

static const struct cli_option options[] = { { 0 } };

static int completion_run(void *said, const struct cli_words *words)
{
	(void)said;
	static void (*const print[])(struct output *) = { completion_print_bash, completion_print_zsh,
							  completion_print_fish };
	size_t shell = 0;
	while (shells[shell] != NULL && strcmp(words->words[0], shells[shell]) != 0)
		shell++;
	if (shells[shell] == NULL)
		return report_exit(CLI_USAGE, "no completion for '%s'; there is one for bash, zsh and fish",
				   words->words[0]);
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
	.run = completion_run,
};
