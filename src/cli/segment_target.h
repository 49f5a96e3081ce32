/* SPDX-License-Identifier: MIT */
/*
 * segment_target.h - what the verbs that read segments share: the words STORE and ANALYSIS, the options that choose
 * segments, and what these name.
 */
#ifndef CLI_SEGMENT_TARGET_H
#define CLI_SEGMENT_TARGET_H

#include "cli/option.h"
#include "cli/row_writer.h"
#include "cli/target.h"
#include "cli/thread_lives.h"
#include "cli/time_option.h"
#include "histree/segment_filter.h"

struct segment_options {
	const char *from, *to, *where;
	const char *from_name, *to_name; /* of the options; NULL: from, to */
	const char *host, *host_name;    /* take only segments of this host, and the option's name; NULL: of all */
};

/* Their rows in the table of a verb; `at` is the struct segment_options in the verb's own. */
#define CLI_OPTIONS_SEGMENTS(type, at)                                                                           \
	CLI_OPTION_SEGMENTS("from", "TIME", type, at.from, "take only segments that end at this time or later"), \
		CLI_OPTION_SEGMENTS("to", "TIME", type, at.to,                                                   \
				    "take only segments that begin at this time or "                             \
				    "earlier"),                                                                  \
		CLI_OPTION_SEGMENTS("where", "EXPR", type, at.where,                                             \
				    "take only segments that pass, as in 'duration > 1ms && name == futex'")
#define CLI_OPTION_SEGMENTS(text, of, type, at, means)                                                      \
	{                                                                                                   \
		.name = text, .argument = of, .kind = CLI_TEXT, .member = offsetof(type, at), .help = means \
	}

struct segment_target {
	struct target target;
	struct histree_segment_store *store;
	struct histree_segment_filter *filter; /* NULL: none */
	struct time_span span;                 /* of the trace; of a single file, of its segments */
	struct histree_segment_query query;    /* the window of --from and --to, with the filter of --where */
	const char *host;                      /* of a store of several; NULL: of all */
	struct histree_history *history;       /* that says whose a number was; NULL: not needed, or not there */
	struct thread_lives lives;
	/* For a field of groups with numbers that several threads had one after another. */
	struct {
		size_t host;
		bool are_at_end;                   /* the number is of who had it when the segment ended */
		char text[THREAD_LIVES_NAME_SIZE]; /* of the last group */
	} groups;
};

/* What failed is reported on standard error.  Call segment_target_close() even after failure. */
enum cli_exit segment_target_open(struct segment_target *target, const struct cli_words *words,
				  const struct segment_options *options);

void segment_target_close(struct segment_target *target);

/* Finds the index of a field.  An unknown name is reported on standard error, with the names that there are. */
enum cli_exit segment_target_field(const struct segment_target *target, const char *option, const char *name,
				   size_t *field);

/*
 * Finds the field of '--by', whose values are the groups of the query.  Of a thread number that was used again
 * there is a group for each thread that had it, as far as the store has states of the threads of one host.
 */
enum cli_exit segment_target_groups(struct segment_target *target, const char *name, size_t *field);

/*
 * Finds the field of '--by' and, if its values are numbers of threads, reads when these were whose, on all hosts:
 * segment_target_thread() then says which thread a segment is of.
 */
enum cli_exit segment_target_threads(struct segment_target *target, const char *name, size_t *field);

/* Returns the thread that had a number of a segment of a host; NULL: it was not used again, or nobody knows. */
const struct histree_thread *segment_target_thread(const struct segment_target *target, size_t host,
						   const struct histree_segment *segment,
						   const struct histree_value *number);

/* Returns the column of a field, wide enough in text for what most have in it, and for its name. */
struct row_column segment_target_column(const struct histree_segment_schema *schema, size_t field);

/* Reports on standard error that segments are missing in the output.  Returns what to exit with. */
enum cli_exit segment_target_report_loss(const struct histree_segment_store *store,
					 const struct histree_segment_loss *loss);

/*
 * Returns what to exit with after an answer about all segments that pass an expression, or NULL.  A `loss`, unless
 * NULL, is reported.
 */
enum cli_exit segment_target_judge(const struct histree_segment_store *store,
				   const struct histree_segment_loss *loss, bool found_some, const char *where);

#endif
