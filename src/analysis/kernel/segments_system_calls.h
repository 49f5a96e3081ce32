/* SPDX-License-Identifier: MIT */
/*
 * segments_system_calls.h - the arguments of a system call as text: `fd = 3, filename = "/etc/passwd"`.
 *
 * The fields that are arguments are determined once for each event class.
 */
#ifndef ANALYSIS_KERNEL_SEGMENTS_SYSTEM_CALLS_H
#define ANALYSIS_KERNEL_SEGMENTS_SYSTEM_CALLS_H

#include "analysis/analysis.h"

/* A text that grows in a buffer of the caller's. */
struct call_text {
	char **bytes;
	size_t *capacity;
	size_t size;
};

#endif
