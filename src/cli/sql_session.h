/* SPDX-License-Identifier: MIT */
/*
 * sql_session.h - histree sql: statements from a line, a file or a prompt, and their rows.
 *
 * Run statements on a store and print their rows.
 */
#ifndef CLI_SQL_SESSION_H
#define CLI_SQL_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/output.h"
#include "cli/report.h"

struct sql_request {
	const char *store;
	const char *statement; /* one or more; NULL: those of the file */
	const char *file;      /* "-": standard input; NULL: the same, typed if it is a terminal */
	const char *format;    /* of the rows; NULL: text */
	const char *progress;  /* one of progress_names; NULL: auto */
	bool is_read_only;     /* a statement may look, and change or open nothing */
	uint64_t memory;       /* bytes, about: half for nodes of the store, half for what is sorted */
};

/* What was wrong is reported on standard error.  Without SQLite, that is how to have it. */
enum cli_exit sql_session_run(const struct sql_request *request, struct output *output);

#endif
