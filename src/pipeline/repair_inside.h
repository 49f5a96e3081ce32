/* SPDX-License-Identifier: MIT */
/*
 * repair_inside.h - the body of a repair, for repair.c and repair_files.c.
 */
#ifndef PIPELINE_REPAIR_INSIDE_H
#define PIPELINE_REPAIR_INSIDE_H

#include "base/arena.h"
#include "histree/repair.h"
#include "histree/store.h"
#include "pipeline/file_work.h"

struct repair {
	const struct histree_repair_options *options;
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
	const char *analysis;
	uint32_t analysis_version;
	bool lost_manifest;  /* histories say themselves what they are */
	uint64_t lost;       /* pieces, of all histories */
	uint64_t lost_nodes; /* of all segment stores */
	uint64_t faults;
	bool lacks_overviews; /* some are damaged */
	struct histree_error *error;
};

/* Tell the caller of something that is damaged. */
void repair_found_damage(void *context, const char *what);

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
