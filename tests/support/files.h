/* SPDX-License-Identifier: MIT */
/*
 * files.h - what `rm -rf`, `cp -r` and `diff -r` do, without a shell: tests of faults do it often, and to
 * start a process takes longer than to build a small store.  What cannot be done ends the program.
 */
#ifndef SUPPORT_FILES_H
#define SUPPORT_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* Remove each file or folder that the pattern of glob(7) names, writable or not; there may be none. */
void remove_all(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Copy a file or a folder to a path at which there is nothing.  The copy can be written. */
void copy_all(const char *from, const char *to);

/*
 * Whether two files or folders have the same names and bytes.  If not, `why` says where they differ.  The lock of a
 * store says nothing.  `own`: members of a manifest that each has for itself, with NULL behind the last; or NULL.
 */
bool same_files(const char *one, const char *other, const char *const *own, char *why, size_t why_size);

/* What no two builds have in common: how long they took, and so the checksum of the manifest. */
extern const char *const own_of_builds[];

#endif
