// SPDX-License-Identifier: MIT
/*
 * side_by_side.c - pieces of work on a crew of threads.  The calling thread sleeps until a piece is done, or until
 * it is time to call back its caller; of several failures, that of the first piece is reported.
 */
#include "pipeline/side_by_side.h"

#include <time.h>

#include "base/crew.h"
#include "base/error.h"

enum { MEET_EVERY_NS = 50 * 1000 * 1000 };

/* What is cancelled because another piece has failed does not hide why that was. */
static void note_failure(struct side_by_side *side, size_t piece, enum histree_status status,
			 const struct histree_error *error)
{
	bool is_consequence = status == HISTREE_ERR_CANCELLED && side->status != HISTREE_OK;
	bool is_hidden =
		side->status != HISTREE_OK && side->status != HISTREE_ERR_CANCELLED && side->failed < piece;
	if (is_consequence || is_hidden)
		return;
	side->failed = piece;
	side->status = error_set(&side->error, status, "%s", error->message);
	atomic_store(&side->is_over, true);
}

/* Do pieces until none is left; the mutex is held before and after. */
static void do_pieces(struct side_by_side *side)
{
	while (side->next < side->count && side_by_side_goes_on(side)) {
		size_t piece = side->next++;
		struct histree_error error = { 0 };
		pthread_mutex_unlock(&side->mutex);
		enum histree_status status = side->is_alone ? side->meet(side->context, &error) : HISTREE_OK;
		if (status == HISTREE_OK)
			status = side->work(side->context, piece, &error);
		pthread_mutex_lock(&side->mutex);
		if (status < 0)
			note_failure(side, piece, status, &error);
	}
}

static void *do_pieces_aside(void *context)
{
	struct side_by_side *side = context;
	pthread_mutex_lock(&side->mutex);
	do_pieces(side);
	side->running--;
	pthread_cond_signal(&side->changed);
	pthread_mutex_unlock(&side->mutex);
	return NULL;
}

static void wait_a_while(struct side_by_side *side)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += MEET_EVERY_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&side->changed, &side->mutex, &until);
}

/* Call back the caller now and then, and once no thread is at work; the mutex is held before and after. */
static enum histree_status watch(struct side_by_side *side, struct histree_error *error)
{
	enum histree_status asked = HISTREE_OK;
	for (;;) {
		if (asked == HISTREE_OK) {
			pthread_mutex_unlock(&side->mutex);
			asked = side->meet(side->context, error);
			pthread_mutex_lock(&side->mutex);
		}
		if (asked != HISTREE_OK)
			atomic_store(&side->is_over, true);
		if (side->running == 0)
			return asked;
		wait_a_while(side);
	}
}

static enum histree_status side_run(struct side_by_side *side, struct histree_error *error)
{
	pthread_t threads[SIDE_BY_SIDE_MAX];
	size_t wanted = side->threads < SIDE_BY_SIDE_MAX ? side->threads : SIDE_BY_SIDE_MAX, count = 0;
	pthread_mutex_lock(&side->mutex);
	while (count < wanted && thread_create(&threads[count], do_pieces_aside, side))
		count++;
	side->running = count;
	side->is_alone = count == 0;
	if (side->is_alone)
		do_pieces(side);
	enum histree_status status = watch(side, error);
	pthread_mutex_unlock(&side->mutex);
	for (size_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return status;
}

enum histree_status side_by_side_run(struct side_by_side *side, struct histree_error *error)
{
	if (pthread_mutex_init(&side->mutex, NULL) != 0)
		return error_memory(error, "a lock");
	if (pthread_cond_init(&side->changed, NULL) != 0) {
		pthread_mutex_destroy(&side->mutex);
		return error_memory(error, "a lock");
	}
	enum histree_status status = side_run(side, error);
	if (side->status != HISTREE_OK && (status == HISTREE_OK || side->status != HISTREE_ERR_CANCELLED))
		status = error_set(error, side->status, "%s", side->error.message);
	pthread_cond_destroy(&side->changed);
	pthread_mutex_destroy(&side->mutex);
	return status;
}
