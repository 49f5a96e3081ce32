/* SPDX-License-Identifier: MIT */
/*
 * target.h - what a STORE on the command line names: the folder of a store, or one history file.
 */
#ifndef CLI_TARGET_H
#define CLI_TARGET_H

#include "cli/report.h"
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

/*
 * Returns what the store says about the segments of an analysis; NULL if it has no such segments, or is a single
 * file.
 */
const struct histree_store_segments *target_find_segments(const struct target *target, const char *analysis);

/* Opens a history however damaged it is, as far as histree_open_options.salvage goes. */
enum histree_status target_salvage(const struct target *target, const char *analysis, struct histree_history **out,
				   struct histree_error *error);

/*
 * Says on standard error if this histree has another version of an analysis than the one that made a history or a
 * segment store: the states may be others than it would make.  `version` is that of the file; the manifest of a
 * store may know better.
 */
void target_warn_of_version(const struct target *target, const char *analysis, uint32_t version);

/*
 * Returns what the only host of a store is called: as the build was told, else as its trace; NULL if memory is out.
 * The caller frees it.
 */
char *target_host_name(const struct target *target);

/* Says on standard error what events an analysis lacks, as the build said it: what is asked of it says little. */
void target_say_missing(const struct target *target, const char *analysis);

void target_close(struct target *target);

/*
 * Opens the target and its history, for verbs that read one history.  What failed is reported on standard error,
 * and so is that another version of its analysis made it.
 */
enum cli_exit target_open_history(struct target *target, const char *path, const char *analysis,
				  struct histree_history **out);

#endif
