/* SPDX-License-Identifier: MIT */
/*
 * memory_files.h - files in memory, behind a table of file calls (io.h).
 *
 * Threads can read what another one writes, and a file grows without being moved.  All files together have a
 * ceiling; a write beyond it returns HISTREE_ERR_MEMORY and a sentence.  There are no folders: a path is a name,
 * and any path can be opened as a folder and synced.
 */
#ifndef BASE_MEMORY_FILES_H
#define BASE_MEMORY_FILES_H

#include <stdint.h>

struct io;

/* Make an empty set of files that may have `bytes_max` bytes together.  Returns NULL if memory runs out. */
const struct io *memory_files_create(uint64_t bytes_max);

/* The caller opens no more files.  The files stay until the last one is closed, which also frees the table. */
void memory_files_leave(const struct io *io);

#endif
