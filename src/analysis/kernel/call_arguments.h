/* SPDX-License-Identifier: MIT */
/*
 * call_arguments.h - the arguments of a system call as text: `fd = 3, filename = "/etc/passwd"`.
 *
 * Which fields of an event class are arguments is found out once a class.
 */
#ifndef ANALYSIS_KERNEL_CALL_ARGUMENTS_H
#define ANALYSIS_KERNEL_CALL_ARGUMENTS_H

#include "analysis/class_table.h"

/* A text that grows in a buffer of the caller's. */
struct call_text {
	char **bytes;
	size_t *capacity;
	size_t size;
};

/*
 * Append the arguments that an event has.  `lists` keeps what was found out about classes, and nothing else.
 * Returns false when memory is out.
 */
bool call_arguments_append(struct class_table *lists, const struct event *event, struct call_text *text);

#endif
