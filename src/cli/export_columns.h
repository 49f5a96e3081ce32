/* SPDX-License-Identifier: MIT */
/*
 * export_columns.h - the columns of what is exported, as Arrow streams.
 */
#ifndef CLI_EXPORT_COLUMNS_H
#define CLI_EXPORT_COLUMNS_H

#include "cli/export_source.h"
#include "histree/arrow.h"

/*
 * Opens a stream of the rows to export, with the columns of a list of names, "path,start,value", or if that is
 * NULL, with those of the bits, 0 for all.  *rows becomes roughly the number of rows.
 */
enum histree_status export_columns_open(const struct export_source *source, uint64_t columns, const char *names,
					const struct histree_cancel *cancel, struct ArrowArrayStream *out,
					uint64_t *rows, struct histree_error *error);

#endif
