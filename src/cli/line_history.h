/* SPDX-License-Identifier: MIT */
/*
 * line_history.h - the file in which typed lines are kept: $XDG_STATE_HOME/histree/sql_history, and without that
 * ~/.local/state/histree/sql_history (XDG Base Directory Specification 0.8).
 */
#ifndef CLI_LINE_HISTORY_H
#define CLI_LINE_HISTORY_H

#include <stdbool.h>

/* Returns the path, to be freed; NULL: the user has no such folder.  `make` the folders that are missing, 0700. */
char *line_history_path(bool make);

#endif
