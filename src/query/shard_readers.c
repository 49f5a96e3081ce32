// SPDX-License-Identifier: MIT
#include "query/shard_readers.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/worker.h"

enum {
	ANSWERS_PER_THREAD = 2,    /* one that is read, and one that waits to be taken */
	INTERVALS_MAX = 64 << 10,  /* of an answer that are read ahead */
	INTERVALS_FIRST = 1 << 10, /* for which there is room at first */
	BYTES_MAX = 4 << 20,       /* of their values */
};

/*
 * A ring: questions are begun and taken in one order.  Those before `begun` are being read or were; `is_read` says
 * which.
 */
struct slot {
	struct shard_answer answer;
	struct histree_interval *intervals;
	size_t capacity;
	struct arena bytes; /* of the values: a query lends them until it is asked on */
	bool is_read;
};

struct shard_readers {
	struct worker *workers;
	unsigned worker_count;
	struct slot *slots;
	size_t slot_count;

	pthread_mutex_t mutex; /* of all that follows, and of `is_read` */
	pthread_cond_t changed, read_some;
	const struct shard_question *questions;
	size_t count, begun;
	size_t given;     /* to the caller; the slot of the last of them is in use yet */
	unsigned reading; /* threads that read just now */
	bool stopping;
};

/* ---- in the threads -------------------------------------------------------------------------------------- */

static bool make_room(struct slot *slot)
{
	size_t capacity = slot->capacity == 0 ? INTERVALS_FIRST : 4 * slot->capacity;
	struct histree_interval *intervals = reallocarray(slot->intervals, capacity, sizeof(*intervals));
	if (intervals == NULL)
		return false;
	slot->intervals = intervals;
	slot->capacity = capacity;
	return true;
}

/* False: memory is out, and the intervals from `from` on cannot be kept. */
static bool keep_bytes(struct slot *slot, size_t from, size_t count)
{
	for (size_t i = from; i < from + count; i++) {
		struct histree_value *value = &slot->intervals[i].value;
		if (value->type != HISTREE_STRING && value->type != HISTREE_CUSTOM)
			continue;
		value->bytes = arena_copy(&slot->bytes, value->bytes, value->size);
		if (value->bytes == NULL)
			return false;
	}
	return true;
}

/* Begins the query; it is asked on by whoever takes it unless all of it was read. */
static void ask(struct slot *slot, const struct shard_question *question)
{
	struct shard_answer *answer = &slot->answer;
	enum histree_status status = HISTREE_OK;
	if (*question->query == NULL)
		status = histree_query_create(question->history, question->query, NULL);
	if (status == HISTREE_OK)
		status = histree_query_start(*question->query, &question->region, NULL);
	answer->has_begun = status == HISTREE_OK;
	while (status == HISTREE_OK && answer->count < INTERVALS_MAX && slot->bytes.bytes_total < BYTES_MAX) {
		size_t count;
		if (answer->count == slot->capacity && !make_room(slot))
			break;
		status = histree_query_read(*question->query, slot->intervals + answer->count,
					    slot->capacity - answer->count, &count, NULL);
		if (status == HISTREE_OK && !keep_bytes(slot, answer->count, count)) {
			answer->count = 0; /* all of it again, by who takes it */
			answer->has_begun = false;
			break;
		}
		answer->count += count;
	}
	answer->is_whole = status == HISTREE_END;
	answer->intervals = slot->intervals;
}

/* Whether a question may be begun; those that are left to who takes them are passed by.  Under the mutex. */
static bool has_next(struct shard_readers *readers)
{
	size_t free_from = readers->given > 0 ? readers->given - 1 : 0;
	while (readers->begun < readers->count && readers->begun < free_from + readers->slot_count) {
		struct slot *slot = &readers->slots[readers->begun % readers->slot_count];
		slot->answer = (struct shard_answer){ .has_begun = false };
		slot->is_read = readers->questions[readers->begun].is_large;
		if (!slot->is_read)
			return true;
		readers->begun++;
	}
	return false;
}

static void serve(void *context)
{
	struct shard_readers *readers = context;
	pthread_mutex_lock(&readers->mutex);
	for (;;) {
		while (!readers->stopping && !has_next(readers))
			pthread_cond_wait(&readers->changed, &readers->mutex);
		if (readers->stopping)
			break;
		const struct shard_question *question = &readers->questions[readers->begun];
		struct slot *slot = &readers->slots[readers->begun++ % readers->slot_count];
		readers->reading++;
		pthread_mutex_unlock(&readers->mutex);
		arena_release(&slot->bytes);
		ask(slot, question);
		pthread_mutex_lock(&readers->mutex);
		readers->reading--;
		slot->is_read = true;
		pthread_cond_signal(&readers->read_some);
	}
	pthread_mutex_unlock(&readers->mutex);
}

/* ---- in the thread of the query --------------------------------------------------------------------------- */

enum histree_status shard_readers_create(unsigned threads, struct shard_readers **out, struct histree_error *error)
{
	struct shard_readers *readers = *out = calloc(1, sizeof(*readers));
	if (readers == NULL)
		return error_memory(error, "the threads of a query");
	*readers =
		(struct shard_readers){ .workers = calloc(threads, sizeof(*readers->workers)),
					.slots = calloc((size_t)threads * ANSWERS_PER_THREAD, sizeof(struct slot)),
					.slot_count = (size_t)threads * ANSWERS_PER_THREAD,
					.mutex = PTHREAD_MUTEX_INITIALIZER,
					.changed = PTHREAD_COND_INITIALIZER,
					.read_some = PTHREAD_COND_INITIALIZER };
	if (readers->workers != NULL && readers->slots != NULL)
		while (readers->worker_count < threads && worker_create(&readers->workers[readers->worker_count]))
			worker_start(&readers->workers[readers->worker_count++], serve, readers);
	if (readers->worker_count > 0)
		return HISTREE_OK;
	shard_readers_free(readers);
	*out = NULL;
	return error_memory(error, "the threads of a query");
}

void shard_readers_free(struct shard_readers *readers)
{
	if (readers == NULL)
		return;
	pthread_mutex_lock(&readers->mutex);
	readers->stopping = true;
	pthread_cond_broadcast(&readers->changed);
	pthread_mutex_unlock(&readers->mutex);
	while (readers->worker_count > 0)
		worker_stop(&readers->workers[--readers->worker_count]);
	for (size_t i = 0; readers->slots != NULL && i < readers->slot_count; i++) {
		free(readers->slots[i].intervals);
		arena_release(&readers->slots[i].bytes);
	}
	free(readers->slots);
	free(readers->workers);
	pthread_cond_destroy(&readers->changed);
	pthread_cond_destroy(&readers->read_some);
	pthread_mutex_destroy(&readers->mutex);
	free(readers);
}

void shard_readers_start(struct shard_readers *readers, const struct shard_question *questions, size_t count)
{
	shard_readers_cancel(readers);
	pthread_mutex_lock(&readers->mutex);
	readers->questions = questions;
	readers->count = count;
	readers->begun = readers->given = 0;
	pthread_cond_broadcast(&readers->changed);
	pthread_mutex_unlock(&readers->mutex);
}

struct shard_answer shard_readers_take(struct shard_readers *readers)
{
	struct shard_answer answer = { .has_begun = false };
	pthread_mutex_lock(&readers->mutex);
	size_t place = readers->given++;
	assert(place < readers->count);
	pthread_cond_broadcast(&readers->changed); /* there is room for one more */
	if (place == readers->begun) {
		readers->begun++;
	} else {
		const struct slot *slot = &readers->slots[place % readers->slot_count];
		while (!slot->is_read)
			pthread_cond_wait(&readers->read_some, &readers->mutex);
		answer = slot->answer;
	}
	pthread_mutex_unlock(&readers->mutex);
	return answer;
}

void shard_readers_cancel(struct shard_readers *readers)
{
	pthread_mutex_lock(&readers->mutex);
	readers->count = readers->begun = readers->given = 0;
	while (readers->reading > 0)
		pthread_cond_wait(&readers->read_some, &readers->mutex);
	pthread_mutex_unlock(&readers->mutex);
}
