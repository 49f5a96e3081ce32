// SPDX-License-Identifier: MIT
#include "overview/number_writer.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/error.h"
#include "overview/number_ladder.h"
#include "overview/overview_file.h"
#include "overview/window_walk.h"
#include "state/attribute_tree.h"
#include "state/state_file.h"

enum {
	NODE_SIZE = 8 << 10, /* a level is read for a few summaries */
	SUMMARY_BYTES = 32,  /* about, with what a tree adds to it */
	RUNGS_MAX = 1 << 15  /* 14 MiB */
};

struct number_writer {
	const struct number_source *source;
	struct histree_history_info of;
	uint64_t bytes_max;
	char *name;
	struct overview_choice choice;
	struct number_ladder ladder;
	struct interval_sink sink;
	bool has_file; /* the sink and the attributes are there */
	struct attribute_tree attributes;
	struct keyed_index *order, *spare;
	size_t order_capacity, spare_capacity;
};

/* ---- which attributes ------------------------------------------------------------------------------------ */

static unsigned levels_of(const struct number_writer *writer, histree_quark quark, uint64_t lowest)
{
	const struct state_counts *counts = writer->source->counts;
	state_counts_pass(counts, quark);
	if (counts->states[quark] < lowest || (counts->kinds[quark] & HAS_NUMBER) == 0)
		return 0;
	return number_ladder_levels(counts->states[quark], writer->ladder.states_log2);
}

/* The attributes with most states come first, as many as may be in memory at once. */
static uint64_t lowest_count(const struct number_writer *writer)
{
	for (uint64_t lowest = writer->source->options->number_states_min;; lowest *= 2) {
		uint64_t rungs = 0;
		for (histree_quark quark = 0; quark < writer->of.attribute_count; quark++)
			rungs += levels_of(writer, quark, lowest);
		if (rungs <= NUMBER_RUNGS_MAX)
			return lowest;
	}
}

static enum histree_status choose(struct number_writer *writer, unsigned states_log2, struct histree_error *error)
{
	struct overview_choice *choice = &writer->choice;
	choice->count = 0;
	choice->states = 0;
	number_ladder_reset(&writer->ladder, states_log2);
	uint64_t lowest = lowest_count(writer);
	for (histree_quark quark = 0; quark < writer->of.attribute_count; quark++) {
		unsigned levels = levels_of(writer, quark, lowest);
		if (levels == 0)
			continue;
		if (!array_reserve(&choice->condensed, &choice->capacity, (size_t)choice->count + 1))
			return error_memory(error, "an overview");
		choice->condensed[choice->count++] = (struct condensed){
			.source = quark,
			.quark = quark,
			.read = writer->source->counts->states[quark],
			.width_log2 = OVERVIEW_NO_WIDTH,
		};
		choice->states += writer->source->counts->states[quark];
		enum histree_status status = number_ladder_attribute(&writer->ladder, levels, error);
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

/* So many states in a summary that all of them are likely to be small enough. */
static unsigned first_states_log2(const struct number_writer *writer, uint64_t bytes_max)
{
	const struct state_counts *counts = writer->source->counts;
	uint64_t states = 0;
	unsigned states_log2 = writer->source->options->number_states_log2;
	for (histree_quark quark = 0; quark < writer->of.attribute_count; quark++) {
		state_counts_pass(counts, quark);
		if ((counts->kinds[quark] & HAS_NUMBER) != 0)
			states += counts->states[quark];
	}
	while (states_log2 < NUMBERS_STATES_LOG2_MAX && (states >> states_log2) > bytes_max / SUMMARY_BYTES)
		states_log2++;
	return states_log2;
}

/* ---- windows --------------------------------------------------------------------------------------------- */

/* A tree wants them by their ends. */
static enum histree_status write_states(struct number_writer *writer, struct histree_error *error)
{
	struct number_ladder *ladder = &writer->ladder;
	size_t count = ladder->state_count;
	enum histree_status status = HISTREE_OK;
	if (!array_reserve(&writer->order, &writer->order_capacity, count) ||
	    !array_reserve(&writer->spare, &writer->spare_capacity, count))
		return error_memory(error, "an overview");
	for (size_t i = 0; i < count; i++)
		writer->order[i] =
			(struct keyed_index){ (uint64_t)ladder->states[i].end - (uint64_t)writer->of.start,
					      (uint32_t)i };
	radix_sort(writer->order, writer->spare, count);
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		const struct number_state *state = &ladder->states[writer->order[i].index];
		const struct histree_interval interval = {
			.quark = ladder->attributes[state->attribute].own[state->level - 1],
			.start = state->start,
			.end = state->end,
			.value = histree_custom(ladder->bytes + state->at, state->size),
		};
		status = writer->sink.add(writer->sink.context, &interval, error);
	}
	number_ladder_clear(ladder);
	return status;
}

enum histree_status number_writer_take(struct number_writer *writer, const uint32_t *attributes,
				       const struct overview_window *window, struct histree_error *error)
{
	enum histree_status status =
		number_ladder_add_window(&writer->ladder, attributes, window, writer->of.end, error);
	return status == HISTREE_OK ? write_states(writer, error) : status;
}

/* ---- the file -------------------------------------------------------------------------------------------- */

static enum histree_status name_level(struct number_writer *writer, uint32_t level, struct histree_error *error)
{
	histree_quark parent, own;
	enum histree_status status = overview_file_name(&writer->attributes, HISTREE_ROOT, level, &parent, error);
	for (uint32_t i = 0; i < writer->choice.count && status == HISTREE_OK; i++) {
		struct number_rungs *rungs = &writer->ladder.attributes[i];
		if (rungs->count < level)
			continue;
		status = overview_file_name(&writer->attributes, parent, writer->choice.condensed[i].quark, &own,
					    error);
		rungs->own[level - 1] = own;
	}
	return status;
}

/* By level, so that those of one level are in leaves of their own. */
static enum histree_status name_attributes(struct number_writer *writer, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	uint32_t levels = 0;
	for (uint32_t i = 0; i < writer->choice.count; i++)
		if (writer->ladder.attributes[i].count > levels)
			levels = writer->ladder.attributes[i].count;
	for (uint32_t level = 1; level <= levels && status == HISTREE_OK; level++)
		status = name_level(writer, level, error);
	return status;
}

static void drop_file(struct number_writer *writer)
{
	if (!writer->has_file)
		return;
	attribute_tree_release(&writer->attributes);
	writer->sink.free(writer->sink.context);
	writer->has_file = false;
}

/* A file without attributes is none. */
static enum histree_status begin_file(struct number_writer *writer, struct histree_error *error)
{
	const struct overview_options *with = writer->source->options;
	char provider[sizeof(writer->of.provider)];
	numbers_provider(&writer->of, writer->ladder.states_log2, provider, sizeof(provider));
	const struct histree_history_options options = {
		.path = writer->name,
		.provider = provider,
		.provider_version = NUMBERS_VERSION,
		.start = writer->of.start,
		.tree = { .node_size = NODE_SIZE,
			  .memory_max = with->memory_max,
			  .threads = with->threads > 1 ? 2 : with->threads },
	};
	if (writer->choice.count == 0)
		return HISTREE_OK;
	const struct state_shared shared = { .crew = with->crew };
	enum histree_status status = state_file_sink(writer->source->io, &options, &shared, &writer->sink, error);
	if (status != HISTREE_OK)
		return status;
	attribute_tree_init(&writer->attributes);
	writer->has_file = true;
	return name_attributes(writer, error);
}

static enum histree_status finish_file(struct number_writer *writer, uint64_t *bytes, struct histree_error *error)
{
	enum histree_status status = overview_file_groups(&writer->sink, &writer->attributes, &writer->of, error);
	if (status == HISTREE_OK)
		status = writer->sink.finish(writer->sink.context, &writer->attributes, writer->of.end, error);
	drop_file(writer);
	return status == HISTREE_OK ? overview_file_bytes(writer->source->io, writer->name, bytes, error) : status;
}

static enum histree_status sort_window(void *context, struct overview_window *window, struct histree_error *error)
{
	struct number_writer *writer = context;
	return overview_window_sort(window, &writer->choice, error);
}

static enum histree_status take_window(void *context, struct overview_window *window, struct histree_error *error)
{
	return number_writer_take(context, NULL, window, error);
}

static enum histree_status make_file(struct number_writer *writer, uint64_t *bytes, struct histree_error *error)
{
	const struct window_walk walk = {
		.history = writer->source->history,
		.path = writer->source->path,
		.choice = &writer->choice,
		.progress = writer->source->progress,
		.states_in_window = writer->source->options->states_in_window,
		.crew = writer->source->options->crew,
		.threads = writer->source->options->threads,
		.prepare = sort_window,
		.take = take_window,
		.context = writer,
	};
	enum histree_status status = begin_file(writer, error);
	if (status == HISTREE_OK)
		status = window_walk(&walk, error);
	return status == HISTREE_OK ? finish_file(writer, bytes, error) : status;
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

enum histree_status number_writer_begin(const struct number_source *source, uint64_t bytes_max,
					struct number_writer **out, struct histree_error *error)
{
	struct number_writer *writer = *out = calloc(1, sizeof(*writer));
	if (writer == NULL)
		return error_memory(error, "an overview");
	writer->source = source;
	writer->of = *histree_history_info(source->history);
	writer->bytes_max = bytes_max;
	writer->name = malloc(numbers_path_size(source->path));
	if (writer->name == NULL)
		return error_memory(error, "a path");
	numbers_path(source->path, writer->name);
	enum histree_status status = choose(writer, first_states_log2(writer, bytes_max), error);
	return status == HISTREE_OK ? begin_file(writer, error) : status;
}

const struct overview_choice *number_writer_choice(const struct number_writer *writer)
{
	return &writer->choice;
}

/* One that is larger than it may be is made again of wider summaries, until none is worth it. */
enum histree_status number_writer_end(struct number_writer *writer, uint64_t *bytes, struct histree_error *error)
{
	const struct io *io = writer->source->io;
	*bytes = 0;
	if (!writer->has_file)
		return HISTREE_OK;
	enum histree_status status = finish_file(writer, bytes, error);
	while (status == HISTREE_OK && *bytes > writer->bytes_max) {
		unsigned states_log2 = writer->ladder.states_log2;
		io->unlink(io->context, writer->name);
		states_log2 += writer->bytes_max > 0 ? bits_needed(*bytes / writer->bytes_max) : 0;
		*bytes = 0;
		if (writer->bytes_max == 0 || states_log2 > NUMBERS_STATES_LOG2_MAX)
			return HISTREE_OK;
		status = choose(writer, states_log2, error);
		if (status == HISTREE_OK && writer->choice.count > 0)
			status = make_file(writer, bytes, error);
	}
	return status;
}

void number_writer_free(struct number_writer *writer)
{
	if (writer == NULL)
		return;
	drop_file(writer);
	overview_choice_release(&writer->choice);
	number_ladder_release(&writer->ladder);
	free(writer->order);
	free(writer->spare);
	free(writer->name);
	free(writer);
}
