// SPDX-License-Identifier: MIT
#include "overview/number_writer.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/error.h"
#include "overview/number_ladder.h"
#include "state/history_numbers.h"

enum { SUMMARY_BYTES = 32 }; /* about, with what a tree adds to it */

struct number_writer {
	struct ladder_file file;
	uint64_t bytes_max;
	struct number_ladder ladder;
};

/* ---- which attributes ------------------------------------------------------------------------------------ */

static unsigned levels_of(const struct number_writer *writer, histree_quark quark, uint64_t lowest)
{
	const struct state_counts *counts = writer->file.source->counts;
	state_counts_pass(counts, quark);
	if (counts->states[quark] < lowest || (counts->kinds[quark] & HAS_NUMBER) == 0)
		return 0;
	return number_ladder_levels(counts->states[quark], writer->ladder.states_log2);
}

/* The attributes with most states come first, as many as may be in memory at once. */
static uint64_t lowest_count(const struct number_writer *writer)
{
	for (uint64_t lowest = writer->file.source->options->number_states_min;; lowest *= 2) {
		uint64_t rungs = 0;
		for (histree_quark quark = 0; quark < writer->file.of.attribute_count; quark++)
			rungs += levels_of(writer, quark, lowest);
		if (rungs <= NUMBER_RUNGS_MAX)
			return lowest;
	}
}

static enum histree_status choose(struct number_writer *writer, unsigned states_log2, struct histree_error *error)
{
	writer->file.choice.count = 0;
	writer->file.choice.states = 0;
	number_ladder_reset(&writer->ladder, states_log2);
	uint64_t lowest = lowest_count(writer);
	for (histree_quark quark = 0; quark < writer->file.of.attribute_count; quark++) {
		unsigned levels = levels_of(writer, quark, lowest);
		if (levels == 0)
			continue;
		enum histree_status status = ladder_file_choose(&writer->file, quark, error);
		if (status == HISTREE_OK)
			status = number_ladder_attribute(&writer->ladder, levels, error);
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

/* So many states in a summary that all of them are likely to be small enough. */
static unsigned first_states_log2(const struct number_writer *writer, uint64_t bytes_max)
{
	const struct state_counts *counts = writer->file.source->counts;
	uint64_t states = 0;
	unsigned states_log2 = writer->file.source->options->number_states_log2;
	for (histree_quark quark = 0; quark < writer->file.of.attribute_count; quark++) {
		state_counts_pass(counts, quark);
		if ((counts->kinds[quark] & HAS_NUMBER) != 0)
			states += counts->states[quark];
	}
	while (states_log2 < NUMBERS_STATES_LOG2_MAX && (states >> states_log2) > bytes_max / SUMMARY_BYTES)
		states_log2++;
	return states_log2;
}

/* ---- the file -------------------------------------------------------------------------------------------- */

enum histree_status number_writer_take(struct number_writer *writer, const uint32_t *attributes,
				       const struct overview_window *window, struct histree_error *error)
{
	enum histree_status status =
		number_ladder_add_window(&writer->ladder, attributes, window, writer->file.of.end, error);
	return status == HISTREE_OK ? ladder_file_write(&writer->file, &writer->ladder.states, error) : status;
}

static enum histree_status begin_file(struct number_writer *writer, struct histree_error *error)
{
	return ladder_file_begin(&writer->file, writer->ladder.attributes, writer->ladder.states_log2, error);
}

static enum histree_status take_window(void *context, struct overview_window *window, struct histree_error *error)
{
	return number_writer_take(context, NULL, window, error);
}

static enum histree_status make_file(struct number_writer *writer, uint64_t *bytes, struct histree_error *error)
{
	enum histree_status status = begin_file(writer, error);
	if (status == HISTREE_OK)
		status = ladder_file_walk(&writer->file, take_window, writer, error);
	return status == HISTREE_OK ? ladder_file_finish(&writer->file, bytes, error) : status;
}

enum histree_status number_writer_begin(const struct ladder_source *source, uint64_t bytes_max,
					struct number_writer **out, struct histree_error *error)
{
	struct number_writer *writer = *out = calloc(1, sizeof(*writer));
	if (writer == NULL)
		return error_memory(error, "an overview");
	writer->bytes_max = bytes_max;
	enum histree_status status = ladder_file_init(&writer->file, source, &numbers_kind, error);
	if (status == HISTREE_OK)
		status = choose(writer, first_states_log2(writer, bytes_max), error);
	return status == HISTREE_OK ? begin_file(writer, error) : status;
}

const struct overview_choice *number_writer_choice(const struct number_writer *writer)
{
	return &writer->file.choice;
}

/* One that is larger than it may be is made again of wider summaries, until none is worth it. */
enum histree_status number_writer_end(struct number_writer *writer, uint64_t *bytes, struct histree_error *error)
{
	*bytes = 0;
	if (!writer->file.is_begun)
		return HISTREE_OK;
	enum histree_status status = ladder_file_finish(&writer->file, bytes, error);
	while (status == HISTREE_OK && *bytes > writer->bytes_max) {
		unsigned states_log2 = writer->ladder.states_log2;
		ladder_file_remove(&writer->file);
		states_log2 += writer->bytes_max > 0 ? bits_needed(*bytes / writer->bytes_max) : 0;
		*bytes = 0;
		if (writer->bytes_max == 0 || states_log2 > NUMBERS_STATES_LOG2_MAX)
			return HISTREE_OK;
		status = choose(writer, states_log2, error);
		if (status == HISTREE_OK && writer->file.choice.count > 0)
			status = make_file(writer, bytes, error);
	}
	return status;
}

void number_writer_free(struct number_writer *writer)
{
	if (writer == NULL)
		return;
	ladder_file_release(&writer->file);
	number_ladder_release(&writer->ladder);
	free(writer);
}
