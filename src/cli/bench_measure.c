// SPDX-License-Identifier: MIT
#include "cli/bench_measure.h"

#include <stdlib.h>
#include <time.h>

#include "base/error.h"

static int64_t read_clock(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t bench_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

int64_t bench_processor_time(void)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

/* What one question cost. */
struct sample {
	int64_t ns, cpu_ns;
};

static int by_time(const void *one, const void *other)
{
	const struct sample *a = one, *b = other;
	return (a->ns > b->ns) - (a->ns < b->ns);
}

static int by_processor_time(const void *one, const void *other)
{
	const struct sample *a = one, *b = other;
	return (a->cpu_ns > b->cpu_ns) - (a->cpu_ns < b->cpu_ns);
}

static void summarise(struct bench_result *result, struct sample *samples)
{
	qsort(samples, result->asked, sizeof(*samples), by_processor_time);
	result->cpu_median_ns = samples[result->asked / 2].cpu_ns;
	qsort(samples, result->asked, sizeof(*samples), by_time);
	result->median_ns = samples[result->asked / 2].ns;
	result->p99_ns = samples[result->asked * 99 / 100].ns;
	struct bench_answer all = { 0 };
	for (size_t i = 0; i < result->asked; i++) {
		all.intervals += result->answers[i].intervals;
		all.nodes_visited += result->answers[i].nodes_visited;
		all.nodes_loaded += result->answers[i].nodes_loaded;
	}
	result->intervals = (double)all.intervals / (double)result->asked;
	result->nodes_visited = (double)all.nodes_visited / (double)result->asked;
	result->nodes_loaded = (double)all.nodes_loaded / (double)result->asked;
}

static enum histree_status ask_timed(const struct bench_engine *engine, enum bench_shape shape,
				     const struct histree_region *question, struct bench_answer *answer,
				     struct sample *sample, struct histree_error *error)
{
	/* Reading this clock takes as long as a single query does. */
	bool is_long = shape != BENCH_SINGLE;
	int64_t worked = is_long ? bench_processor_time() : 0;
	int64_t begun = bench_now();
	enum histree_status status = engine->ask(engine->self, shape, question, answer, error);
	sample->ns = bench_now() - begun;
	sample->cpu_ns = is_long ? bench_processor_time() - worked : sample->ns;
	return status;
}

enum histree_status bench_measure(const struct bench_engine *engine, const struct bench_questions *questions,
				  enum bench_shape shape, struct bench_result *result, struct histree_error *error)
{
	size_t count = questions->count[shape];
	const struct histree_region *asked = questions->of_shape[shape];
	struct sample *samples = malloc(count * sizeof(*samples));
	enum histree_status status;
	*result = (struct bench_result){ .answers = calloc(count, sizeof(*result->answers)) };
	if (samples == NULL || result->answers == NULL) {
		status = error_memory(error, "the measurements");
		goto out;
	}
	struct bench_answer first = { 0 };
	status = engine->ask(engine->self, shape, &asked[0], &first, error);
	int64_t begun = bench_now();
	while (status == HISTREE_OK && result->asked < count &&
	       (result->asked < BENCH_LARGE_MIN || bench_now() - begun < BENCH_SHAPE_NS)) {
		size_t i = result->asked++;
		status = ask_timed(engine, shape, &asked[i], &result->answers[i], &samples[i], error);
	}
	if (status == HISTREE_OK)
		summarise(result, samples);
out:
	free(samples);
	if (status != HISTREE_OK)
		bench_result_release(result);
	return status;
}

enum histree_status bench_compare(const struct bench_engine *judge, const struct bench_questions *questions,
				  enum bench_shape shape, const struct bench_result *result, size_t *wrong,
				  struct histree_error *error)
{
	*wrong = 0;
	for (size_t i = 0; i < result->asked; i++) {
		struct bench_answer answer = { 0 };
		enum histree_status status =
			judge->ask(judge->self, shape, &questions->of_shape[shape][i], &answer, error);
		if (status != HISTREE_OK)
			return status;
		const struct bench_answer *given = &result->answers[i];
		*wrong += answer.intervals != given->intervals || answer.sum != given->sum;
	}
	return HISTREE_OK;
}

void bench_result_release(struct bench_result *result)
{
	free(result->answers);
	*result = (struct bench_result){ 0 };
}
