/* SPDX-License-Identifier: MIT */
/*
 * host_option.h - the options that name hosts and say their clocks.
 */
#ifndef CLI_HOST_OPTION_H
#define CLI_HOST_OPTION_H

#include "cli/option.h"
#include "cli/report.h"
#include "histree/build.h"

struct host_options {
	struct cli_texts hosts, clocks; /* "NAME=DIR"; "none", "packets" or "HOST=OFFSET[,SLOPE]" */
	const char *reference;
};

/* Their rows in the table of a verb; `at` is the struct host_options in the verb's own. */
#define CLI_OPTIONS_HOST(type, at)                                                                                 \
	{ .name = "host",                                                                                          \
	  .argument = "NAME=DIR",                                                                                  \
	  .kind = CLI_TEXTS,                                                                                       \
	  .member = offsetof(type, at.hosts),                                                                      \
	  .complete = CLI_COMPLETE_PATH,                                                                           \
	  .help = "take the traces at and below DIR for those of this host, whatever they call it; may be given "  \
		  "for "                                                                                           \
		  "several hosts, and several times for one" },                                                    \
		{ .name = "clock",                                                                                 \
		  .argument = "HOW",                                                                               \
		  .kind = CLI_TEXTS,                                                                               \
		  .member = offsetof(type, at.clocks),                                                             \
		  .help = "find the clocks of hosts from the packets between them (packets), leave times as they " \
			  "are (none), or take those of one host times SLOPE plus OFFSET ns "                      \
			  "(HOST=OFFSET[,SLOPE]); default: packets" },                                             \
	{                                                                                                          \
		.name = "reference", .argument = "HOST", .kind = CLI_TEXT, .member = offsetof(type, at.reference), \
		.help = "take the time of this host as that of all; default: the first one"                        \
	}

/* The options as a build takes them; host_choice_release() also after failure. */
struct host_choice {
	struct histree_build_host *hosts;
	size_t host_count;
	struct histree_build_clock *clocks;
	size_t clock_count;
	bool no_clocks;
	char **texts; /* that the lists point to */
	size_t text_count;
};

/* `map` is that of tables of text, or NULL. */
enum cli_exit host_choice_read(struct host_choice *choice, const struct host_options *options, const char *map);
void host_choice_release(struct host_choice *choice);

#endif
