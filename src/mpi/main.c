// SPDX-License-Identifier: MIT
/*
 * main.c - the program `histree-mpi`: builds and questions that many machines share.
 */
#include <string.h>
#include <unistd.h>

#include "cli/open_files.h"
#include "histree/status.h"
#include "mpi/verbs.h"

static const struct cli_verb *const verbs[] = { &build_verb, &serve_verb, NULL };

static int print_help(void)
{
	static const char *const of_faces[] = { "query", "events", "segments", "stats", "top", "sql", NULL };
	struct face face;
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	output_text(output, "usage: mpirun [-n RANKS] histree-mpi VERB [OPTION]... ARGUMENT...\n"
			    "\n"
			    "Build and ask stores by the ranks of an MPI job.\n"
			    "\n");
	for (const struct cli_verb *const *verb = verbs; *verb != NULL; verb++)
		output_format(output, "  %-12s %s\n", (*verb)->name, (*verb)->summary);
	for (const char *const *name = of_faces; *name != NULL; name++)
		if (face_find(&face, *name))
			output_format(output, "  %-12s %s\n", face.verb.name, face.verb.summary);
	output_text(output, "\n"
			    "'histree-mpi VERB --help' says more, as does the manual: histree-mpi(1).\n"
			    "'histree-mpi --version' prints the version.\n");
	return cli_end(output, CLI_OK);
}

static int print_version(void)
{
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	output_format(output, "histree-mpi %s\n", histree_version());
	return cli_end(output, CLI_OK);
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	bool speaks = launcher_rank() <= 0;
	report_set_program("histree-mpi");
	open_files_allow_all();
	for (const struct cli_verb *const *verb = verbs; *verb != NULL; verb++)
		if (strcmp((*verb)->name, word) == 0)
			return (*verb)->run(*verb, argc - 1, argv + 1);
	struct face face;
	if (face_find(&face, word))
		return face_run(argc - 1, argv + 1);
	if (!speaks)
		return CLI_OK;
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
		return print_version();
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
		return print_help();
	return report_exit(CLI_USAGE, "%s%s%s; see 'histree-mpi --help'",
			   argc > 1 ? "there is no verb '" : "needs a verb", word, argc > 1 ? "'" : "");
}
