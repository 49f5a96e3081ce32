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

struct writer {
	const struct number_source *source;
	struct histree_history_info of;
	char *name;
	struct overview_choice choice;
	struct number_ladder ladder;
	struct window_walk walk;
	struct interval_sink sink;
	struct attribute_tree attributes;
	struct keyed_index *order, *spare;
	size_t order_capacity, spare_capacity;
};

/* ---- which attributes ------------------------------------------------------------------------------------ */

static unsigned levels_of(const struct writer *writer, histree_quark quark, uint64_t lowest)
{
	const struct state_counts *counts = writer->source->counts;
	if (counts->states[quark] < lowest || (counts->kinds[quark] & HAS_NUMBER) == 0)
		return 0;
	return number_ladder_levels(counts->states[quark], writer->ladder.states_log2);
}

/* The attributes with most states come first, as many as may be in memory at once. */
static uint64_t lowest_count(const struct writer *writer)
{
	for (uint64_t lowest = writer->source->options->number_states_min;; lowest *= 2) {
		uint64_t rungs = 0;
		for (histree_quark quark = 0; quark < writer->of.attribute_count; quark++)
			rungs += levels_of(writer, quark, lowest);
		if (rungs <= NUMBER_RUNGS_MAX)
			return lowest;
	}
}

static enum histree_status choose(struct writer *writer, unsigned states_log2, struct histree_error *error)
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
		choice->condensed[choice->count++] = (struct condensed){ .source = quark, .quark = quark };
		choice->states += writer->source->counts->states[quark];
		enum histree_status status = number_ladder_attribute(&writer->ladder, levels, error);
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

/* So many states in a summary that all of them are likely to be small enough. */
static unsigned first_states_log2(const struct writer *writer, uint64_t bytes_max)
{
	const struct state_counts *counts = writer->source->counts;
	uint64_t states = 0;
	unsigned states_log2 = writer->source->options->number_states_log2;
	for (histree_quark quark = 0; quark < writer->of.attribute_count; quark++)
		if ((counts->kinds[quark] & HAS_NUMBER) != 0)
			states += counts->states[quark];
	while (states_log2 < NUMBERS_STATES_LOG2_MAX && (states >> states_log2) > bytes_max / SUMMARY_BYTES)
		states_log2++;
	return states_log2;
}

/* ---- windows --------------------------------------------------------------------------------------------- */

/* A tree wants them by their ends. */
static enum histree_status write_states(struct writer *writer, struct histree_error *error)
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

static enum histree_status take_window(void *context, struct overview_window *window, struct histree_error *error)
{
	struct writer *writer = context;
	enum histree_status status =
		number_ladder_add_window(&writer->ladder, &writer->choice, window, writer->of.end, error);
	return status == HISTREE_OK ? write_states(writer, error) : status;
}

/* ---- the file -------------------------------------------------------------------------------------------- */

static enum histree_status name_level(struct writer *writer, uint32_t level, struct histree_error *error)
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
static enum histree_status name_attributes(struct writer *writer, struct histree_error *error)
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

static enum histree_status fill_file(struct writer *writer, struct histree_error *error)
{
	enum histree_status status = name_attributes(writer, error);
	if (status == HISTREE_OK)
		status = window_walk(&writer->walk, take_window, writer, error);
	if (status == HISTREE_OK)
		status = overview_file_groups(&writer->sink, &writer->attributes, &writer->of, error);
	if (status == HISTREE_OK)
		status = writer->sink.finish(writer->sink.context, &writer->attributes, writer->of.end, error);
	return status;
}

static enum histree_status write_file(struct writer *writer, struct histree_error *error)
{
	char provider[sizeof(writer->of.provider)];
	numbers_provider(&writer->of, writer->ladder.states_log2, provider, sizeof(provider));
	const struct histree_history_options options = {
		.path = writer->name,
		.provider = provider,
		.provider_version = NUMBERS_VERSION,
		.start = writer->of.start,
		.tree = { .node_size = NODE_SIZE,
			  .memory_max = writer->source->options->memory_max,
			  .threads = writer->source->options->threads > 1 ? 2 : writer->source->options->threads },
	};
	enum histree_status status = state_file_sink(writer->source->io, &options, NULL, &writer->sink, error);
	if (status != HISTREE_OK)
		return status;
	attribute_tree_init(&writer->attributes);
	status = fill_file(writer, error);
	attribute_tree_release(&writer->attributes);
	writer->sink.free(writer->sink.context);
	return status;
}

/* One that is larger than it may be is made again of wider summaries, until none is worth it. */
static enum histree_status write_smaller(struct writer *writer, uint64_t bytes_max, uint64_t *bytes,
					 struct histree_error *error)
{
	const struct io *io = writer->source->io;
	unsigned states_log2 = first_states_log2(writer, bytes_max);
	enum histree_status status = choose(writer, states_log2, error);
	while (status == HISTREE_OK && writer->choice.count > 0) {
		status = write_file(writer, error);
		if (status == HISTREE_OK)
			status = overview_file_bytes(io, writer->name, bytes, error);
		if (status != HISTREE_OK || *bytes <= bytes_max)
			return status;
		io->unlink(io->context, writer->name);
		states_log2 += bits_needed(*bytes / bytes_max);
		*bytes = 0;
		if (bytes_max == 0 || states_log2 > NUMBERS_STATES_LOG2_MAX)
			return HISTREE_OK;
		status = choose(writer, states_log2, error);
	}
	return status;
}

enum histree_status numbers_write(const struct number_source *source, uint64_t bytes_max, uint64_t *bytes,
				  struct histree_error *error)
{
	struct writer writer = {
		.source = source,
		.of = *histree_history_info(histree_query_history(source->query)),
		.name = malloc(numbers_path_size(source->path)),
	};
	writer.walk = (struct window_walk){
		.query = source->query,
		.path = source->path,
		.choice = &writer.choice,
		.progress = source->progress,
		.states_in_window = source->options->states_in_window,
		.threads = source->options->threads,
	};
	*bytes = 0;
	if (writer.name == NULL)
		return error_memory(error, "a path");
	numbers_path(source->path, writer.name);
	enum histree_status status = write_smaller(&writer, bytes_max, bytes, error);
	window_walk_release(&writer.walk);
	overview_choice_release(&writer.choice);
	number_ladder_release(&writer.ladder);
	free(writer.order);
	free(writer.spare);
	free(writer.name);
	return status;
}
