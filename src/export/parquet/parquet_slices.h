/* SPDX-License-Identifier: MIT */
/*
 * parquet_slices.h - files by slices of time: each row goes into the slice in which it starts.
 *
 * States come in nearly the order of time, so that few slices are written at once.  Of these only so many are open,
 * and only so many rows are in memory; a slice that comes back when its file is closed gets another one.
 */
#ifndef EXPORT_PARQUET_PARQUET_SLICES_H
#define EXPORT_PARQUET_PARQUET_SLICES_H

#include "export/parquet/parquet_writer.h"

struct parquet_slice {
	int64_t number;                /* of the time, in slices since the epoch */
	uint32_t part;                 /* files that it has */
	uint64_t used;                 /* number of the run of rows that came last */
	uint64_t batch;                /* number of the batch that it knows of */
	char *folder;                  /* NULL: not made yet */
	struct parquet_writer *writer; /* NULL: no file is open */
	struct export_output output;
};

struct parquet_slices {
	const struct io *io;
	const char *folder; /* borrowed */
	enum histree_partition_slice length;
	struct histree_parquet_options options; /* of a file */
	const struct ArrowSchema *schema;       /* borrowed */
	int start;                              /* the column that says when a row starts */
	struct parquet_slice *slices;
	size_t count, capacity, last;
	unsigned open_count;
	uint64_t runs, batch;
	size_t row_count; /* in memory */
	struct histree_export_counts counts;
};

/* Fails with HISTREE_ERR_ARGUMENT if no column says when rows start.  After a failure there is nothing to end. */
enum histree_status parquet_slices_init(struct parquet_slices *slices, const struct io *io, const char *folder,
					const struct ArrowSchema *schema,
					const struct histree_partition_options *options,
					struct histree_error *error);

enum histree_status parquet_slices_add(struct parquet_slices *slices, const struct ArrowArray *batch,
				       struct histree_error *error);

/* Complete all files, or, with another `status` than HISTREE_OK, drop them.  Returns `status` or what failed. */
enum histree_status parquet_slices_end(struct parquet_slices *slices, enum histree_status status,
				       struct histree_error *error);

#endif
