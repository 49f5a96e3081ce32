// SPDX-License-Identifier: MIT
/*
 * test_state_compare.c - times in states of two histories, against the sums of an array that is read linearly.
 */
#include <math.h>

#include "base/hash_index.h"
#include "histree/attributes.h"
#include "histree/history.h"
#include "histree/states.h"
#include "support/effort.h"
#include "support/test.h"

enum { VALUES = 6, ATTRIBUTES = 5, CHANGES = 60, START = 1000, STEP_MAX = 40 };

/* What attribute 0 to 4 were at each ns from START on; -1: null. */
struct model {
	int values[ATTRIBUTES][CHANGES * STEP_MAX];
	int length;
};

static const struct histree_label names[] = {
	{ .first = 1, .last = 1, .is_code = true, .style = { "ONE", "is one", 1, 1, 1 } },
	{ .first = 2, .last = 2, .is_code = true, .style = { "TWO", "is two", 2, 2, 1 } },
};
static const char *const patterns[] = { "a/*", NULL };
static const struct histree_label_table table = {
	.name = "what it is", .patterns = patterns, .labels = names, .label_count = 2
};

/* Attributes a/0 to a/3 have labels, and b/4 has none. */
static struct histree_history *history_of(struct random *random, struct model *model)
{
	struct histree_state_system *system;
	struct histree_error error = { 0 };
	struct histree_history *history;
	histree_quark quarks[ATTRIBUTES];
	int now[ATTRIBUTES], t = 0;
	assert_ok(histree_state_create_in_memory(&(struct histree_history_options){ .start = START }, 0, &system,
						 &error));
	assert_ok(histree_state_labels(system, &table, 1, &error));
	for (int i = 0; i < ATTRIBUTES; i++) {
		char path[16];
		snprintf(path, sizeof(path), "%s/%d", i < 4 ? "a" : "b", i);
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, path, &quarks[i], &error));
		now[i] = -1;
	}
	for (int change = 0; change < CHANGES; change++) {
		int i = (int)random_below(random, ATTRIBUTES), value = (int)random_below(random, VALUES) - 1;
		for (int step = 1 + (int)random_below(random, STEP_MAX - 1); step > 0; step--, t++)
			for (int k = 0; k < ATTRIBUTES; k++)
				model->values[k][t] = now[k];
		now[i] = value;
		assert_ok(histree_state_modify(system, START + t, quarks[i],
					       value < 0 ? histree_null() : histree_int(value), &error));
	}
	for (int k = 0; k < ATTRIBUTES; k++)
		model->values[k][t] = now[k];
	model->length = t + 1;
	assert_ok(histree_state_close(system, START + t, &error));
	assert_ok(histree_state_history(system, START + t, NULL, &history, &error));
	histree_state_free(system);
	return history;
}

/* ns of a value from `from` to `to`, of attributes 0 to `count` - 1. */
static int count_ns(const struct model *model, int from, int to, int count, int value)
{
	int ns = 0;
	for (int i = 0; i < count; i++)
		for (int t = from; t <= to; t++)
			ns += model->values[i][t] == value;
	return ns;
}

static double share_of(const struct model *model, int from, int to, int count, int value)
{
	return (double)count_ns(model, from, to, count, value) / (to - from + 1);
}

static double noise_of(const struct model *model, int from, int to, int count, int value)
{
	int middle = from + (to - from) / 2;
	return middle < to ? fabs(share_of(model, from, middle, count, value) -
				  share_of(model, middle + 1, to, count, value))
			   : share_of(model, from, to, count, value);
}

static void assert_near(double given, double expected)
{
	if (fabs(given - expected) > 1e-9)
		fail_msg("%.17g instead of %.17g", given, expected);
}

struct question {
	struct model models[2];
	int from[2], to[2];
	bool has_all;
};

static void check_state(const struct histree_state_difference *given, const struct question *asked)
{
	const struct model *a = &asked->models[0], *b = &asked->models[1];
	int value = given->value.int32;
	/* Values of b/4 are of no kind. */
	bool is_named = given->kind[0] != '\0';
	const char *name = value == 1 ? "is one" : value == 2 ? "is two" : NULL;
	assert_true(!asked->has_all || name != NULL);
	assert_true(is_named == (strcmp(given->kind, "what it is") == 0));
	assert_true(given->label == NULL ? !is_named || name == NULL
					 : name != NULL && strcmp(given->label, name) == 0);
	if (!is_named)
		return;
	assert_int_equal(given->a_ns, count_ns(a, asked->from[0], asked->to[0], 4, value));
	assert_int_equal(given->b_ns, count_ns(b, asked->from[1], asked->to[1], 4, value));
	assert_near(given->a_share, share_of(a, asked->from[0], asked->to[0], 4, value));
	assert_near(given->b_share, share_of(b, asked->from[1], asked->to[1], 4, value));
	assert_near(given->noise, fmax(noise_of(a, asked->from[0], asked->to[0], 4, value),
				       noise_of(b, asked->from[1], asked->to[1], 4, value)));
}

static void check(struct histree_history *const histories[2], const struct question *asked)
{
	struct histree_selection selections[2];
	struct histree_state_comparison *comparison;
	struct histree_error error = { 0 };
	uint64_t sums[2] = { 0 };
	for (int i = 0; i < 2; i++) {
		histree_selection_begin(&selections[i], histories[i]);
		selections[i].window.from = START + asked->from[i];
		selections[i].window.to = START + asked->to[i];
		if (asked->has_all)
			continue;
		histree_selection_none(&selections[i]);
		assert_ok(histree_selection_add_pattern(&selections[i], "*/*", &error));
	}
	if (histree_state_comparison_create(&selections[0], &selections[1], (struct histree_work){ 0 }, &comparison,
					    &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	const struct histree_state_difference *state, *before = NULL;
	for (size_t i = 0; (state = histree_state_comparison_state(comparison, i)) != NULL; i++, before = state) {
		check_state(state, asked);
		assert_true(before == NULL ||
			    fabs(before->b_share - before->a_share) >= fabs(state->b_share - state->a_share));
		sums[0] += state->a_ns;
		sums[1] += state->b_ns;
	}
	for (int i = 0; i < 2; i++) {
		int expected = 0;
		for (int value = 0; value < VALUES - 1; value++)
			if (!asked->has_all || value == 1 || value == 2)
				expected += count_ns(&asked->models[i], asked->from[i], asked->to[i],
						     asked->has_all ? 4 : ATTRIBUTES, value);
		assert_int_equal(sums[i], expected);
		assert_int_equal(histree_state_comparison_loss(comparison, i).nodes, 0);
		histree_selection_release(&selections[i]);
	}
	histree_state_comparison_free(comparison);
}

TEST(as_an_array)
{
	struct random random = { test_seed() };
	static struct question asked;
	for (uint64_t round = 0; round < 20 * test_rounds(); round++) {
		struct histree_history *histories[2];
		for (int i = 0; i < 2; i++)
			histories[i] = history_of(&random, &asked.models[i]);
		for (int question = 0; question < 10; question++) {
			for (int i = 0; i < 2; i++) {
				asked.from[i] = (int)random_below(&random, (uint64_t)asked.models[i].length);
				asked.to[i] = asked.from[i] +
					      (int)random_below(&random,
								(uint64_t)(asked.models[i].length - asked.from[i]));
			}
			asked.has_all = question % 2 == 0;
			check(histories, &asked);
		}
		histree_history_close(histories[0]);
		histree_history_close(histories[1]);
	}
	histree_state_comparison_free(NULL);
}

static bool never(void *context)
{
	(void)context;
	return false;
}

TEST(what_cannot_be_compared)
{
	struct random random = { test_seed() };
	static struct model model;
	struct histree_history *history = history_of(&random, &model);
	struct histree_selection all, none;
	struct histree_state_comparison *comparison;
	struct histree_error error = { 0 };
	histree_selection_begin(&all, history);
	histree_selection_begin(&none, history);
	none.window.from = none.window.to = START - 1;
	assert_int_equal(
		histree_state_comparison_create(&all, &none, (struct histree_work){ 0 }, &comparison, &error),
		HISTREE_ERR_TIME_RANGE);
	assert_null(comparison);
	assert_int_equal(histree_state_comparison_create(&all, &all, (struct histree_work){ .go_on = never },
							 &comparison, &error),
			 HISTREE_ERR_CANCELLED);
	histree_selection_release(&all);
	histree_selection_release(&none);
	histree_history_close(history);
}
