/* SPDX-License-Identifier: MIT */
/*
 * repair.h - what can be read of a damaged store becomes a new one.
 *
 * The body of a repair, for repair*.c: that of a store, or of the store of one host of several.
 *
 * histree_repair() on a table of file calls, so that a test can make each of them fail.
 *
 * What is damaged is read as any store is, by the file calls of the system; all else goes through the table.
 */
#ifndef PIPELINE_COPY_REPAIR_H
#define PIPELINE_COPY_REPAIR_H

#include "base/arena.h"
#include "base/io.h"
#include "histree/repair.h"
#include "histree/store.h"
#include "pipeline/copy/file_work.h"

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

enum histree_status pipeline_repair(const struct histree_repair_options *options, const struct io *io,
				    struct histree_error *error);

#endif
