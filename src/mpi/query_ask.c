// SPDX-License-Identifier: MIT
#include "mpi/query_ask.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cancel.h"
#include "mpi/local_answer.h"

bool query_ask_all(struct link *link, const struct message *message)
{
	bool sent = true;
	for (int rank = 1; rank < link->count; rank++)
		sent = link_send(link, rank, message) && sent;
	return sent;
}

/* What a question needs on the way from the ranks to its client. */
struct asking {
	struct query_asker *asker;
	struct local_answer local;
};

struct remote {
	struct asking *asking;
	int rank;
};

/*
 * Once nobody wants the answer, ranks are told to end it.  Each does so with what it was about to send, or has
 * ended it already and finds the word when it waits for another question.
 */
static void look_at_client(void *context)
{
	struct asking *asking = context;
	struct query_asker *asker = asking->asker;
	if (asker->is_stopped || !cancel_asked(&asker->cancel))
		return;
	struct message stop = { 0 };
	asker->is_stopped = true;
	message_byte(&stop, JOB_STOP);
	query_ask_all(asker->link, &stop);
	message_release(&stop);
	local_answer_stop(&asking->local);
}

static bool receive_remote(void *context, struct message *message)
{
	const struct remote *remote = context;
	struct link *link = remote->asking->asker->link;
	int from;
	look_at_client(remote->asking);
	while (!link_has_message(link, remote->rank, &from)) {
		if (link->go_on != NULL && !link->go_on(NULL))
			return false;
		look_at_client(remote->asking);
		link_rest(link);
	}
	return link_receive(link, remote->rank, message);
}

int query_ask(struct query_asker *asker, const struct question_words *chosen, const struct cli_words *words,
	      const struct message *question, int file)
{
	struct asking asking = { .asker = asker };
	struct local_answer *local = &asking.local;
	int count = asker->link->count, status = CLI_INTERNAL;
	uint64_t bytes = asker->link->bytes_received, messages = asker->link->messages_received;
	struct remote *remotes = calloc((size_t)count, sizeof(*remotes));
	if (remotes == NULL || !local_answer_begin(local, asker->set, question->bytes + 1, question->size - 1)) {
		free(remotes);
		return report_no_memory();
	}
	local->look = look_at_client;
	local->look_context = &asking;
	for (int rank = 0; rank < count; rank++) {
		struct answer_source *source = &asker->sources[rank];
		remotes[rank] = (struct remote){ .asking = &asking, .rank = rank };
		source->receive = rank == 0 ? local_answer_receive : receive_remote;
		source->context = rank == 0 ? (void *)local : (void *)&remotes[rank];
		source->rank = rank;
		source->row = source->chunk.row_count = 0;
		source->is_done = false;
	}
	if (query_ask_all(asker->link, question))
		status = answer_merge(asker->sources, (size_t)count, chosen, words, file, &asker->is_lost);
	else
		asker->is_lost = true;
	if (chosen->query.stats)
		report("%" PRIu64 " bytes in %" PRIu64 " messages from other ranks",
		       asker->link->bytes_received - bytes, asker->link->messages_received - messages);
	local_answer_end(local);
	free(remotes);
	return status;
}
