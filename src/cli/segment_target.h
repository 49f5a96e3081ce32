/* SPDX-License-Identifier: MIT */
/*
 * segment_target.h - what the verbs that read segments share: the words STORE and ANALYSIS, the options that choose
 * segments, and what these name.
 */
#ifndef CLI_SEGMENT_TARGET_H
#define CLI_SEGMENT_TARGET_H

#include "cli/option.h"
#include "cli/report.h"
#include "cli/row_writer.h"
#include "cli/target.h"
#include "cli/thread_lives.h"
#include "cli/thread_words.h"
#include "histree/segment_stats.h"

struct segment_target {
	struct target target;
	struct histree_segment_store *store;
	struct histree_segment_filter *filter; /* NULL: none */
	struct time_span span;                 /* of the trace; of a single file, of its segments */
	struct histree_segment_query query;    /* the window of --from and --to, with the filter of --where */
	const char *host;                      /* of a store of several; NULL: of all */
	struct histree_history *history;       /* that says whose a number was; NULL: not needed, or not there */
	struct thread_lives lives;
	struct thread_words threads;     /* of --thread */
	size_t thread_field, host_field; /* of the segments; SIZE_MAX: there is one host */
	size_t process_field;            /* of spans; else SIZE_MAX */
	/* For a field of groups with numbers that several threads had one after another. */
	struct {
		size_t host;
		bool are_at_end;                   /* the number is of who had it when the segment ended */
		char text[THREAD_LIVES_NAME_SIZE]; /* of the last group */
	} groups;
};

/*
 * Opens the segments of an analysis as a question wants them: its times, host and expression.  What failed is
 * reported on standard error.  Call segment_target_close() even after failure.
 */
enum cli_exit segment_target_open(struct segment_target *target, const char *path, const char *analysis,
				  const struct cli_question *question);

/*
 * Returns the analysis that a command line STORE [ANALYSIS] names by its second word or by -a; NULL: none, or two,
 * which is reported.
 */
const char *segment_target_analysis(const struct cli_words *words, const struct cli_question *question);

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
 * Finds the field of an option and, if its values are numbers of threads, reads when these were whose, on all
 * hosts: segment_target_thread() then says which thread a segment is of.
 */
enum cli_exit segment_target_threads(struct segment_target *target, const char *option, const char *name,
				     size_t *field);

/* Returns the thread that had a number of a segment of a host; NULL: it was not used again, or nobody knows. */
const struct histree_thread *segment_target_thread(const struct segment_target *target, size_t host,
						   const struct histree_segment *segment,
						   const struct histree_value *number);

/* Returns the column of a field, wide enough in text for what most have in it, and for its name. */
struct row_column segment_target_column(const struct histree_segment_schema *schema, size_t field);

/* Reports on standard error that segments are missing in the output.  Returns what to exit with. */
enum cli_exit segment_target_report_loss(const struct histree_segment_store *store,
					 const struct histree_loss *loss);

/* The same of all that a cursor lost. */
enum cli_exit segment_target_report_losses(const struct histree_segment_store *store,
					   const struct histree_cursor *cursor);

/*
 * Returns what to exit with after an answer about all segments that pass an expression, or NULL.  A loss is
 * reported.
 */
enum cli_exit segment_target_judge(const struct histree_segment_store *store, struct histree_loss loss,
				   bool found_some, const char *where);

#endif
