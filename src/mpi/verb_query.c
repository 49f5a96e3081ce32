// SPDX-License-Identifier: MIT
#include <unistd.h>

#include "mpi/job_client.h"
#include "mpi/query_job.h"
#include "mpi/verb.h"

static const struct cli_option options[] = {
	CLI_OPTIONS_QUERY(struct question_words, query),
	RANK_OPTION_SOCKET(struct question_words),
	RANK_OPTION_LOCAL(struct question_words, "look for hosts in FOLDER first, where 'build --local' has them"),
	RANK_OPTION_THROTTLE_LINK(struct question_words),
	{ 0 },
};

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct question_words chosen = { 0 };
	struct cli_words words;
	struct link link;
	struct roll_call first;
	struct query_job job;
	int status;
	if (!rank_begin(verb, argc, argv, &chosen, &words, &status))
		return status;
	char unsaid[64];
	if (launcher_rank() > 0)
		report_capture(unsaid, sizeof(unsaid));
	status = query_options_check(&chosen.query, words.count - 1);
	report_capture(NULL, 0);
	if (status != CLI_OK)
		return launcher_rank() > 0 ? CLI_OK : status;
	bool is_client = chosen.socket != NULL || launcher_rank() < 0;
	if (is_client && job_client_ask(argc, argv, words.words[0], chosen.socket, &status))
		return status;
	if (!rank_link(&link, &argc, &argv, &first, &status))
		return rank_end(&link, status);
	link.throttle = chosen.throttle_link;
	if (query_job_begin(&job, &link, words.words[0], chosen.local)) {
		if (link.rank == 0)
			status = query_job_ask(&job, argc - 1, argv + 1, stderr, STDOUT_FILENO);
		else
			query_job_answer(&job);
	}
	query_job_end(&job);
	return rank_end(&link, status);
}

const struct cli_verb question_verb = {
	.name = "query",
	.summary = "ask all ranks for the states at a time or over a range of times",
	.arguments = "STORE [PATTERN]...",
	.words_min = 1,
	.words_max = CLI_WORDS_ANY,
	.complete = CLI_COMPLETE_ATTRIBUTE,
	.options = options,
	.run = run,
};
