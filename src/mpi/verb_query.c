// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <unistd.h>

#include "mpi/query_job.h"
#include "mpi/question_socket.h"
#include "mpi/verb.h"

static const struct cli_option options[] = {
	CLI_OPTIONS_QUERY(struct question_words, query),
	{ .name = "socket",
	  .argument = "PATH",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct question_words, socket),
	  .complete = CLI_COMPLETE_PATH,
	  .help = "ask the job that 'serve' has listening at PATH; default: at STORE.socket, if a job listens "
		  "there "
		  "and no launcher started this process" },
	RANK_OPTION_LOCAL(struct question_words, "look for hosts in FOLDER first, where 'build --local' has them"),
	RANK_OPTION_THROTTLE_LINK(struct question_words),
	{ 0 },
};

/* The words of the command line, the store by its full path: the job may run in another folder. */
static enum cli_exit write_words(int argc, char **argv, const struct cli_words *words, struct message *out)
{
	char *path = realpath(words->words[0], NULL);
	message_number(out, (uint64_t)(argc - 1));
	for (int i = 1; i < argc; i++)
		message_string(out, argv + i == words->words && path != NULL ? path : argv[i]);
	free(path);
	return out->no_memory ? report_no_memory() : CLI_OK;
}

/* Returns false if there is no such job, and none was asked for. */
static bool ask_job(int argc, char **argv, const struct question_words *chosen, const struct cli_words *words,
		    int *status)
{
	struct message message = { 0 };
	struct histree_error error = { 0 };
	char *path = question_socket_name(words->words[0], chosen->socket);
	enum histree_status result = HISTREE_ERR_MEMORY;
	*status = path != NULL ? (int)write_words(argc, argv, words, &message) : (int)report_no_memory();
	if (*status == CLI_OK)
		result = question_socket_ask(path, &message, status, &error);
	else
		result = HISTREE_OK; /* it was reported */
	bool is_done = result != HISTREE_NOT_FOUND || chosen->socket != NULL;
	if (chosen->socket == NULL && result == HISTREE_ERR_ARGUMENT)
		is_done = false; /* no job can have so long a name */
	if (is_done && result != HISTREE_OK)
		*status = result == HISTREE_NOT_FOUND ? report_exit(CLI_INPUT, "%s", error.message)
						      : report_error(&error);
	free(path);
	message_release(&message);
	return is_done;
}

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
	if (rank_of_launcher() > 0)
		report_capture(unsaid, sizeof(unsaid));
	status = query_options_check(&chosen.query, words.count - 1);
	report_capture(NULL, 0);
	if (status != CLI_OK)
		return rank_of_launcher() > 0 ? CLI_OK : status;
	if ((chosen.socket != NULL || rank_of_launcher() < 0) && ask_job(argc, argv, &chosen, &words, &status))
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
