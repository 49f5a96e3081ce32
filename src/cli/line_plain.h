/* SPDX-License-Identifier: MIT */
/*
 * line_plain.h - lines as the terminal gives them.
 *
 * Ctrl-C is a signal here, and it must not arrive between the check for it and the read that it is to end: SIGINT
 * is blocked except during the wait.  So it counts from the moment that the prompt can be seen.
 */
#ifndef CLI_LINE_PLAIN_H
#define CLI_LINE_PLAIN_H

#include "cli/line_editor.h"

/* A zeroed one has read nothing; the caller frees `bytes`. */
struct line_plain {
	char *bytes;
	size_t used, capacity;
	size_t taken; /* of the bytes used, those of the line that was handed out last */
};

/* The process has a handler of SIGINT. */
enum line_kind line_plain_read(struct line_plain *plain, const char *prompt, const char **line);

#endif
