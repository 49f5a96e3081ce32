/* SPDX-License-Identifier: MIT */
/*
 * shard_readers.h - threads that ask the shards of a union, ahead of whoever hands their answers out in order.
 *
 * A thread takes the next question, asks it, and keeps the first part of the answer in memory.  The rest is read
 * by whoever takes the question, from the query where the thread has left it, and so an error is met there.  A
 * question that no thread has begun is left to who takes it, who never waits for one that is not being read.
 */
#ifndef QUERY_SHARD_READERS_H
#define QUERY_SHARD_READERS_H

#include "histree/query.h"

struct shard_readers;

/* Of one shard.  What it points to is the caller's, and the threads' from the start on until it is taken. */
struct shard_question {
	struct histree_history *history;
	struct histree_query **query; /* of that; made if it is NULL */
	struct histree_region region;
	bool is_large; /* no thread begins it */
};

/* What the threads have of an answer; its query was started if `has_begun`. */
struct shard_answer {
	bool has_begun, is_whole;
	const struct histree_interval *intervals;
	size_t count;
};

/* With fewer threads if there are not so many to be had, but one at least. */
enum histree_status shard_readers_create(unsigned threads, struct shard_readers **out, struct histree_error *error);
void shard_readers_free(struct shard_readers *readers);

/* Begin with a list of questions, which lives until the next one or until they are cancelled. */
void shard_readers_start(struct shard_readers *readers, const struct shard_question *questions, size_t count);

/* Take the answer to the next question: it is the caller's until the next call. */
struct shard_answer shard_readers_take(struct shard_readers *readers);

/* Nothing more is wanted: no thread uses a question any more.  Queries are as far as they were asked. */
void shard_readers_cancel(struct shard_readers *readers);

#endif
