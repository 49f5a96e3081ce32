/* SPDX-License-Identifier: MIT */
/*
 * export_output.h - where the bytes of an exported file go, from front to back.
 *
 * A file is written under a temporary name, its own with ".part" behind it, and takes its name when it is whole: an
 * older one stays until then.  A descriptor of the caller's, and what has a name but is no file, such as a pipe, is
 * written as it comes.
 */
#ifndef EXPORT_EXPORT_OUTPUT_H
#define EXPORT_EXPORT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/io.h"

struct export_output {
	const struct io *io;    /* of files; a descriptor of the caller's is written with write(2) */
	char *path, *temporary; /* NULL: a descriptor of the caller's */
	int file;
	bool is_own;   /* a device or a pipe that was opened here */
	uint64_t size; /* bytes written so far */
};

/* Make the file, under its temporary name. */
enum histree_status export_output_open(struct export_output *output, const struct io *io, const char *path,
				       struct histree_error *error);

/* Write to a descriptor that stays the caller's. */
void export_output_use(struct export_output *output, int descriptor);

enum histree_status export_output_write(struct export_output *output, const void *bytes, size_t size,
					struct histree_error *error);

/*
 * What is written is all: bring it to disk and give the file its name.  Also ends what has failed or is not wanted:
 * with `status` other than HISTREE_OK the temporary file goes.  Returns `status`, or what failed here.
 */
enum histree_status export_output_finish(struct export_output *output, enum histree_status status,
					 struct histree_error *error);

#endif
