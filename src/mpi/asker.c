// SPDX-License-Identifier: MIT
#include "mpi/asker.h"

#include "base/cancel.h"

bool asker_waits(void *context)
{
	struct asker *asker = context;
	if (asker->is_stopped || !cancel_asked(&asker->cancel))
		return !asker->is_stopped;
	struct message stop = { 0 };
	asker->is_stopped = true;
	message_byte(&stop, JOB_STOP);
	link_send_all(asker->link, &stop);
	message_release(&stop);
	return false;
}

bool asker_receive(struct asker *asker, int rank, struct message *message)
{
	struct link *link = asker->link;
	int from;
	asker_waits(asker);
	while (!link_has_message(link, rank, &from)) {
		if (link->go_on != NULL && !link->go_on(NULL))
			return false;
		asker_waits(asker);
		link_rest(link);
	}
	return link_receive(link, rank, message);
}
