// SPDX-License-Identifier: MIT
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/progress.h"
#include "mpi/answer_stream.h"
#include "mpi/face.h"
#include "mpi/question_socket.h"
#include "mpi/verb.h"

enum { LOOK_MS = 100, TEXT_SIZE = 16384 };

struct serve_words {
	const char *socket, *local;
	uint64_t throttle_link;
	bool quiet;
};

static const struct cli_option options[] = {
	{ .name = "socket",
	  .argument = "PATH",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct serve_words, socket),
	  .complete = CLI_COMPLETE_PATH,
	  .help = "listen for questions at PATH, on the node of rank 0; default: STORE.socket" },
	RANK_OPTION_LOCAL(struct serve_words, "look for hosts in FOLDER first, where 'build --local' has them"),
	RANK_OPTION_THROTTLE_LINK(struct serve_words),
	{ .name = "quiet",
	  .letter = 'q',
	  .kind = CLI_FLAG,
	  .member = offsetof(struct serve_words, quiet),
	  .help = "print only errors" },
	{ 0 },
};

struct client_words {
	int argc;
	char **argv;
};

static bool read_words(const struct message *message, struct client_words *words)
{
	struct byte_reader reader = byte_reader(message->bytes, message->size);
	uint64_t count = read_varint(&reader);
	*words = (struct client_words){ 0 };
	if (reader.failed || count > byte_reader_left(&reader))
		return false;
	words->argv = calloc((size_t)count + 1, sizeof(*words->argv));
	for (uint64_t i = 0; i < count && words->argv != NULL; i++) {
		struct message_text text = read_text(&reader);
		words->argv[i] = message_text_copy(text);
		if (words->argv[i] == NULL)
			return false;
		words->argc++;
	}
	return words->argv != NULL && !reader.failed;
}

static void free_words(struct client_words *words)
{
	for (int i = 0; i < words->argc; i++)
		free(words->argv[i]);
	free((void *)words->argv);
}

/* The store is among the words, which a client cannot choose: it is served one. */
static bool names_store(const struct client_words *words, const char *path)
{
	for (int i = 1; i < words->argc; i++)
		if (strcmp(words->argv[i], path) == 0)
			return true;
	return false;
}

/* The first word is the verb. */
static int ask(struct query_job *job, const struct client_words *words, FILE *messages, int spool)
{
	struct face face;
	if (strcmp(words->argv[0], question_verb.name) == 0)
		return query_job_ask(job, words->argc - 1, words->argv + 1, messages, spool);
	if (face_find(&face, words->argv[0]))
		return face_ask(job, words->argc, words->argv, messages, spool);
	return report_exit(CLI_USAGE, "a job is not asked '%s'", words->argv[0]);
}

/* Whether its client still waits for an answer. */
static bool is_awaited(void *context)
{
	return !question_socket_is_gone(*(const int *)context);
}

static void answer_client(struct query_job *job, const char *path, int connection, const struct message *message,
			  bool quiet)
{
	char text[TEXT_SIZE], *said = NULL;
	size_t said_size = 0;
	struct client_words words = { 0 };
	int status = CLI_USAGE, spool = question_socket_spool();
	FILE *messages = open_memstream(&said, &said_size);
	job->asker.cancel = (struct histree_cancel){ is_awaited, &connection };
	report_capture(text, sizeof(text));
	if (spool < 0 || messages == NULL)
		status = report_exit(CLI_INPUT, "there is no room for the answer");
	else if (!read_words(message, &words))
		report("the question is damaged");
	else if (!names_store(&words, path))
		report("the job at this socket serves '%s', and no other store", path);
	else
		status = ask(job, &words, messages, spool);
	report_capture(NULL, 0);
	if (job->asker.is_stopped && !quiet)
		report("a client is gone; the ranks were stopped");
	job->asker.cancel = (struct histree_cancel){ 0 };
	job->asker.is_stopped = false;
	free_words(&words);
	if (messages != NULL)
		fclose(messages);
	if (spool >= 0)
		question_socket_reply(connection, spool, status, *text == '\0' && said != NULL ? said : text);
	else
		close(connection);
	free(said);
}

static int serve(struct query_job *job, const char *store, const struct serve_words *chosen)
{
	struct question_socket socket = { .file = -1 };
	struct histree_error error = { 0 };
	struct message message = { 0 };
	char *path = question_socket_name(store, chosen->socket), *real = realpath(store, NULL);
	int status = CLI_OK;
	if (path == NULL || real == NULL)
		status = report_no_memory();
	else if (question_socket_open(&socket, path, &error) != HISTREE_OK)
		status = report_error(&error);
	if (status == CLI_OK && !chosen->quiet)
		report("'%s': %zu hosts, %d ranks; listening at '%s'", store, job->set.count, job->link->count,
		       path);
	while (status == CLI_OK && !job->is_lost && progress_goes_on(NULL)) {
		int connection = question_socket_accept(&socket, LOOK_MS, &message);
		if (connection >= 0)
			answer_client(job, real, connection, &message, chosen->quiet);
	}
	question_socket_close(&socket);
	if (job->is_lost)
		status = report_exit(CLI_INPUT, "a rank is gone, and with it its hosts; the job ends");
	message_release(&message);
	free(real);
	free(path);
	return status;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct serve_words chosen = { 0 };
	struct cli_words words;
	struct link link;
	struct roll_call first;
	struct query_job job;
	int status;
	if (!rank_begin(verb, argc, argv, &chosen, &words, &status))
		return status;
	if (!rank_link(&link, &argc, &argv, &first, &status))
		return rank_end(&link, status);
	link.throttle = chosen.throttle_link;
	signal(SIGPIPE, SIG_IGN);
	/* A launcher that is to end sends this to all ranks; rank 0 ends them in order. */
	progress_catch_signals();
	if (query_job_begin(&job, &link, words.words[0], chosen.local)) {
		if (link.rank == 0)
			status = serve(&job, words.words[0], &chosen);
		else
			query_job_answer(&job);
	}
	query_job_end(&job);
	return rank_end(&link, status);
}

const struct cli_verb serve_verb = {
	.name = "serve",
	.summary = "keep ranks with open histories, which answer questions in milliseconds",
	.arguments = "STORE",
	.words_min = 1,
	.words_max = 1,
	.complete = CLI_COMPLETE_PATH,
	.options = options,
	.run = run,
};
