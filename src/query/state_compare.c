// SPDX-License-Identifier: MIT
#include "histree/state_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cancel.h"
#include "base/error.h"
#include "histree/labels.h"
#include "query/value_table.h"

enum { SIDES = 2, HALVES = 2, BATCH = 256 };

struct state {
	struct histree_state_difference facts;
	double half_ns[SIDES][HALVES];
};

/* The states of one kind: those of a table of labels, or of no table. */
struct kind {
	char *name;
	struct value_table values;
	struct state *states; /* by the index of their value */
	size_t state_count, states_capacity;
};

/* The window of a side; `second` is where its second half begins. */
struct window {
	histree_time from, second, to;
	double half_ns[HALVES];
};

struct histree_state_comparison {
	struct kind *kinds;
	size_t kind_count, kinds_capacity;
	struct state *states; /* of all kinds, sorted */
	size_t state_count;
	struct window windows[SIDES];
	bool is_damaged[SIDES];
};

/* ---- states -------------------------------------------------------------------------------------- */

static enum histree_status find_kind(struct histree_state_comparison *comparison, const char *name, size_t *out,
				     struct histree_error *error)
{
	for (*out = 0; *out < comparison->kind_count; (*out)++)
		if (strcmp(comparison->kinds[*out].name, name) == 0)
			return HISTREE_OK;
	if (!array_reserve(&comparison->kinds, &comparison->kinds_capacity, comparison->kind_count + 1))
		return error_memory(error, "the comparison");
	struct kind *kind = &comparison->kinds[comparison->kind_count];
	*kind = (struct kind){ .name = strdup(name) };
	if (kind->name == NULL)
		return error_memory(error, "the comparison");
	comparison->kind_count++;
	return value_table_reset(&kind->values, error);
}

static enum histree_status find_state(struct kind *kind, const struct histree_value *value, struct state **out,
				      struct histree_error *error)
{
	uint32_t index;
	enum histree_status status = value_table_add(&kind->values, value, &index, error);
	if (status != HISTREE_OK)
		return status;
	if (!array_reserve(&kind->states, &kind->states_capacity, kind->values.count))
		return error_memory(error, "the comparison");
	for (; kind->state_count < kind->values.count; kind->state_count++)
		kind->states[kind->state_count] =
			(struct state){ .facts.kind = kind->name,
					.facts.value = kind->values.values[kind->state_count] };
	*out = &kind->states[index];
	return HISTREE_OK;
}

/* ---- one side ------------------------------------------------------------------------------------ */

/* What is asked of the attributes of a history: by its quark, the kind of an attribute. */
struct side {
	struct histree_history *history;
	const struct window *window;
	bool needs_names;
	int number;
};

/* How many ns of [start, end] are in [from, to]; all are inclusive, and all of it is at most 2^64 - 1. */
static double common_ns(histree_time start, histree_time end, histree_time from, histree_time to)
{
	histree_time first = start > from ? start : from, last = end < to ? end : to;
	return first <= last ? (double)((uint64_t)last - (uint64_t)first) + 1 : 0;
}

static void add_ns(uint64_t *sum, double ns)
{
	uint64_t more = ns < 0x1p64 ? (uint64_t)ns : UINT64_MAX;
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = UINT64_MAX;
}

static void add_times(struct state *state, const struct side *side, const struct histree_interval *interval)
{
	const struct window *window = side->window;
	double first = common_ns(interval->start, interval->end, window->from, window->second - 1);
	double second = common_ns(interval->start, interval->end, window->second, window->to);
	state->half_ns[side->number][0] += first;
	state->half_ns[side->number][1] += second;
	add_ns(side->number == 0 ? &state->facts.a_ns : &state->facts.b_ns, first + second);
}

static enum histree_status take(struct histree_state_comparison *comparison, const struct side *side,
				const struct histree_interval *interval, struct histree_error *error)
{
	const struct histree_label_table *table = histree_labels_of(side->history, interval->quark);
	size_t kind;
	struct state *state = NULL;
	const char *words = histree_label_words(table, &interval->value);
	bool is_named = words != NULL || (table != NULL && interval->value.type == HISTREE_UNKNOWN);
	if (interval->value.type == HISTREE_NULL || (side->needs_names && !is_named))
		return HISTREE_OK;
	enum histree_status status = find_kind(comparison, table != NULL ? table->name : "", &kind, error);
	if (status == HISTREE_OK)
		status = find_state(&comparison->kinds[kind], &interval->value, &state, error);
	if (status != HISTREE_OK)
		return status;
	if (state->facts.label == NULL)
		state->facts.label = words;
	add_times(state, side, interval);
	return HISTREE_OK;
}

static enum histree_status read_side(struct histree_state_comparison *comparison, const struct side *side,
				     const struct histree_region *region, struct histree_cancel cancel,
				     struct histree_error *error)
{
	struct histree_query *query;
	struct histree_interval intervals[BATCH];
	enum histree_status status = histree_query_create(side->history, &query, error);
	if (status != HISTREE_OK)
		return status;
	status = histree_query_start(query, region, error);
	while (status == HISTREE_OK) {
		size_t count = 0;
		status = histree_query_read(query, intervals, BATCH, &count, error);
		for (size_t i = 0; status == HISTREE_OK && i < count; i++)
			status = take(comparison, side, &intervals[i], error);
		if (status == HISTREE_OK)
			status = cancel_check(&cancel, 0, error);
	}
	comparison->is_damaged[side->number] = histree_query_stats(query).nodes_damaged > 0;
	histree_query_free(query);
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status take_side(struct histree_state_comparison *comparison,
				     struct histree_selection *selection, int number, struct histree_cancel cancel,
				     struct histree_error *error)
{
	struct window *window = &comparison->windows[number];
	struct histree_region region;
	if (!histree_selection_region(selection, &region))
		return error_set(error, HISTREE_ERR_TIME_RANGE,
				 "there is nothing to compare: no attribute is chosen, or no time of the history");
	histree_time from = region.from, to = region.to;
	histree_time second = (histree_time)((uint64_t)from + ((uint64_t)to - (uint64_t)from) / 2 + 1);
	*window = (struct window){ .from = from, .second = second, .to = to };
	window->half_ns[0] = common_ns(from, second - 1, from, to);
	window->half_ns[1] = second > from ? common_ns(second, to, from, to) : 0;
	const struct side side = { .history = selection->history,
				   .window = window,
				   .needs_names = selection->has_all,
				   .number = number };
	return read_side(comparison, &side, &region, cancel, error);
}

/* ---- what comes of it ---------------------------------------------------------------------------- */

static double share_of(const struct window *window, const double half_ns[HALVES])
{
	return (half_ns[0] + half_ns[1]) / (window->half_ns[0] + window->half_ns[1]);
}

/* What the shares of both halves differ by; all of it if there is only one. */
static double noise_of(const struct window *window, const double half_ns[HALVES])
{
	double first = half_ns[0] / window->half_ns[0];
	return window->half_ns[1] > 0 ? fabs(first - half_ns[1] / window->half_ns[1]) : first;
}

static void judge(const struct histree_state_comparison *comparison, struct state *state)
{
	struct histree_state_difference *facts = &state->facts;
	facts->a_share = share_of(&comparison->windows[0], state->half_ns[0]);
	facts->b_share = share_of(&comparison->windows[1], state->half_ns[1]);
	facts->noise = fmax(noise_of(&comparison->windows[0], state->half_ns[0]),
			    noise_of(&comparison->windows[1], state->half_ns[1]));
}

static int compare(const void *left, const void *right)
{
	const struct histree_state_difference *one = &((const struct state *)left)->facts;
	const struct histree_state_difference *other = &((const struct state *)right)->facts;
	double a = fabs(one->b_share - one->a_share), b = fabs(other->b_share - other->a_share);
	if (a != b)
		return a < b ? 1 : -1;
	int by_kind = strcmp(one->kind, other->kind);
	return by_kind != 0 ? by_kind : value_compare(&one->value, &other->value);
}

static enum histree_status finish(struct histree_state_comparison *comparison, struct histree_error *error)
{
	size_t room = 0;
	for (size_t i = 0; i < comparison->kind_count; i++)
		room += comparison->kinds[i].state_count;
	comparison->states = calloc(room > 0 ? room : 1, sizeof(*comparison->states));
	if (comparison->states == NULL)
		return error_memory(error, "the comparison");
	for (size_t i = 0; i < comparison->kind_count; i++)
		for (size_t s = 0; s < comparison->kinds[i].state_count; s++) {
			struct state state = comparison->kinds[i].states[s];
			if (state.facts.a_ns == 0 && state.facts.b_ns == 0)
				continue; /* null, which each table of values has */
			judge(comparison, &state);
			comparison->states[comparison->state_count++] = state;
		}
	qsort(comparison->states, comparison->state_count, sizeof(*comparison->states), compare);
	return HISTREE_OK;
}

enum histree_status histree_state_comparison_create(struct histree_selection *a, struct histree_selection *b,
						    struct histree_cancel cancel,
						    struct histree_state_comparison **out,
						    struct histree_error *error)
{
	*out = NULL;
	struct histree_state_comparison *comparison = calloc(1, sizeof(*comparison));
	if (comparison == NULL)
		return error_memory(error, "the comparison");
	enum histree_status status = take_side(comparison, a, 0, cancel, error);
	if (status == HISTREE_OK)
		status = take_side(comparison, b, 1, cancel, error);
	if (status == HISTREE_OK)
		status = finish(comparison, error);
	if (status != HISTREE_OK) {
		histree_state_comparison_free(comparison);
		return status;
	}
	*out = comparison;
	return HISTREE_OK;
}

const struct histree_state_difference *
histree_state_comparison_state(const struct histree_state_comparison *comparison, size_t index)
{
	return index < comparison->state_count ? &comparison->states[index].facts : NULL;
}

bool histree_state_comparison_is_damaged(const struct histree_state_comparison *comparison, int side)
{
	return comparison->is_damaged[side];
}

void histree_state_comparison_free(struct histree_state_comparison *comparison)
{
	if (comparison == NULL)
		return;
	for (size_t i = 0; i < comparison->kind_count; i++) {
		value_table_release(&comparison->kinds[i].values);
		free(comparison->kinds[i].states);
		free(comparison->kinds[i].name);
	}
	free(comparison->kinds);
	free(comparison->states);
	free(comparison);
}
