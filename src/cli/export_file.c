// SPDX-License-Identifier: MIT
#include "cli/export_file.h"

#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

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
