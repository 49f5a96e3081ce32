// SPDX-License-Identifier: MIT
/*
 * line_editor_plain.c - without libedit, lines are read as they come.
 */
#include <stdlib.h>

#include "cli/output.h"

struct line_editor {
	struct line_plain plain;
};

struct line_editor *line_editor_create(struct line_completion completion)
{
	(void)completion;
	return calloc(1, sizeof(struct line_editor));
}

enum line_kind line_editor_read(struct line_editor *editor, const char *prompt, const char **line)
{
	return line_plain_read(&editor->plain, prompt, line);
}

void line_editor_free(struct line_editor *editor)
{
	if (editor == NULL)
		return;
	free(editor->plain.bytes);
	free(editor);
}
