/* SPDX-License-Identifier: MIT */
/*
 * export_format.h - the formats of 'histree export': one row each.
 */
#ifndef CLI_EXPORT_FORMAT_H
#define CLI_EXPORT_FORMAT_H

#include "cli/export_file.h"
#include "cli/export_source.h"
#include "cli/progress.h"
#include "histree/export.h"

/* An export that is under way. */
struct export_run {
	const struct export_source *source;
	const char *store;                   /* as the user called it */
	const char *path;                    /* NULL: standard output */
	uint64_t columns;                    /* 0: all */
	const char *column_names;            /* as the user has them, or NULL */
	bool is_compressed, is_uncompressed; /* what --compression said; neither: the default of the format */
	bool is_partitioned, replaces;
	enum histree_partition_slice slice;
	struct progress *progress;
	uint64_t rows; /* that are expected */
	struct histree_export_counts counts;
};

struct export_format {
	const char *name;
	const char *endings[4];
	enum export_place place;
	bool for_viewer;
	uint64_t leaves_out; /* columns of states that it has only if they are asked for */
	bool takes_columns, takes_compression, takes_partition;
	enum histree_status (*run)(struct export_run *run, struct histree_error *error);
};

/* The choices of --format; NULL ends them. */
extern const char *const export_format_names[];

/* Returns the format of this name or, if that is NULL, of a path's ending; NULL if there is no such format. */
const struct export_format *export_format_find(const char *name, const char *path);

/* What writes a database (export_database.c). */
enum histree_status export_database(struct export_run *run, struct histree_error *error);

/* Returns how a run is seen, and ended by a signal. */
struct histree_work export_work(struct export_run *run);

#endif
