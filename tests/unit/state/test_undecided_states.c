// SPDX-License-Identifier: MIT
/*
 * test_undecided_states.c - states whose value a later fact decides, against arrays with an entry a nanosecond: as
 * they are asked for while they are made, and in the end.
 */
#include "base/hash_index.h"
#include "histree/history.h"
#include "histree/states.h"
#include "state/state_system.h"
#include "support/effort.h"
#include "support/test.h"

enum { ATTRIBUTES = 3, FACTS = 4, LENGTH = 400 };

/* What an attribute is at one time, and the piece of a state to which that time belongs. */
struct moment {
	int value;                   /* -1: unknown */
	int fact, if_null, if_other; /* fact: -1 where it is decided */
	histree_time from;
};

struct model {
	struct random random;
	struct histree_state_system *system;
	histree_quark quarks[ATTRIBUTES], facts[FACTS];
	struct moment now[ATTRIBUTES], moments[ATTRIBUTES][LENGTH];
	histree_time time;
};

static struct histree_value value_of(int value)
{
	return value < 0 ? histree_unknown() : histree_int(value);
}

static void begin(struct model *model, uint64_t seed)
{
	*model = (struct model){ .random = { seed } };
	const struct histree_history_options options = { .path = "undecided", .start = 0 };
	assert_ok(histree_state_create_in_memory(&options, 64 << 20, &model->system, NULL));
	for (int i = 0; i < ATTRIBUTES + FACTS; i++) {
		const char name[] = { (char)('a' + i), '\0' };
		histree_quark *quark = i < ATTRIBUTES ? &model->quarks[i] : &model->facts[i - ATTRIBUTES];
		assert_ok(histree_state_attribute(model->system, HISTREE_ROOT, name, quark, NULL));
	}
	for (int i = 0; i < ATTRIBUTES; i++) {
		model->now[i] = (struct moment){ .value = 0, .fact = -1 };
		assert_ok(histree_state_modify(model->system, 0, model->quarks[i], histree_int(0), NULL));
	}
}

static void change_to(struct model *model, int attribute)
{
	struct moment next = { .value = (int)random_below(&model->random, 3) - 1, .fact = -1, .from = model->time };
	assert_ok(histree_state_modify(model->system, model->time, model->quarks[attribute], value_of(next.value),
				       NULL));
	model->now[attribute] = next;
}

static void leave_open(struct model *model, int attribute)
{
	struct moment *now = &model->now[attribute];
	struct moment next = { .value = (int)random_below(&model->random, 2) - 1,
			       .fact = (int)random_below(&model->random, FACTS),
			       .if_null = (int)random_below(&model->random, 2),
			       .if_other = 2,
			       .from = model->time };
	const struct undecided_value value = { .fact = model->facts[next.fact],
					       .believed = value_of(next.value),
					       .if_null = next.if_null,
					       .if_other = next.if_other };
	assert_ok(state_modify_undecided(model->system, model->time, model->quarks[attribute], &value, NULL));
	bool goes_on = now->fact == next.fact && now->value == next.value && now->if_null == next.if_null;
	if (!goes_on)
		*now = next;
}

static void decide(struct model *model)
{
	int fact = (int)random_below(&model->random, FACTS);
	enum undecided_outcome outcome = (enum undecided_outcome)random_below(&model->random, 3);
	histree_time since = (histree_time)random_below(&model->random, (uint64_t)model->time + 1);
	assert_ok(state_decide(model->system, model->facts[fact], outcome, since, NULL));
	for (int i = 0; i < ATTRIBUTES; i++) {
		histree_time ongoing = model->now[i].fact == fact ? model->now[i].from : INT64_MAX;
		for (histree_time t = 0; t < model->time; t++) {
			struct moment *moment = &model->moments[i][t];
			if (moment->fact != fact)
				continue;
			moment->fact = -1;
			if (moment->from >= since && moment->from != ongoing && outcome != FACT_STAYS_UNKNOWN)
				moment->value = outcome == FACT_IS_NULL ? moment->if_null : moment->if_other;
		}
		if (ongoing != INT64_MAX)
			model->now[i].fact = -1;
	}
	assert_int_equal(state_undecided_count(model->system, model->facts[fact]), 0);
}

static void check(const struct model *model, histree_time end)
{
	struct histree_history *history;
	struct histree_cursor *query;
	assert_ok(histree_state_history(model->system, end, NULL, &history, NULL));
	assert_ok(histree_query_create(history, &query, NULL));
	for (int i = 0; i < ATTRIBUTES; i++)
		for (histree_time t = 0; t < end; t++) {
			struct histree_interval interval;
			assert_ok(histree_query_single(query, model->quarks[i], t, &interval, NULL));
			const struct histree_value wanted = value_of(model->moments[i][t].value);
			if (!histree_value_equal(&interval.value, &wanted))
				fail_msg("at %lld attribute %d is %d, not %d", (long long)t, i,
					 (int)interval.value.int32, model->moments[i][t].value);
		}
	histree_cursor_free(query);
	histree_history_close(history);
}

static void step(struct model *model)
{
	int attribute = (int)random_below(&model->random, ATTRIBUTES);
	switch (random_below(&model->random, 6)) {
	case 0:
		decide(model);
		break;
	case 1:
	case 2:
		change_to(model, attribute);
		break;
	default:
		leave_open(model, attribute);
	}
}

TEST(it_is_as_the_arrays_say)
{
	static struct model model;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		begin(&model, seed);
		for (; model.time < LENGTH - 1; model.time++) {
			if (model.time > 0)
				step(&model);
			for (int i = 0; i < ATTRIBUTES; i++)
				model.moments[i][model.time] = model.now[i];
			if (model.time % 97 == 96)
				check(&model, model.time);
		}
		for (int i = 0; i < ATTRIBUTES; i++)
			model.moments[i][LENGTH - 1] = model.now[i];
		assert_ok(histree_state_close(model.system, LENGTH, NULL));
		check(&model, LENGTH);
		histree_state_free(model.system);
	}
}

/* Who leaves ever more undecided takes room only as long as there is enough for others. */
TEST(one_fact_leaves_room_for_others)
{
	static struct model model;
	unsigned kept = 0;
	begin(&model, 1);
	struct undecided_value value = {
		.fact = model.facts[0], .believed = histree_int(1), .if_null = 1, .if_other = 2
	};
	for (histree_time t = 1; t < 20000; t += 2) {
		kept += state_modify_undecided(model.system, t, model.quarks[0], &value, NULL) == HISTREE_OK;
		assert_ok(histree_state_modify(model.system, t + 1, model.quarks[0], histree_int(0), NULL));
	}
	assert_in_range(kept, UNDECIDED_MAX / 10, UNDECIDED_MAX / 8);
	assert_int_equal(state_undecided_count(model.system, model.facts[0]), kept);
	value.fact = model.facts[1];
	assert_ok(state_modify_undecided(model.system, 20001, model.quarks[0], &value, NULL));
	assert_ok(state_decide(model.system, model.facts[0], FACT_IS_OTHER, 0, NULL));
	assert_int_equal(state_undecided_count(model.system, model.facts[0]), 0);
	assert_ok(histree_state_close(model.system, 20002, NULL));
	histree_state_free(model.system);
}

/* Whoever a CPU runs, its state is one run: as many pieces as there is room for, and far more changes. */
TEST(a_long_run_costs_no_more_than_a_short_one)
{
	static struct model model;
	begin(&model, 1);
	for (histree_time t = 1; t < 2000000; t++) {
		const struct undecided_value value = { .fact = (histree_quark)(t % 1000 + 100),
						       .believed = histree_int(1),
						       .if_null = 1,
						       .if_other = 2 };
		assert_true(state_modify_undecided(model.system, t, model.quarks[0], &value, NULL) >= HISTREE_OK);
	}
	for (histree_quark fact = 100; fact < 1100; fact++)
		assert_ok(state_decide(model.system, fact, FACT_IS_NULL, 0, NULL));
	assert_int_equal(state_undecided_total(model.system), 0);
	assert_ok(histree_state_close(model.system, 2000001, NULL));
	histree_state_free(model.system);
}
