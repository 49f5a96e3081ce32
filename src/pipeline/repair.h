/* SPDX-License-Identifier: MIT */
/*
 * repair.h - what can be read of a damaged store becomes a new one.
 *
 * The body of a repair, for repair*.c: that of a store, or of the store of one host of several.
 *
 * What a build that was cut off left in its folder, for the one that goes on with it.
 *
 * histree_repair() on a table of file calls, so that a test can make each of them fail.
 *
 * What is damaged is read as any store is, by the file calls of the system; all else goes through the table.
 */
#ifndef PIPELINE_REPAIR_H
#define PIPELINE_REPAIR_H

#include "base/arena.h"
#include "base/io.h"
#include "histree/build.h"
#include "histree/repair.h"
#include "histree/store.h"
#include "pipeline/file_work.h"
#include "store_folder/store_folder.h"

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

struct leftover {
	histree_time end; /* up to which it was published; INT64_MIN: nothing was */
	bool is_complete; /* it was cut off after its last event: only the name is missing */
};

/*
 * Look at it; what cannot be read is as good as nothing.  Returns HISTREE_ERR_EXISTS if it is complete, but of
 * other traces or made with other options than are asked for.  If it is not, its manifest means no particular
 * files from now on, as those may be made anew.
 */
enum histree_status leftover_look(const struct store_folder *folder, const struct histree_build_options *options,
				  const char *recipe, struct leftover *out, struct histree_error *error);

/* What is published is gone on with by the same options only.  Returns HISTREE_ERR_EXISTS for others. */
enum histree_status leftover_check_options(const struct store_folder *folder, const struct histree_store_info *info,
					   const char *recipe, struct histree_error *error);

/* Returns whether two paths lead to one trace, as far as that can be told now. */
bool leftover_is_same_trace(const char *one, const char *other);
enum histree_status pipeline_repair(const struct histree_repair_options *options, const struct io *io,
				    struct histree_error *error);

#endif
