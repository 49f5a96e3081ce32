// SPDX-License-Identifier: MIT
#include <unistd.h>

#include "cli/attribute_list.h"
#include "cli/target.h"
#include "cli/verb.h"

struct ls_options {
	const char *analysis, *format;
};

static const struct cli_option options[] = {
	CLI_OPTION_ANALYSIS(struct ls_options, "the history of this analysis; default: kernel, or the first"),
	CLI_OPTION_FORMAT(struct ls_options),
	{ 0 },
};

static const struct row_column columns[] = {
	{ .name = "quark", .width = 8, .to_the_right = true },
	{ .name = "path" },
};

static int print(const struct attribute_list *list, const struct row_format *format, int status)
{
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	struct row_writer rows;
	row_writer_begin(&rows, format, output, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < list->count; i++) {
		row_unsigned(&rows, list->attributes[i].quark);
		row_path(&rows, list->attributes[i].path, list->attributes[i].path_size);
		row_end(&rows);
	}
	row_writer_finish(&rows);
	return cli_end(output, status);
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct ls_options chosen = { 0 };
	struct cli_words words;
	int status;
	if (!cli_begin(verb, argc, argv, &chosen, &words, &status))
		return status;
	struct target target;
	struct histree_history *history;
	struct attribute_list list = { 0 };
	enum cli_exit code = target_open_history(&target, words.words[0], chosen.analysis, &history);
	if (code != CLI_OK)
		goto out;
	code = attribute_list_match(&list, histree_history_attributes(history), words.words + 1, words.count - 1);
	if (code == CLI_OK || code == CLI_NOTHING)
		code = print(&list, row_format_find(chosen.format), code);
out:
	attribute_list_release(&list);
	histree_history_close(history);
	target_close(&target);
	return code;
}

const struct cli_verb verb_ls = {
	.name = "ls",
	.summary = "list the attributes of a history",
	.arguments = "STORE [PATTERN]...",
	.words_least = 1,
	.words_most = CLI_WORDS_ANY,
	.complete = CLI_COMPLETE_PATH,
	.options = options,
	.run = run,
};
