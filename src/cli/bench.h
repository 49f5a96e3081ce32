/* SPDX-License-Identifier: MIT */
/*
 * bench.h - what 'histree bench' measures: the model of the papers, the questions, the report.
 *
 * An *engine* answers the queries of a benchmark: a finished history, its model, or a peer.  Two engines that
 * hold the same intervals give the same answer to the same question, in whatever order they find the intervals:
 * an answer is a count and a sum of hashes.
 *
 * The *model* is the intervals on which the papers compare their trees (thesis figure 4.6): A attributes, each
 * with I states of equal length, from one attribute to the next T / (A I) later, in shuffled order.  The
 * attribute at position p, 0 <= p < A, has state 0 from time 0, and state i, 0 < i < I, from (i A + p) STEP on;
 * the last one reaches the end.  So the first and the last states of an attribute are longer and shorter than the
 * others, which the papers neglect.  The value of state i is the int i modulo 16, so that neighbours differ.
 * Everything is known in closed form: the model is itself an engine, and the judge of the others.
 *
 * The *questions* are chosen at random from a seed and asked one at a time, with their times and answers kept:
 *
 * 	single	an attribute and a time
 * 	full	a time
 * 	times	100 attributes and 2000 times at equal distances, from the first to the last (thesis 4.8.7)
 * 	range	100 attributes and the middle half of the time
 *
 * From a smaller history, all its attributes or times are used.  Threads that query one history at the same time
 * show whether they hinder each other.  The *report* is for people, or one row.
 */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include <assert.h>

#include "base/hash_index.h"
#include "base/monotonic.h"
#include "cli/row_writer.h"
#include "histree/states.h"

enum bench_shape {
	BENCH_SINGLE, /* one attribute, one time */
	BENCH_FULL,   /* all attributes, one time */
	BENCH_TIMES,  /* some attributes, a list of times */
	BENCH_RANGE,  /* some attributes, a range of times */
	BENCH_SHAPE_COUNT,
};

struct bench_answer {
	uint64_t intervals;
	uint64_t sum;                         /* of the hashes of the intervals */
	uint64_t nodes_visited, nodes_loaded; /* 0 from an engine that does not count them */
};

struct bench_engine {
	const char *name;
	/* `question` is one of `shape`; the answer is zeroed before. */
	enum histree_status (*ask)(void *self, enum bench_shape shape, const struct histree_region *question,
				   struct bench_answer *answer, struct histree_error *error);
	void *self;
};

static inline uint64_t bench_value_hash(const struct histree_value *value)
{
	switch (value->type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		return 0;
	case HISTREE_INT:
		return (uint64_t)value->int32 + 1;
	case HISTREE_BOOL:
		return (uint64_t)value->boolean + 1;
	case HISTREE_LONG:
	case HISTREE_DOUBLE:
		return (uint64_t)value->int64 + 1; /* a double by its bits */
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		return hash_bytes(value->bytes, value->size);
	}
	return 0;
}

/* Takes a few ns: it is part of what is measured, and the same for every engine. */
static inline void bench_answer_add(struct bench_answer *answer, const struct histree_interval *interval)
{
	answer->intervals++;
	answer->sum +=
		hash_mix((uint64_t)interval->start * UINT64_C(0x9e3779b97f4a7c15) +
			 (uint64_t)interval->end * UINT64_C(0xc2b2ae3d27d4eb4f) +
			 interval->quark * UINT64_C(0x165667b19e3779f9) +
			 bench_value_hash(&interval->value) * UINT64_C(0x27d4eb2f165667c5) + interval->value.type);
}

enum {
	BENCH_MODEL_STEP = 1000, /* ns between two state changes: a million of them a second */
	BENCH_MODEL_VALUES = 16,
};

struct bench_model {
	uint32_t attributes, states;
	histree_time length;   /* of an inner state */
	histree_time end;      /* inclusive; the start is 0 */
	histree_quark *quarks; /* by position */
	uint32_t *positions;   /* by quark */
};

/* Fails with HISTREE_ERR_MEMORY only, and then there is nothing to release. */
enum histree_status bench_model_init(struct bench_model *model, uint32_t attributes, uint32_t states, uint64_t seed,
				     struct histree_error *error);
void bench_model_release(struct bench_model *model);

static inline histree_time bench_model_start_of(const struct bench_model *model, uint32_t position, uint32_t state)
{
	return state == 0 ? 0 : model->length * state + (histree_time)position * BENCH_MODEL_STEP;
}

/*
 * Returns state number `state` of the attribute at `position`.  With the states in the outer loop and the positions
 * in the inner one they come by non-decreasing start, and by non-decreasing end.
 */
static inline struct histree_interval bench_model_interval(const struct bench_model *model, uint32_t position,
							   uint32_t state)
{
	assert(position < model->attributes && state < model->states);
	return (struct histree_interval){
		.start = bench_model_start_of(model, position, state),
		.end = state + 1 == model->states ? model->end
						  : bench_model_start_of(model, position, state + 1) - 1,
		.quark = model->quarks[position],
		.value = histree_int((int32_t)(state % BENCH_MODEL_VALUES)),
	};
}

struct bench_engine bench_model_engine(struct bench_model *model);

/* It uses one query for every question, so that what is measured allocates nothing. */
struct bench_history {
	struct histree_cursor *query;
};

/* The history is borrowed. */
enum histree_status bench_history_init(struct bench_history *bench, struct histree_history *history,
				       struct histree_error *error);
void bench_history_release(struct bench_history *bench);
struct bench_engine bench_history_engine(struct bench_history *bench);

enum {
	BENCH_KEYS = 100,
	BENCH_TIMES_ASKED = 2000,
	BENCH_LARGE_SHARE = 100, /* one full, one times and one range query for this many single ones, */
	BENCH_LARGE_MIN = 5,     /* and at least this many */
};

struct bench_questions {
	struct histree_region *of_shape[BENCH_SHAPE_COUNT];
	size_t count[BENCH_SHAPE_COUNT];
	histree_quark *quarks; /* of all questions */
	histree_time *times;   /* of each `times` question */
};

/* `start` and `end` are those of the history, `singles` is the number of single queries, at least one. */
enum histree_status bench_questions_init(struct bench_questions *questions, uint32_t attributes, histree_time start,
					 histree_time end, size_t singles, uint64_t seed,
					 struct histree_error *error);
void bench_questions_release(struct bench_questions *questions);

/* After this time no further question of a shape is asked, once BENCH_LARGE_MIN were. */
#define BENCH_SHAPE_NS (INT64_C(10) * 1000 * 1000 * 1000)

struct bench_result {
	size_t asked;
	int64_t median_ns, p99_ns;
	/*
	 * Median by processor time, which other work on the machine does not lengthen; a single query is over
	 * before anything else gets to run, and its time is taken for that.
	 */
	int64_t cpu_median_ns;
	double intervals, nodes_visited, nodes_loaded; /* means */
	struct bench_answer *answers;                  /* of the questions asked, in their order */
};

/* Returns the processor time of all threads of this process, in ns. */
int64_t bench_processor_time(void);

/* The time between its starts and stops, of the clock and of the processor.  Zeroed, it is 0. */
struct bench_stopwatch {
	int64_t ns, cpu_ns;
};

static inline void bench_stopwatch_start(struct bench_stopwatch *watch)
{
	watch->ns -= monotonic_ns();
	watch->cpu_ns -= bench_processor_time();
}

static inline void bench_stopwatch_stop(struct bench_stopwatch *watch)
{
	watch->ns += monotonic_ns();
	watch->cpu_ns += bench_processor_time();
}

/* Asks the questions, the first one twice and counted once.  After a failure there is nothing to release. */
enum histree_status bench_measure(const struct bench_engine *engine, const struct bench_questions *questions,
				  enum bench_shape shape, struct bench_result *result, struct histree_error *error);

/* Asks `judge` the same questions.  *wrong counts those to which it gives another answer. */
enum histree_status bench_compare(const struct bench_engine *judge, const struct bench_questions *questions,
				  enum bench_shape shape, const struct bench_result *result, size_t *wrong,
				  struct histree_error *error);
void bench_result_release(struct bench_result *result);

struct bench_threads {
	unsigned threads; /* 0: not measured */
	/* Single queries a second, of one thread and of all together: the best turn of each. */
	double alone, together;
	/*
	 * Processor time of one of them, in ns, in its best turn; other work on the machine does not lengthen it.
	 */
	double alone_cpu_ns, together_cpu_ns;
};

enum { BENCH_THREADS_MAX = 256 };

/* One thread and all of them take turns, BENCH_TURNS times, so that both meet the same machine. */
enum histree_status bench_threads_measure(struct histree_history *history, const struct bench_questions *questions,
					  unsigned threads, struct bench_threads *out, struct histree_error *error);

struct bench_outcome {
	const struct histree_history_info *info;
	bool is_model; /* else a store, which is not built here and whose answers are not compared */
	int64_t names_ns, build_ns, build_cpu_ns; /* build: without the names */
	uint64_t peak_bytes;                      /* of the process, when the history was built */
	struct bench_result results[BENCH_SHAPE_COUNT];
	size_t wrong; /* answers that differ from the model's */
	struct bench_threads threads;
};

void bench_report(const struct bench_outcome *outcome, const struct row_format *format, struct output *output);

#endif
