// SPDX-License-Identifier: MIT
#include "mpi/inbox.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "mpi/asker.h"

static bool is_stop(const struct message *message)
{
	return message->size > 0 && message->bytes[0] == JOB_STOP;
}

bool inbox_take(struct inbox *inbox, struct message *message)
{
	if (inbox->count > 0) {
		message_release(message);
		*message = inbox->kept[0];
		inbox->count--;
		memmove(inbox->kept, inbox->kept + 1, inbox->count * sizeof(*inbox->kept));
	} else if (!link_receive(inbox->link, 0, message)) {
		return false;
	}
	if (is_stop(message))
		inbox->is_stopped = false;
	return true;
}

bool inbox_wants(void *context)
{
	struct inbox *inbox = context;
	int from;
	while (!inbox->is_stopped && link_has_message(inbox->link, 0, &from)) {
		if (!array_reserve(&inbox->kept, &inbox->capacity, inbox->count + 1))
			return true; /* it is found later */
		struct message *next = &inbox->kept[inbox->count];
		*next = (struct message){ 0 };
		if (!link_receive(inbox->link, 0, next)) {
			message_release(next);
			return false;
		}
		inbox->count++;
		inbox->is_stopped = is_stop(next);
	}
	return !inbox->is_stopped;
}

void inbox_release(struct inbox *inbox)
{
	for (size_t i = 0; i < inbox->count; i++)
		message_release(&inbox->kept[i]);
	free(inbox->kept);
	*inbox = (struct inbox){ 0 };
}
