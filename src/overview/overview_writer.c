// SPDX-License-Identifier: MIT
/*
 * overview_writer.c - a history goes by in windows of time; in each, the states of one attribute after the other
 * are made fewer (overview_cells.h), and what comes of it goes into a new history by its end.  Nothing but a window
 * is in memory.
 */
#include "overview/overview_writer.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/worker.h"
#include "overview/number_writer.h"
#include "overview/overview_file.h"
#include "overview/window_walk.h"
#include "state/history.h"
#include "state/history_overviews.h"
#include "state/state_file.h"

/* The number overview, which is made while the first overview is. */
struct number_work {
	struct worker worker;
	bool has_worker; /* else it is made before */
	bool is_begun, is_taken;
	_Atomic bool is_in_vain;
	struct overview_progress progress;
	struct histree_query *query; /* of its own */
	struct number_source source;
	uint64_t bytes_max, bytes;
	enum histree_status status;
	struct histree_error error;
};

struct writer {
	const struct io *io;
	const char *path; /* of the history that has the overviews */
	char *name;       /* room for that of an overview: there must be some when memory is out */
	struct overview_options options, number_options; /* which are as asked for, before others are tried */
	struct overview_progress progress;
	struct histree_history_info of;
	struct state_counts counts;

	/* What is read, and what of it. */
	struct histree_history *source;
	struct histree_query *query;
	struct overview_choice choice;
	struct window_walk walk;

	struct interval_sink sink; /* the overview */
	struct attribute_tree attributes;

	struct number_work numbers;
};

/* ---- windows --------------------------------------------------------------------------------------------- */

static enum histree_status write_state(struct writer *writer, const struct overview_window *window,
				       const struct overview_state *state, struct histree_error *error)
{
	assert(state->start <= state->end && state->attribute < writer->choice.count);
	struct condensed *condensed = &writer->choice.condensed[state->attribute];
	condensed->states++;
	struct histree_interval interval = {
		.quark = condensed->own,
		.start = state->start,
		.end = state->end,
		.value =
			state->value == OVERVIEW_REST ? histree_custom("", 0) : window->values.values[state->value],
	};
	return writer->sink.add(writer->sink.context, &interval, error);
}

static enum histree_status take_window(void *context, struct overview_window *window, struct histree_error *error)
{
	struct writer *writer = context;
	enum histree_status status = overview_window_condense(window, &writer->choice, writer->of.start, error);
	for (size_t i = 0; status == HISTREE_OK && i < window->cells.count; i++)
		status = write_state(writer, window, &window->cells.states[window->order[i].index], error);
	return status;
}

/* ---- an overview -------------------------------------------------------------------------------------------- */

static enum histree_status name_attributes(struct writer *writer, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < writer->choice.count && status == HISTREE_OK; i++) {
		struct condensed *condensed = &writer->choice.condensed[i];
		histree_quark width;
		status =
			overview_file_name(&writer->attributes, HISTREE_ROOT, condensed->width_log2, &width, error);
		if (status == HISTREE_OK)
			status = overview_file_name(&writer->attributes, width, condensed->quark, &condensed->own,
						    error);
	}
	return status;
}

static enum histree_status fill_overview(struct writer *writer, struct histree_error *error)
{
	enum histree_status status = name_attributes(writer, error);
	writer->walk.query = writer->query;
	if (status == HISTREE_OK)
		status = window_walk(&writer->walk, take_window, writer, error);
	if (status == HISTREE_OK)
		status = overview_file_groups(&writer->sink, &writer->attributes, &writer->of, error);
	if (status == HISTREE_OK)
		status = writer->sink.finish(writer->sink.context, &writer->attributes, writer->of.end, error);
	return status;
}

static enum histree_status make_overview(struct writer *writer, const char *path, struct histree_error *error)
{
	char provider[sizeof(writer->of.provider)];
	overview_provider(&writer->of, provider, sizeof(provider));
	const struct histree_history_options options = {
		.path = path,
		.provider = provider,
		.provider_version = OVERVIEW_VERSION,
		.start = writer->of.start,
		.tree = { .memory_max = writer->options.memory_max,
			  .threads = writer->options.threads > 1 ? 2 : writer->options.threads },
	};
	enum histree_status status = state_file_sink(writer->io, &options, NULL, &writer->sink, error);
	if (status != HISTREE_OK)
		return status;
	attribute_tree_init(&writer->attributes);
	status = fill_overview(writer, error);
	attribute_tree_release(&writer->attributes);
	writer->sink.free(writer->sink.context);
	return status;
}

static void close_source(struct writer *writer)
{
	histree_query_free(writer->query);
	histree_history_close(writer->source);
	writer->query = NULL;
	writer->source = NULL;
}

static enum histree_status open_source(struct writer *writer, const char *path, struct histree_error *error)
{
	static const struct histree_open_options options = { .cache_bytes = 8 << 20 };
	struct block_file *file;
	close_source(writer);
	enum histree_status status = block_file_open(writer->io, path, &file, error);
	if (status == HISTREE_OK)
		status = history_open_file(file, &options, &writer->source, error);
	return status == HISTREE_OK ? histree_query_create(writer->source, &writer->query, error) : status;
}

/* ---- numbers ----------------------------------------------------------------------------------------------- */

static void write_numbers(void *context)
{
	struct number_work *numbers = context;
	numbers->status = numbers_write(&numbers->source, numbers->bytes_max, &numbers->bytes, &numbers->error);
}

static bool are_wanted(void *context, double share)
{
	(void)share;
	return !atomic_load(&((struct number_work *)context)->is_in_vain);
}

/* With a thread for it, which asks nobody whether to go on, but is told. */
static enum histree_status begin_numbers(struct writer *writer, struct histree_error *error)
{
	struct number_work *numbers = &writer->numbers;
	numbers->source = (struct number_source){
		.io = writer->io,
		.path = writer->path,
		.query = writer->query,
		.counts = &writer->counts,
		.options = &writer->number_options,
		.progress = &writer->progress,
	};
	numbers->bytes_max = writer->of.file_bytes / 100 * writer->options.numbers_percent_max;
	writer->number_options = writer->options;
	writer->progress.steps = 1;
	numbers->has_worker = writer->options.threads > 1 && worker_create(&numbers->worker);
	numbers->is_begun = true;
	if (!numbers->has_worker) {
		write_numbers(numbers);
		return HISTREE_OK;
	}
	numbers->progress = (struct overview_progress){ .go_on = are_wanted, .context = numbers };
	numbers->source.progress = &numbers->progress;
	enum histree_status status = histree_query_create(writer->source, &numbers->query, error);
	numbers->source.query = numbers->query;
	if (status == HISTREE_OK)
		worker_start(&numbers->worker, write_numbers, numbers);
	return status;
}

/* Returns what became of them; from then on, their history is not read any more. */
static enum histree_status end_numbers(struct writer *writer, struct histree_error *error)
{
	struct number_work *numbers = &writer->numbers;
	if (numbers->has_worker)
		worker_stop(&numbers->worker);
	numbers->has_worker = false;
	histree_query_free(numbers->query);
	numbers->query = NULL;
	if (!numbers->is_begun || numbers->status == HISTREE_OK)
		return HISTREE_OK;
	return error_set(error, numbers->status, "%s", numbers->error.message);
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

static void remove_overviews(struct writer *writer)
{
	for (uint32_t number = 1; number <= OVERVIEWS_MAX; number++) {
		overview_path(writer->path, number, writer->name);
		writer->io->unlink(writer->io->context, writer->name);
	}
}

/* Removes whatever is there. */
static void remove_all(struct writer *writer)
{
	remove_overviews(writer);
	numbers_path(writer->path, writer->name);
	writer->io->unlink(writer->io->context, writer->name);
}

/* What the number overview leaves of what all may have. */
static uint64_t bytes_max_of(const struct writer *writer)
{
	return writer->of.file_bytes / 100 * writer->options.percent_max - writer->numbers.bytes;
}

/* HISTREE_PARTIAL: they have too many bytes, and *bytes is how many they are likely to have. */
static enum histree_status write_ladder(struct writer *writer, uint64_t *bytes, struct histree_error *error)
{
	uint64_t of_one = 0;
	enum histree_status status = HISTREE_OK;
	*bytes = 0;
	for (uint32_t number = 1; status == HISTREE_OK && writer->choice.count > 0 && number <= OVERVIEWS_MAX;
	     number++) {
		overview_path(writer->path, number, writer->name);
		writer->progress.steps = number + 1;
		status = make_overview(writer, writer->name, error);
		if (status == HISTREE_OK)
			status = overview_file_bytes(writer->io, writer->name, &of_one, error);
		if (status == HISTREE_OK)
			status = end_numbers(writer, error);
		*bytes += of_one;
		if (status == HISTREE_OK && *bytes > bytes_max_of(writer)) {
			*bytes += of_one / 3; /* those that would follow */
			return HISTREE_PARTIAL;
		}
		overview_choice_of_overview(&writer->choice, &writer->options);
		if (status == HISTREE_OK && writer->choice.count > 0)
			status = open_source(writer, writer->name, error);
	}
	return status;
}

/* Those that are too large are made again of fewer cells, until these are too few for a view. */
static enum histree_status write_overviews(struct writer *writer, struct histree_error *error)
{
	uint64_t bytes = 0;
	for (;;) {
		enum histree_status status = overview_choice_of_history(&writer->choice, &writer->options,
									writer->query, &writer->counts, error);
		bool is_any = writer->choice.count > 0;
		if (status == HISTREE_OK && is_any)
			status = write_ladder(writer, &bytes, error);
		if (status == HISTREE_OK)
			status = end_numbers(writer, error);
		bool is_done = status == HISTREE_OK && is_any;
		if (is_done || (status != HISTREE_OK && status != HISTREE_PARTIAL))
			return status;
		if (status == HISTREE_PARTIAL) {
			remove_overviews(writer);
			status = open_source(writer, writer->path, error);
		}
		if (status != HISTREE_OK ||
		    !overview_options_coarser(&writer->options, bytes_max_of(writer), bytes))
			return status;
	}
}

static enum histree_status write_all(struct writer *writer, struct histree_error *error)
{
	enum histree_status status = open_source(writer, writer->path, error);
	if (status != HISTREE_OK)
		return status;
	writer->of = *histree_history_info(writer->source);
	writer->of.nodes_at_height = NULL;
	if (writer->of.interval_count < writer->options.history_states_min)
		return HISTREE_OK;
	status = state_counts_make(&writer->counts, writer->source, &writer->progress, error);
	if (status == HISTREE_OK)
		status = begin_numbers(writer, error);
	if (status == HISTREE_OK && !writer->numbers.has_worker)
		status = end_numbers(writer, error);
	if (status == HISTREE_OK)
		status = write_overviews(writer, error);
	return status;
}

enum histree_status overviews_write(const struct io *io, const char *path, const struct overview_options *options,
				    struct histree_error *error)
{
	struct writer writer = { .io = io, .path = path, .options = overview_options_complete(options) };
	size_t size = overview_path_size(path), of_numbers = numbers_path_size(path);
	writer.progress =
		(struct overview_progress){ .go_on = writer.options.go_on, .context = writer.options.context };
	writer.name = malloc(size > of_numbers ? size : of_numbers);
	if (writer.name == NULL)
		return error_memory(error, "a path");
	writer.walk = (struct window_walk){
		.path = path,
		.choice = &writer.choice,
		.progress = &writer.progress,
		.states_in_window = writer.options.states_in_window,
		.threads = writer.options.threads,
	};
	remove_all(&writer); /* what a build that was cut off left */
	enum histree_status status = write_all(&writer, error);
	atomic_store(&writer.numbers.is_in_vain, status != HISTREE_OK);
	enum histree_status numbers_status = end_numbers(&writer, status == HISTREE_OK ? error : NULL);
	status = status == HISTREE_OK ? numbers_status : status;
	close_source(&writer);
	window_walk_release(&writer.walk);
	overview_choice_release(&writer.choice);
	state_counts_release(&writer.counts);
	if (status != HISTREE_OK)
		remove_all(&writer);
	free(writer.name);
	return status;
}
