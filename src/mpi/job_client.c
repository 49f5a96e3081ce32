// SPDX-License-Identifier: MIT
#include "mpi/job_client.h"

#include <stdlib.h>

#include "cli/report.h"
#include "mpi/question_socket.h"

/* The words of the command line, the store by its full path: the job may run in another folder. */
static enum cli_exit write_words(int argc, char **argv, const char *store, struct message *out)
{
	char *path = realpath(store, NULL);
	message_number(out, (uint64_t)argc);
	for (int i = 0; i < argc; i++)
		message_string(out, i > 0 && argv[i] == store && path != NULL ? path : argv[i]);
	free(path);
	return out->no_memory ? report_no_memory() : CLI_OK;
}

bool job_client_ask(int argc, char **argv, const char *store, const char *socket, int *status)
{
	struct message message = { 0 };
	struct histree_error error = { 0 };
	char *path = question_socket_name(store, socket);
	enum histree_status result = HISTREE_ERR_MEMORY;
	*status = path != NULL ? (int)write_words(argc, argv, store, &message) : (int)report_no_memory();
	if (*status == CLI_OK)
		result = question_socket_ask(path, &message, status, &error);
	else
		result = HISTREE_OK; /* it was reported */
	bool is_done = result != HISTREE_NOT_FOUND || socket != NULL;
	if (socket == NULL && result == HISTREE_ERR_ARGUMENT)
		is_done = false; /* no job can have so long a name */
	if (is_done && result != HISTREE_OK)
		*status = result == HISTREE_NOT_FOUND ? report_exit(CLI_INPUT, "%s", error.message)
						      : report_error(&error);
	free(path);
	message_release(&message);
	return is_done;
}
