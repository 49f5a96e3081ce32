// SPDX-License-Identifier: MIT
#include <unistd.h>

#include "cli/answer.h"
#include "cli/target.h"
#include "cli/row_writer.h"
#include "cli/verb.h"

struct dump_options {
	const char *analysis, *format;
};

static const struct cli_option options[] = {
	CLI_OPTION_ANALYSIS(struct dump_options,
			    "read the history of this analysis; default: kernel, or the first"),
	CLI_OPTION_FORMAT(struct dump_options),
	{ 0 },
};

static int print(struct histree_history *history, const struct attribute_list *list,
		 const struct row_format *format)
{
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	const struct histree_history_info *info = histree_history_info(history);
	const struct answer_question everything = {
		.history = history,
		.attributes = list,
		.from = info->start,
		.to = info->end,
	};
	struct interval_rows rows;
	struct answer_stats stats;
	struct histree_error error = { 0 };
	interval_rows_begin(&rows, format, output, history, list, INTERVAL_PLAIN);
	enum histree_status status = answer(&everything, interval_rows_take, &rows, &stats, &error);
	interval_rows_finish(&rows);
	host_part_missing(history);
	return cli_end(output, answer_exit(stats.query.nodes_damaged > 0,
					   status == HISTREE_OK ? CLI_OK : (int)report_error(&error)));
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct dump_options chosen = { 0 };
	struct cli_words words;
	int status;
	if (!cli_begin(verb, argc, argv, &chosen, &words, &status))
		return status;
	struct target target;
	struct histree_history *history;
	struct attribute_list list = { 0 };
	status = target_open_history(&target, words.words[0], chosen.analysis, &history);
	if (status == CLI_OK)
		status = attribute_list_match(&list, history, NULL, 0, ATTRIBUTES_WITH_STATES);
	if (status == CLI_OK)
		status = print(history, &list, row_format_find(chosen.format));
	attribute_list_release(&list);
	histree_history_close(history);
	target_close(&target);
	return status;
}

const struct cli_verb verb_dump = {
	.name = "dump",
	.summary = "print every interval of a history",
	.arguments = "STORE",
	.words_min = 1,
	.words_max = 1,
	.complete = CLI_COMPLETE_PATH,
	.options = options,
	.run = run,
};
