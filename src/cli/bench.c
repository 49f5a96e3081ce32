// SPDX-License-Identifier: MIT
/*
 * bench.c - what 'histree bench' measures: the model of the papers, the questions, the report.
 */
#include "cli/bench.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/crew.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/number_text.h"
#include "base/search.h"
#include "cli/row_writer.h"
#include "histree/states.h"

/* ---- bench model --------------------------------------------------------------------------------------------- */

enum histree_status bench_model_init(struct bench_model *model, uint32_t attributes, uint32_t states, uint64_t seed,
				     struct histree_error *error)
{
	*model = (struct bench_model){
		.attributes = attributes,
		.states = states,
		.length = (histree_time)attributes * BENCH_MODEL_STEP,
		.end = (histree_time)attributes * BENCH_MODEL_STEP * states - 1,
		.quarks = malloc(attributes * sizeof(*model->quarks)),
		.positions = malloc(attributes * sizeof(*model->positions)),
	};
	if (model->quarks == NULL || model->positions == NULL) {
		bench_model_release(model);
		return error_memory(error, "the model");
	}
	for (uint32_t i = 0; i < attributes; i++)
		model->quarks[i] = i;

	/* The shuffle of Fisher and Yates; its random numbers depend on the seed alone. */
	histree_quark *quarks = model->quarks;
	for (uint32_t i = attributes; i > 1; i--) {
		uint32_t other = (uint32_t)(hash_mix(seed + i * UINT64_C(0x9e3779b97f4a7c15)) % i);
		histree_quark quark = quarks[i - 1];
		quarks[i - 1] = quarks[other];
		quarks[other] = quark;
	}

	for (uint32_t position = 0; position < attributes; position++)
		model->positions[model->quarks[position]] = position;
	return HISTREE_OK;
}

void bench_model_release(struct bench_model *model)
{
	free(model->quarks);
	free(model->positions);
	*model = (struct bench_model){ 0 };
}

static uint32_t state_at(const struct bench_model *model, uint32_t position, histree_time t)
{
	histree_time since = t - (histree_time)position * BENCH_MODEL_STEP;
	histree_time state = since < 0 ? 0 : since / model->length;
	return state < model->states ? (uint32_t)state : model->states - 1;
}

/* Adds the states of one attribute that are asked for, each once. */
static void answer_attribute(const struct bench_model *model, histree_quark quark,
			     const struct histree_region *question, struct bench_answer *answer)
{
	uint32_t position = model->positions[quark], next = 0;
	if (question->times == NULL) {
		uint32_t last = state_at(model, position, question->to);
		for (uint32_t state = state_at(model, position, question->from); state <= last; state++) {
			struct histree_interval interval = bench_model_interval(model, position, state);
			bench_answer_add(answer, &interval);
		}
		return;
	}
	for (size_t i = 0; i < question->time_count; i++) {
		uint32_t state = state_at(model, position, question->times[i]);
		if (state < next)
			continue;
		struct histree_interval interval = bench_model_interval(model, position, state);
		bench_answer_add(answer, &interval);
		next = state + 1;
	}
}

static enum histree_status bench_model_ask(void *self, enum bench_shape shape,
					   const struct histree_region *question, struct bench_answer *answer,
					   struct histree_error *error)
{
	const struct bench_model *model = self;
	(void)shape;
	(void)error;
	if (question->quarks == NULL) {
		for (histree_quark quark = 0; quark < model->attributes; quark++)
			answer_attribute(model, quark, question, answer);
	} else {
		for (size_t i = 0; i < question->quark_count; i++)
			answer_attribute(model, question->quarks[i], question, answer);
	}
	return HISTREE_OK;
}

struct bench_engine bench_model_engine(struct bench_model *model)
{
	return (struct bench_engine){ .name = "model", .ask = bench_model_ask, .self = model };
}

/* ---- bench measure ------------------------------------------------------------------------------------------- */

int64_t bench_processor_time(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* What one question cost. */
struct sample {
	int64_t ns, cpu_ns;
};

COMPARE(by_time, struct sample, BY(ns))

COMPARE(by_processor_time, struct sample, BY(cpu_ns))

static enum histree_status ask_timed(const struct bench_engine *engine, enum bench_shape shape,
				     const struct histree_region *question, struct bench_answer *answer,
				     struct sample *sample, struct histree_error *error)
{
	/* Reading this clock takes as long as a single query does. */
	bool is_long = shape != BENCH_SINGLE;
	int64_t worked = is_long ? bench_processor_time() : 0;
	int64_t begun = monotonic_ns();
	enum histree_status status = engine->ask(engine->self, shape, question, answer, error);
	sample->ns = monotonic_ns() - begun;
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
	int64_t begun = monotonic_ns();
	while (status == HISTREE_OK && result->asked < count &&
	       (result->asked < BENCH_LARGE_MIN || monotonic_ns() - begun < BENCH_SHAPE_NS)) {
		size_t i = result->asked++;
		status = ask_timed(engine, shape, &asked[i], &result->answers[i], &samples[i], error);
	}
	if (status == HISTREE_OK) {
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

/* ---- bench history ------------------------------------------------------------------------------------------- */

enum histree_status bench_history_init(struct bench_history *bench, struct histree_history *history,
				       struct histree_error *error)
{
	return histree_query_create(history, &bench->query, error);
}

void bench_history_release(struct bench_history *bench)
{
	histree_cursor_free(bench->query);
	bench->query = NULL;
}

enum { ROOM = 64 };

static enum histree_status bench_history_ask(void *self, enum bench_shape shape,
					     const struct histree_region *question, struct bench_answer *answer,
					     struct histree_error *error)
{
	struct histree_cursor *query = ((struct bench_history *)self)->query;
	struct histree_interval found;
	size_t count;
	enum histree_status status;
	if (shape == BENCH_SINGLE) {
		status = histree_query_single(query, question->quarks[0], question->from, &found, error);
		if (status == HISTREE_OK)
			bench_answer_add(answer, &found);
	} else {
		status = histree_query_start(query, question, error);
		while (status == HISTREE_OK &&
		       (status = histree_cursor_read(query, ROOM, &count, error)) == HISTREE_OK) {
			const struct histree_interval *rows = histree_cursor_interval(query);
			for (size_t i = 0; i < count; i++)
				bench_answer_add(answer, &rows[i]);
		}
	}
	struct histree_statistics stats = histree_cursor_statistics(query);
	answer->nodes_visited = stats.nodes_visited;
	answer->nodes_loaded = stats.nodes_loaded;
	return status == HISTREE_END ? HISTREE_OK : status;
}

struct bench_engine bench_history_engine(struct bench_history *bench)
{
	return (struct bench_engine){ .name = "histree", .ask = bench_history_ask, .self = bench };
}

/* ---- bench questions ----------------------------------------------------------------------------------------- */

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

	histree_quark *quarks = questions->quarks;
	for (size_t i = 0; i < questions->count[BENCH_SINGLE]; i++, quarks++) {
		histree_time t = choose_time(&choosing);
		*quarks = (histree_quark)random_below(&choosing.random, choosing.attributes);
		questions->of_shape[BENCH_SINGLE][i] =
			(struct histree_region){ .quarks = quarks, .quark_count = 1, .from = t, .to = t };
	}
	histree_time quarter = (choosing.end - choosing.start) / 4;

	/* Fills in times at equal distances, including start and end, each once.  Returns how many there are. */
	uint64_t span = (uint64_t)(choosing.end - choosing.start), steps = BENCH_TIMES_ASKED - 1;
	size_t time_count = 0;
	for (uint64_t i = 0; i <= steps; i++) {
		histree_time time = choosing.start + (histree_time)(span / steps * i + span % steps * i / steps);
		if (time_count == 0 || time != questions->times[time_count - 1])
			questions->times[time_count++] = time;
	}

	for (size_t i = 0; i < questions->count[BENCH_FULL]; i++) {
		histree_time t = choose_time(&choosing);
		questions->of_shape[BENCH_FULL][i] = (struct histree_region){ .from = t, .to = t };
		choose_quarks(&choosing, quarks, keys);
		questions->of_shape[BENCH_TIMES][i] = (struct histree_region){
			.quarks = quarks, .quark_count = keys, .times = questions->times, .time_count = time_count
		};
		quarks += keys;
		choose_quarks(&choosing, quarks, keys);
		questions->of_shape[BENCH_RANGE][i] = (struct histree_region){
			.quarks = quarks,
			.quark_count = keys,
			.from = choosing.start + quarter,
			.to = choosing.end - quarter,
		};
		quarks += keys;
	}

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

/* ---- bench threads ------------------------------------------------------------------------------------------- */

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
	int64_t begun = monotonic_ns(), worked = bench_processor_time();
	for (; started < count; started++) {
		threads[started].stop = &stop;
		if (!thread_create(&threads[started].thread, ask_until_stopped, &threads[started]))
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
	double seconds = (double)(monotonic_ns() - begun) / 1e9;
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

/* ---- bench report -------------------------------------------------------------------------------------------- */

/* ---- text: some lines of facts, then a line for each kind of query ---------------------------------------- */

static const char *const shape_texts[BENCH_SHAPE_COUNT] = {
	"single",
	"full",
	"2D, times",
	"2D, range",
};

static void put_length(struct row_writer *rows, int64_t ns)
{
	char text[NUMBER_TEXT_SIZE];
	if (ns < 1000000)
		snprintf(text, sizeof(text), "%.2f us", (double)ns / 1e3);
	else
		snprintf(text, sizeof(text), "%.2f ms", (double)ns / 1e6);
	row_text(rows, text);
}

static void put_mean(struct row_writer *rows, double mean)
{
	char text[NUMBER_TEXT_SIZE];
	snprintf(text, sizeof(text), "%.1f", mean);
	row_text(rows, text);
}

static void print_facts(const struct bench_outcome *outcome, struct output *output)
{
	const struct histree_history_info *info = outcome->info;
	output_format(output, "intervals    %llu, of %u attributes\n", (unsigned long long)info->interval_count,
		      info->attribute_count);
	output_format(output, "tree         %s, nodes of %u bytes, fan-out %u: %llu nodes, depth %u\n",
		      info->variant, info->node_size, info->fan_out, (unsigned long long)info->node_count,
		      info->depth);
	if (info->interval_count > 0)
		output_format(output, "size         %.2f bytes an interval, %.2f of them names\n",
			      (double)info->file_bytes / (double)info->interval_count,
			      (double)info->attribute_bytes / (double)info->interval_count);
	else
		output_format(output, "size         %llu bytes, %llu of them names\n",
			      (unsigned long long)info->file_bytes, (unsigned long long)info->attribute_bytes);
	if (outcome->is_model)
		output_format(output,
			      "build        %.2f million intervals a second through the state system: %.3f s, and "
			      "%.3f s for the names; peak %.1f MiB\n",
			      (double)info->interval_count * 1e3 / (double)outcome->build_ns,
			      (double)outcome->build_ns / 1e9, (double)outcome->names_ns / 1e9,
			      (double)outcome->peak_bytes / (1024 * 1024));
	output_char(output, '\n');
}

static void print_text(const struct bench_outcome *outcome, struct output *output)
{
	static const struct row_column columns[] = {
		{ .name = "query", .width = 10 },
		{ .name = "asked", .width = 8, .to_the_right = true },
		{ .name = "median", .width = 10, .to_the_right = true },
		{ .name = "99 %", .width = 10, .to_the_right = true },
		{ .name = "intervals", .width = 10, .to_the_right = true },
		{ .name = "nodes", .width = 8, .to_the_right = true },
		{ .name = "read", .width = 8, .to_the_right = true },
	};
	const size_t column_count = sizeof(columns) / sizeof(columns[0]);
	print_facts(outcome, output);
	struct row_writer rows;
	row_writer_begin(&rows, &row_format_text, output, columns, column_count, ROWS_PLAIN);
	for (size_t i = 0; i < column_count; i++)
		row_text(&rows, columns[i].name);
	row_end(&rows);
	for (int shape = 0; shape < BENCH_SHAPE_COUNT; shape++) {
		const struct bench_result *result = &outcome->results[shape];
		row_text(&rows, shape_texts[shape]);
		row_unsigned(&rows, result->asked);
		put_length(&rows, result->median_ns);
		put_length(&rows, result->p99_ns);
		put_mean(&rows, result->intervals);
		put_mean(&rows, result->nodes_visited);
		put_mean(&rows, result->nodes_loaded);
		row_end(&rows);
	}
	row_writer_finish(&rows);

	if (outcome->threads.threads != 0) {
		output_format(output,
			      "\nthreads      %u ask %.2f million single queries a second, one %.2f: %.2f times "
			      "its work\n",
			      outcome->threads.threads, outcome->threads.together / 1e6,
			      outcome->threads.alone / 1e6, outcome->threads.together / outcome->threads.alone);
		output_format(output, "             processor time of a query %.2f us together, %.2f us alone\n",
			      outcome->threads.together_cpu_ns / 1e3, outcome->threads.alone_cpu_ns / 1e3);
	}
}

/* ---- tsv, csv, json: one row ------------------------------------------------------------------------------ */

#define SHAPE_COLUMNS(shape)                                                                     \
	{ .name = shape "_asked" }, { .name = shape "_median_ns" }, { .name = shape "_p99_ns" }, \
		{ .name = shape "_cpu_median_ns" }, { .name = shape "_intervals" },              \
		{ .name = shape "_nodes_visited" },                                              \
	{                                                                                        \
		.name = shape "_nodes_loaded"                                                    \
	}
static const struct row_column row_columns[] = {
	{ .name = "variant" },         { .name = "r_depth" },         { .name = "node_size" },
	{ .name = "fan_out" },         { .name = "attribute_count" }, { .name = "interval_count" },
	{ .name = "node_count" },      { .name = "leaf_count" },      { .name = "depth" },
	{ .name = "node_bytes_used" }, { .name = "file_bytes" },      { .name = "attribute_bytes" },
	{ .name = "names_ns" },        { .name = "build_ns" },        { .name = "build_cpu_ns" },
	{ .name = "peak_bytes" },      SHAPE_COLUMNS("single"),       SHAPE_COLUMNS("full"),
	SHAPE_COLUMNS("times"),        SHAPE_COLUMNS("range"),        { .name = "wrong" },
	{ .name = "threads" },         { .name = "threads_rate" },    { .name = "alone_rate" },
	{ .name = "threads_cpu_ns" },  { .name = "alone_cpu_ns" },
};

static void put_threads(const struct bench_threads *threads, struct row_writer *rows)
{
	const double numbers[] = { threads->together, threads->alone, threads->together_cpu_ns,
				   threads->alone_cpu_ns };
	const size_t count = sizeof(numbers) / sizeof(numbers[0]);
	if (threads->threads == 0) {
		for (size_t i = 0; i < 1 + count; i++)
			row_null(rows);
		return;
	}
	row_unsigned(rows, threads->threads);
	for (size_t i = 0; i < count; i++)
		row_real(rows, numbers[i]);
}

void bench_report(const struct bench_outcome *outcome, const struct row_format *format, struct output *output)
{
	if (format->for_people) {
		print_text(outcome, output);
	} else {
		struct row_writer rows;
		row_writer_begin(&rows, format, output, row_columns, sizeof(row_columns) / sizeof(row_columns[0]),
				 ROWS_PLAIN);

		row_text(&rows, outcome->info->variant);
		row_unsigned(&rows, outcome->info->r_depth);
		row_unsigned(&rows, outcome->info->node_size);
		row_unsigned(&rows, outcome->info->fan_out);
		row_unsigned(&rows, outcome->info->attribute_count);
		row_unsigned(&rows, outcome->info->interval_count);
		row_unsigned(&rows, outcome->info->node_count);
		row_unsigned(&rows, outcome->info->nodes_at_height[0]);
		row_unsigned(&rows, outcome->info->depth);
		row_unsigned(&rows, outcome->info->node_bytes_used);
		row_unsigned(&rows, outcome->info->file_bytes);
		row_unsigned(&rows, outcome->info->attribute_bytes);

		if (outcome->is_model) {
			row_number(&rows, outcome->names_ns);
			row_number(&rows, outcome->build_ns);
			row_number(&rows, outcome->build_cpu_ns);
			row_unsigned(&rows, outcome->peak_bytes);
		} else {
			for (int i = 0; i < 4; i++)
				row_null(&rows);
		}
		for (int shape = 0; shape < BENCH_SHAPE_COUNT; shape++) {
			const struct bench_result *result = &outcome->results[shape];
			row_unsigned(&rows, result->asked);
			row_number(&rows, result->median_ns);
			row_number(&rows, result->p99_ns);
			row_number(&rows, result->cpu_median_ns);
			row_real(&rows, result->intervals);
			row_real(&rows, result->nodes_visited);
			row_real(&rows, result->nodes_loaded);
		}
		if (outcome->is_model)
			row_unsigned(&rows, outcome->wrong);
		else
			row_null(&rows);
		put_threads(&outcome->threads, &rows);
		row_end(&rows);
		row_writer_finish(&rows);
	}
}
