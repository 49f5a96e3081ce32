/* SPDX-License-Identifier: MIT */
/*
 * store_copy.h - copies a store, file by file, through a filter: to convert or to repair it.
 *
 * histree_convert() is here on a table of file calls, so that a test can make each of them fail (convert.c).
 *
 * All copies use the same walk: read the manifest, begin a folder, make each file of the store, or of the store of
 * each of several hosts, write the manifest of the result, and give the folder its name.  The filter decides what
 * to do with a file: a repair copies its readable part (repair.c), a conversion copies all of it into another kind
 * of tree (convert.c).
 *
 * A lenient filter skips what cannot be read, with a warning; any other fails.  The source is read like any store,
 * by the file calls of the system; everything else goes through the table.
 */
#ifndef PIPELINE_COPY_STORE_COPY_H
#define PIPELINE_COPY_STORE_COPY_H

#include "base/arena.h"
#include "base/io.h"
#include "histree/history.h"
#include "histree/status.h"
#include "histree/store.h"

enum histree_status pipeline_convert(const struct histree_convert_options *options, const struct io *io,
				     struct histree_error *error);

struct store_copy;

struct copy_filter {
	const char *verb; /* of sentences */
	bool is_lenient;
	/* The manifest of a store was read, with this outcome: NULL: as it was read. */
	enum histree_status (*manifest)(struct store_copy *copy, const char *folder, enum histree_status status);
	/*
	 * Make `out` of the file at `path`, which the manifest means by `meant`.  HISTREE_ERR_FORMAT or
	 * HISTREE_ERR_INCOMPLETE: it cannot be opened, or is not the one that is meant.
	 */
	enum histree_status (*history)(struct store_copy *copy, const struct histree_store_history *meant,
				       const char *path, const char *out);
	enum histree_status (*segments)(struct store_copy *copy, const struct histree_store_segments *meant,
					const char *path, const char *out);
	/* The index of events, which need not be there. */
	enum histree_status (*index)(struct store_copy *copy, const char *path, const char *out);

	/* Of lenient ones. */
	enum histree_status (*finish)(struct store_copy *copy); /* all files of a host are made */
	enum histree_status (*end)(struct store_copy *copy);    /* all is made, and has no name yet */
	void (*host)(struct store_copy *copy);                  /* the next host begins */
	void (*damage)(struct store_copy *copy, const char *what);
	void (*oddity)(struct store_copy *copy, const char *what); /* of which nothing is lost */
};

/* What was found on the way. */
struct copy_findings {
	uint64_t histories;  /* that were made */
	uint64_t lost;       /* pieces, of all histories */
	uint64_t lost_nodes; /* of all segment stores */
	uint64_t faults;
	bool lacks_overviews; /* some are damaged, or something else is wrong that loses nothing */
};

/* How far it is: a file counts by its bytes. */
struct file_work {
	struct histree_work caller;
	uint64_t bytes_total; /* of all that were planned */
	uint64_t bytes_done;  /* of those before the one that is worked on */
	uint64_t bytes_here;
};

/* A copy of all, or of the store of one host of several, which has one of its own. */
struct store_copy {
	const struct copy_filter *filter;
	const void *options; /* the filter's */
	const char *path, *out;
	bool force;
	const struct io *io; /* what makes the new store, and reads what no reader has open */
	struct file_work work;
	struct histree_error *error; /* never NULL: some messages become warnings of the new store */

	struct arena arena;
	struct histree_store_info info; /* of the store to make */
	struct histree_store_history *histories;
	size_t history_count, histories_capacity;
	struct histree_store_segments *segments;
	size_t segments_count, segments_capacity;
	const char **warnings;
	size_t warning_count, warnings_capacity;
	bool was_complete;
	bool lost_manifest; /* files say themselves what they are */

	const char *host;                            /* of a store of several; else NULL */
	const char *analysis;                        /* of the file at hand */
	uint32_t analysis_version;                   /* as that file says */
	const struct histree_attributes *attributes; /* of the history at hand */
	struct copy_findings found;
};

/* Make the store; the filter and what is before the arena are set, the rest is zero. */
enum histree_status store_copy_make(struct store_copy *copy);
void store_copy_release(struct store_copy *copy);

/* ---- for filters --------------------------------------------------------------------------------------------- */

/* Returns the path of a file in a folder, which the arena keeps; NULL if memory runs out. */
char *store_copy_path(struct arena *arena, const char *folder, const char *name);

/* The new manifest warns of it. */
enum histree_status store_copy_warn(struct store_copy *copy, const char *warning);

/* Without a manifest, list the histories and segment stores that are in the folder. */
enum histree_status store_copy_find_files(struct store_copy *copy, const char *folder);

/* A file that will be worked on; before the first begins. */
void file_work_plan(struct file_work *work, const char *path);

/* The next file; the one before it is done. */
void file_work_begin(struct file_work *work, const char *path);

/* A share of this file is done.  Returns false if the caller of the call wants it to end. */
bool file_work_goes_on(const struct file_work *work, double share);

#endif
