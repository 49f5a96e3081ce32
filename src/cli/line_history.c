// SPDX-License-Identifier: MIT
#include "cli/line_history.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The specification has relative paths be ignored. */
static const char *folder_in(const char *variable)
{
	const char *folder = getenv(variable);
	return folder != NULL && folder[0] == '/' ? folder : NULL;
}

static bool make_folders(char *path)
{
	for (char *at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
		*at = '\0';
		bool is_there = mkdir(path, 0700) == 0 || errno == EEXIST;
		*at = '/';
		if (!is_there)
			return false;
	}
	return true;
}

char *line_history_path(bool make)
{
	const char *state = folder_in("XDG_STATE_HOME"), *home = folder_in("HOME");
	char *path = NULL;
	if (state == NULL && home == NULL)
		return NULL;
	if (asprintf(&path, "%s%s/histree/sql_history", state != NULL ? state : home,
		     state != NULL ? "" : "/.local/state") < 0)
		return NULL;
	if (make && !make_folders(path)) {
		free(path);
		return NULL;
	}
	return path;
}
