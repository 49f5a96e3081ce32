/* SPDX-License-Identifier: MIT */
/*
 * use_question.h - the use of time of a host whose history somebody else holds: a question and an answer as bytes,
 * so that the states of its threads stay where they are.
 */
#ifndef VIEW_USE_QUESTION_H
#define VIEW_USE_QUESTION_H

#include "histree/history_source.h"
#include "view/use_rows.h"

/* What is asked of one host. */
struct use_question {
	struct histree_time_use_request request; /* nobody is asked whether to go on */
	const char *host_name;
	histree_time start, end; /* to which times in the expression are relative */
};

/* That of a host; a zeroed one was not asked. */
struct use_asked {
	const struct histree_history_source *source;
	void *asked;
};

/* Reads what use_question_ask() has sent; texts are borrowed from it.  Returns false if it is none. */
bool use_question_read(struct use_question *question, const void *bytes, size_t size);

/* Whether somebody else holds the history, and answers such questions. */
bool use_question_is_for(const struct histree_history *history);

/* Asks it, and does not wait. */
enum histree_status use_question_ask(const struct use_question *question, const struct histree_history *history,
				     struct use_asked *asked, struct histree_error *error);

/* Sends off what was asked of all holders that this one's context knows. */
enum histree_status use_asked_send(const struct use_asked *asked, struct histree_error *error);

/* Waits for the answer, whose bytes are borrowed until it is dropped. */
enum histree_status use_asked_take(const struct use_asked *asked, struct byte_reader *answer,
				   struct histree_error *error);

void use_asked_drop(struct use_asked *asked);

#endif
