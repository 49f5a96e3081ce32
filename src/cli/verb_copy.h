/* SPDX-License-Identifier: MIT */
/*
 * verb_copy.h - what `copy` can be asked besides a copy: a store is repaired, or built again.
 */
#ifndef CLI_VERB_COPY_H
#define CLI_VERB_COPY_H

#include <stdbool.h>

#include "cli/option.h"
#include "cli/tree_option.h"

/* What a store is built again with, or what is added to it. */
struct rebuild_options {
	struct cli_texts traces, definitions, symbols;
	const char *progress;
	bool quiet;
};

/* Rows of both tables; `in` is the member with a point, or nothing. */
#define CLI_OPTIONS_REBUILD(type, in)                                                                          \
	{ .name = "define",                                                                                    \
	  .letter = 'x',                                                                                       \
	  .argument = "FILE",                                                                                  \
	  .kind = CLI_TEXTS,                                                                                   \
	  .member = offsetof(type, in definitions),                                                            \
	  .complete = CLI_COMPLETE_PATH,                                                                       \
	  .help = "take definitions of analyses that are not built in from FILE, or from the files of a "      \
		  "folder, as 'build -x' does" },                                                              \
		CLI_OPTION_PAIR(type, in),                                                                     \
		{ .name = "symbols",                                                                           \
		  .argument = "PLACE",                                                                         \
		  .kind = CLI_TEXTS,                                                                           \
		  .member = offsetof(type, in symbols),                                                        \
		  .complete = CLI_COMPLETE_PATH,                                                               \
		  .help = "look for names of functions in PLACE, as 'build --symbols' does, instead of where " \
			  "the build did" },                                                                   \
	{                                                                                                      \
		.name = "quiet", .letter = 'q', .kind = CLI_FLAG, .member = offsetof(type, in quiet),          \
		.help = "print only errors and warnings"                                                       \
	}

/* Adds the segments of a pair of events to a store, and prints only what is wrong. */
enum cli_exit add_pair(const char *store, const char *pair);

struct copy_options {
	struct cli_question question;
	struct tree_options tree;
	struct rebuild_options again;
	const char *output, *progress;
	bool force, no_overviews, repair, rebuild;
};

int copy_repair_run(void *said, const struct cli_words *words);
int copy_rebuild_run(void *said, const struct cli_words *words);

#endif
