// SPDX-License-Identifier: MIT
#include "server/tsp/arrows_reply.h"

#include <stdlib.h>

#include "server/tsp/parameters.h"
#include "server/tsp/replies.h"

/* Where a client does not say how wide its chart is. */
enum { USUAL_PIXELS = 1000 };

struct arrows_answer {
	struct dataset *dataset; /* held */
	int64_t first_id;
	struct arrow_set set;
	size_t part, next;
};

static void answer_free(void *state)
{
	struct arrows_answer *answer = state;
	arrow_set_release(&answer->set);
	dataset_release(answer->dataset);
	free(answer);
}

static void write_arrow(const struct arrows_answer *answer, const struct arrow_source *source,
			const struct histree_arrow *arrow, struct json_writer *json)
{
	uint32_t from, to;
	if (!source->model->rows(source->view, arrow, &from, &to))
		return;
	json_begin_object(json);
	json_int_member(json, "sourceId", answer->first_id + arrow_source_row(source, from));
	json_int_member(json, "targetId", answer->first_id + arrow_source_row(source, to));
	json_int_member(json, "start", arrow->start);
	json_int_member(json, "end", arrow->end);
	style_reference(json, histree_arrow_style(arrow->kind)->key);
	json_end(json);
}

static enum histree_status write_arrows(void *state, struct json_writer *json, struct histree_error *error)
{
	(void)error;
	struct arrows_answer *answer = state;
	for (; answer->part < answer->set.count; answer->part++, answer->next = 0) {
		const struct arrow_part *part = &answer->set.parts[answer->part];
		while (answer->next < part->count && json->piece->size < PIECE_SIZE)
			write_arrow(answer, &part->source, &part->list[answer->next++], json);
		if (answer->next < part->count)
			return HISTREE_OK;
	}
	return HISTREE_END;
}

static enum histree_status make_arrows(const struct call *call, const struct arrow_asked *asked,
				       struct arrows_answer *answer, struct histree_error *error)
{
	struct parameter_times times;
	if (!parameters_times(call, &times))
		return HISTREE_NOT_FOUND;
	uint32_t pixels = times.count > 2 ? (uint32_t)times.count - 1 : USUAL_PIXELS;
	const struct arrow_range range = { times.start, times.end, pixels, reply_cancel(call->reply) };
	enum histree_status status = arrow_set_make(&answer->set, asked, &range, error);
	parameter_times_release(&times);
	return status;
}

void arrows_reply(const struct output_call *output, const struct arrow_asked *asked, int64_t first_id)
{
	struct reply *reply = output->call->reply;
	struct histree_error error = { 0 };
	struct arrows_answer *answer = reply_memory(reply, 1, sizeof(*answer));
	if (answer == NULL)
		return;
	*answer = (struct arrows_answer){ .dataset = dataset_hold(output->dataset), .first_id = first_id };
	enum histree_status status = make_arrows(output->call, asked, answer, &error);
	if (status == HISTREE_OK) {
		reply_envelope(reply);
		json_begin_array(&reply->json);
		reply_steps(reply, &(struct reply_steps){ write_arrows, answer_free, answer });
		return;
	}
	if (status < 0)
		reply_failure(reply, &error); /* else it is answered */
	answer_free(answer);
}
