// SPDX-License-Identifier: MIT
#include "case_file.h"

#include <stdio.h>
#include <string.h>

bool case_line_is_remark(const char *line)
{
	return line[0] == '\0' || line[0] == '#';
}

static bool read_text(struct case_file *file)
{
	FILE *stream = fopen(file->path, "r");
	if (stream == NULL) {
		perror(file->path);
		return false;
	}
	size_t size = fread(file->text, 1, sizeof(file->text) - 1, stream);
	file->text[size] = '\0';
	fclose(stream);
	if (size < sizeof(file->text) - 1)
		return true;
	fprintf(stderr, "%s: it is too large\n", file->path);
	return false;
}

static bool cut_lines(struct case_file *file)
{
	char *rest = file->text;
	while (rest != NULL && file->line_count < CASE_LINES_MAX)
		file->lines[file->line_count++] = strsep(&rest, "\n");
	return rest == NULL;
}

/* Returns false if a line before the first case is no remark, or if there are too many cases. */
static bool add_line(struct case_file *file, size_t index)
{
	const char *line = file->lines[index];
	if (strncmp(line, "case ", 5) == 0) {
		if (file->case_count == CASES_MAX)
			return false;
		file->cases[file->case_count++] =
			(struct text_case){ .file = file, .name = line + 5, .first = index + 1, .end = index + 1 };
		return true;
	}
	if (file->case_count == 0)
		return case_line_is_remark(line);
	file->cases[file->case_count - 1].end = index + 1;
	return true;
}

static bool find_cases(struct case_file *file)
{
	for (size_t index = 0; index < file->line_count; index++)
		if (!add_line(file, index))
			return false;
	return file->case_count > 0;
}

bool case_file_read(struct case_file *file, const char *path)
{
	*file = (struct case_file){ .path = path };
	if (!read_text(file))
		return false;
	bool is_valid = cut_lines(file) && find_cases(file);
	if (!is_valid)
		fprintf(stderr, "%s: it is no file of cases, or has too many\n", path);
	return is_valid;
}
