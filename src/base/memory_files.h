/* SPDX-License-Identifier: MIT */
/*
 * memory_files.h - files in memory behind the table of file calls, and how much memory the machine has.
 *
 * Each file is an anonymous file of the system (memfd_create), so that threads may read what another one writes,
 * and a file grows without being moved.  All of them together have a ceiling; a write beyond it returns
 * HISTREE_ERR_MEMORY and a sentence.
 *
 * There are no folders: a path is a name, and any path can be opened as a folder and synced.
 */
#ifndef BASE_MEMORY_FILES_H
#define BASE_MEMORY_FILES_H

#include <stdint.h>

#include "base/io.h"

/* Returns the bytes of memory of the machine, used or not; UINT64_MAX if the system does not say. */
uint64_t machine_memory(void);

/* Make an empty set of files that may have `bytes_max` bytes together.  Returns NULL if memory is out. */
const struct io *memory_files_create(uint64_t bytes_max);

/* The caller opens no more files.  They stay until the last one is closed, which frees the table as well. */
void memory_files_leave(const struct io *io);

#endif
