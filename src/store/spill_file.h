/* SPDX-License-Identifier: MIT */
/*
 * spill_file.h - a temporary file for what memory has no room for.
 *
 * It is made at the first write and has no name from then on: whatever happens, nothing of it is left.
 */
#ifndef STORE_SPILL_FILE_H
#define STORE_SPILL_FILE_H

#include <stdbool.h>

#include "base/io.h"

struct spill_file {
	const struct io *io;   /* borrowed */
	const char *neighbour; /* borrowed: the file whose folder it is made in */
	bool open;
	int file;
};

/* `neighbour` and `io` outlive it. */
static inline struct spill_file spill_file(const struct io *io, const char *neighbour)
{
	return (struct spill_file){ .io = io, .neighbour = neighbour };
}

enum histree_status spill_file_write(struct spill_file *spill, const void *bytes, size_t size, uint64_t offset,
				     struct histree_error *error);
enum histree_status spill_file_read(const struct spill_file *spill, void *bytes, size_t size, uint64_t offset,
				    struct histree_error *error);

void spill_file_close(struct spill_file *spill);

#endif
