// SPDX-License-Identifier: MIT
#include "cli/completion.h"

/* Print the command of the script that offers what an argument can be. */
static void print_offer(struct output *output, enum cli_complete complete, const char *const *choices)
{
	if (complete == CLI_COMPLETE_NOTHING && choices == NULL) {
		output_char(output, ':');
	} else if (complete == CLI_COMPLETE_PATH) {
		output_text(output, "_histree_offer -f");
	} else if (complete == CLI_COMPLETE_ATTRIBUTE) {
		output_text(output, "_histree_attributes");
	} else {
		output_text(output, complete == CLI_COMPLETE_ANALYSES ? "_histree_list '" : "_histree_offer -W '");
		completion_print_words(output, complete, choices);
		output_char(output, '\'');
	}
}

static void print_options(struct output *output, const struct cli_verb *verb)
{
	output_format(output, "\t%s:-*) _histree_offer -W '", verb->name);
	for (const struct cli_option *option = verb->options; option->name != NULL; option++)
		output_format(output, "--%s ", option->name);
	output_text(output, "--help' ;;\n");
}

void completion_print_bash(struct output *output)
{
	output_text(output, "# bash completion for histree; made by 'histree completion bash'\n"
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
	completion_print_cases(output, print_offer);
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
