// SPDX-License-Identifier: MIT
/*
 * picture_file.c - pictures as files: the ending of the name chooses the format, and a file is written whole or
 * not at all.
 */
#include "cli/picture_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "cli/output.h"

/* ---- where a file may go ------------------------------------------------------------------------------------- */

enum cli_exit export_file_check(const char *path, bool force, enum export_place place)
{
	struct stat there;
	if (path == NULL && place == EXPORT_BINARY && isatty(STDOUT_FILENO))
		return report_exit(
			CLI_USAGE,
			"this format is not for a terminal: name a file with '-o', or send standard output "
			"somewhere else");
	if (path == NULL && (place == EXPORT_BY_NAME || place == EXPORT_TO_FOLDER))
		return report_exit(CLI_USAGE, "%s cannot be written to standard output: name it with '-o'",
				   place == EXPORT_BY_NAME ? "a database" : "a folder");
	if (path == NULL || lstat(path, &there) != 0)
		return CLI_OK;
	if (place == EXPORT_TO_FOLDER)
		return S_ISDIR(there.st_mode)
			       ? CLI_OK
			       : report_exit(CLI_INPUT, "'%s' is not a folder: choose another name", path);
	/* What a link leads to is replaced as what has the name itself; standard output may be an empty file. */
	const bool is_link = S_ISLNK(there.st_mode);
	if (is_link && stat(path, &there) != 0)
		return CLI_OK;
	if (S_ISDIR(there.st_mode))
		return report_exit(CLI_INPUT, "'%s' is a folder: choose another name", path);
	if (is_link && S_ISREG(there.st_mode) && there.st_size == 0)
		return CLI_OK;
	if (place != EXPORT_BY_NAME && !S_ISREG(there.st_mode))
		return CLI_OK;
	if (!force)
		return report_exit(CLI_INPUT, "'%s' exists already; use --force to replace it", path);
	return CLI_OK;
}

bool path_ends_in(const char *text, const char *end)
{
	size_t size = strlen(text), end_size = strlen(end);
	return size > end_size && strcmp(text + size - end_size, end) == 0;
}

char *path_last(const char *path)
{
	size_t size = strlen(path), start;
	while (size > 1 && path[size - 1] == '/')
		size--;
	for (start = size; start > 0 && path[start - 1] != '/';)
		start--;
	return strndup(path + start, size - start);
}

char *picture_file_title(const char *path)
{
	static const char suffix[] = ".histree";
	char *name = path_last(path);
	const size_t size = name != NULL ? strlen(name) : 0;
	if (size >= strlen(suffix) && strcmp(name + size - strlen(suffix), suffix) == 0)
		name[size - strlen(suffix)] = '\0';
	return name;
}

const char *const picture_themes[] = { "light", "dark", NULL };
static bool read_pixels(const char *text, char **end, uint32_t *pixels)
{
	errno = 0;
	unsigned long number = *text >= '0' && *text <= '9' ? strtoul(text, end, 10) : 0;
	*pixels = (uint32_t)number;
	return errno == 0 && number >= HISTREE_DRAW_SIZE_MIN && number <= HISTREE_DRAW_SIZE_MAX;
}

enum cli_exit picture_choice_read(const struct picture_choice *choice, struct histree_draw_look *look)
{
	char *end;
	const bool is_dark = choice->theme != NULL && strcmp(choice->theme, picture_themes[1]) == 0;
	look->theme = is_dark ? HISTREE_DRAW_DARK : HISTREE_DRAW_LIGHT;
	look->title = choice->title;
	if (choice->size != NULL &&
	    (!read_pixels(choice->size, &end, &look->width) ||
	     (*end != '\0' && (*end != 'x' || !read_pixels(end + 1, &end, &look->height) || *end != '\0'))))
		return report_exit(CLI_USAGE, "'--size': '%s' is not WIDTHxHEIGHT or WIDTH, each from %d to %d",
				   choice->size, HISTREE_DRAW_SIZE_MIN, HISTREE_DRAW_SIZE_MAX);
	if (choice->output == NULL)
		return CLI_OK;
	if (!histree_can_draw())
		return report_exit(
			CLI_INPUT,
			"this histree was built without cairo and cannot draw: install libcairo2-dev and build "
			"again");
	if (strcmp(choice->output, "-") == 0) {
		look->format = HISTREE_DRAW_SVG;
		return CLI_OK;
	}
	if (!path_ends_in(choice->output, ".svg") && !path_ends_in(choice->output, ".png"))
		return report_exit(CLI_USAGE, "'--output': '%s' ends neither in .svg nor in .png", choice->output);
	look->format = path_ends_in(choice->output, ".png") ? HISTREE_DRAW_PNG : HISTREE_DRAW_SVG;
	return export_file_check(choice->output, choice->force, EXPORT_TEXT);
}

struct picture_stream {
	FILE *file;
	int cause; /* an errno: why it could not be written; 0: it could */
};

static bool write_bytes(void *context, const void *bytes, size_t size)
{
	struct picture_stream *stream = context;
	if (fwrite(bytes, 1, size, stream->file) == size)
		return true;
	stream->cause = errno;
	return false;
}

/* That the stream could not be written is left to the caller to report. */
static enum cli_exit draw_to(struct picture_stream *stream, picture_draw *draw, void *context)
{
	struct histree_error error = { 0 };
	if (draw(context, write_bytes, stream, &error) == HISTREE_OK)
		return CLI_OK;
	return stream->cause == 0 ? report_error(&error) : CLI_INPUT;
}

enum cli_exit picture_file_draw(const char *path, picture_draw *draw, void *context)
{
	struct picture_stream stream = { .file = stdout };
	if (strcmp(path, "-") == 0) {
		const enum cli_exit drawn = draw_to(&stream, draw, context);
		if (drawn == CLI_OK && fflush(stdout) != 0)
			stream.cause = errno;
		return stream.cause == 0 ? drawn
					 : report_exit(CLI_INPUT, "cannot write to standard output: %s",
						       strerror(stream.cause));
	}
	bool is_stream;
	char *whole = io_destination(path, &is_stream), *part = NULL;
	if (whole == NULL || asprintf(&part, "%s%s", whole, is_stream ? "" : ".part") < 0) {
		free(whole);
		return report_no_memory();
	}
	stream.file = fopen(part, "wbe");
	enum cli_exit code = CLI_OK;
	if (stream.file == NULL) {
		code = report_exit(CLI_INPUT, "'%s': cannot be made: %s", part, strerror(errno));
		goto out;
	}
	code = draw_to(&stream, draw, context);
	const bool is_closed = fclose(stream.file) == 0;
	if (code == CLI_OK && (!is_closed || (!is_stream && rename(part, whole) != 0)))
		stream.cause = errno;
	if (stream.cause != 0)
		code = report_exit(CLI_INPUT, "'%s': cannot be written: %s", path, strerror(stream.cause));
	if (code != CLI_OK && !is_stream)
		unlink(part);
out:
	free(part);
	free(whole);
	return code;
}
