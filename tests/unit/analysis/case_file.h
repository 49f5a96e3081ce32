/* SPDX-License-Identifier: MIT */
/*
 * case_file.h - a text file of cases, cut into lines.
 *
 *	# A line that begins with # is a remark.
 *	case THE_NAME_IS_A_SENTENCE
 *	LINE
 *	...
 *
 * A case lasts until the next one, or until the end of the file.
 */
#ifndef CASE_FILE_H
#define CASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

enum { CASES_MAX = 64, CASE_LINES_MAX = 2048, CASE_TEXT_SIZE = 1 << 17 };

struct text_case {
	const struct case_file *file;
	const char *name;
	size_t first, end; /* its lines, as indices into those of the file */
};

struct case_file {
	const char *path;
	char text[CASE_TEXT_SIZE];
	const char *lines[CASE_LINES_MAX]; /* line N of the file is lines[N - 1] */
	size_t line_count;
	struct text_case cases[CASES_MAX];
	size_t case_count;
};

/* Returns whether a line says nothing: it is empty or a remark. */
bool case_line_is_remark(const char *line);

/* Returns false, after a message, if the file cannot be read, is too large or has no case.  Borrows the path. */
bool case_file_read(struct case_file *file, const char *path);

#endif
