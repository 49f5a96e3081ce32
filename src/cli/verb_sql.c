// SPDX-License-Identifier: MIT
/*
 * verb_sql.c - query a store in SQL: the statement of the command line, those of a file or of standard input, or
 * those that are typed.
 */
#include <string.h>
#include <unistd.h>

#include "cli/progress.h"
#include "cli/sql_session.h"
#include "cli/verb.h"

static const uint64_t memory_default = UINT64_C(160) << 20;

struct sql_options {
	struct cli_question question;
	const char *file, *progress;
	uint64_t memory;
	bool is_read_only;
};

static const struct cli_option options[] = {
	{ .name = "file",
	  .argument = "FILE",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct sql_options, file),
	  .old = "f",
	  .help = "read the statements from a file; - is standard input",
	  .complete = CLI_COMPLETE_PATH },
	CLI_OPTION_NUMBER(
		"memory", CLI_SIZE, "BYTES", struct sql_options, memory, 16 << 20, UINT64_C(1) << 40,
		"use about this much memory; what SQLite sorts beyond it goes to temporary files; default: 160M"),
	CLI_OPTION_FLAG("read-only", 0, struct sql_options, is_read_only,
			"run only statements that look at the store: none that writes, attaches or opens anything"),
	CLI_OPTION_PROGRESS(struct sql_options),
	{ 0 },
};

static const struct sql_options defaults = { .memory = memory_default };

static int sql_run(void *said, const struct cli_words *words)
{
	struct sql_options *chosen = said;
	if (words->count > 1 && chosen->file != NULL)
		return report_exit(CLI_USAGE, "a statement and --file exclude each other");
	bool is_input = words->count > 1 && strcmp(words->words[1], "-") == 0;
	const struct sql_request request = {
		.store = words->words[0],
		.statement = words->count > 1 && !is_input ? words->words[1] : NULL,
		.file = is_input ? "-" : chosen->file,
		.format = chosen->question.format,
		.progress = chosen->progress,
		.is_read_only = chosen->is_read_only,
		.memory = chosen->memory,
	};
	struct output *output = output_create(STDOUT_FILENO);
	return output == NULL ? (int)report_no_memory() : cli_end(output, sql_session_run(&request, output));
}

const struct cli_verb verb_sql = {
	.name = "sql",
	.summary = "query a store in SQL",
	.arguments = { "STORE [STATEMENT]", 1, 2 },
	.complete = CLI_COMPLETE_PATH,
	.asks = ASKS(FORMAT),
	CLI_OPTIONS(options, struct sql_options),
	.defaults = &defaults,
	.run = sql_run,
};
