// SPDX-License-Identifier: MIT
#include "mpi/local_answer.h"

#include <errno.h>
#include <time.h>

#include "mpi/answer_stream.h"

enum { LOOK_NS = 20 * 1000 * 1000 };

static bool hand_over(void *context, struct message *message)
{
	struct local_answer *local = context;
	pthread_mutex_lock(&local->mutex);
	while (local->is_full && !local->is_unwanted)
		pthread_cond_wait(&local->changed, &local->mutex);
	bool wanted = !local->is_unwanted;
	if (wanted) {
		struct message empty = local->message;
		local->message = *message;
		*message = empty;
		local->is_full = true;
		pthread_cond_broadcast(&local->changed);
	}
	pthread_mutex_unlock(&local->mutex);
	return wanted;
}

static bool is_wanted(void *context)
{
	struct local_answer *local = context;
	pthread_mutex_lock(&local->mutex);
	bool wanted = !local->is_stopped && !local->is_unwanted;
	pthread_mutex_unlock(&local->mutex);
	return wanted;
}

static void *run(void *context)
{
	struct local_answer *local = context;
	const struct histree_cancel cancel = { is_wanted, local };
	question_answer(local->set, &local->question, hand_over, local, cancel);
	pthread_mutex_lock(&local->mutex);
	local->is_over = true;
	pthread_cond_broadcast(&local->changed);
	pthread_mutex_unlock(&local->mutex);
	return NULL;
}

bool local_answer_begin(struct local_answer *local, struct shard_set *set, const void *question, size_t size)
{
	*local = (struct local_answer){ .set = set, .question = byte_reader(question, size) };
	pthread_mutex_init(&local->mutex, NULL);
	pthread_cond_init(&local->changed, NULL);
	if (pthread_create(&local->thread, NULL, run, local) == 0)
		return true;
	pthread_cond_destroy(&local->changed);
	pthread_mutex_destroy(&local->mutex);
	return false;
}

/* Waits for a change, or for a moment. */
static void wait_and_look(struct local_answer *local)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += LOOK_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	if (pthread_cond_timedwait(&local->changed, &local->mutex, &until) != ETIMEDOUT || local->look == NULL)
		return;
	pthread_mutex_unlock(&local->mutex);
	local->look(local->look_context);
	pthread_mutex_lock(&local->mutex);
}

bool local_answer_receive(void *context, struct message *message)
{
	struct local_answer *local = context;
	if (local->look != NULL)
		local->look(local->look_context);
	pthread_mutex_lock(&local->mutex);
	while (!local->is_full && !local->is_over)
		wait_and_look(local);
	bool found = local->is_full;
	if (found) {
		struct message empty = *message;
		*message = local->message;
		message_clear(&empty);
		local->message = empty;
		local->is_full = false;
		pthread_cond_broadcast(&local->changed);
	}
	pthread_mutex_unlock(&local->mutex);
	return found;
}

void local_answer_stop(struct local_answer *local)
{
	pthread_mutex_lock(&local->mutex);
	local->is_stopped = true;
	pthread_mutex_unlock(&local->mutex);
}

void local_answer_end(struct local_answer *local)
{
	pthread_mutex_lock(&local->mutex);
	local->is_unwanted = true;
	pthread_cond_broadcast(&local->changed);
	pthread_mutex_unlock(&local->mutex);
	pthread_join(local->thread, NULL);
	message_release(&local->message);
	pthread_cond_destroy(&local->changed);
	pthread_mutex_destroy(&local->mutex);
}
