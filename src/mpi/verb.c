// SPDX-License-Identifier: MIT
#include "mpi/verb.h"

#include <stdlib.h>
#include <unistd.h>

void rank_add_options(struct cli_option *all, size_t max, const struct cli_option *one,
		      const struct cli_option *other)
{
	size_t count = 0;
	for (; one->name != NULL && count + 1 < max; one++)
		all[count++] = *one;
	for (; other->name != NULL && count + 1 < max; other++)
		all[count++] = *other;
	all[count] = (struct cli_option){ 0 };
}

bool rank_begin(const struct cli_verb *verb, int argc, char **argv, void *values, struct cli_words *words,
		int *status)
{
	if (launcher_rank() <= 0)
		return cli_begin(verb, argc, argv, values, words, status);
	FILE *nowhere = fopen("/dev/null", "w");
	enum cli_parsed parsed = nowhere != NULL ? cli_parse(verb, argc, argv, values, words, nowhere) : CLI_WRONG;
	if (nowhere != NULL)
		fclose(nowhere);
	*status = parsed == CLI_HELP ? CLI_OK : CLI_USAGE;
	return parsed == CLI_PARSED;
}

bool rank_link(struct link *link, int *argc, char ***argv, struct roll_call *first, int *status)
{
	if (!link_begin(link, argc, argv)) {
		*status = report_exit(CLI_INTERNAL, "MPI does not begin, or not with threads");
		return false;
	}
	*status = CLI_INPUT;
	return roll_call(link, first);
}

int rank_end(struct link *link, int status)
{
	link_end(link);
	return link->rank == 0 ? status : CLI_OK;
}
