// SPDX-License-Identifier: MIT
#include "overview/overview_choice.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/error.h"
#include "base/search.h"
#include "overview/overview_cells.h"
#include "state/history_overviews.h"

enum { WIDTH_STEP_LOG2 = 2, ATTRIBUTES_MAX = 1 << 18 };

/* What is at hand while attributes are chosen. */
struct choosing {
	struct overview_choice *choice;
	const struct overview_options *options;
	struct histree_query *query;
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

/* Attributes are in the order in which they are read, and their cells have a width that a shift can make. */
static void choice_assert(const struct overview_choice *choice)
{
	for (uint32_t i = 0; i < choice->count; i++) {
		assert(choice->condensed[i].width_log2 <= OVERVIEW_WIDTH_LOG2_MAX ||
		       choice->condensed[i].width_log2 == OVERVIEW_NO_WIDTH);
		assert(i == 0 || choice->condensed[i - 1].source < choice->condensed[i].source);
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

/* Returns how many states an attribute with so many may have in the overview. */
static uint64_t cost(const struct choosing *choosing, uint64_t states)
{
	const uint64_t of_cell = OVERVIEW_VALUES_KEPT + 1;
	uint64_t cells = states / choosing->options->states_in_cell;
	uint64_t max = of_cell * (cells > choosing->options->cells_min ? cells : choosing->options->cells_min);
	return states < max ? states : max;
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
			costs[bits_needed(counts[quark])] += cost(choosing, counts[quark]);
	for (unsigned bits = 33; bits-- > 0;) {
		all += costs[bits];
		if (all > cost_max)
			return UINT64_C(1) << bits > lowest ? UINT64_C(1) << bits : lowest;
	}
	return lowest;
}

/* Cells with as many states as they shall have, on average over the lifetime of the attribute, but short ones. */
static unsigned first_width(const struct choosing *choosing, uint64_t ns, uint32_t count)
{
	uint64_t ns_a_state = ns / count, width = ns / choosing->options->cells_min;
	if (ns_a_state < width / choosing->options->states_in_cell)
		width = ns_a_state * choosing->options->states_in_cell;
	return width > 0 ? bits_needed(width) - 1 : 0;
}

/* With the width that its cells get, if there is one so wide. */
static enum histree_status choose_wide(const struct choosing *choosing, struct condensed condensed,
				       struct histree_error *error)
{
	condensed.width_log2 = first_width(choosing, condensed.ns, choosing->counts->states[condensed.quark]);
	if (condensed.width_log2 > OVERVIEW_WIDTH_LOG2_MAX)
		return HISTREE_OK;
	choosing->choice->states += condensed.read;
	return choose(choosing->choice, condensed, error);
}

static enum histree_status choose_counted(const struct choosing *choosing, struct histree_error *error)
{
	uint64_t lowest = lowest_count(choosing);
	for (histree_quark quark = 0; quark < choosing->of->attribute_count; quark++) {
		uint32_t count = choosing->counts->states[quark];
		if (!is_eligible(choosing->counts, quark, lowest))
			continue;
		struct condensed condensed = { .source = quark, .quark = quark, .read = count };
		enum histree_status status = find_lifetime(choosing, quark, &condensed.ns, error);
		if (status == HISTREE_OK)
			status = choose_wide(choosing, condensed, error);
		if (status != HISTREE_OK)
			return status;
	}
	choice_assert(choosing->choice);
	return HISTREE_OK;
}

enum histree_status overview_choice_of_history(struct overview_choice *choice,
					       const struct overview_options *options, struct histree_query *query,
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
	return choose_counted(&choosing, error);
}

/* Chooses among those that another choice had. */
static enum histree_status choose_among(const struct choosing *choosing, const struct overview_choice *before,
					bool are_in_overview, struct histree_error *error)
{
	struct overview_choice *choice = choosing->choice;
	uint64_t lowest = lowest_count(choosing);
	choice->count = 0;
	choice->states = 0;
	for (uint32_t i = 0; i < before->count; i++) {
		const struct condensed *had = &before->condensed[i];
		if (had->width_log2 == OVERVIEW_NO_WIDTH || !is_eligible(choosing->counts, had->quark, lowest))
			continue;
		const struct condensed condensed = { .source = are_in_overview ? had->own : had->source,
						     .quark = had->quark,
						     .ns = had->ns,
						     .read = are_in_overview ? had->states : had->read };
		enum histree_status status = choose_wide(choosing, condensed, error);
		if (status != HISTREE_OK)
			return status;
	}
	choice_assert(choice);
	return HISTREE_OK;
}

enum histree_status overview_choice_again(struct overview_choice *choice, const struct overview_options *options,
					  const struct histree_history_info *of, const struct state_counts *counts,
					  const struct overview_choice *before, struct histree_error *error)
{
	const struct choosing choosing = { .choice = choice, .options = options, .of = of, .counts = counts };
	return choose_among(&choosing, before, true, error);
}

enum histree_status overview_choice_coarser(struct overview_choice *choice, const struct overview_options *options,
					    const struct histree_history_info *of,
					    const struct state_counts *counts, const struct overview_choice *before,
					    struct histree_error *error)
{
	const struct choosing choosing = { .choice = choice, .options = options, .of = of, .counts = counts };
	return choose_among(&choosing, before, false, error);
}

static const struct condensed *condensed_at(const struct overview_choice *choice, uint32_t index)
{
	return index < choice->count ? &choice->condensed[index] : NULL;
}

enum histree_status overview_choice_join(struct overview_choice *choice, const struct overview_choice *other,
					 struct histree_error *error)
{
	struct overview_choice joined = { 0 };
	size_t most = (size_t)choice->count + other->count;
	if (!array_reserve(&joined.condensed, &joined.capacity, most + 1))
		return error_memory(error, "an overview");
	for (uint32_t own = 0, others = 0; own < choice->count || others < other->count;) {
		const struct condensed *one = condensed_at(choice, own), *two = condensed_at(other, others);
		bool is_own = one != NULL && (two == NULL || one->source <= two->source);
		bool is_others = two != NULL && (one == NULL || two->source <= one->source);
		joined.condensed[joined.count] = is_own ? *one : *two;
		if (!is_own)
			joined.condensed[joined.count].width_log2 = OVERVIEW_NO_WIDTH;
		joined.states += joined.condensed[joined.count++].read;
		own += is_own;
		others += is_others;
	}
	overview_choice_release(choice);
	*choice = joined;
	return HISTREE_OK;
}

enum histree_status overview_choice_places(const struct overview_choice *choice,
					   const struct overview_choice *other, uint32_t **places,
					   struct histree_error *error)
{
	*places = malloc(((size_t)choice->count + 1) * sizeof(**places));
	if (*places == NULL)
		return error_memory(error, "an overview");
	for (uint32_t own = 0, others = 0; own < choice->count; own++) {
		const struct condensed *one = condensed_at(other, others);
		bool is_others = one != NULL && one->source == choice->condensed[own].source;
		(*places)[own] = is_others ? others : OVERVIEW_NOT_OF_OTHER;
		others += is_others;
	}
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
		if (before->width_log2 == OVERVIEW_NO_WIDTH)
			continue;
		/* Cells are counted from one origin, so each holds whole cells of the overview before. */
		uint32_t width_log2 = before->width_log2 + WIDTH_STEP_LOG2;
		if (before->states < options->states_min || width_log2 > OVERVIEW_WIDTH_LOG2_MAX)
			continue;
		choice->states += before->states;
		choice->condensed[kept++] = (struct condensed){
			.source = before->own,
			.quark = before->quark,
			.read = before->states,
			.width_log2 = width_log2,
		};
	}
	choice->count = kept;
}

struct sought {
	const struct condensed *condensed;
	histree_quark source;
};

static bool is_before(const void *context, size_t index)
{
	const struct sought *sought = context;
	return sought->condensed[index].source < sought->source;
}

uint32_t overview_choice_find(const struct overview_choice *choice, histree_quark source, uint32_t near)
{
	const struct sought sought = { choice->condensed, source };
	uint32_t index = (uint32_t)search_first(0, choice->count, near, is_before, &sought);
	assert(index < choice->count && choice->condensed[index].source == source);
	return index;
}

void overview_choice_release(struct overview_choice *choice)
{
	free(choice->condensed);
	*choice = (struct overview_choice){ 0 };
}
