// SPDX-License-Identifier: MIT
#include "cli/bench_threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/error.h"
#include "cli/bench_history.h"
#include "cli/bench_measure.h"

enum { BENCH_TURNS = 5 };

#define TURN_NS (INT64_C(200) * 1000 * 1000)

struct asking_thread {
	pthread_t thread;
	struct bench_history asked; /* a query of its own */
	const struct bench_questions *questions;
	size_t first; /* each begins elsewhere in the list of questions */
	atomic_bool *stop;
	uint64_t done;
	enum histree_status status;
	struct histree_error error;
};

static void *ask_until_stopped(void *context)
{
	struct asking_thread *self = context;
	const struct bench_questions *questions = self->questions;
	const struct bench_engine engine = bench_history_engine(&self->asked);
	const size_t count = questions->count[BENCH_SINGLE];
	self->done = 0;
	for (size_t i = self->first; self->status == HISTREE_OK && !atomic_load(self->stop); i++) {
		struct bench_answer answer = { 0 };
		self->status = engine.ask(engine.self, BENCH_SINGLE, &questions->of_shape[BENCH_SINGLE][i % count],
					  &answer, &self->error);
		self->done++;
	}
	return NULL;
}

/* Lets these threads ask for a while. */
static enum histree_status take_turn(struct asking_thread *threads, unsigned count, double *rate, double *cpu_ns,
				     struct histree_error *error)
{
	atomic_bool stop = false;
	unsigned started = 0;
	uint64_t done = 0;
	int64_t begun = bench_now(), worked = bench_processor_time();
	for (; started < count; started++) {
		threads[started].stop = &stop;
		if (pthread_create(&threads[started].thread, NULL, ask_until_stopped, &threads[started]) != 0)
			break;
	}
	if (started == count)
		nanosleep(&(struct timespec){ .tv_nsec = TURN_NS }, NULL);
	atomic_store(&stop, true);
	enum histree_status status = HISTREE_OK;
	for (unsigned i = 0; i < started; i++) {
		pthread_join(threads[i].thread, NULL);
		done += threads[i].done;
		if (threads[i].status != HISTREE_OK)
			status = error_set(error, threads[i].status, "%s", threads[i].error.message);
	}
	if (started < count)
		return error_set(error, HISTREE_ERR_MEMORY, "cannot start %u threads", count);
	double seconds = (double)(bench_now() - begun) / 1e9;
	double turn_cpu_ns = (double)(bench_processor_time() - worked) / (double)(done > 0 ? done : 1);
	if ((double)done / seconds > *rate)
		*rate = (double)done / seconds;
	if (*cpu_ns == 0 || turn_cpu_ns < *cpu_ns)
		*cpu_ns = turn_cpu_ns;
	return status;
}

enum histree_status bench_threads_measure(struct histree_history *history, const struct bench_questions *questions,
					  unsigned threads, struct bench_threads *out, struct histree_error *error)
{
	struct asking_thread *asking = calloc(threads, sizeof(*asking));
	*out = (struct bench_threads){ .threads = threads };
	if (asking == NULL)
		return error_memory(error, "the threads");
	enum histree_status status = HISTREE_OK;
	for (unsigned i = 0; i < threads && status == HISTREE_OK; i++) {
		asking[i].questions = questions;
		asking[i].first = questions->count[BENCH_SINGLE] / threads * i;
		status = bench_history_init(&asking[i].asked, history, error);
	}
	for (int turn = 0; turn < BENCH_TURNS && status == HISTREE_OK; turn++) {
		status = take_turn(asking, 1, &out->alone, &out->alone_cpu_ns, error);
		if (status == HISTREE_OK)
			status = take_turn(asking, threads, &out->together, &out->together_cpu_ns, error);
	}
	for (unsigned i = 0; i < threads; i++)
		bench_history_release(&asking[i].asked);
	free(asking);
	return status;
}
