/* SPDX-License-Identifier: MIT */
/*
 * line_editor.h - lines that a user types: with libedit they can be edited, recalled and completed; without it,
 * or on a terminal that cannot move its cursor, they are read as they come.
 *
 * The prompt goes to standard error, so that standard output has only answers.
 */
#ifndef CLI_LINE_EDITOR_H
#define CLI_LINE_EDITOR_H

#include <stdbool.h>
#include <stddef.h>

struct line_editor;

/* Calls `add` with each word that may stand where `size` bytes of one are; what does not begin so is left out. */
typedef void (*line_words)(void *context, const char *start, size_t size, void (*add)(void *list, const char *word),
			   void *list);

struct line_completion {
	line_words words; /* NULL: there is no completion */
	void *context;
};

/* Returns NULL if memory runs out.  Lines of earlier sessions are those of a file in the user's folder of state. */
struct line_editor *line_editor_create(struct line_completion completion);

enum line_kind { LINE_READ, LINE_ABANDONED, LINE_END };

/*
 * Read a line, whose end is left out; it is borrowed until the next call.  LINE_ABANDONED: Ctrl-C was typed on it.
 */
enum line_kind line_editor_read(struct line_editor *editor, const char *prompt, const char **line);

/* Keeps the lines for later sessions. */
void line_editor_free(struct line_editor *editor);

#endif
