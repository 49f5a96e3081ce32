/* SPDX-License-Identifier: MIT */
/*
 * sql_prompt.h - statements that a user types, over as many lines as it takes up to a semicolon, and commands
 * that begin with a dot, as in SQLite's shell.
 */
#ifndef CLI_SQL_PROMPT_H
#define CLI_SQL_PROMPT_H

#include <stdbool.h>

#include "base/sqlite.h"

struct sql_prompt {
	sqlite3 *db;
	void (*run)(void *context, const char *statements);  /* says itself what was wrong */
	bool (*set_format)(void *context, const char *name); /* false: there is no format with that name */
	void *context;
};

/* Ask until the end of the input, or .quit. */
void sql_prompt_run(const struct sql_prompt *prompt);

#endif
