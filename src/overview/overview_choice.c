// SPDX-License-Identifier: MIT
/*
 * overview_choice.c - the choice of the attributes of an overview and the length of its cells, and its limits.
 */
#include "overview/overview_choice.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/history.h"
#include "histree/states.h"
#include "histree/status.h"
#include "histree/value.h"
#include "overview/row_pyramid.h"
#include "state/history.h"
#include "state/pyramid.h"
#include "state/pyramid_cells.h"

/* ---- overview progress --------------------------------------------------------------------------------------- */

/* Counting takes half of the time, about, the first overview half of the rest, and so on. */
enum histree_status overview_progress_show(const struct overview_progress *progress, double share,
					   struct histree_error *error)
{
	double left = ldexp(1, -(int)progress->steps);
	if (progress->go_on == NULL || progress->go_on(progress->context, 1 - left + left / 2 * share))
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_CANCELLED, "cancelled");
}

/* ---- overview options ---------------------------------------------------------------------------------------- */

enum {
	STATES_IN_WINDOW_MAX = 128 << 10,
	STATES_IN_WINDOW_MIN = 8 << 10,
	STATE_BYTES = 384, /* in four windows, each with its values */
};

static void complete(uint32_t *option, uint32_t by_default)
{
	if (*option == 0)
		*option = by_default;
}

/* So many that windows that are read, prepared and taken at a time have about the memory that a tree has. */
static uint32_t states_in_window(size_t memory_max)
{
	const size_t states = memory_max / STATE_BYTES;
	if (memory_max == 0 || states > STATES_IN_WINDOW_MAX)
		return STATES_IN_WINDOW_MAX;
	return states > STATES_IN_WINDOW_MIN ? (uint32_t)states : STATES_IN_WINDOW_MIN;
}

struct overview_options overview_options_complete(const struct overview_options *asked)
{
	struct overview_options options = asked != NULL ? *asked : (struct overview_options){ 0 };
	if (options.history_states_min == 0)
		options.history_states_min = 1 << 20;
	complete(&options.states_min, 1024);
	complete(&options.states_in_cell, 64);
	complete(&options.states_in_window, states_in_window(options.memory_max));
	/* A view of the whole lifetime of an attribute has no more pixels than a quarter of this. */
	complete(&options.cells_min, 8192);
	complete(&options.cells_least, 2048);
	complete(&options.cost_max_share, 10);
	complete(&options.values_max, 1 << 21);
	complete(&options.percent_max, 15);
	complete(&options.numbers_percent_max, 4);
	complete(&options.sums_percent_max, 3);
	complete(&options.sum_states_min, 256);
	complete(&options.cube_percent_max, 2);
	complete(&options.names_percent_max, 5);
	complete(&options.few_states_max, 1024); /* those with more have sums */
	complete(&options.number_states_min, 4096);
	complete(&options.number_states_log2, 6);
	return options;
}

bool overview_options_coarser(struct overview_options *options, uint64_t bytes_max, uint64_t bytes)
{
	/* A bit less than what would just fit, so that it does; and no trifle, so that there is an end. */
	double part = bytes > 0 ? 0.9 * (double)bytes_max / (double)bytes : 0.5;
	part = part < 0.25 ? 0.25 : part > 0.75 ? 0.75 : part;
	options->cells_min = (uint32_t)(options->cells_min * part);
	options->states_in_cell = (uint32_t)(options->states_in_cell / part) + 1;
	options->cost_max_share = options->cost_max_share < UINT32_MAX / 2
					  ? (uint32_t)(options->cost_max_share / (bytes > 0 ? part : 1))
					  : options->cost_max_share;
	return options->cells_min >= options->cells_least;
}

uint64_t overview_options_cost(const struct overview_options *options, uint64_t states)
{
	const uint64_t of_cell = OVERVIEW_VALUES_KEPT + 1, cells = states / options->states_in_cell;
	const uint64_t max = of_cell * (cells > options->cells_min ? cells : options->cells_min);
	return states < max ? states : max;
}

/* Cells with as many states as they shall have, on average over the lifetime of the attribute, but short ones. */
unsigned overview_options_width(const struct overview_options *options, uint64_t ns, uint64_t states)
{
	uint64_t ns_a_state = ns / states, width = ns / options->cells_min;
	if (ns_a_state < width / options->states_in_cell)
		width = ns_a_state * options->states_in_cell;
	return width > 0 ? bits_needed(width) - 1 : 0;
}

/* ---- state counts -------------------------------------------------------------------------------------------- */

enum { MEMORY_DEFAULT = 64 << 20, SHARE = 4 };

unsigned state_counts_kind(const struct histree_value *value)
{
	if (value->type == HISTREE_CUSTOM)
		return HAS_CUSTOM;
	return number_summary_takes(value) ? HAS_NUMBER : 0;
}

static bool make_tables(struct state_counts *counts, const char *path, size_t memory_max)
{
	const size_t count = (size_t)counts->attribute_count + 1;
	/* Most is for the windows and trees that come after: counts are read in order, also from a file. */
	if (!table_space_init(&counts->space, path, (memory_max != 0 ? memory_max : MEMORY_DEFAULT) / SHARE))
		return false;
	counts->of_states.space = counts->of_kinds.space = &counts->space;
	counts->states = table_allocate(&counts->of_states, count * sizeof(*counts->states));
	counts->kinds = table_allocate(&counts->of_kinds, count * sizeof(*counts->kinds));
	return counts->states != NULL && counts->kinds != NULL;
}

enum histree_status state_counts_begin(struct state_counts *counts, const char *path, uint32_t attribute_count,
				       size_t memory_max, struct histree_error *error)
{
	*counts = (struct state_counts){ .attribute_count = attribute_count };
	return make_tables(counts, path, memory_max) ? HISTREE_OK : error_memory(error, "an overview");
}

void state_counts_release(struct state_counts *counts)
{
	table_release(&counts->of_states, counts->states);
	table_release(&counts->of_kinds, counts->kinds);
	table_space_release(&counts->space);
	*counts = (struct state_counts){ 0 };
}

/* ---- overview choice ----------------------------------------------------------------------------------------- */

enum { WIDTH_STEP_LOG2 = 2, ATTRIBUTES_MAX = 1 << 18 };

/* Scratch data while attributes are chosen. */
struct choosing {
	struct overview_choice *choice;
	const struct overview_options *options;
	struct histree_cursor *query;
	const struct histree_history_info *of;
	const struct state_counts *counts;
};

/* ---- how long ---------------------------------------------------------------------------------------------- */

/* Finds how long an attribute's lifetime is, which null at the ends of the history is not part of. */
static enum histree_status find_lifetime(const struct choosing *choosing, histree_quark quark, uint64_t *ns,
					 struct histree_error *error)
{
	struct histree_interval first, last;
	histree_time start = choosing->of->start, end = choosing->of->end;
	enum histree_status status = histree_query_single(choosing->query, quark, start, &first, error);
	if (status == HISTREE_OK && first.value.type == HISTREE_NULL && first.end < end)
		start = first.end + 1;
	if (status == HISTREE_OK)
		status = histree_query_single(choosing->query, quark, end, &last, error);
	if (status == HISTREE_OK && last.value.type == HISTREE_NULL && last.start > start)
		end = last.start - 1;
	*ns = (uint64_t)end - (uint64_t)start;
	return status;
}

/* ---- which attributes ------------------------------------------------------------------------------------ */

/* Attributes are in order, and their cells have a width that a shift can make. */
static void choice_assert(const struct overview_choice *choice)
{
	for (uint32_t i = 0; i < choice->count; i++) {
		assert(choice->condensed[i].width_log2 <= PYRAMID_ROWS_WIDTH_LOG2_MAX);
		assert(i == 0 || choice->condensed[i - 1].quark < choice->condensed[i].quark);
	}
}

static enum histree_status choose(struct overview_choice *choice, struct condensed condensed,
				  struct histree_error *error)
{
	if (!array_reserve(&choice->condensed, &choice->capacity, (size_t)choice->count + 1))
		return error_memory(error, "an overview");
	choice->condensed[choice->count++] = condensed;
	return HISTREE_OK;
}

/* A value of type custom could be mistaken for a rest. */
static bool is_eligible(const struct state_counts *counts, histree_quark quark, uint64_t lowest)
{
	state_counts_pass(counts, quark);
	return counts->states[quark] >= lowest && (counts->kinds[quark] & HAS_CUSTOM) == 0;
}

/*
 * Returns the count below which attributes are left out.  An attribute with many states keeps few in the
 * overview; one with few is more or less copied, so that views of all of it do not read all of the history, as
 * long as that does not cost much.
 */
static uint64_t lowest_count(const struct choosing *choosing)
{
	const uint32_t *counts = choosing->counts->states;
	uint64_t costs[33] = { 0 }, all = 0,
		 cost_max = choosing->of->interval_count / choosing->options->cost_max_share;
	uint64_t lowest = choosing->of->interval_count / ATTRIBUTES_MAX;
	if (lowest < choosing->options->states_min)
		lowest = choosing->options->states_min;
	for (histree_quark quark = 0; quark < choosing->of->attribute_count; quark++)
		if (is_eligible(choosing->counts, quark, lowest))
			costs[bits_needed(counts[quark])] +=
				overview_options_cost(choosing->options, counts[quark]);
	for (unsigned bits = 33; bits-- > 0;) {
		all += costs[bits];
		if (all > cost_max)
			return UINT64_C(1) << bits > lowest ? UINT64_C(1) << bits : lowest;
	}
	return lowest;
}

/* Chooses an attribute with the width that its cells get, if there is such a wide one. */
static enum histree_status choose_wide(const struct choosing *choosing, struct condensed condensed,
				       struct histree_error *error)
{
	condensed.width_log2 =
		overview_options_width(choosing->options, condensed.ns, choosing->counts->states[condensed.quark]);
	if (condensed.width_log2 > PYRAMID_ROWS_WIDTH_LOG2_MAX)
		return HISTREE_OK;
	choosing->choice->states += condensed.read;
	return choose(choosing->choice, condensed, error);
}

enum histree_status overview_choice_of_history(struct overview_choice *choice,
					       const struct overview_options *options, struct histree_cursor *query,
					       const struct state_counts *counts, struct histree_error *error)
{
	const struct choosing choosing = {
		.choice = choice,
		.options = options,
		.query = query,
		.of = histree_history_info(histree_query_history(query)),
		.counts = counts,
	};
	choice->count = 0;
	choice->states = 0;
	uint64_t lowest = lowest_count(&choosing);
	for (histree_quark quark = 0; quark < choosing.of->attribute_count; quark++) {
		uint32_t count = choosing.counts->states[quark];
		if (!is_eligible(choosing.counts, quark, lowest))
			continue;
		struct condensed condensed = { .quark = quark, .read = count };
		enum histree_status status = find_lifetime(&choosing, quark, &condensed.ns, error);
		if (status == HISTREE_OK)
			status = choose_wide(&choosing, condensed, error);
		if (status != HISTREE_OK)
			return status;
	}
	choice_assert(choosing.choice);
	return HISTREE_OK;
}

enum histree_status overview_choice_coarser(struct overview_choice *choice, const struct overview_options *options,
					    const struct histree_history_info *of,
					    const struct state_counts *counts, const struct overview_choice *before,
					    struct histree_error *error)
{
	const struct choosing choosing = { .choice = choice, .options = options, .of = of, .counts = counts };
	const uint64_t lowest = lowest_count(&choosing);
	choice->count = 0;
	choice->states = 0;
	for (uint32_t i = 0; i < before->count; i++) {
		const struct condensed *had = &before->condensed[i];
		if (!is_eligible(counts, had->quark, lowest))
			continue;
		const struct condensed condensed = { .quark = had->quark, .ns = had->ns, .read = had->read };
		enum histree_status status = choose_wide(&choosing, condensed, error);
		if (status != HISTREE_OK)
			return status;
	}
	choice_assert(choice);
	return HISTREE_OK;
}

enum histree_status overview_choice_copy(struct overview_choice *choice, const struct overview_choice *from,
					 struct histree_error *error)
{
	if (!array_reserve(&choice->condensed, &choice->capacity, (size_t)from->count + 1))
		return error_memory(error, "an overview");
	if (from->count > 0)
		memcpy(choice->condensed, from->condensed, from->count * sizeof(*from->condensed));
	choice->count = from->count;
	choice->states = from->states;
	return HISTREE_OK;
}

void overview_choice_of_overview(struct overview_choice *choice, const struct overview_options *options)
{
	uint32_t kept = 0;
	choice->states = 0;
	for (uint32_t i = 0; i < choice->count; i++) {
		const struct condensed *before = &choice->condensed[i];
		/* Cells are counted from one origin, so each holds whole cells of the overview before. */
		uint32_t width_log2 = before->width_log2 + WIDTH_STEP_LOG2;
		if (before->states < options->states_min || width_log2 > PYRAMID_ROWS_WIDTH_LOG2_MAX)
			continue;
		choice->states += before->states;
		choice->condensed[kept++] = (struct condensed){
			.quark = before->quark,
			.read = before->states,
			.width_log2 = width_log2,
		};
	}
	choice->count = kept;
}

void overview_choice_release(struct overview_choice *choice)
{
	free(choice->condensed);
	*choice = (struct overview_choice){ 0 };
}
