// SPDX-License-Identifier: MIT
/*
 * verb_bench.c - 'histree bench': builds the model of the papers in each kind of tree and asks it the same
 * questions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/number_text.h"
#include "cli/bench.h"
#include "cli/target.h"
#include "cli/tree_option.h"
#include "cli/verb.h"
#include "histree/history.h"

struct bench_options {
	struct cli_question question;
	struct tree_options tree;
	const char *store, *output;
	uint64_t attributes, intervals, build_threads, cache, queries, seed, threads;
};

static const struct cli_option options[] = {
	{ .name = "attribute-count",
	  .argument = "N",
	  .kind = CLI_NUMBER,
	  .member = offsetof(struct bench_options, attributes),
	  .old = "attributes",
	  .help = "give the model this many attributes; default: 100000",
	  .min = 1,
	  .max = 1 << 24 },
	CLI_OPTION_NUMBER("intervals", CLI_NUMBER, "N", struct bench_options, intervals, 1, 1 << 16,
			  "give each attribute this many intervals; default: 20"),
	CLI_OPTION_PATH("store", 0, CLI_TEXT, "STORE", struct bench_options, store,
			"ask this store, or history file, the same queries, instead of the model"),
	CLI_OPTION_PATH(
		"output", 'o', CLI_PLACE, "FILE", struct bench_options, output,
		"keep the history of the model in this file; default: a file in TMPDIR or /tmp, removed at the "
		"end"),
	CLI_OPTIONS_TREE(
		struct bench_options, tree,
		"use at most this much memory for the buffers of the history, and as much for its tables "
		"(names, states), which go to disk above it; default: 64M, for the buffers of cluster 256M"),
	CLI_OPTION_NUMBER("build-threads", CLI_NUMBER, "N", struct bench_options, build_threads, 1, 2,
			  "build with one thread or two; default: 1, to compare with engines of one thread"),
	CLI_OPTION_NUMBER("cache", CLI_SIZE, "BYTES", struct bench_options, cache, 4096, SIZE_MAX,
			  "give the node cache of the queries this size; default: 128M"),
	CLI_OPTION_NUMBER("queries", CLI_NUMBER, "N", struct bench_options, queries, 1, 10 * 1000 * 1000,
			  "ask this many single queries, and a hundredth of it of each other kind; default: 10000"),
	{ .name = "query-threads",
	  .argument = "N",
	  .kind = CLI_NUMBER,
	  .member = offsetof(struct bench_options, threads),
	  .old = "threads",
	  .min = 1,
	  .max = BENCH_THREADS_MAX,
	  .help = "at the end, compare single queries of N threads at once with those of one thread" },
	CLI_OPTION_NUMBER("seed", CLI_NUMBER, "N", struct bench_options, seed, 1, UINT64_MAX,
			  "order the attributes and choose the queries by this seed; default: 1"),
	{ 0 },
};

/* A benchmark, as far as it has come. */
struct benching {
	const struct bench_options *chosen;
	struct histree_tree_options tree;
	struct bench_model model;
	char *path; /* of a temporary history, or NULL */
	struct target target;
	struct histree_history *history;
	struct bench_history asked;
	struct bench_questions questions;
	struct bench_outcome outcome;
};

/* ---- the history of the model --------------------------------------------------------------------------- */

/* The name has the process in it, so that no file of that name exists. */
static enum cli_exit choose_path(struct benching *benching)
{
	if (asprintf(&benching->path, "%s/histree-bench-%ld", io_temporary_folder(), (long)getpid()) < 0) {
		benching->path = NULL;
		return report_no_memory();
	}
	return CLI_OK;
}

enum { BLOCK_INTERVALS = 512 };

/* Intervals are made a block at a time, outside of what the watch measures. */
static enum histree_status insert_states(const struct bench_model *model, struct histree_state_system *system,
					 struct bench_stopwatch *watch, struct histree_error *error)
{
	struct histree_interval intervals[BLOCK_INTERVALS];
	uint64_t left = (uint64_t)model->attributes * model->states;
	uint32_t state = 0, position = 0;
	enum histree_status status = HISTREE_OK;
	while (left > 0 && status == HISTREE_OK) {
		size_t count = 0;
		for (; count < BLOCK_INTERVALS && count < left; count++) {
			intervals[count] = bench_model_interval(model, position, state);
			if (++position == model->attributes) {
				position = 0;
				state++;
			}
		}
		left -= count;
		bench_stopwatch_start(watch);
		status = histree_state_insert(system, intervals, count, NULL, error);
		bench_stopwatch_stop(watch);
	}
	return status;
}

static enum histree_status build_model(struct benching *benching, const char *path, struct histree_error *error)
{
	const struct histree_history_options wanted = {
		.path = path,
		.provider = "model",
		.provider_version = 1,
		.tree = benching->tree,
	};
	struct histree_state_system *system = NULL;
	enum histree_status status = histree_state_create(&wanted, &system, error);
	if (status != HISTREE_OK)
		return status;
	struct bench_stopwatch naming = { 0 }, building = { 0 };
	bench_stopwatch_start(&naming);

	status = HISTREE_OK;
	for (uint32_t i = 0; i < benching->model.attributes && status == HISTREE_OK; i++) {
		char name[NUMBER_TEXT_SIZE];
		histree_quark quark;
		status = histree_state_child(system, HISTREE_ROOT, name, number_format_unsigned(i, name), &quark,
					     error);
	}

	bench_stopwatch_stop(&naming);
	if (status == HISTREE_OK)
		status = insert_states(&benching->model, system, &building, error);
	bench_stopwatch_start(&building);
	if (status == HISTREE_OK)
		status = histree_state_close(system, benching->model.end, error);
	bench_stopwatch_stop(&building);
	benching->outcome.names_ns = naming.ns;
	benching->outcome.build_ns = building.ns;
	benching->outcome.build_cpu_ns = building.cpu_ns;
	histree_state_free(system);
	return status;
}

static enum cli_exit prepare_model(struct benching *benching)
{
	const struct bench_options *chosen = benching->chosen;
	struct histree_error error = { 0 };
	enum cli_exit code = chosen->output == NULL ? choose_path(benching) : CLI_OK;
	if (code != CLI_OK)
		return code;
	const char *path = chosen->output != NULL ? chosen->output : benching->path;
	if (bench_model_init(&benching->model, (uint32_t)chosen->attributes, (uint32_t)chosen->intervals,
			     chosen->seed, &error) != HISTREE_OK ||
	    build_model(benching, path, &error) != HISTREE_OK ||
	    histree_history_open(path, &(struct histree_open_options){ .cache_bytes = chosen->cache },
				 &benching->history, &error) != HISTREE_OK)
		return report_error(&error);
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	benching->outcome.peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
	return CLI_OK;
}

/* ---- a store -------------------------------------------------------------------------------------------- */

static enum cli_exit prepare_store(struct benching *benching)
{
	const struct bench_options *chosen = benching->chosen;
	const struct histree_open_options opening = { .cache_bytes = chosen->cache };
	struct target *target = &benching->target;
	struct histree_error error = { 0 };
	enum histree_status status = target_open(target, chosen->store, &error);
	if (status == HISTREE_OK && target->store != NULL)
		status = histree_store_history(target->store, chosen->question.analysis, true, &opening,
					       &benching->history, &error);
	else if (status == HISTREE_OK)
		status = histree_history_open(target->path, &opening, &benching->history, &error);
	return status == HISTREE_OK ? CLI_OK : report_error(&error);
}

/* ---- queries -------------------------------------------------------------------------------------------- */

static enum histree_status ask(struct benching *benching, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(benching->history);
	benching->outcome.info = info;
	benching->outcome.is_model = benching->chosen->store == NULL;
	if (info->attribute_count == 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "the history has no attributes: nothing to ask for");
	enum histree_status status = bench_history_init(&benching->asked, benching->history, error);
	if (status == HISTREE_OK)
		status = bench_questions_init(&benching->questions, info->attribute_count, info->start, info->end,
					      benching->chosen->queries, benching->chosen->seed, error);
	struct bench_engine engine = bench_history_engine(&benching->asked);
	struct bench_engine judge = bench_model_engine(&benching->model);
	for (int shape = 0; shape < BENCH_SHAPE_COUNT && status == HISTREE_OK; shape++) {
		struct bench_result *result = &benching->outcome.results[shape];
		size_t wrong = 0;
		status = bench_measure(&engine, &benching->questions, (enum bench_shape)shape, result, error);
		if (status == HISTREE_OK && benching->outcome.is_model)
			status = bench_compare(&judge, &benching->questions, (enum bench_shape)shape, result,
					       &wrong, error);
		benching->outcome.wrong += wrong;
	}
	if (status == HISTREE_OK && benching->chosen->threads > 0)
		status = bench_threads_measure(benching->history, &benching->questions,
					       (unsigned)benching->chosen->threads, &benching->outcome.threads,
					       error);
	return status;
}

static enum cli_exit print(const struct benching *benching)
{
	const struct row_format *format = row_format_find(benching->chosen->question.format);
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	bench_report(&benching->outcome, format, output);
	enum cli_exit code = CLI_OK;
	if (benching->outcome.wrong > 0)
		code = report_exit(CLI_INTERNAL, "%zu answers differ from those of the model",
				   benching->outcome.wrong);
	return (enum cli_exit)cli_end(output, (int)code);
}

/* ------------------------------------------------------------------------------------------------------------ */

static enum cli_exit bench(struct benching *benching)
{
	enum cli_exit code = benching->chosen->store != NULL ? prepare_store(benching) : prepare_model(benching);
	if (code != CLI_OK)
		return code;
	struct histree_error error = { 0 };
	if (ask(benching, &error) != HISTREE_OK)
		return report_error(&error);
	return print(benching);
}

static const struct bench_options defaults = {
	.attributes = 100000, .intervals = 20, .queries = 10000, .seed = 1, .build_threads = 1
};

static int bench_run(void *said, const struct cli_words *words)
{
	(void)words;
	struct bench_options *chosen = said;
	int status;
	struct benching benching = { .chosen = chosen };
	status = tree_option_read(&chosen->tree, chosen->build_threads, &benching.tree);
	if (status == CLI_OK)
		status = bench(&benching);

	for (int shape = 0; shape < BENCH_SHAPE_COUNT; shape++)
		bench_result_release(&benching.outcome.results[shape]);
	bench_questions_release(&benching.questions);
	bench_history_release(&benching.asked);
	histree_history_close(benching.history);
	target_close(&benching.target);
	bench_model_release(&benching.model);
	if (benching.path != NULL)
		unlink(benching.path);
	free(benching.path);

	return status;
}

const struct cli_verb verb_bench = {
	.heading = "More",
	.name = "bench",
	.summary = "measure builds and queries, on the model of the papers or on a store",
	.arguments = { "", 0, 0 },
	.complete = CLI_COMPLETE_NOTHING,
	.asks = ASKS(ANALYSIS) | ASKS(FORMAT),
	.says = { [ASK_ANALYSIS] = " of --store; default: kernel, or the first history" },
	CLI_OPTIONS(options, struct bench_options),
	.defaults = &defaults,
	.run = bench_run,
};
