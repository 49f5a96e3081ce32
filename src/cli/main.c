// SPDX-License-Identifier: MIT
/*
 * main.c - the command `histree`: find the verb and run it.
 */
#include <string.h>
#include <unistd.h>

#include "cli/open_files.h"
#include "cli/verb.h"
#include "histree/status.h"

static int print_version(void)
{
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	output_format(output, "histree %s\n", histree_version());
	return cli_end(output, CLI_OK);
}

int main(int argc, char **argv)
{
	open_files_allow_all();
	if (argc < 2)
		return report_exit(CLI_USAGE, "needs a verb, like 'histree build TRACE'; see 'histree help'");
	const char *word = argv[1];
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
		return print_version();
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		word = "help";
	else if (word[0] == '-')
		return report_exit(CLI_USAGE, "unknown option '%s' before the verb; see 'histree help'", word);
	const struct cli_verb *verb = cli_verb_find(word);
	return verb == NULL ? CLI_USAGE : verb->run(verb, argc - 1, argv + 1);
}
