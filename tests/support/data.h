/* SPDX-License-Identifier: MIT */
/*
 * data.h - where the data of a test lies, and where it may write.
 */
#ifndef SUPPORT_DATA_H
#define SUPPORT_DATA_H

#include <stdbool.h>
#include <stddef.h>

enum { DATA_PATH_SIZE = 4096 };

/* `name` below the sources, such as "tests/data/demo-trace"; returns `path`. */
const char *source_path(char path[static DATA_PATH_SIZE], const char *name);

/*
 * `name` below the folder HISTREE_SHARED, else below `shared` beside the sources, such as "oracle/scp_dest.tsv.gz".
 * Returns false if it is not there, whatever else may be: the test is skipped then.
 */
bool shared_path(char path[static DATA_PATH_SIZE], const char *name);

/* Makes a folder of the test's own, in $TMPDIR or /tmp, and puts its path into `path`, or ends the program. */
void scratch_folder(char *path, size_t size);

/*
 * The end of a fixture: removes the folder whose path the struct `*state` begins with, as scratch_folder() put it
 * there, and frees the struct.  Returns what such a function of cmocka returns.
 */
int scratch_remove_world(void **state);

#endif
