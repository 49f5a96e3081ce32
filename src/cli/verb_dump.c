// SPDX-License-Identifier: MIT
/*
 * verb_dump.c - every interval of a history, by path and time.
 */
#include <unistd.h>

#include "cli/answer.h"
#include "cli/row_writer.h"
#include "cli/state_where.h"
#include "cli/target.h"
#include "cli/verb.h"

struct dump_options {
	struct cli_question question;
};

static const struct cli_option options[] = { { 0 } };

static int dump_run(void *said, const struct cli_words *words)
{
	struct dump_options *chosen = said;
	int status;
	struct target target;
	struct histree_history *history, *part;
	struct attribute_list list = { 0 };
	struct answer_question everything = { 0 };
	status = target_open_history(&target, words->words[0], chosen->question.analysis, &history);
	if (status == CLI_OK)
		status = host_part_of_question(&target, history, &chosen->question, &part);
	if (status == CLI_OK)
		status = attribute_list_match(&list, part, NULL, 0, ATTRIBUTES_WITH_STATES);
	if (status == CLI_OK) {
		const struct histree_history_info *info = histree_history_info(part);
		everything = (struct answer_question){
			.history = part,
			.attributes = &list,
			.from = info->start,
			.to = info->end,
			.row_max = chosen->question.limit,
		};
		const struct state_where where = { &chosen->question, &target, part };
		status = state_where_states(&where, &list, &everything.from, &everything.to, &everything.filter);
	}
	if (status == CLI_OK && chosen->question.where != NULL && list.count == 0)
		status = report_none("states", chosen->question.where);
	if (status == CLI_OK) {
		struct interval_rows rows;
		struct answer_stats stats;
		struct histree_error error = { 0 };
		enum cli_exit code = interval_rows_open(&rows, output_create_paged(), &chosen->question, part,
							&list, INTERVAL_PLAIN);
		if (code == CLI_OK) {
			if (answer(&everything, interval_rows_take, &rows, &stats, &error) != HISTREE_OK)
				code = report_error(&error);
			host_part_missing(part);
			code = answer_exit(stats.nodes_damaged > 0, code);
		}
		status = interval_rows_close(&rows, code);
	}
	histree_state_filter_free(everything.filter);
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
	.asks = ASKS(WHERE) | ASKS(LIMIT) | ASKS(COLUMNS) | ASKS(ANALYSIS) | ASKS(HOST) | ASKS(FORMAT),
	.says = { [ASK_WHERE] = ", as in 'process == 2673 && label == blocked'",
		  [ASK_HOST] = "; paths then have no host" },
	.options = options,
	.options_size = sizeof(struct dump_options),
	.run = dump_run,
};
