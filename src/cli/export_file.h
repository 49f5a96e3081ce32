/* SPDX-License-Identifier: MIT */
/*
 * export_file.h - where an export, a picture or a page may go: to standard output, or to a file that is not there
 * yet.
 */
#ifndef CLI_EXPORT_FILE_H
#define CLI_EXPORT_FILE_H

#include <stdbool.h>

#include "cli/report.h"

enum export_place {
	EXPORT_TEXT,     /* a file, or standard output */
	EXPORT_BINARY,   /* the same, but no terminal */
	EXPORT_BY_NAME,  /* a file */
	EXPORT_TO_FOLDER /* a folder of files */
};

/*
 * Check a path, NULL being standard output, before anything is read.  What is there is refused, unless `force` is
 * set and it is a file.  What is wrong is reported on standard error.
 */
enum cli_exit export_file_check(const char *path, bool force, enum export_place place);

#endif
