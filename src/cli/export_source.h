/* SPDX-License-Identifier: MIT */
/*
 * export_source.h - what is exported: states of a history, segments of a store, or events; and its columns, as
 * Arrow streams.
 */
#ifndef CLI_EXPORT_SOURCE_H
#define CLI_EXPORT_SOURCE_H

#include "cli/attribute_list.h"
#include "cli/target.h"
#include "histree/columns.h"
#include "histree/events.h"
#include "histree/states.h"

struct export_choice {
	const struct cli_question *question;
	const char *segments; /* NULL: states, or what the analysis has */
	bool events;
	bool for_viewer; /* names and arrows are wanted, too */
};

struct export_source {
	struct target *target; /* `own`, or that of the segments */
	struct target own;
	histree_time from, to, origin;
	histree_time trace_end; /* of events */

	/* One of the three is not NULL. */
	struct histree_history *history;
	struct histree_segment_store *segments; /* of `chosen` */
	struct histree_events *events;

	struct segment_target chosen;
	histree_quark *quarks; /* ascending; NULL: all */
	size_t quark_count;
	const char *where; /* of states and events; NULL: all of them */
	bool lacks_some;   /* a pattern matched nothing, which was said */

	/* For viewers. */
	struct histree_history *names;
	struct histree_segment_store *wakeups, *flows;
};

/* Opens it.  What failed is reported.  Call export_source_close() even after failure. */
enum cli_exit export_source_open(struct export_source *source, const struct cli_words *words,
				 const struct export_choice *choice);
void export_source_close(struct export_source *source);

/*
 * Opens a stream of the rows to export, with the columns of a list of names, "path,start,value", or if that is
 * NULL, with those of the bits, 0 for all.  *rows becomes roughly the number of rows.
 */
enum histree_status export_columns_open(const struct export_source *source, uint64_t columns, const char *names,
					const struct histree_work *cancel, struct ArrowArrayStream *out,
					uint64_t *rows, struct histree_error *error);

#endif
