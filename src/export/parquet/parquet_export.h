/* SPDX-License-Identifier: MIT */
/*
 * parquet_export.h - stores as files and folders of Parquet.
 *
 * The functions of histree/export.h with a table of file calls, for tests.
 */
#ifndef EXPORT_PARQUET_PARQUET_EXPORT_H
#define EXPORT_PARQUET_PARQUET_EXPORT_H

#include <stdbool.h>

#include "base/io.h"
#include "export/parquet/parquet_writer.h"
#include "histree/export.h"

enum histree_status parquet_export(struct ArrowArrayStream *stream, const struct io *io, const char *path,
				   const struct histree_parquet_options *options, struct histree_error *error);
enum histree_status parquet_export_partitions(struct ArrowArrayStream *stream, const struct io *io,
					      const char *folder, const struct histree_partition_options *options,
					      struct histree_error *error);

#endif
