/* SPDX-License-Identifier: MIT */
/*
 * parquet_folder.h - a folder that comes to be as a whole: OUT/analysis=NAME, made as OUT/.analysis=NAME.part.
 *
 * Engines leave names that begin with a full stop alone, so that nobody reads half of it.
 */
#ifndef EXPORT_PARQUET_PARQUET_FOLDER_H
#define EXPORT_PARQUET_PARQUET_FOLDER_H

#include <stdbool.h>

#include "base/io.h"

struct parquet_folder {
	const struct io *io;
	char *path, *temporary;
	bool replaces; /* there is one that goes when this one is whole */
};

/*
 * Begin it; what a killed run has left of it goes.  An older one is HISTREE_ERR_EXISTS if it is not to be replaced.
 */
enum histree_status parquet_folder_begin(struct parquet_folder *folder, const struct io *io, const char *path,
					 const char *analysis, bool replace, struct histree_error *error);

/* Give it its name, or, with another `status` than HISTREE_OK, remove it.  Returns `status` or what failed here. */
enum histree_status parquet_folder_finish(struct parquet_folder *folder, enum histree_status status,
					  struct histree_error *error);

#endif
