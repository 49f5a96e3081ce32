// SPDX-License-Identifier: MIT
#include "overview/sum_writer.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/error.h"
#include "histree/labels.h"
#include "overview/sum_ladder.h"
#include "state/history_sums.h"

enum {
	CELL_BYTES = 24, /* about, with what a tree adds to it */
	CELLS_LOG2_MOST = 12,
	CELLS_LOG2_LEAST = 6, /* with fewer, most of a range is at its ends */
};

struct sum_writer {
	struct ladder_file file;
	uint64_t bytes_max;
	struct sum_ladder ladder;
};

/* ---- which attributes, and how wide cells are -------------------------------------------------------------- */

/* Whose values are codes: what is done, not how much. */
static bool is_status(const struct sum_writer *writer, histree_quark quark)
{
	const struct histree_label_table *table = histree_labels_of(writer->file.source->history, quark);
	for (size_t i = 0; table != NULL && i < table->label_count; i++)
		if (table->labels[i].kind == HISTREE_LABEL_NUMBERS && table->labels[i].is_code)
			return true;
	return false;
}

static enum histree_status choose(struct sum_writer *writer, struct histree_error *error)
{
	const struct state_counts *counts = writer->file.source->counts;
	for (histree_quark quark = 0; quark < writer->file.of.attribute_count; quark++) {
		state_counts_pass(counts, quark);
		if (counts->states[quark] < writer->file.source->options->sum_states_min ||
		    !is_status(writer, quark))
			continue;
		enum histree_status status = ladder_file_choose(&writer->file, quark, error);
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

static uint64_t length_of(const struct sum_writer *writer)
{
	return (uint64_t)writer->file.of.end - (uint64_t)writer->file.of.start;
}

/* About how many bytes all cells have, those of the levels above as well. */
static uint64_t bytes_of(const struct sum_writer *writer, unsigned width_log2)
{
	uint64_t cells = (length_of(writer) >> width_log2) + 1, all = 0;
	for (uint32_t i = 0; i < writer->file.choice.count; i++) {
		uint64_t states = writer->file.choice.condensed[i].read;
		all += states < cells ? states : cells;
	}
	return all * CELL_BYTES / 7 * 8;
}

/* Leave out those with fewest states, down to half of them. */
static void choose_fewer(struct sum_writer *writer)
{
	struct overview_choice *choice = &writer->file.choice;
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

static enum histree_status add_attributes(struct sum_writer *writer, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < writer->file.choice.count && status == HISTREE_OK; i++)
		status = sum_ladder_attribute(&writer->ladder, error);
	return status;
}

static enum histree_status choose_width(struct sum_writer *writer, struct histree_error *error)
{
	unsigned width = 0;
	while (writer->file.choice.count > 0 && (width = width_for(writer, writer->bytes_max)) == 0)
		choose_fewer(writer);
	sum_ladder_reset(&writer->ladder, writer->file.of.start, length_of(writer), width);
	while ((uint64_t)writer->file.choice.count * writer->ladder.levels > SUM_RUNGS_MAX)
		choose_fewer(writer);
	return add_attributes(writer, error);
}

/* ---- the file -------------------------------------------------------------------------------------------- */

enum histree_status sum_writer_take(struct sum_writer *writer, const uint32_t *attributes,
				    const struct overview_window *window, struct histree_error *error)
{
	if (!writer->file.is_begun)
		return HISTREE_OK;
	enum histree_status status = sum_ladder_add_window(&writer->ladder, attributes, window, error);
	return status == HISTREE_OK ? ladder_file_write(&writer->file, &writer->ladder.states, error) : status;
}

static enum histree_status begin_file(struct sum_writer *writer, struct histree_error *error)
{
	return ladder_file_begin(&writer->file, writer->ladder.attributes, writer->ladder.width_log2, error);
}

/* What is behind the last whole cells is known when all states are. */
static enum histree_status finish_file(struct sum_writer *writer, uint64_t *bytes, struct histree_error *error)
{
	enum histree_status status = sum_ladder_finish(&writer->ladder, writer->file.of.end, error);
	if (status == HISTREE_OK)
		status = ladder_file_write(&writer->file, &writer->ladder.states, error);
	return status == HISTREE_OK ? ladder_file_finish(&writer->file, bytes, error) : status;
}

static enum histree_status take_window(void *context, struct overview_window *window, struct histree_error *error)
{
	return sum_writer_take(context, NULL, window, error);
}

static enum histree_status make_file(struct sum_writer *writer, uint64_t *bytes, struct histree_error *error)
{
	enum histree_status status = begin_file(writer, error);
	if (status == HISTREE_OK)
		status = ladder_file_walk(&writer->file, take_window, writer, error);
	return status == HISTREE_OK ? finish_file(writer, bytes, error) : status;
}

enum histree_status sum_writer_begin(const struct ladder_source *source, uint64_t bytes_max,
				     struct sum_writer **out, struct histree_error *error)
{
	struct sum_writer *writer = *out = calloc(1, sizeof(*writer));
	if (writer == NULL)
		return error_memory(error, "an overview");
	writer->bytes_max = bytes_max;
	enum histree_status status = ladder_file_init(&writer->file, source, &sums_kind, error);
	if (status == HISTREE_OK)
		status = choose(writer, error);
	if (status == HISTREE_OK)
		status = choose_width(writer, error);
	return status == HISTREE_OK ? begin_file(writer, error) : status;
}

const struct overview_choice *sum_writer_choice(const struct sum_writer *writer)
{
	return &writer->file.choice;
}

/* One that is larger than it may be is made again of wider cells, until these are too few. */
enum histree_status sum_writer_end(struct sum_writer *writer, uint64_t *bytes, struct histree_error *error)
{
	uint64_t wanted = writer->bytes_max;
	*bytes = 0;
	if (!writer->file.is_begun)
		return HISTREE_OK;
	enum histree_status status = finish_file(writer, bytes, error);
	while (status == HISTREE_OK && *bytes > writer->bytes_max) {
		ladder_file_remove(&writer->file);
		wanted = wanted / (*bytes / writer->bytes_max + 1);
		*bytes = 0;
		unsigned width = writer->ladder.width_log2 + 1;
		const unsigned again = width_for(writer, wanted);
		if (again == 0)
			return HISTREE_OK;
		width = again > width ? again : width;
		sum_ladder_reset(&writer->ladder, writer->file.of.start, length_of(writer), width);
		status = add_attributes(writer, error);
		if (status == HISTREE_OK)
			status = make_file(writer, bytes, error);
	}
	return status;
}

void sum_writer_free(struct sum_writer *writer)
{
	if (writer == NULL)
		return;
	ladder_file_release(&writer->file);
	sum_ladder_release(&writer->ladder);
	free(writer);
}
