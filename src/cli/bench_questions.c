// SPDX-License-Identifier: MIT
#include "cli/bench_questions.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/random.h"

/* What questions can be about, and the source of random numbers. */
struct choosing {
	uint32_t attributes;
	histree_time start, end;
	struct random random;
};

static histree_time choose_time(struct choosing *choosing)
{
	return choosing->start +
	       (histree_time)random_below(&choosing->random, (uint64_t)(choosing->end - choosing->start) + 1);
}

/* `count` attributes, ascending, each once, every choice equally likely (Knuth, algorithm S in 3.4.2). */
static void choose_quarks(struct choosing *choosing, histree_quark *quarks, size_t count)
{
	size_t chosen = 0;
	for (histree_quark quark = 0; chosen < count; quark++)
		if (random_below(&choosing->random, choosing->attributes - quark) < count - chosen)
			quarks[chosen++] = quark;
}

/* Fills in times at equal distances, including start and end, each once.  Returns how many there are. */
static size_t spread_times(const struct choosing *choosing, histree_time *times)
{
	uint64_t span = (uint64_t)(choosing->end - choosing->start), steps = BENCH_TIMES_ASKED - 1;
	size_t count = 0;
	for (uint64_t i = 0; i <= steps; i++) {
		histree_time time = choosing->start + (histree_time)(span / steps * i + span % steps * i / steps);
		if (count == 0 || time != times[count - 1])
			times[count++] = time;
	}
	return count;
}

static void choose(struct bench_questions *questions, struct choosing *choosing, size_t keys)
{
	histree_quark *quarks = questions->quarks;
	for (size_t i = 0; i < questions->count[BENCH_SINGLE]; i++, quarks++) {
		histree_time t = choose_time(choosing);
		*quarks = (histree_quark)random_below(&choosing->random, choosing->attributes);
		questions->of_shape[BENCH_SINGLE][i] =
			(struct histree_region){ .quarks = quarks, .quark_count = 1, .from = t, .to = t };
	}
	histree_time quarter = (choosing->end - choosing->start) / 4;
	size_t time_count = spread_times(choosing, questions->times);
	for (size_t i = 0; i < questions->count[BENCH_FULL]; i++) {
		histree_time t = choose_time(choosing);
		questions->of_shape[BENCH_FULL][i] = (struct histree_region){ .from = t, .to = t };
		choose_quarks(choosing, quarks, keys);
		questions->of_shape[BENCH_TIMES][i] = (struct histree_region){
			.quarks = quarks, .quark_count = keys, .times = questions->times, .time_count = time_count
		};
		quarks += keys;
		choose_quarks(choosing, quarks, keys);
		questions->of_shape[BENCH_RANGE][i] = (struct histree_region){
			.quarks = quarks,
			.quark_count = keys,
			.from = choosing->start + quarter,
			.to = choosing->end - quarter,
		};
		quarks += keys;
	}
}

enum histree_status bench_questions_init(struct bench_questions *questions, uint32_t attributes, histree_time start,
					 histree_time end, size_t singles, uint64_t seed,
					 struct histree_error *error)
{
	size_t large =
		singles / BENCH_LARGE_SHARE > BENCH_LARGE_MIN ? singles / BENCH_LARGE_SHARE : BENCH_LARGE_MIN;
	size_t keys = attributes < BENCH_KEYS ? attributes : BENCH_KEYS;
	*questions = (struct bench_questions){
		.quarks = malloc((singles + 2 * large * keys) * sizeof(*questions->quarks)),
		.times = malloc(BENCH_TIMES_ASKED * sizeof(*questions->times)),
	};
	bool has_memory = questions->quarks != NULL && questions->times != NULL;
	for (int shape = 0; shape < BENCH_SHAPE_COUNT; shape++) {
		questions->count[shape] = shape == BENCH_SINGLE ? singles : large;
		questions->of_shape[shape] = malloc(questions->count[shape] * sizeof(*questions->of_shape[shape]));
		has_memory = has_memory && questions->of_shape[shape] != NULL;
	}
	if (!has_memory) {
		bench_questions_release(questions);
		return error_memory(error, "the questions");
	}
	struct choosing choosing = { .attributes = attributes, .start = start, .end = end, .random = { seed } };
	choose(questions, &choosing, keys);
	return HISTREE_OK;
}

void bench_questions_release(struct bench_questions *questions)
{
	for (int shape = 0; shape < BENCH_SHAPE_COUNT; shape++)
		free(questions->of_shape[shape]);
	free(questions->quarks);
	free(questions->times);
	*questions = (struct bench_questions){ 0 };
}
