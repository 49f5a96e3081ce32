// SPDX-License-Identifier: MIT
#include "overview_case.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/table.h"
#include "state/history.h"
#include "state/pyramid.h"

struct overview_options overview_case_options(struct random *random)
{
	return (struct overview_options){
		.history_states_min = 1,
		.states_min = 8,
		.states_in_cell = 2 + (uint32_t)random_below(random, 6),
		.states_in_window = 16 + (uint32_t)random_below(random, 1000),
		.cells_min = 8 + (uint32_t)random_below(random, 60),
		.cost_max_share = 1,
		.cells_least = 1,
		/* A file of so few states is mostly its header. */
		.percent_max = 100000,
		.numbers_percent_max = 50000,
		.number_states_min = 8,
		.number_states_log2 = 1 + (uint32_t)random_below(random, 4),
		.sums_percent_max = 50000,
		.sum_states_min = 8,
	};
}

void overview_case_vary(struct overview_options *options, struct random *random)
{
	options->threads = 1 + (uint32_t)random_below(random, 5);
	if (random_percent(random, 50)) {
		options->numbers_percent_max = 4;
		options->percent_max = 20 + (uint32_t)random_below(random, 60);
	}
}

void overview_case_choose_values(struct workload *workload)
{
	static const int32_t counts[] = { 2, 12, 4000 };
	for (size_t i = 0; i < workload->count; i++) {
		struct change *change = &workload->changes[i];
		int32_t count = counts[(change->quark + workload->seed) % 3];
		if (change->value.type == HISTREE_INT)
			change->value.int32 = (int32_t)((uint32_t)change->value.int32 % (uint32_t)count);
	}
}

bool value_is_idle(const struct histree_value *value)
{
	return value->type == HISTREE_NULL || value->type == HISTREE_UNKNOWN ||
	       (value->type == HISTREE_INT && value->int32 == 0);
}

/* ---- the states of an overview ------------------------------------------------------------------------------- */

static bool keep(struct kept_states *kept, struct histree_interval **states, size_t *capacity, size_t count,
		 const struct histree_interval *interval)
{
	if (!array_reserve(states, capacity, count + 1))
		return false;
	struct histree_interval *copy = &(*states)[count];
	*copy = *interval;
	if (interval->value.type != HISTREE_STRING && interval->value.type != HISTREE_CUSTOM)
		return true;
	copy->value.bytes = arena_copy(&kept->bytes, interval->value.bytes, interval->value.size);
	return copy->value.bytes != NULL;
}

bool kept_states_read(struct kept_states *kept, struct histree_history *history)
{
	const struct histree_history_info *info = histree_history_info(history);
	const struct histree_region all = { .from = info->start, .to = info->end };
	struct histree_interval *states = NULL, interval;
	struct histree_cursor *query = NULL;
	size_t count = 0, capacity = 0;
	*kept = (struct kept_states){ 0 };
	enum histree_status status = histree_query_create(history, &query, NULL);
	if (status == HISTREE_OK)
		status = histree_query_start(query, &all, NULL);
	while (status == HISTREE_OK && (status = histree_cursor_next(query, NULL)) == HISTREE_OK) {
		interval = *histree_cursor_interval(query);
		if (!keep(kept, &states, &capacity, count++, &interval))
			status = HISTREE_ERR_MEMORY;
	}
	bool done = status == HISTREE_END &&
		    reference_make(&kept->states, states, count, info->start, info->end, info->attribute_count);
	histree_cursor_free(query);
	free(states);
	if (!done)
		kept_states_release(kept);
	return done;
}

void kept_states_release(struct kept_states *kept)
{
	reference_release(&kept->states);
	arena_release(&kept->bytes);
	*kept = (struct kept_states){ 0 };
}

/* ---- how long each value lasted --------------------------------------------------------------------------- */

static void add_share(struct shares *shares, const struct histree_value *value, uint64_t ns)
{
	size_t i = 0;
	while (i < shares->count && !histree_value_equal(shares->shares[i].value, value))
		i++;
	if (i == SHARES_MAX)
		abort();
	if (i == shares->count) {
		shares->shares[shares->count].ns = 0;
		shares->shares[shares->count++].value = value;
	}
	shares->shares[i].ns += ns;
}

void shares_of(struct shares *shares, const struct reference *reference, histree_quark quark, histree_time from,
	       histree_time to)
{
	const struct histree_interval *state = reference_at(reference, quark, from);
	const struct histree_interval *end = reference->sorted + reference->count;
	shares->count = 0;
	for (; state != NULL && state < end && state->quark == quark && state->start <= to; state++) {
		histree_time first = state->start > from ? state->start : from;
		histree_time last = state->end < to ? state->end : to;
		add_share(shares, &state->value, (uint64_t)last - (uint64_t)first + 1);
	}
}

uint64_t shares_find(const struct shares *shares, const struct histree_value *value)
{
	for (size_t i = 0; i < shares->count; i++)
		if (histree_value_equal(shares->shares[i].value, value))
			return shares->shares[i].ns;
	return 0;
}

uint64_t shares_most(const struct shares *shares)
{
	uint64_t most = 0;
	for (size_t i = 0; i < shares->count; i++)
		most = shares->shares[i].ns > most ? shares->shares[i].ns : most;
	return most;
}

uint64_t shares_sum(const struct shares *shares)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < shares->count; i++)
		sum += shares->shares[i].ns;
	return sum;
}

bool attribute_has_few_values(const struct reference *reference, histree_quark quark)
{
	const struct histree_interval *state = reference_at(reference, quark, reference->start);
	const struct histree_interval *end = reference->sorted + reference->count;
	const struct histree_value *seen[OVERVIEW_VALUES_KEPT];
	unsigned count = 0;
	for (; state != NULL && state < end && state->quark == quark; state++) {
		unsigned i = 0;
		while (i < count && !histree_value_equal(seen[i], &state->value))
			i++;
		if (i < count)
			continue;
		if (count == OVERVIEW_VALUES_KEPT)
			return false;
		seen[count++] = &state->value;
	}
	return true;
}

histree_quark reference_busiest(const struct reference *reference, struct random *random)
{
	return reference->count == 0 ? 0 : reference->sorted[random_below(random, reference->count)].quark;
}
