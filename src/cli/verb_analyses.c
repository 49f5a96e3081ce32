// SPDX-License-Identifier: MIT
#include <unistd.h>

#include "cli/verb.h"
#include "histree/build.h"

struct analyses_options {
	const char *format;
};

static const struct cli_option options[] = {
	CLI_OPTION_FORMAT(struct analyses_options),
	{ 0 },
};

static const struct row_column columns[] = {
	{ .name = "name", .width = 16 },
	{ .name = "version", .width = 3, .to_the_right = true },
	{ .name = "summary" },
};

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct analyses_options chosen = { 0 };
	struct cli_words words;
	int status;
	if (!cli_begin(verb, argc, argv, &chosen, &words, &status))
		return status;
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	struct row_writer rows;
	row_writer_begin(&rows, row_format_find(chosen.format), output, columns,
			 sizeof(columns) / sizeof(columns[0]));
	struct histree_analysis_info analysis;
	for (size_t i = 0; histree_analysis(i, &analysis); i++) {
		row_text(&rows, analysis.name);
		row_unsigned(&rows, analysis.version);
		row_text(&rows, analysis.summary);
		row_end(&rows);
	}
	row_writer_finish(&rows);
	return cli_end(output, CLI_OK);
}

const struct cli_verb verb_analyses = {
	.name = "analyses",
	.summary = "list the analyses that turn events into states or segments",
	.arguments = "",
	.options = options,
	.run = run,
};
