// SPDX-License-Identifier: MIT
#include <unistd.h>

#include "cli/verb.h"
#include "histree/build.h"

struct analyses_options {
	struct cli_texts definitions;
	const char *format;
};

static const struct cli_option options[] = {
	{ .name = "define",
	  .letter = 'x',
	  .argument = "FILE",
	  .kind = CLI_TEXTS,
	  .member = offsetof(struct analyses_options, definitions),
	  .complete = CLI_COMPLETE_PATH,
	  .help = "check FILE, or the files of a folder, and list the analyses that it defines in place of the "
		  "others" },
	CLI_OPTION_FORMAT(struct analyses_options),
	{ 0 },
};

static const struct row_column columns[] = {
	{ .name = "name", .width = 16 },
	{ .name = "version", .width = 3, .to_the_right = true },
	{ .name = "summary" },
};

static void write_row(void *context, const struct histree_analysis_info *analysis)
{
	struct row_writer *rows = context;
	row_text(rows, analysis->name);
	row_unsigned(rows, analysis->version);
	row_text(rows, analysis->summary);
	row_end(rows);
}

/* Nothing is written if a file is wrong. */
static int write_rows(const struct analyses_options *chosen, struct output *output)
{
	struct row_writer rows;
	struct histree_error error = { 0 };
	row_writer_begin(&rows, row_format_find(chosen->format), output, columns,
			 sizeof(columns) / sizeof(columns[0]));
	enum histree_status status = histree_analyses_defined(chosen->definitions.texts, chosen->definitions.count,
							      write_row, &rows, &error);
	if (status < 0)
		return report_error(&error);
	struct histree_analysis_info analysis;
	for (size_t i = 0; chosen->definitions.count == 0 && histree_analysis(i, &analysis); i++)
		write_row(&rows, &analysis);
	row_writer_finish(&rows);
	return CLI_OK;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct analyses_options chosen = { 0 };
	struct cli_words words;
	int status;
	if (!cli_begin(verb, argc, argv, &chosen, &words, &status))
		return status;
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		status = report_no_memory();
	else
		status = cli_end(output, write_rows(&chosen, output));
	cli_texts_release(&chosen.definitions);
	return status;
}

const struct cli_verb verb_analyses = {
	.name = "analyses",
	.summary = "list the analyses that turn events into states or segments",
	.arguments = "",
	.options = options,
	.run = run,
};
