/* SPDX-License-Identifier: MIT */
/*
 * counted_memory.h - how much memory histree has at a time, counted where it is allocated.
 *
 * A limit of the process would also hold what a sanitizer needs.  A program that wants this is linked with the
 * --wrap options of tests/fault/meson.build, and has libjansson allocate through it; what other libraries allocate
 * is not counted.  More than the ceiling is refused, as a finding must not cost the machine its memory.
 */
#ifndef SUPPORT_COUNTED_MEMORY_H
#define SUPPORT_COUNTED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Count from here on, from nothing; `ceiling` 0: none.  For programs of one thread. */
void counted_memory_begin(size_t ceiling);

/* Returns the most that there was at a time since then. */
size_t counted_memory_peak(void);

/* Returns whether something was refused since then. */
bool counted_memory_refused(void);

#endif
