// SPDX-License-Identifier: MIT
/*
 * query_follow.c - the ranks but 0, which answer what that one asks.
 */
#include "mpi/answer_stream.h"
#include "mpi/query_job.h"

static bool send_to_first(void *context, struct message *message)
{
	return link_send(context, 0, message);
}

static bool tell_times(struct query_job *job, struct byte_reader *reader)
{
	struct message reply = { 0 };
	struct shard_analysis *analysis = NULL;
	char name[128];
	read_text_into(reader, name, sizeof(name));
	bool opened = shard_set_open(&job->set, name, &analysis, NULL) == HISTREE_OK && analysis->has_times;
	message_byte(&reply, opened);
	message_signed(&reply, opened ? analysis->start : 0);
	message_signed(&reply, opened ? analysis->end : 0);
	bool sent = link_send(job->link, 0, &reply);
	message_release(&reply);
	return sent;
}

static bool answer_segments(struct query_job *job, struct byte_reader *request)
{
	struct message reply = { 0 };
	job->server.set = &job->set;
	job->server.cancel = (struct histree_cancel){ inbox_wants, &job->inbox };
	segment_server_answer(&job->server, request, &reply);
	bool sent = link_send(job->link, 0, &reply);
	message_release(&reply);
	return sent;
}

void query_job_answer(struct query_job *job)
{
	struct message message = { 0 };
	bool goes_on = true;
	while (goes_on && inbox_take(&job->inbox, &message)) {
		struct byte_reader reader = byte_reader(message.bytes, message.size);
		switch (read_byte(&reader)) {
		case JOB_OPEN:
			goes_on = tell_times(job, &reader);
			break;
		case SEGMENT_REQUEST:
			goes_on = answer_segments(job, &reader);
			break;
		case JOB_QUESTION:
			question_answer(&job->set, &reader, send_to_first, job->link,
					(struct histree_cancel){ inbox_wants, &job->inbox });
			break;
		case JOB_STOP: /* nothing more comes of what was asked */
			segment_server_reset(&job->server);
			break;
		default:
			goes_on = false;
		}
	}
	message_release(&message);
}
