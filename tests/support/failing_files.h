/* SPDX-License-Identifier: MIT */
/*
 * failing_files.h - one call of a file fails, of those that the program itself makes by the C library: it is linked
 * with --wrap for each of them.
 */
#ifndef SUPPORT_FAILING_FILES_H
#define SUPPORT_FAILING_FILES_H

#include <stdbool.h>

struct failing_files {
	unsigned count, fail_at; /* from 1; 0: none */
	bool failed;
};

extern struct failing_files failing_files;

#endif
