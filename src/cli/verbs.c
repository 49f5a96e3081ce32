// SPDX-License-Identifier: MIT
#include "cli/verb.h"

#include <string.h>
#include <unistd.h>

#include "base/nearest.h"

const struct cli_verb *const cli_verbs[] = {
	&verb_build,  &verb_info,    &verb_ls,       &verb_query,         &verb_dump,    &verb_load,
	&verb_draw,   &verb_export,  &verb_numbers,  &verb_critical_path, &verb_why,     &verb_top,
	&verb_flame,  &verb_report,  &verb_segments, &verb_stats,         &verb_compare, &verb_density,
	&verb_join,   &verb_events,  &verb_sync,     &verb_sql,           &verb_serve,   &verb_verify,
	&verb_repair, &verb_convert, &verb_rebuild,  &verb_analyses,      &verb_bench,   &verb_completion,
	&verb_help,   NULL,
};

const struct cli_verb *cli_verb_find(const char *name)
{
	struct nearest nearest = nearest_begin(name);
	for (const struct cli_verb *const *verb = cli_verbs; *verb != NULL; verb++) {
		if (strcmp((*verb)->name, name) == 0)
			return *verb;
		nearest_offer(&nearest, (*verb)->name);
	}
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

int cli_end(struct output *output, int status)
{
	int failure = output_free(output);
	if (failure != 0)
		return report_exit(CLI_INPUT, "cannot write to standard output: %s", strerror(failure));
	return status;
}
