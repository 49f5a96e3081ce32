// SPDX-License-Identifier: MIT
/*
 * number_pyramid.c - the pyramid of numbers: summaries of states that follow one another.
 */
#include "overview/number_pyramid.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/error.h"
#include "overview/overview_window.h"
#include "overview/pyramid_file.h"
#include "state/number_summary.h"
#include "state/pyramid.h"

/* ---- number ladder ------------------------------------------------------------------------------------------- */

/* Fewer summaries than that are read at once, and of fewer states they are not worth a level. */
enum { ENOUGH = 16, SUMMARIES_MIN = 4 };

/* Returns how many levels an attribute with so many states has; 0 if it is not worth any. */
static unsigned number_ladder_levels(uint64_t states, unsigned states_log2)
{
	uint64_t summaries = states >> states_log2;
	if (summaries < SUMMARIES_MIN)
		return 0;
	unsigned levels = 1;
	for (; summaries > ENOUGH && levels < PYRAMID_STEPS_MAX; levels++)
		summaries >>= PYRAMID_STEP_LOG2;
	return levels;
}

void number_ladder_reset(struct number_ladder *ladder, unsigned states_log2)
{
	ladder->states_log2 = states_log2;
	ladder->attribute_count = ladder->rung_count = 0;
	ladder_states_clear(&ladder->states);
}

enum histree_status number_ladder_attribute(struct number_ladder *ladder, unsigned levels,
					    struct histree_error *error)
{
	if (!array_reserve(&ladder->attributes, &ladder->attributes_capacity, ladder->attribute_count + 1) ||
	    !array_reserve(&ladder->rungs, &ladder->rungs_capacity, ladder->rung_count + levels))
		return error_memory(error, "an overview");
	ladder->attributes[ladder->attribute_count++] =
		(struct ladder_rungs){ .first = (uint32_t)ladder->rung_count, .count = levels };
	for (unsigned i = 0; i < levels; i++)
		ladder->rungs[ladder->rung_count++] = (struct number_rung){ 0 };
	return HISTREE_OK;
}

/* The summary of level `level` ends here, and goes into that above it. */
static enum histree_status close_rung(struct number_ladder *ladder, uint32_t attribute, uint32_t level,
				      histree_time end, struct histree_error *error)
{
	const struct ladder_rungs *rungs = &ladder->attributes[attribute];
	struct number_rung *rung = &ladder->rungs[rungs->first + level - 1];
	uint8_t bytes[NUMBER_SUMMARY_SIZE_MAX];
	const struct histree_interval state = {
		.quark = rungs->own[level - 1],
		.start = rung->start,
		.end = end,
		.value = histree_custom(bytes, number_summary_put(&rung->summary, bytes)),
	};
	assert(rung->filled > 0 && rung->start <= end);
	enum histree_status status = ladder_states_add(&ladder->states, &state, error);
	if (level < rungs->count) {
		struct number_rung *above = rung + 1;
		if (above->filled++ == 0)
			above->start = rung->start;
		number_summary_add_summary(&above->summary, &rung->summary);
	}
	*rung = (struct number_rung){ 0 };
	return status;
}

/* Adds the next state of an attribute. */
static enum histree_status number_ladder_add(struct number_ladder *ladder, uint32_t attribute, histree_time start,
					     histree_time end, const struct histree_value *value,
					     struct histree_error *error)
{
	const struct ladder_rungs *rungs = &ladder->attributes[attribute];
	struct number_rung *rung = &ladder->rungs[rungs->first];
	uint32_t full = UINT32_C(1) << ladder->states_log2;
	enum histree_status status = HISTREE_OK;
	if (rung->filled++ == 0)
		rung->start = start;
	number_summary_add(&rung->summary, value, number_summary_ns(start, end));
	for (uint32_t level = 1; level <= rungs->count && status == HISTREE_OK; level++) {
		if (rung[level - 1].filled < full)
			break;
		status = close_rung(ladder, attribute, level, end, error);
		full = 1 << PYRAMID_STEP_LOG2;
	}
	return status;
}

/* Closes what is not full; `end` is that of the history. */
static enum histree_status number_ladder_finish(struct number_ladder *ladder, histree_time end,
						struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint32_t attribute = 0; attribute < ladder->attribute_count; attribute++) {
		const struct ladder_rungs *rungs = &ladder->attributes[attribute];
		for (uint32_t level = 1; level <= rungs->count && status == HISTREE_OK; level++)
			if (ladder->rungs[rungs->first + level - 1].filled > 0)
				status = close_rung(ladder, attribute, level, end, error);
	}
	return status;
}

enum histree_status number_ladder_add_window(struct number_ladder *ladder, const uint32_t *attributes,
					     const struct overview_window *window, histree_time end,
					     struct histree_error *error)
{
	static const struct histree_value rest = { .type = HISTREE_CUSTOM };
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < window->state_count && status == HISTREE_OK; i++) {
		const struct overview_state *state = &window->sorted[i];
		const struct histree_value *value =
			state->value == OVERVIEW_REST ? &rest : &window->values.values[state->value];
		uint32_t attribute = attributes != NULL ? attributes[state->attribute] : state->attribute;
		if (state->end <= window->to && attribute != OVERVIEW_NOT_OF_OTHER)
			status = number_ladder_add(ladder, attribute, state->start, state->end, value, error);
	}
	return status == HISTREE_OK && window->to == end ? number_ladder_finish(ladder, end, error) : status;
}

void number_ladder_release(struct number_ladder *ladder)
{
	free(ladder->attributes);
	free(ladder->rungs);
	ladder_states_release(&ladder->states);
	*ladder = (struct number_ladder){ 0 };
}

/* ---- number writer ------------------------------------------------------------------------------------------- */

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
	while (states_log2 < pyramid_kinds[PYRAMID_NUMBERS].log2_max &&
	       (states >> states_log2) > bytes_max / SUMMARY_BYTES)
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
	enum histree_status status = ladder_file_init(&writer->file, source, PYRAMID_NUMBERS, error);
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
		if (writer->bytes_max == 0 || states_log2 > pyramid_kinds[PYRAMID_NUMBERS].log2_max)
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
