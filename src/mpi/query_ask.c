// SPDX-License-Identifier: MIT
#include "mpi/query_ask.h"

#include <inttypes.h>
#include <stdlib.h>

#include "mpi/local_answer.h"

/* What a question needs on the way from the ranks to its client. */
struct asking {
	struct asker *asker;
	struct local_answer local;
};

struct remote {
	struct asking *asking;
	int rank;
};

/* The answer of rank 0 itself is told to end as those of the others are. */
static void look_at_asker(void *context)
{
	struct asking *asking = context;
	if (!asker_waits(asking->asker))
		local_answer_stop(&asking->local);
}

static bool receive_remote(void *context, struct message *message)
{
	const struct remote *remote = context;
	bool received = asker_receive(remote->asking->asker, remote->rank, message);
	look_at_asker(remote->asking);
	return received;
}

int query_ask(struct query_asker *asker, const struct question_words *chosen, const struct cli_words *words,
	      const struct message *question, int file)
{
	struct asking asking = { .asker = asker->asker };
	struct local_answer *local = &asking.local;
	struct link *link = asker->asker->link;
	int count = link->count, status = CLI_INTERNAL;
	uint64_t bytes = link->bytes_received, messages = link->messages_received;
	struct remote *remotes = calloc((size_t)count, sizeof(*remotes));
	if (remotes == NULL || !local_answer_begin(local, asker->set, question->bytes + 1, question->size - 1)) {
		free(remotes);
		return report_no_memory();
	}
	local->look = look_at_asker;
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
	if (link_send_all(link, question))
		status = answer_merge(asker->sources, (size_t)count, chosen, words, file, &asker->is_lost);
	else
		asker->is_lost = true;
	if (chosen->query.stats)
		report("%" PRIu64 " bytes in %" PRIu64 " messages from other ranks", link->bytes_received - bytes,
		       link->messages_received - messages);
	local_answer_end(local);
	free(remotes);
	return status;
}
