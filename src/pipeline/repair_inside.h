/* SPDX-License-Identifier: MIT */
/*
 * repair_inside.h - the body of a repair, for repair*.c: that of a store, or of the store of one host of several.
 */
#ifndef PIPELINE_REPAIR_INSIDE_H
#define PIPELINE_REPAIR_INSIDE_H

#include "base/arena.h"
#include "base/io.h"
#include "histree/repair.h"
#include "histree/store.h"
#include "pipeline/file_work.h"

struct repair {
	const struct histree_repair_options *options;
	const struct io *io; /* what makes the new store, and reads what no reader has open */
	struct arena arena;
	struct file_work work;
	struct histree_store_info info; /* of the store to make */
	struct histree_store_history *histories;
	size_t history_count, histories_capacity;
	struct histree_store_segments *segments;
	size_t segments_count, segments_capacity;
	const char **warnings;
	size_t warning_count, warnings_capacity;
	const struct histree_attributes *attributes; /* of the history being repaired */
	const char *host;                            /* of a store of several; else NULL */
	const char *analysis;
	uint32_t analysis_version;
	bool lost_manifest;  /* histories say themselves what they are */
	uint64_t lost;       /* pieces, of all histories */
	uint64_t lost_nodes; /* of all segment stores */
	uint64_t faults;
	bool lacks_overviews; /* some are damaged, or something else is wrong that loses nothing */
	struct histree_error *error;
};

/* Tell the caller of something that is damaged. */
void repair_found_damage(void *context, const char *what);

/* The same of what costs no state and no segment, but is as it should be in the new store only. */
void repair_found_oddity(void *context, const char *what);

/* The new manifest warns of it. */
enum histree_status repair_warn(struct repair *repair, const char *warning);

/* Read what there is to repair; without a manifest, files say themselves what they are. */
enum histree_status repair_read_manifest(struct repair *repair, const char *folder);

/* Expect the work on the files that were listed. */
enum histree_status repair_plan(struct repair *repair, const char *from);

/* Make sound files of those of a store, and their manifest, in a folder that is there. */
enum histree_status repair_one_host(struct repair *repair, const char *from, const char *to);

/* Write the manifest of a complete store. */
enum histree_status repair_write_manifest(struct repair *repair, const char *folder);

/* The same for the stores of several hosts.  A host of which nothing can be read is left out, with a word of it. */
enum histree_status repair_hosts(struct repair *repair, const char *from, const char *to);

void repair_release(struct repair *repair);

/* Returns the path of a file in a folder, which the repair keeps; NULL if memory is out. */
char *repair_path(struct arena *arena, const char *folder, const char *name);

/*
 * Make a sound file of what can be read of one.  HISTREE_ERR_FORMAT or HISTREE_ERR_INCOMPLETE: it cannot be opened,
 * or is not the one that the manifest means; `meant` may be NULL.
 */
enum histree_status repair_history(struct repair *repair, const struct histree_store_history *meant,
				   const char *path, const char *out);
enum histree_status repair_segments(struct repair *repair, const struct histree_store_segments *meant,
				    const char *path, const char *out);

/* Copy an index of events that is sound and the one that is meant; the new manifest then means it too. */
enum histree_status repair_index(struct repair *repair, const char *path, const char *out);

#endif
