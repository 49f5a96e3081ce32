/* SPDX-License-Identifier: MIT */
/*
 * export_columns.h - the columns of what is exported, as Arrow streams.
 */
#ifndef CLI_EXPORT_COLUMNS_H
#define CLI_EXPORT_COLUMNS_H

#include "cli/export_source.h"
#include "histree/arrow.h"

/*
 * Reads a list of names, "path,start,value", into bits; NULL is all but, of states, `leaves_out`.  An unknown name
 * is reported; but which columns events have is known when their stream is opened.
 */
enum cli_exit export_columns_read(const struct export_source *source, const char *list, uint64_t leaves_out,
				  uint64_t *columns);

/* Opens a stream of what is exported; `names` is the list, for events.  How many rows it has is roughly *rows. */
enum histree_status export_columns_open(const struct export_source *source, uint64_t columns, const char *names,
					const struct histree_cancel *cancel, struct ArrowArrayStream *out,
					uint64_t *rows, struct histree_error *error);

#endif
