/* SPDX-License-Identifier: MIT */
/*
 * load.h - make a store from states, changes of states or segments that are written as text.
 *
 * A text is tab-separated or comma-separated values with a line of names, or JSON with one object a line, as
 * 'histree dump', 'query' and 'segments' write them.  Its columns decide what it has:
 *
 *	path, start, end, value		states as intervals: a dump of the history is the same text
 *	path, time, value		changes: from then on the attribute has that value
 *	start, end, others		segments, whose fields are the others
 *
 * A column `type` says what each value is: null, int, long, double, bool, string, custom or unknown.  Without it,
 * the text of a value decides.  Times are ns.  Rows may come in any order and are sorted on disk; an attribute is
 * null where no row covers it.  docs/man/histree-load.1.scd has the details.
 */
#ifndef HISTREE_LOAD_H
#define HISTREE_LOAD_H

#include "cancel.h"
#include "state_system.h"

struct histree_load_progress {
	uint64_t rows, bytes; /* rows and bytes that were read */
	/* Share of all the work that is done, 0 to 1; negative if that is not known, as with a pipe */
	double share;
};

struct histree_load_options {
	const char *const *files; /* all with one kind of rows; "-" is standard input */
	size_t file_count;
	const char *format;  /* "tsv", "csv" or "json"; NULL: each text shows it */
	const char *columns; /* names separated by commas, for files without a line of names; else NULL */
	/*
	 * The first states of a history of changes: a text of path and value, as 'histree query --at' writes it.
	 * NULL: every attribute is null at first.
	 */
	const char *initial;
	/*
	 * What values mean (labels.h): a text with the columns pattern, value and name, and optionally type, key,
	 * light, dark, height and meaning; docs/man/histree-load.1.scd describes them.  NULL: no labels.
	 */
	const char *labels;
	/* Of the history, if it is to begin earlier, or end later, than its rows. */
	bool has_start, has_end;
	histree_time start, end;
	const char *store;    /* the folder to make */
	const char *analysis; /* the name of the history or segment store; NULL: "states" or "segments" */
	bool force;           /* replace an existing store once the new one is complete */
	bool no_overviews;
	/* `memory_max` is for all that is kept of the text and its attributes; default 160 MiB, as for a build. */
	struct histree_tree_options tree;
	/* Called now and then; may be NULL. */
	void (*progress)(void *context, const struct histree_load_progress *progress);
	void *progress_context;
	struct histree_cancel cancel;
};

struct histree_load_result {
	uint64_t rows, bytes;  /* rows and bytes that were read */
	uint64_t sorted_bytes; /* written to a temporary file on the way */
};

/*
 * Load texts into a new store.  `result` may be NULL.  Returns HISTREE_ERR_FORMAT if a text has none of these
 * forms or gives an attribute two states at a time, with a sentence that names file, line and column, and
 * HISTREE_ERR_TYPE if it gives an attribute values of several types.  If the call fails, nothing is made.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_load(const struct histree_load_options *options,
								struct histree_load_result *result,
								struct histree_error *error);

#endif
