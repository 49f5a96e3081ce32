/* SPDX-License-Identifier: MIT */
/*
 * trace_copy.h - what tests of builds share: copies of traces, also damaged ones, and whether threads are left.
 */
#ifndef SUPPORT_TRACE_COPY_H
#define SUPPORT_TRACE_COPY_H

#include <stdbool.h>

#include "base/hash_index.h"

/* Run a command of the shell, which succeeds. */
void run_command(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Copy a trace of tests/data to a path, in place of what is there. */
void trace_copy(const char *name, const char *copy);

/* Change some bytes of its files, but of their first ones, or cut them. */
void trace_copy_damage(const char *copy, struct random *random);

/* See how many threads there are before a test makes any.  Returns false if that fails. */
bool threads_begin(void);
void assert_no_thread_left(void);

#endif
