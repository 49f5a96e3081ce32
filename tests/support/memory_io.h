/* SPDX-License-Identifier: MIT */
/*
 * memory_io.h - a few files in memory behind the table of base/io.h: fast, and easy to damage.
 *
 * For one thread; any number may read at once.
 */
#ifndef SUPPORT_MEMORY_IO_H
#define SUPPORT_MEMORY_IO_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/io.h"

enum { MEMORY_FILE_COUNT = 12 };

struct memory_file {
	char *path; /* NULL: there is no such file */
	uint8_t *bytes;
	size_t size, capacity;
	unsigned opened; /* how many times: a file without a name lives until it is closed */
};

struct memory_io {
	struct io io;
	struct memory_file files[MEMORY_FILE_COUNT];
	_Atomic(uint64_t) bytes_read; /* since the beginning: what reading costs, without a clock */
};

void memory_io_init(struct memory_io *memory);
void memory_io_release(struct memory_io *memory);

/* NULL if there is no such file. */
struct memory_file *memory_io_find(struct memory_io *memory, const char *path);

/* Make the file hold these bytes.  False when memory is out or there are too many files. */
bool memory_io_put(struct memory_io *memory, const char *path, const void *bytes, size_t size);

#endif
