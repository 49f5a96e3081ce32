/* SPDX-License-Identifier: MIT */
/*
 * line_plain.h - lines as the terminal gives them.
 */
#ifndef CLI_LINE_PLAIN_H
#define CLI_LINE_PLAIN_H

#include "cli/line_editor.h"

/* A zeroed one has read nothing; the caller frees `bytes`. */
struct line_plain {
	char *bytes;
	size_t capacity;
};

enum line_kind line_plain_read(struct line_plain *plain, const char *prompt, const char **line);

#endif
