/* SPDX-License-Identifier: MIT */
/*
 * line_pairs.h - the fields of an event whose shape is not known, from its text alone.
 *
 * What stands behind "name=" is the value of a field: up to the next space if it is a number, else up to the next
 * name.  The arguments of a system call are "name: value", hexadecimal, with commas between them.  A text without
 * any is one field.
 */
#ifndef TRACE_LINES_LINE_PAIRS_H
#define TRACE_LINES_LINE_PAIRS_H

#include "text/text_table.h"

enum { LINE_PAIRS_MAX = 32 };

/* Names and values are parts of the text. */
struct line_pair {
	const char *name;
	size_t name_size;
	struct text_cell value;
};

/* Each returns how many there are; what is more than LINE_PAIRS_MAX is left out.  The last has the text as one. */
size_t line_pairs_read(char *text, size_t size, struct line_pair *out);
size_t line_pairs_of_call(char *text, size_t size, struct line_pair *out);
size_t line_pairs_whole(char *text, size_t size, struct line_pair *out);

#endif
