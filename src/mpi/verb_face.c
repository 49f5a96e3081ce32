// SPDX-License-Identifier: MIT
/*
 * verb_face.c - verbs of `histree` over what the ranks have.
 */
#include <stdlib.h>
#include <unistd.h>

#include "mpi/face.h"
#include "mpi/job_client.h"

static int ask_ranks(int argc, char **argv, const struct face_words *chosen, const char *store)
{
	struct link link;
	struct roll_call first;
	struct query_job job;
	int status;
	if (!rank_link(&link, &argc, &argv, &first, &status))
		return rank_end(&link, status);
	link.throttle = chosen->throttle_link;
	if (query_job_begin(&job, &link, store, chosen->local)) {
		if (link.rank == 0)
			status = face_ask(&job, argc, argv, stderr, STDOUT_FILENO);
		else
			query_job_answer(&job);
	}
	query_job_end(&job);
	return rank_end(&link, status);
}

int face_run(int argc, char **argv)
{
	struct face face;
	struct face_words chosen = { 0 };
	struct cli_words words;
	int status = CLI_USAGE;
	char **line = calloc((size_t)argc + 1, sizeof(*line));
	if (line == NULL || !face_find(&face, argv[0])) {
		free((void *)line);
		return report_no_memory();
	}
	memcpy((void *)line, (void *)argv, (size_t)argc * sizeof(*line)); /* it is reordered */
	if (rank_begin(&face.verb, argc, line, &chosen, &words, &status)) {
		bool is_client = chosen.socket != NULL || launcher_rank() < 0;
		if (!is_client || !job_client_ask(argc, argv, words.words[0], chosen.socket, &status))
			status = ask_ranks(argc, argv, &chosen, words.words[0]);
	}
	free((void *)line);
	return status;
}
