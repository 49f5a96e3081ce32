// SPDX-License-Identifier: MIT
#include "cli/verb.h"
#include "histree/build.h"

struct analyses_options {
	struct cli_question question;
	struct cli_texts definitions;
};

static const struct cli_option options[] = {
	CLI_OPTION_PATH("define", 'x', CLI_TEXTS, "FILE", struct analyses_options, definitions,
			"check FILE, or the files of a folder, and list only the analyses that it defines"),
	{ 0 },
};

static void put_version(struct row_writer *rows, const void *version)
{
	row_unsigned(rows, *(const uint32_t *)version);
}

static const struct row_column columns[] = {
	ROW_LEFT("name", 16, CELL_TEXT, struct histree_analysis_info, name),
	{ .name = "version",
	  .width = 3,
	  .to_the_right = true,
	  .put = put_version,
	  .offset = offsetof(struct histree_analysis_info, version) },
	ROW_LEFT("summary", 0, CELL_TEXT, struct histree_analysis_info, summary),
};

static void put_analysis(void *rows, const struct histree_analysis_info *analysis)
{
	row_put(rows, analysis);
}

static int print(const struct analyses_options *chosen)
{
	struct row_writer rows;
	struct histree_error error = { 0 };
	struct histree_analysis_info analysis;
	enum cli_exit code = rows_open(&rows, &chosen->question, ROW_COLUMNS(columns), ROWS_PLAIN);
	if (code == CLI_OK && histree_analyses_defined(chosen->definitions.texts, chosen->definitions.count,
						       put_analysis, &rows, &error) < 0)
		code = report_error(&error);
	for (size_t i = 0; code == CLI_OK && chosen->definitions.count == 0 && histree_analysis(i, &analysis); i++)
		row_put(&rows, &analysis);
	return rows_close(&rows, code);
}

static int analyses_run(void *said, const struct cli_words *words)
{
	(void)words;
	struct analyses_options *chosen = said;
	int status = print(chosen);
	cli_texts_release(&chosen->definitions);
	return status;
}

const struct cli_verb verb_analyses = {
	.name = "analyses",
	.summary = "list the analyses that turn events into states or segments",
	.arguments = "",
	.asks = ASKS(LIMIT) | ASKS(COLUMNS) | ASKS(FORMAT),
	.options = options,
	.options_size = sizeof(struct analyses_options),
	.run = analyses_run,
};
