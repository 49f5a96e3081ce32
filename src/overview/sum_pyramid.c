// SPDX-License-Identifier: MIT
/*
 * sum_pyramid.c - the pyramid of sums: how long an attribute had each value in a cell of time.
 */
#include "overview/sum_pyramid.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/error.h"
#include "histree/labels.h"
#include "overview/overview_window.h"
#include "overview/pyramid_file.h"
#include "state/pyramid.h"
#include "state/state_sum.h"

/* ---- sum ladder ---------------------------------------------------------------------------------------------- */

/* So many cells are read at once: with fewer there is no level above. */
enum { CELLS_ENOUGH = 16 };

void sum_ladder_reset(struct sum_ladder *ladder, histree_time origin, uint64_t ns, unsigned width_log2)
{
	ladder->origin = origin;
	ladder->width_log2 = width_log2;
	ladder->levels = 1;
	while (ladder->levels < PYRAMID_STEPS_MAX &&
	       width_log2 + ladder->levels * PYRAMID_STEP_LOG2 <= pyramid_kinds[PYRAMID_SUMS].log2_max &&
	       ns >> (width_log2 + (ladder->levels - 1) * PYRAMID_STEP_LOG2) > CELLS_ENOUGH)
		ladder->levels++;
	ladder->attribute_count = ladder->rung_count = 0;
	ladder_states_clear(&ladder->states);
}

enum histree_status sum_ladder_attribute(struct sum_ladder *ladder, struct histree_error *error)
{
	if (!array_reserve(&ladder->attributes, &ladder->attributes_capacity, ladder->attribute_count + 1) ||
	    !array_reserve(&ladder->rungs, &ladder->rungs_capacity, ladder->rung_count + ladder->levels))
		return error_memory(error, "an overview");
	ladder->attributes[ladder->attribute_count++] =
		(struct ladder_rungs){ .first = (uint32_t)ladder->rung_count, .count = ladder->levels };
	for (uint32_t i = 0; i < ladder->levels; i++)
		ladder->rungs[ladder->rung_count++] = (struct sum_rung){ 0 };
	return HISTREE_OK;
}

/* ---- what is ready ------------------------------------------------------------------------------------------ */

/* A place in the ladder: an attribute, and a level from 0 on. */
struct place {
	struct sum_ladder *ladder;
	uint32_t attribute, level;
};

static struct sum_rung *rung_of(const struct place *at)
{
	return &at->ladder->rungs[at->ladder->attributes[at->attribute].first + at->level];
}

static unsigned width_of(const struct place *at)
{
	return at->ladder->width_log2 + at->level * PYRAMID_STEP_LOG2;
}

static enum histree_status put(const struct place *at, histree_time start, histree_time end,
			       const struct histree_value *value, struct histree_error *error)
{
	const struct histree_interval state = {
		.quark = at->ladder->attributes[at->attribute].own[at->level],
		.start = start,
		.end = end,
		.value = *value,
	};
	return ladder_states_add(&at->ladder->states, &state, error);
}

static struct histree_value value_of_run(const struct sum_rung *rung)
{
	if (rung->run == SUM_OF_NO_USE)
		return histree_custom("", 1);
	return rung->is_null            ? histree_null()
	       : rung->value.is_unknown ? histree_custom("", 0)
					: histree_int(rung->value.value);
}

static enum histree_status add_value(const struct place *at, histree_time first, histree_time last,
				     const struct state_sum_part *part, bool is_of_no_use,
				     struct histree_error *error);

static enum histree_status add_cell(const struct place *at, histree_time first, histree_time last,
				    const struct state_sum *sum, struct histree_error *error);

/* The cells before the one at hand are alike no longer, or the window ends. */
static enum histree_status end_run(const struct place *at, struct histree_error *error)
{
	struct sum_rung *rung = rung_of(at);
	const struct place above = { at->ladder, at->attribute, at->level + 1 };
	if (rung->run == SUM_NOTHING)
		return HISTREE_OK;
	const struct histree_value value = value_of_run(rung);
	const bool is_of_no_use = rung->run == SUM_OF_NO_USE;
	const struct state_sum_part part = rung->value;
	const bool is_null = rung->is_null;
	rung->run = SUM_NOTHING;
	enum histree_status status = put(at, rung->run_start, rung->run_end, &value, error);
	if (status != HISTREE_OK || above.level == at->ladder->levels)
		return status;
	return add_value(&above, rung->run_start, rung->run_end, is_null ? NULL : &part, is_of_no_use, error);
}

static bool goes_on(const struct sum_rung *rung, histree_time start, const struct state_sum_part *part,
		    bool is_of_no_use)
{
	if (rung->run == SUM_NOTHING || rung->run_end + 1 != start || is_of_no_use != (rung->run == SUM_OF_NO_USE))
		return false;
	if (is_of_no_use || rung->is_null || part == NULL)
		return is_of_no_use || (rung->is_null && part == NULL);
	return rung->value.value == part->value && rung->value.is_unknown == part->is_unknown;
}

/* Whole cells that are all alike: of a value, of null if there is none, or of no use. */
static enum histree_status add_run(const struct place *at, histree_time start, histree_time end,
				   const struct state_sum_part *part, bool is_of_no_use,
				   struct histree_error *error)
{
	struct sum_rung *rung = rung_of(at);
	if (!goes_on(rung, start, part, is_of_no_use)) {
		enum histree_status status = end_run(at, error);
		if (status != HISTREE_OK)
			return status;
		rung->run = is_of_no_use ? SUM_OF_NO_USE : SUM_CONSTANT;
		rung->is_null = part == NULL;
		if (part != NULL)
			rung->value =
				(struct state_sum_part){ .value = part->value, .is_unknown = part->is_unknown };
		rung->run_start = start;
	}
	rung->run_end = end;
	return HISTREE_OK;
}

/* A cell has all that is in it. */
static enum histree_status end_cell(const struct place *at, histree_time start, histree_time end,
				    struct histree_error *error)
{
	struct sum_rung *rung = rung_of(at);
	const struct place above = { at->ladder, at->attribute, at->level + 1 };
	const struct state_sum sum = rung->sum;
	uint8_t bytes[STATE_SUM_SIZE_MAX];
	rung->sum.count = 0;
	if (rung->is_of_no_use || state_sum_is_constant(&sum, (uint64_t)end - (uint64_t)start + 1))
		return add_run(at, start, end, sum.count > 0 ? &sum.parts[0] : NULL, rung->is_of_no_use, error);
	enum histree_status status = end_run(at, error);
	const struct histree_value value = histree_custom(bytes, state_sum_put(&sum, bytes));
	if (status == HISTREE_OK)
		status = put(at, start, end, &value, error);
	if (status != HISTREE_OK || above.level == at->ladder->levels)
		return status;
	return add_cell(&above, start, end, &sum, error);
}

/* ---- what is added ------------------------------------------------------------------------------------------ */

/* The cell may be full with what is from `start` to `end`, as ns since the origin. */
static enum histree_status close_full(const struct place *at, uint64_t start, uint64_t end,
				      struct histree_error *error)
{
	const uint64_t origin = (uint64_t)at->ladder->origin, mask = (UINT64_C(1) << width_of(at)) - 1;
	if (end != (start | mask))
		return HISTREE_OK;
	return end_cell(at, (histree_time)(origin + (start & ~mask)), (histree_time)(origin + end), error);
}

/* A cell of the level below. */
static enum histree_status add_cell(const struct place *at, histree_time first, histree_time last,
				    const struct state_sum *sum, struct histree_error *error)
{
	const uint64_t origin = (uint64_t)at->ladder->origin;
	struct sum_rung *rung = rung_of(at);
	rung->is_of_no_use = rung->is_of_no_use || !state_sum_add_sum(&rung->sum, sum);
	return close_full(at, (uint64_t)first - origin, (uint64_t)last - origin, error);
}

/* A value that the attribute had all the time, null if there is none; a state may begin at its beginning. */
static enum histree_status add_value(const struct place *at, histree_time first, histree_time last,
				     const struct state_sum_part *part, bool is_of_no_use,
				     struct histree_error *error)
{
	const uint64_t origin = (uint64_t)at->ladder->origin, mask = (UINT64_C(1) << width_of(at)) - 1;
	const uint64_t end = (uint64_t)last - origin;
	struct sum_rung *rung = rung_of(at);
	enum histree_status status = HISTREE_OK;
	uint64_t start = (uint64_t)first - origin, part_end, begins = part != NULL ? part->begins : 0;
	rung->is_of_no_use = rung->is_of_no_use || is_of_no_use;
	do {
		part_end = start | mask; /* of the cell */
		if ((start & mask) == 0 && part_end <= end && begins == 0) {
			/* In one step, however many cells there are. */
			part_end = (end & mask) == mask ? end : (end & ~mask) - 1;
			status = add_run(at, (histree_time)(origin + start), (histree_time)(origin + part_end),
					 part, rung->is_of_no_use, error);
		} else {
			part_end = end < part_end ? end : part_end;
			const struct state_sum_part here = { .value = part != NULL ? part->value : 0,
							     .is_unknown = part != NULL && part->is_unknown,
							     .ns = part_end - start + 1,
							     .begins = begins };
			if (part != NULL && !state_sum_add(&rung->sum, &here))
				rung->is_of_no_use = true;
			status = close_full(at, start, part_end, error);
		}
		begins = 0;
		start = part_end + 1;
	} while (status == HISTREE_OK && part_end != end);
	return status;
}

/* Add a value if it lies within a cell and does not end it, as most do.  Returns whether that is so. */
static bool add_within_cell(const struct place *at, histree_time first, histree_time last,
			    const struct state_sum_part *part)
{
	const uint64_t origin = (uint64_t)at->ladder->origin, mask = (UINT64_C(1) << at->ladder->width_log2) - 1;
	const uint64_t start = (uint64_t)first - origin, end = (uint64_t)last - origin;
	struct sum_rung *rung = rung_of(at);
	if ((start | mask) != (end | mask) || (end & mask) == mask)
		return false;
	const struct state_sum_part here = { part->value, part->is_unknown, end - start + 1, part->begins };
	if (!state_sum_add(&rung->sum, &here))
		rung->is_of_no_use = true;
	return true;
}

static enum histree_status add_state(const struct place *at, const struct overview_window *window,
				     const struct overview_state *state, struct histree_error *error)
{
	static const struct histree_value rest = { .type = HISTREE_CUSTOM };
	const struct histree_value *value =
		state->value == OVERVIEW_REST ? &rest : &window->values.values[state->value];
	const bool is_int = value->type == HISTREE_INT, is_unknown = value->type == HISTREE_UNKNOWN;
	const bool begins = state->start >= window->from;
	const histree_time start = begins ? state->start : window->from;
	const histree_time end = state->end < window->to ? state->end : window->to;
	const struct state_sum_part part = { .value = is_int ? value->int32 : 0,
					     .is_unknown = is_unknown,
					     .begins = begins };
	if ((is_int || is_unknown) && add_within_cell(at, start, end, &part))
		return HISTREE_OK;
	return add_value(at, start, end, is_int || is_unknown ? &part : NULL,
			 !is_int && !is_unknown && value->type != HISTREE_NULL, error);
}

enum histree_status sum_ladder_add_window(struct sum_ladder *ladder, const uint32_t *attributes,
					  const struct overview_window *window, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < window->state_count && status == HISTREE_OK; i++) {
		const struct overview_state *state = &window->sorted[i];
		const struct place at = { ladder,
					  attributes != NULL ? attributes[state->attribute] : state->attribute, 0 };
		if (at.attribute != OVERVIEW_NOT_OF_OTHER)
			status = add_state(&at, window, state, error);
	}
	/* Below first: what ends there is added above. */
	for (uint32_t level = 0; level < ladder->levels; level++)
		for (uint32_t i = 0; i < ladder->attribute_count && status == HISTREE_OK; i++)
			status = end_run(&(struct place){ ladder, i, level }, error);
	return status;
}

/* Behind the last whole cell of a level is null, up to `end`, that of the history. */
static enum histree_status sum_ladder_finish(struct sum_ladder *ladder, histree_time end,
					     struct histree_error *error)
{
	static const struct histree_value null = { .type = HISTREE_NULL };
	const uint64_t after = (uint64_t)end - (uint64_t)ladder->origin + 1;
	for (uint32_t level = 0; level < ladder->levels; level++) {
		const uint64_t mask = (UINT64_C(1) << (ladder->width_log2 + level * PYRAMID_STEP_LOG2)) - 1;
		const histree_time start = (histree_time)((uint64_t)ladder->origin + (after & ~mask));
		for (uint32_t i = 0; (after & mask) != 0 && i < ladder->attribute_count; i++) {
			enum histree_status status =
				put(&(struct place){ ladder, i, level }, start, end, &null, error);
			if (status != HISTREE_OK)
				return status;
		}
	}
	return HISTREE_OK;
}

void sum_ladder_release(struct sum_ladder *ladder)
{
	free(ladder->attributes);
	free(ladder->rungs);
	ladder_states_release(&ladder->states);
	*ladder = (struct sum_ladder){ 0 };
}

/* ---- sum writer ---------------------------------------------------------------------------------------------- */

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
	for (unsigned width = least; width <= most && width <= pyramid_kinds[PYRAMID_SUMS].log2_max; width++)
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
	enum histree_status status = ladder_file_init(&writer->file, source, PYRAMID_SUMS, error);
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
