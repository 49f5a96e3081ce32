/* SPDX-License-Identifier: MIT */
/*
 * definition_files.h - files that define analyses.  A front end is a row in the table of definition_files.c: the
 * suffix of its files, and a definitions_reader.
 */
#ifndef ANALYSIS_DEFINITION_DEFINITION_FILES_H
#define ANALYSIS_DEFINITION_DEFINITION_FILES_H

#include "analysis/program/program_analysis.h"

enum { DEFINITION_BYTES_MAX = 4 << 20 };

/*
 * Read a file, or all files of a folder that have the suffix of a front end, in the order of their names; or, if no
 * file has that name, an analysis that comes with histree (docs/analyses), or a pair of events in the form that
 * histree-analysis(5) gives.
 */
enum histree_status definition_files_read(struct definitions *definitions, const char *path,
					  struct histree_error *error);

/* Returns the name of an analysis that comes with histree; NULL if the index is too large. */
const char *definition_shipped(size_t index);
bool definition_is_shipped(const char *name);

#endif
