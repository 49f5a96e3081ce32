// SPDX-License-Identifier: MIT
/*
 * state_compare.c - adds up the time in each named state on both sides, and in their halves, which show how large a
 * difference noise can make.
 */
#include "histree/states.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/table.h"
#include "histree/attributes.h"
#include "query/noise.h"
#include "query/value_table.h"

enum { SIDES = 2, HALVES = 2, BATCH = 256 };

struct state {
	struct histree_state_difference facts;
	uint32_t same; /* the first state of its kind with the same words, which has the time of both */
	uint64_t half_ns[SIDES][HALVES]; /* UINT64_MAX if it does not fit */
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
	struct histree_loss losses[SIDES];
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

static uint32_t find_words(const struct kind *kind, const char *words)
{
	uint32_t i = 0;
	while (i < kind->state_count &&
	       (kind->states[i].facts.label == NULL || strcmp(kind->states[i].facts.label, words) != 0))
		i++;
	return i;
}

/* Values that mean the same, and so have the same words, are one state: that of the least of them. */
static enum histree_status find_state(struct kind *kind, const struct histree_value *value, const char *words,
				      struct state **out, struct histree_error *error)
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
					.facts.value = kind->values.values[kind->state_count],
					.same = (uint32_t)kind->state_count };
	struct state *state = &kind->states[index];
	if (words != NULL && state->facts.label == NULL && state->same == index) {
		state->same = find_words(kind, words) < kind->state_count ? find_words(kind, words) : index;
		state->facts.label = words;
	}
	assert(state->same < kind->state_count && kind->state_count == kind->values.count);
	*out = &kind->states[state->same];
	if (value_compare(&state->facts.value, &(*out)->facts.value) < 0)
		(*out)->facts.value = state->facts.value;
	return HISTREE_OK;
}

/* ---- one side ------------------------------------------------------------------------------------ */

/* Half of a window that is being read. */
struct side {
	struct histree_history *history;
	bool needs_names;
	int number, half;
};

static void add_ns(uint64_t *sum, uint64_t ns)
{
	if (__builtin_add_overflow(*sum, ns, sum))
		*sum = UINT64_MAX;
}

/* Whether values have names by it: a table may also say that all of them are hidden, or how numbers are drawn. */
static bool has_names(const struct histree_label_table *table)
{
	for (size_t i = 0; table != NULL && i < table->label_count; i++)
		if (table->labels[i].is_code)
			return true;
	return false;
}

/*
 * An idle loop runs while no thread does, and waits for its CPU while a thread has it: neither is a thread's work
 * or wait, and the status of its CPU says both.  "Threads/0_3", or what is below it.
 */
static bool is_idle_loop(const struct side *side, histree_quark quark, const struct histree_label_table *table)
{
	static const char idle[] = "0_", threads[] = "Threads";
	const struct histree_attributes *attributes = histree_history_attributes(side->history);
	char name[sizeof(threads)];
	bool is_idle = false;
	if (table->meaning != HISTREE_MEANS_THREAD_STATUS)
		return false;
	for (; quark != HISTREE_ROOT; quark = histree_attributes_parent(attributes, quark)) {
		size_t size = histree_attributes_name(attributes, quark, name, sizeof(name));
		if (is_idle && size == sizeof(threads) - 1 && memcmp(name, threads, size) == 0)
			return true;
		is_idle = size >= sizeof(idle) && memcmp(name, idle, sizeof(idle) - 1) == 0;
	}
	return false;
}

static enum histree_status state_compare_take(struct histree_state_comparison *comparison, const struct side *side,
					      const struct histree_state_time *part, struct histree_error *error)
{
	const struct histree_label_table *table = histree_labels_of(side->history, part->quark);
	size_t kind;
	struct state *state = NULL;
	const char *words = histree_label_words(table, &part->value);
	bool is_named = words != NULL || (part->value.type == HISTREE_UNKNOWN && has_names(table));
	if (part->value.type == HISTREE_NULL || (side->needs_names && !is_named))
		return HISTREE_OK;
	enum histree_status status = find_kind(comparison, table != NULL ? table->name : "", &kind, error);
	if (status == HISTREE_OK)
		status = find_state(&comparison->kinds[kind], &part->value, words, &state, error);
	if (status != HISTREE_OK)
		return status;
	add_ns(&state->half_ns[side->number][side->half], part->ns);
	add_ns(side->number == 0 ? &state->facts.a_ns : &state->facts.b_ns, part->ns);
	return HISTREE_OK;
}

static enum histree_status read_half(struct histree_state_comparison *comparison, const struct side *side,
				     struct histree_cursor *times, const struct histree_region *region,
				     const struct histree_work *work, struct histree_error *error)
{
	enum histree_status status = histree_time_in_state_start(times, region, error);
	while (status == HISTREE_OK) {
		size_t count = 0;
		status = histree_cursor_read(times, BATCH, &count, error);
		const struct histree_state_time *parts = histree_cursor_state_time(times);
		for (size_t i = 0; status == HISTREE_OK && i < count; i++)
			status = state_compare_take(comparison, side, &parts[i], error);
		if (status == HISTREE_OK)
			status = cancel_check(work, 0, error);
	}
	const struct histree_loss loss = histree_cursor_loss(times);
	loss_add(&comparison->losses[side->number], &loss);
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* Interrupts stand below the CPU that handles them, and a second time for all CPUs together. */
static bool is_of_cpu(const struct side *side, histree_quark quark)
{
	static const char cpus[] = "CPUs";
	const struct histree_attributes *attributes = histree_history_attributes(side->history);
	char name[sizeof(cpus)];
	for (; quark != HISTREE_ROOT; quark = histree_attributes_parent(attributes, quark)) {
		size_t size = histree_attributes_name(attributes, quark, name, sizeof(name));
		if (size == sizeof(cpus) - 1 && memcmp(name, cpus, size) == 0)
			return true;
	}
	return false;
}

/* Whether the time in the states of an attribute belongs to no thread, or repeats that of another attribute. */
static bool is_left_out(const struct side *side, histree_quark quark, const struct histree_label_table *table)
{
	const bool is_of_interrupts =
		table->meaning == HISTREE_MEANS_IRQ || table->meaning == HISTREE_MEANS_SOFT_IRQ;
	return is_of_interrupts ? !is_of_cpu(side, quark) : is_idle_loop(side, quark, table);
}

/* Only those whose values have names, each time once, but no idle loops; *named is the caller's. */
static enum histree_status list_named(const struct side *side, struct histree_region *region, histree_quark **named,
				      struct histree_error *error)
{
	const uint32_t all = histree_history_info(side->history)->attribute_count;
	size_t count = 0, capacity = 0;
	for (histree_quark quark = 0; quark < all; quark++) {
		const struct histree_label_table *table = histree_labels_of(side->history, quark);
		if (!has_names(table) || is_left_out(side, quark, table))
			continue;
		if (!array_reserve(named, &capacity, count + 1))
			return error_memory(error, "the comparison");
		(*named)[count++] = quark;
	}
	region->quarks = *named;
	region->quark_count = *named != NULL ? count : 0;
	return HISTREE_OK;
}

/* How many ns there are; all of time is 2^64. */
static double length_of(histree_time from, histree_time to)
{
	return (double)((uint64_t)to - (uint64_t)from) + 1;
}

static enum histree_status take_side(struct histree_state_comparison *comparison,
				     struct histree_selection *selection, int number, struct histree_work work,
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
	window->half_ns[0] = length_of(from, second - 1);
	window->half_ns[1] = to > from ? length_of(second, to) : 0;
	struct side side = { .history = selection->history, .needs_names = selection->has_all, .number = number };
	struct histree_cursor *times = NULL;
	histree_quark *named = NULL;
	enum histree_status status = HISTREE_OK;
	if (side.needs_names)
		status = list_named(&side, &region, &named, error);
	if (status == HISTREE_OK && (!side.needs_names || named != NULL))
		status = histree_time_in_state_create(side.history, &times, error);
	for (side.half = 0; times != NULL && status == HISTREE_OK && side.half < HALVES; side.half++) {
		region.from = side.half == 0 ? window->from : window->second;
		region.to = side.half == 0 ? window->second - 1 : window->to;
		if (window->half_ns[side.half] > 0)
			status = read_half(comparison, &side, times, &region, &work, error);
	}
	histree_cursor_free(times);
	free(named);
	return status;
}

/* ---- what comes of it ---------------------------------------------------------------------------- */

static double share_of(const struct window *window, const uint64_t half_ns[HALVES])
{
	return ((double)half_ns[0] + (double)half_ns[1]) / (window->half_ns[0] + window->half_ns[1]);
}

/* What the shares of both halves differ by; all of it if there is only one. */
static double noise_of(const struct window *window, const uint64_t half_ns[HALVES])
{
	double first = (double)half_ns[0] / window->half_ns[0];
	return window->half_ns[1] > 0 ? fabs(first - (double)half_ns[1] / window->half_ns[1]) : first;
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
			struct histree_state_difference *facts = &state.facts;
			facts->a_share = share_of(&comparison->windows[0], state.half_ns[0]);
			facts->b_share = share_of(&comparison->windows[1], state.half_ns[1]);
			facts->noise = fmax(noise_of(&comparison->windows[0], state.half_ns[0]),
					    noise_of(&comparison->windows[1], state.half_ns[1]));
			comparison->states[comparison->state_count++] = state;
		}
	qsort(comparison->states, comparison->state_count, sizeof(*comparison->states), compare);
	return HISTREE_OK;
}

enum histree_status histree_state_comparison_create(struct histree_selection *a, struct histree_selection *b,
						    struct histree_work work, struct histree_state_comparison **out,
						    struct histree_error *error)
{
	*out = NULL;
	struct histree_state_comparison *comparison = calloc(1, sizeof(*comparison));
	if (comparison == NULL)
		return error_memory(error, "the comparison");
	enum histree_status status = take_side(comparison, a, 0, work, error);
	if (status == HISTREE_OK)
		status = take_side(comparison, b, 1, work, error);
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

const char *histree_state_difference_verdict(const struct histree_state_difference *state, bool says_why)
{
	const double difference = state->b_share - state->a_share;
	return fabs(difference) <= state->noise ? noise_of_halves(difference, says_why)
	       : difference > 0                 ? "more"
						: "less";
}

struct histree_loss histree_state_comparison_loss(const struct histree_state_comparison *comparison, int side)
{
	return comparison->losses[side];
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
