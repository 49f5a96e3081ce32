// SPDX-License-Identifier: MIT
#include "mpi/view_remote.h"

#include <stdlib.h>

#include "base/error.h"

struct view_asked {
	struct view_remotes *remotes;
	struct view_asked *next;
	int rank;
	uint64_t number;
	bool has_arrived;
	struct message arrived;
};

static bool take_section(void *context, struct byte_reader section)
{
	const struct view_remotes *remotes = context;
	uint64_t number = read_varint(&section);
	for (struct view_asked *asked = remotes->asked; asked != NULL && !section.failed; asked = asked->next) {
		if (asked->number != number)
			continue;
		message_clear(&asked->arrived);
		message_bytes(&asked->arrived, section.at, byte_reader_left(&section));
		asked->has_arrived = true;
		return !asked->arrived.no_memory;
	}
	return !section.failed; /* it was dropped since */
}

void view_remotes_begin(struct view_remotes *remotes, struct segment_remotes *ranks)
{
	*remotes = (struct view_remotes){ .ranks = ranks };
	ranks->take_views = take_section;
	ranks->views = remotes;
}

enum histree_status view_remotes_ask(struct view_remotes *remotes, int rank, uint64_t history, const void *question,
				     size_t size, struct view_asked **out, struct histree_error *error)
{
	struct view_asked *asked = *out = calloc(1, sizeof(*asked));
	if (asked == NULL)
		return error_memory(error, "a question");
	*asked = (struct view_asked){
		.remotes = remotes, .next = remotes->asked, .rank = rank, .number = ++remotes->next_number
	};
	remotes->asked = asked;
	struct message *message = segment_remotes_step(remotes->ranks, rank, STEP_VIEW);
	message_number(message, asked->number);
	message_number(message, history);
	message_text(message, question, size);
	return HISTREE_OK;
}

enum histree_status view_asked_take(struct view_asked *asked, const void **answer, size_t *size,
				    struct histree_error *error)
{
	struct segment_remotes *ranks = asked->remotes->ranks;
	struct histree_error why = { 0 };
	struct byte_reader unused;
	enum histree_status status = asked->has_arrived ? HISTREE_OK : segment_remotes_send_all(ranks, error);
	while (status == HISTREE_OK && !asked->has_arrived)
		status = segment_remotes_take(ranks, asked->rank, &unused, error);
	if (status != HISTREE_OK)
		return status;
	struct byte_reader reader = byte_reader(asked->arrived.bytes, asked->arrived.size);
	int64_t found = read_signed(&reader);
	read_text_into(&reader, why.message, sizeof(why.message));
	if (reader.failed)
		return segment_remotes_damaged(ranks, asked->rank, error);
	*answer = reader.at;
	*size = byte_reader_left(&reader);
	return found == HISTREE_OK ? HISTREE_OK : error_set(error, (enum histree_status)found, "%s", why.message);
}

void view_asked_drop(struct view_asked *asked)
{
	struct view_asked **at = &asked->remotes->asked;
	while (*at != asked)
		at = &(*at)->next;
	*at = asked->next;
	message_release(&asked->arrived);
	free(asked);
}
