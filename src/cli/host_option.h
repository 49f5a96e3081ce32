/* SPDX-License-Identifier: MIT */
/*
 * host_option.h - the options that name hosts and say their clocks; one host of a store of several, and those that
 * it lacks.
 */
#ifndef CLI_HOST_OPTION_H
#define CLI_HOST_OPTION_H

#include "cli/option.h"
#include "cli/report.h"
#include "cli/target.h"
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

/*
 * Finds the history of the host that an option names; it lives as long as the union.  A fault is reported on
 * standard error: the store is of one host, has no host of that name, or has lost it.
 */
enum cli_exit host_part_history(const struct target *target, struct histree_history *history, const char *option,
				const char *host, struct histree_history **out);

/* Checks that a segment store has a host of that name; missing segments are left to the reader of its segments. */
enum cli_exit host_part_segments(const struct target *target, const struct histree_segment_store *store,
				 const char *option, const char *host);

/* Returns the condition that the host is this one, as an expression has it; to be freed.  NULL without memory. */
char *host_part_condition(const char *host);

/* Returns what to call a picture of a store, or of one host of it, unless that is NULL; to be freed. */
char *host_part_title(const char *path, const char *host);

/* Reports each host whose history is missing.  Returns CLI_INPUT if there is one. */
enum cli_exit host_part_missing(const struct histree_history *history);

/* Says that a history is damaged, after which hosts are missing of it.  Returns CLI_INPUT. */
enum cli_exit host_part_damaged(const struct histree_history *history);

#endif
