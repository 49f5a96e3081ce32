/* SPDX-License-Identifier: MIT */
/*
 * export_file.h - where an export goes: standard output, or a file that takes its name when it is whole.
 */
#ifndef CLI_EXPORT_FILE_H
#define CLI_EXPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/report.h"

struct export_file {
	const char *path; /* NULL: standard output */
	char *part;       /* what the file is called while it is written */
	int file;         /* -1: not open */
	int failure;      /* the errno of the first write that failed */
};

/*
 * Open it.  A file that exists is refused unless `force` is set.  With `is_binary`, standard output must be no
 * terminal.  With `by_name`, the file is made by somebody else, who is given `part`.
 */
enum cli_exit export_file_begin(struct export_file *file, const char *path, bool force, bool is_binary,
				bool by_name);

/* Takes the bytes of an export; the context is the struct export_file. */
bool export_file_write(void *context, const void *bytes, size_t size);

/* Say what failed in a write; if nothing did, CLI_OK. */
enum cli_exit export_file_judge(const struct export_file *file);

/* Close it: with `is_whole` it takes its name, else it is removed. */
enum cli_exit export_file_end(struct export_file *file, bool is_whole);

#endif
