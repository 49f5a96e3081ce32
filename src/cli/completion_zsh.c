// SPDX-License-Identifier: MIT
#include "cli/completion.h"

static void print_offer(struct output *output, enum cli_complete complete, const char *const *choices)
{
	if (complete == CLI_COMPLETE_NOTHING && choices == NULL) {
		output_char(output, ':');
	} else if (complete == CLI_COMPLETE_PATH) {
		output_text(output, "_files");
	} else if (complete == CLI_COMPLETE_ATTRIBUTE) {
		output_text(output, "_histree_attributes");
	} else {
		output_text(output, complete == CLI_COMPLETE_ANALYSES ? "compset -P '*,'; compadd -S '' -- "
								      : "compadd -- ");
		completion_print_words(output, complete, choices);
	}
}

static void print_options(struct output *output, const struct cli_verb *verb)
{
	output_format(output, "\t%s:-*) compadd -- ", verb->name);
	for (const struct cli_option *option = verb->options; option->name != NULL; option++)
		output_format(output, "--%s ", option->name);
	output_text(output, "--help ;;\n");
}

void completion_print_zsh(struct output *output)
{
	output_text(output, "#compdef histree\n"
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
	completion_print_cases(output, print_offer);
	output_text(output, "\tesac\n"
			    "\tcase $verb:$PREFIX in\n");
	for (const struct cli_verb *const *verb = cli_verbs; *verb != NULL; verb++) {
		print_options(output, *verb);
		output_format(output, "\t%s:*) ", (*verb)->name);
		print_offer(output, (*verb)->complete, NULL);
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
