/* SPDX-License-Identifier: MIT */
/*
 * memory_files.h - memory that lies in files, of which the machine has so much.
 *
 * How much memory the machine has.
 *
 * Files in memory behind the table of file calls: what is written through it is nowhere else.
 *
 * Each is an anonymous file of the system (memfd_create), so that threads may read what another one writes, and a
 * file grows without being moved.  All of them together have a ceiling; who writes beyond it gets
 * HISTREE_ERR_MEMORY and a sentence.
 *
 * There are no folders: a path is a name, and whatever is opened as a folder can be synced.
 */
#ifndef BASE_MEMORY_FILES_H
#define BASE_MEMORY_FILES_H

#include <stdint.h>

#include "base/io.h"

/* Returns the bytes of memory of the machine, whoever uses them; UINT64_MAX if the system does not say. */
uint64_t machine_memory(void);

/* Make an empty set of files that may have `bytes_max` bytes together.  Returns NULL if memory is out. */
const struct io *memory_files_create(uint64_t bytes_max);

/* The caller opens no more files.  They stay until the last one is closed, which frees the table as well. */
void memory_files_leave(const struct io *io);

#endif
