/* SPDX-License-Identifier: MIT */
/*
 * verb.h - the verbs of the command, and what each of them begins with.
 */
#ifndef CLI_VERB_H
#define CLI_VERB_H

#include "cli/option.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/row_writer.h"

extern const struct cli_verb verb_states, verb_segments, verb_events, verb_top, verb_why, verb_flame, verb_compare,
	verb_report, verb_sql, verb_draw, verb_serve, verb_mcp, verb_export, verb_build, verb_add, verb_load,
	verb_copy, verb_sync, verb_info, verb_verify, verb_bench, verb_completion, verb_help;

/* All verbs, in the order of the help; NULL at the end. */
extern const struct cli_verb *const cli_verbs[];

/* Returns NULL if no verb has that name, and had none. */
const struct cli_verb *cli_verb_named(const char *name);

/* Returns NULL if no verb has that name, and reports that on standard error, with the nearest name. */
const struct cli_verb *cli_verb_find(const char *name);

/* Reads the command line of a verb, argv[0] being its name, and runs it.  Returns the exit status. */
int cli_run(const struct cli_verb *verb, int argc, char **argv);

/*
 * Reads the command line of a verb.  Returns false if the verb is done, because --help was printed or an error was
 * reported; *status is then what to exit with.
 */
bool cli_begin(const struct cli_verb *verb, int argc, char **argv, void *values, struct cli_words *words,
	       int *status);

/* Prints the help of one verb; if it is NULL, that of the command. */
void help_print(struct output *output, const struct cli_verb *verb);

/* Rows that several tables share */
#define CLI_OPTION_PAIR(type, in)                                                                                  \
	{                                                                                                          \
		.name = "pair", .argument = "PAIR", .kind = CLI_TEXTS, .member = offsetof(type, in definitions),   \
		.help = "make segments of two events: 'NAME = EVENT [where EXPR] -> EVENT [where EXPR] by FIELD, " \
			"... "                                                                                     \
			"[as NAME] [with FIELDS]' is an analysis, as those of '--define' are"                      \
	}
#define CLI_OPTION_FORCE(type, text)                                                                            \
	{                                                                                                       \
		.name = "force", .letter = 'f', .kind = CLI_FLAG, .member = offsetof(type, force), .help = text \
	}
#endif
