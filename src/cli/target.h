/* SPDX-License-Identifier: MIT */
/*
 * target.h - what a STORE on the command line names: the folder of a store, or one history file; the options that
 * name hosts and say their clocks.
 */
#ifndef CLI_TARGET_H
#define CLI_TARGET_H

#include "cli/option.h"
#include "cli/report.h"
#include "cli/row_writer.h"
#include "histree/build.h"
#include "histree/store.h"

struct target {
	char *path;                  /* without slashes at the end */
	struct histree_store *store; /* NULL: the path is that of a history file */
};

/* Opens a store; the caller closes it. */
typedef enum histree_status target_opener(void *context, const char *path, struct histree_store **out,
					  struct histree_error *error);

/* From now on stores are opened by this function, as ranks do that answer for parts.  NULL: from their folder. */
void target_set_opener(target_opener *opener, void *context);

/* Opens a store as it was set. */
enum histree_status target_open_store(void *unused, const char *path, struct histree_store **out,
				      struct histree_error *error);

/*
 * Opens the store.  Of a history file, this only checks that it exists.  Call target_close() even after failure.
 */
enum histree_status target_open(struct target *target, const char *path, struct histree_error *error);

/*
 * Opens the history of an analysis (NULL: the default), or the history file itself, which must then be of that
 * analysis.  With `any_version`, a history that an older version of its analysis made is opened too.
 */
enum histree_status target_history(const struct target *target, const char *analysis, bool any_version,
				   struct histree_history **out, struct histree_error *error);

/* Opens the segment store of an analysis, or the file itself, which must then be a segment store. */
enum histree_status target_segments(const struct target *target, const char *analysis, bool any_version,
				    struct histree_segment_store **out, struct histree_error *error);

/* Opens them where the store has them; NULL: it has not, and the caller can do without. */
struct histree_segment_store *target_segments_if_any(const struct target *target, const char *analysis);

/*
 * Returns what the store says about the segments of an analysis; NULL if it has no such segments, or is a single
 * file.
 */
const struct histree_store_segments *target_find_segments(const struct target *target, const char *analysis);

/* Returns whether the store says that it has a history of this analysis. */
bool target_has_history(const struct target *target, const char *analysis);

/* Returns whether the store at a path has segments of this analysis; false, too, if it cannot be opened. */
bool target_is_of_segments(const char *path, const char *analysis);

/* Returns whether an analysis is a pair of events (histree-analysis(5)); segment_target_open() adds it. */
bool target_is_pair(const char *analysis);

/* Opens a history however damaged it is, as far as histree_open_options.salvage goes. */
enum histree_status target_salvage(const struct target *target, const char *analysis, struct histree_history **out,
				   struct histree_error *error);

/*
 * Warns on standard error if this histree has another version of an analysis than the one that made a history or a
 * segment store: the states may differ from those that it would make. `version` is that of the file; if the
 * manifest of the store has one, that counts.
 */
void target_warn_of_version(const struct target *target, const char *analysis, uint32_t version);

/*
 * Returns the name of the only host of a store: as given to the build, else as its trace is called; NULL if memory
 * runs out.  The caller frees it.
 */
char *target_host_name(const struct target *target);

/* Warns on standard error which events an analysis lacks, as the build found: its answers say little. */
void target_say_missing(const struct target *target, const char *analysis);

/* Repeats the warnings of the build that have a text in them, with what else is to be said; "": nothing. */
void target_say_warnings(const struct target *target, const char *text, const char *more);
void target_close(struct target *target);

/*
 * Opens the target and its history, for verbs that read one history.  What failed is reported on standard error,
 * and so is that another version of its analysis made it.
 */
enum cli_exit target_open_history(struct target *target, const char *path, const char *analysis,
				  struct histree_history **out);

struct host_options {
	struct cli_texts hosts, clocks; /* "NAME=DIR"; "none", "packets" or "HOST=OFFSET[,SLOPE]" */
	const char *reference;
};

/* Their rows in the table of a verb; `at` is the struct host_options in the verb's own. */
#define CLI_OPTIONS_HOST(type, at)                                                                                 \
	{ .name = "host-dir",                                                                                      \
	  .argument = "NAME=DIR",                                                                                  \
	  .old = "host",                                                                                           \
	  .kind = CLI_TEXTS,                                                                                       \
	  .member = offsetof(type, at.hosts),                                                                      \
	  .complete = CLI_COMPLETE_PATH,                                                                           \
	  .help = "treat the traces at and below DIR as those of this host, whatever they call it; may be given "  \
		  "for several hosts, and several times for one" },                                                \
		{ .name = "clock",                                                                                 \
		  .argument = "HOW",                                                                               \
		  .kind = CLI_TEXTS,                                                                               \
		  .member = offsetof(type, at.clocks),                                                             \
		  .help = "find the clocks of hosts from the packets between them (packets), leave times as they " \
			  "are (none), or take those of one host times SLOPE plus OFFSET ns "                      \
			  "(HOST=OFFSET[,SLOPE]); default: packets" },                                             \
	{                                                                                                          \
		.name = "reference", .argument = "HOST", .kind = CLI_TEXT, .member = offsetof(type, at.reference), \
		.help = "convert all times to the clock of this host; default: the first host"                     \
	}

/* The options as a build takes them; host_choice_release() also after failure. */
struct host_choice {
	struct histree_build_host *hosts;
	size_t host_count;
	struct histree_build_clock *clocks;
	size_t clock_count;
	bool no_clocks;
	const char *reference; /* of a store that is built again; on the command line it is in the options */
	char **texts;          /* that the lists point to */
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

/* Checks that segments have a host of that name; what is missing is left to the reader of segments. */
enum cli_exit host_part_segments(const struct target *target, const struct histree_segment_store *store,
				 const char *option, const char *host);

/* Gets the history that a question is about: of --host, or all of it. */
enum cli_exit host_part_of_question(const struct target *target, struct histree_history *history,
				    const struct cli_question *question, struct histree_history **out);

/* Cuts a range to what a host recorded; that it recorded nothing in it is reported. */
enum cli_exit host_part_cut(const char *host, histree_time start, histree_time end, histree_time *from,
			    histree_time *to);

/* The store of one host, as `path` of it, and the times of a question about it. */
struct host_store {
	char *path;
	char from[24], to[24];
};

/*
 * Turns a question about one host of a store into one about the host's own store, which is asked like any other:
 * its times, which are relative to all hosts, become numbers, cut to what the host recorded.  A question without
 * --host stays as it is.  The texts are those of *host; host_store_release() after success.
 */
enum cli_exit host_store_of_question(struct cli_question *question, const char *path, struct host_store *host);
void host_store_release(struct host_store *host);

/* Returns an expression and the condition that the host is this one; to be freed.  NULL without memory. */
char *host_part_where(const char *host, const char *where);

/* Returns the condition that the host is this one, as an expression has it; to be freed.  NULL without memory. */
char *host_part_condition(const char *host);

/* Returns what to call a picture of a store, or of one host of it, unless that is NULL; to be freed. */
char *host_part_title(const char *path, const char *host);

/* Reports each host whose history is missing.  Returns CLI_INPUT if there is one. */
enum cli_exit host_part_missing(const struct histree_history *history);

/* Says that a history is damaged, after which hosts are missing of it.  Returns CLI_INPUT. */
enum cli_exit host_part_damaged(const struct histree_history *history);

/*
 * Print the charts of the history of an analysis, or of all histories of the store if that is NULL.  Returns the
 * exit status: CLI_NOTHING if there are no charts.
 */
int chart_rows_print(const struct target *target, const struct cli_question *question);

/*
 * Finds the first history of the store that has the chart, and writes the name of its analysis, which lives as long
 * as the target; NULL: none has it, or the target is a single file.
 */
enum cli_exit chart_rows_find(const struct target *target, const char *chart, const char **analysis);

/*
 * Raises the limit on open files as far as the system allows.  Shells begin with 1,024, for the sake of programs
 * that call select(), and the clocks of several hosts are found with all streams of all of them open: those of 500
 * hosts with 8 processors are 4,000.
 */
void open_files_allow_all(void);

#endif
