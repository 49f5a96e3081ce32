// SPDX-License-Identifier: MIT
#include "overview/number_ladder.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

/* Fewer summaries than that are read at once, and of fewer states they are not worth a level. */
enum { ENOUGH = 16, SUMMARIES_MIN = 4 };

unsigned number_ladder_levels(uint64_t states, unsigned states_log2)
{
	uint64_t summaries = states >> states_log2;
	if (summaries < SUMMARIES_MIN)
		return 0;
	unsigned levels = 1;
	for (; summaries > ENOUGH && levels < LEVELED_LEVELS_MAX; levels++)
		summaries >>= LEVELED_STEP_LOG2;
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

enum histree_status number_ladder_add(struct number_ladder *ladder, uint32_t attribute, histree_time start,
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
		full = 1 << LEVELED_STEP_LOG2;
	}
	return status;
}

enum histree_status number_ladder_finish(struct number_ladder *ladder, histree_time end,
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
