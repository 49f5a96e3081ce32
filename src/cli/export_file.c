// SPDX-License-Identifier: MIT
#include "cli/export_file.h"

#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

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
			       : report_exit(CLI_INPUT, "'%s' is no folder: choose another name", path);
	if (S_ISDIR(there.st_mode))
		return report_exit(CLI_INPUT, "'%s' is a folder: choose another name", path);
	if (place != EXPORT_BY_NAME && io_writes_through(path))
		return CLI_OK; /* nothing of it is lost */
	if (!force)
		return report_exit(CLI_INPUT, "'%s' exists already; use --force to replace it", path);
	return CLI_OK;
}
