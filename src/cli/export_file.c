// SPDX-License-Identifier: MIT
#include "cli/export_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum cli_exit export_file_begin(struct export_file *file, const char *path, bool force, bool is_binary,
				bool by_name)
{
	struct stat there;
	*file = (struct export_file){ .path = path, .file = path == NULL ? STDOUT_FILENO : -1 };
	if (path == NULL && is_binary && isatty(STDOUT_FILENO))
		return report_exit(
			CLI_USAGE,
			"this format is not for a terminal: name a file with '-o', or send standard output "
			"somewhere else");
	if (path == NULL)
		return CLI_OK;
	if (lstat(path, &there) == 0 && S_ISDIR(there.st_mode))
		return report_exit(CLI_INPUT, "'%s' is a folder: choose another name", path);
	if (lstat(path, &there) == 0 && !force)
		return report_exit(CLI_INPUT, "'%s' exists already; use --force to replace it", path);
	if (asprintf(&file->part, "%s.part", path) < 0) {
		file->part = NULL;
		return report_no_memory();
	}
	if (by_name)
		return CLI_OK;
	file->file = open(file->part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (file->file < 0)
		return report_exit(CLI_INPUT, "'%s': cannot be made: %s", file->part, strerror(errno));
	return CLI_OK;
}

bool export_file_write(void *context, const void *bytes, size_t size)
{
	struct export_file *file = context;
	const char *at = bytes;
	while (size > 0 && file->failure == 0) {
		ssize_t written = write(file->file, at, size);
		if (written >= 0) {
			at += written;
			size -= (size_t)written;
		} else if (errno != EINTR) {
			file->failure = errno;
		}
	}
	return file->failure == 0;
}

enum cli_exit export_file_judge(const struct export_file *file)
{
	if (file->failure == 0)
		return CLI_OK;
	if (file->path == NULL)
		return report_exit(CLI_INPUT, "cannot write to standard output: %s", strerror(file->failure));
	return report_exit(CLI_INPUT, "'%s': cannot be written: %s; it is as it was before", file->path,
			   strerror(file->failure));
}

enum cli_exit export_file_end(struct export_file *file, bool is_whole)
{
	enum cli_exit code = CLI_OK;
	if (file->path != NULL && file->file >= 0 && close(file->file) != 0 && is_whole)
		file->failure = errno;
	if (file->part != NULL && is_whole && file->failure == 0 && rename(file->part, file->path) != 0)
		file->failure = errno;
	if (is_whole)
		code = export_file_judge(file);
	if (file->part != NULL && (!is_whole || file->failure != 0))
		unlink(file->part);
	free(file->part);
	file->part = NULL;
	return code;
}
