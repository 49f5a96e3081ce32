// SPDX-License-Identifier: MIT
#include "mpi/view_server.h"

#include <stdlib.h>

#include "base/error.h"
#include "histree/time_use.h"

void view_server_answer(const struct state_server *states, struct byte_reader *request, struct message *reply)
{
	struct histree_error error = { 0 };
	void *answer = NULL;
	size_t size = 0;
	uint64_t number = read_varint(request), history = read_varint(request);
	struct message_text question = read_text(request);
	size_t at = section_begin(reply, STEP_VIEW);
	struct histree_history *of = state_server_history(states, history);
	message_number(reply, number);
	enum histree_status status =
		request->failed || of == NULL
			? error_set(&error, HISTREE_ERR_FORMAT, "a rank cannot read the question")
			: histree_time_use_answer(of, question.bytes, question.size, states->cancel, &answer, &size,
						  &error);
	section_status(reply, status, &error);
	message_bytes(reply, answer, size);
	section_end(reply, at);
	free(answer);
}
