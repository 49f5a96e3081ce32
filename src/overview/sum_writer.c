// SPDX-License-Identifier: MIT
#include "overview/sum_writer.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/error.h"
#include "histree/labels.h"
#include "overview/overview_file.h"
#include "overview/sum_ladder.h"
#include "overview/window_walk.h"
#include "state/attribute_tree.h"
#include "state/state_file.h"

enum {
	NODE_SIZE = 8 << 10, /* a level is read for a few cells */
	CELL_BYTES = 24,     /* about, with what a tree adds to it */
	CELLS_LOG2_MOST = 12,
	CELLS_LOG2_LEAST = 6, /* with fewer, most of a range is at its ends */
};

struct sum_writer {
	const struct number_source *source;
	struct histree_history_info of;
	uint64_t bytes_max;
	char *name;
	struct overview_choice choice;
	struct sum_ladder ladder;
	struct interval_sink sink;
	bool has_file; /* the sink and the attributes are there */
	struct attribute_tree attributes;
	struct keyed_index *order, *spare;
	size_t order_capacity, spare_capacity;
};

/* ---- which attributes, and how wide cells are -------------------------------------------------------------- */

/* Whose values are codes: what is done, not how much. */
static bool is_status(const struct sum_writer *writer, histree_quark quark)
{
	const struct histree_label_table *table = histree_labels_of(writer->source->history, quark);
	for (size_t i = 0; table != NULL && i < table->label_count; i++)
		if (table->labels[i].kind == HISTREE_LABEL_NUMBERS && table->labels[i].is_code)
			return true;
	return false;
}

static enum histree_status choose(struct sum_writer *writer, struct histree_error *error)
{
	const struct state_counts *counts = writer->source->counts;
	struct overview_choice *choice = &writer->choice;
	for (histree_quark quark = 0; quark < writer->of.attribute_count; quark++) {
		state_counts_pass(counts, quark);
		if (counts->states[quark] < writer->source->options->sum_states_min || !is_status(writer, quark))
			continue;
		if (!array_reserve(&choice->condensed, &choice->capacity, (size_t)choice->count + 1))
			return error_memory(error, "an overview");
		choice->condensed[choice->count++] = (struct condensed){
			.source = quark,
			.quark = quark,
			.read = counts->states[quark],
			.width_log2 = OVERVIEW_NO_WIDTH,
		};
		choice->states += counts->states[quark];
	}
	return HISTREE_OK;
}

static uint64_t length_of(const struct sum_writer *writer)
{
	return (uint64_t)writer->of.end - (uint64_t)writer->of.start;
}

/* About how many bytes all cells have, those of the levels above as well. */
static uint64_t bytes_of(const struct sum_writer *writer, unsigned width_log2)
{
	uint64_t cells = (length_of(writer) >> width_log2) + 1, all = 0;
	for (uint32_t i = 0; i < writer->choice.count; i++) {
		uint64_t states = writer->choice.condensed[i].read;
		all += states < cells ? states : cells;
	}
	return all * CELL_BYTES / 7 * 8;
}

/* Leave out those with fewest states, down to half of them. */
static void choose_fewer(struct sum_writer *writer)
{
	struct overview_choice *choice = &writer->choice;
	uint64_t lowest = choice->count > 0 ? 2 * (choice->states / choice->count) : 0, states = 0;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < choice->count; i++) {
		if (choice->condensed[i].read < lowest / 2 + 1)
			continue;
		states += choice->condensed[i].read;
		choice->condensed[kept++] = choice->condensed[i];
	}
	choice->count = kept < choice->count ? kept : 0;
	choice->states = choice->count > 0 ? states : 0;
}

/* Returns the width of the smallest cells that are likely to have no more bytes than they may; 0: there is none. */
static unsigned width_for(const struct sum_writer *writer, uint64_t bytes_max)
{
	const unsigned bits = bits_needed(length_of(writer));
	unsigned least = bits > CELLS_LOG2_MOST ? bits - CELLS_LOG2_MOST : 1;
	unsigned most = bits > CELLS_LOG2_LEAST ? bits - CELLS_LOG2_LEAST : 0;
	for (unsigned width = least; width <= most && width <= SUMS_WIDTH_LOG2_MAX; width++)
		if (bytes_of(writer, width) <= bytes_max)
			return width;
	return 0;
}

static enum histree_status choose_width(struct sum_writer *writer, struct histree_error *error)
{
	unsigned width = 0;
	while (writer->choice.count > 0 && (width = width_for(writer, writer->bytes_max)) == 0)
		choose_fewer(writer);
	sum_ladder_reset(&writer->ladder, writer->of.start, length_of(writer), width);
	while ((uint64_t)writer->choice.count * writer->ladder.levels > SUM_RUNGS_MAX)
		choose_fewer(writer);
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < writer->choice.count && status == HISTREE_OK; i++)
		status = sum_ladder_attribute(&writer->ladder, error);
	return status;
}

/* ---- windows --------------------------------------------------------------------------------------------- */

static struct histree_value value_of(const struct sum_ladder *ladder, const struct sum_state *state)
{
	if (state->type == HISTREE_CUSTOM)
		return histree_custom(ladder->bytes + state->at, state->size);
	return state->type == HISTREE_INT ? histree_int(state->value) : histree_null();
}

/* A tree wants them by their ends. */
static enum histree_status write_states(struct sum_writer *writer, struct histree_error *error)
{
	struct sum_ladder *ladder = &writer->ladder;
	const size_t count = ladder->state_count;
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
		const struct sum_state *state = &ladder->states[writer->order[i].index];
		const struct histree_interval interval = {
			.quark = state->own,
			.start = state->start,
			.end = state->end,
			.value = value_of(ladder, state),
		};
		status = writer->sink.add(writer->sink.context, &interval, error);
	}
	sum_ladder_clear(ladder);
	return status;
}

enum histree_status sum_writer_take(struct sum_writer *writer, const uint32_t *attributes,
				    const struct overview_window *window, struct histree_error *error)
{
	if (!writer->has_file)
		return HISTREE_OK;
	enum histree_status status = sum_ladder_add_window(&writer->ladder, attributes, window, error);
	return status == HISTREE_OK ? write_states(writer, error) : status;
}

/* ---- the file -------------------------------------------------------------------------------------------- */

/* By level, so that those of one level are in leaves of their own. */
static enum histree_status name_attributes(struct sum_writer *writer, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint32_t level = 1; level <= writer->ladder.levels && status == HISTREE_OK; level++) {
		histree_quark parent;
		status = overview_file_name(&writer->attributes, HISTREE_ROOT, level, &parent, error);
		for (uint32_t i = 0; i < writer->choice.count && status == HISTREE_OK; i++)
			status = overview_file_name(&writer->attributes, parent, writer->choice.condensed[i].quark,
						    &writer->ladder.attributes[i].own[level - 1], error);
	}
	return status;
}

static void drop_file(struct sum_writer *writer)
{
	if (!writer->has_file)
		return;
	attribute_tree_release(&writer->attributes);
	writer->sink.free(writer->sink.context);
	writer->has_file = false;
}

/* A file without attributes is none. */
static enum histree_status begin_file(struct sum_writer *writer, struct histree_error *error)
{
	const struct overview_options *with = writer->source->options;
	char provider[sizeof(writer->of.provider)];
	sums_provider(&writer->of, writer->ladder.width_log2, provider, sizeof(provider));
	const struct histree_history_options options = {
		.path = writer->name,
		.provider = provider,
		.provider_version = SUMS_VERSION,
		.start = writer->of.start,
		.tree = { .node_size = NODE_SIZE,
			  .memory_max = with->memory_max,
			  .threads = with->threads > 1 ? 2 : with->threads },
	};
	if (writer->choice.count == 0)
		return HISTREE_OK;
	enum histree_status status = state_file_sink(writer->source->io, &options, NULL, &writer->sink, error);
	if (status != HISTREE_OK)
		return status;
	attribute_tree_init(&writer->attributes);
	writer->has_file = true;
	return name_attributes(writer, error);
}

/* Behind the last whole cell of a level is null. */
static enum histree_status add_ends(struct sum_writer *writer, uint32_t level, struct histree_error *error)
{
	const unsigned width_log2 = writer->ladder.width_log2 + (level - 1) * SUMS_STEP_LOG2;
	const uint64_t width = UINT64_C(1) << width_log2, last = length_of(writer);
	const uint64_t whole = last >> width_log2;
	enum histree_status status = HISTREE_OK;
	if ((last & (width - 1)) == width - 1)
		return HISTREE_OK;
	for (uint32_t i = 0; i < writer->choice.count && status == HISTREE_OK; i++) {
		const struct histree_interval null = {
			.quark = writer->ladder.attributes[i].own[level - 1],
			.start = (histree_time)((uint64_t)writer->of.start + (whole << width_log2)),
			.end = writer->of.end,
		};
		status = writer->sink.add(writer->sink.context, &null, error);
	}
	return status;
}

static enum histree_status finish_file(struct sum_writer *writer, uint64_t *bytes, struct histree_error *error)
{
	enum histree_status status = overview_file_groups(&writer->sink, &writer->attributes, &writer->of, error);
	for (uint32_t level = 1; level <= writer->ladder.levels && status == HISTREE_OK; level++)
		status = add_ends(writer, level, error);
	if (status == HISTREE_OK)
		status = writer->sink.finish(writer->sink.context, &writer->attributes, writer->of.end, error);
	drop_file(writer);
	return status == HISTREE_OK ? overview_file_bytes(writer->source->io, writer->name, bytes, error) : status;
}

static enum histree_status sort_window(void *context, struct overview_window *window, struct histree_error *error)
{
	struct sum_writer *writer = context;
	return overview_window_sort(window, &writer->choice, error);
}

static enum histree_status take_window(void *context, struct overview_window *window, struct histree_error *error)
{
	return sum_writer_take(context, NULL, window, error);
}

static enum histree_status make_file(struct sum_writer *writer, uint64_t *bytes, struct histree_error *error)
{
	const struct window_walk walk = {
		.history = writer->source->history,
		.path = writer->source->path,
		.choice = &writer->choice,
		.progress = writer->source->progress,
		.states_in_window = writer->source->options->states_in_window,
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

enum histree_status sum_writer_begin(const struct number_source *source, uint64_t bytes_max,
				     struct sum_writer **out, struct histree_error *error)
{
	struct sum_writer *writer = *out = calloc(1, sizeof(*writer));
	if (writer == NULL)
		return error_memory(error, "an overview");
	writer->source = source;
	writer->of = *histree_history_info(source->history);
	writer->bytes_max = bytes_max;
	writer->name = malloc(sums_path_size(source->path));
	if (writer->name == NULL)
		return error_memory(error, "a path");
	sums_path(source->path, writer->name);
	enum histree_status status = choose(writer, error);
	if (status == HISTREE_OK)
		status = choose_width(writer, error);
	return status == HISTREE_OK ? begin_file(writer, error) : status;
}

const struct overview_choice *sum_writer_choice(const struct sum_writer *writer)
{
	return &writer->choice;
}

/* One that is larger than it may be is made again of wider cells, until these are too few. */
enum histree_status sum_writer_end(struct sum_writer *writer, uint64_t *bytes, struct histree_error *error)
{
	const struct io *io = writer->source->io;
	uint64_t wanted = writer->bytes_max;
	*bytes = 0;
	if (!writer->has_file)
		return HISTREE_OK;
	enum histree_status status = finish_file(writer, bytes, error);
	while (status == HISTREE_OK && *bytes > writer->bytes_max) {
		io->unlink(io->context, writer->name);
		wanted = wanted / (*bytes / writer->bytes_max + 1);
		*bytes = 0;
		unsigned width = writer->ladder.width_log2 + 1;
		const unsigned again = width_for(writer, wanted);
		if (again == 0)
			return HISTREE_OK;
		width = again > width ? again : width;
		sum_ladder_reset(&writer->ladder, writer->of.start, length_of(writer), width);
		for (uint32_t i = 0; i < writer->choice.count && status == HISTREE_OK; i++)
			status = sum_ladder_attribute(&writer->ladder, error);
		if (status == HISTREE_OK)
			status = make_file(writer, bytes, error);
	}
	return status;
}

void sum_writer_free(struct sum_writer *writer)
{
	if (writer == NULL)
		return;
	drop_file(writer);
	overview_choice_release(&writer->choice);
	sum_ladder_release(&writer->ladder);
	free(writer->order);
	free(writer->spare);
	free(writer->name);
	free(writer);
}
