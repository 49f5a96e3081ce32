// SPDX-License-Identifier: MIT
/*
 * The judge of every benchmark: the model's answers in closed form are those of a search through all of its
 * intervals, the intervals are what figure 4.6 draws, and a wrong answer is seen.
 */
#include "cli/bench.h"
#include "support/test.h"

enum { ATTRIBUTES = 137, STATES = 23, QUERIES = 400 };

static int set_up(void **state)
{
	struct bench_model *model = calloc(1, sizeof(*model));
	*state = model;
	return model == NULL || bench_model_init(model, ATTRIBUTES, STATES, 7, NULL) != HISTREE_OK;
}

static int tear_down(void **state)
{
	bench_model_release(*state);
	free(*state);
	return 0;
}

/* ---- the intervals ---------------------------------------------------------------------------------------- */

TEST_WITH(every_attribute_is_covered_once, set_up, tear_down)
{
	const struct bench_model *model = *state;
	bool seen[ATTRIBUTES] = { false };
	for (uint32_t place = 0; place < ATTRIBUTES; place++) {
		histree_time next = 0;
		for (uint32_t i = 0; i < STATES; i++) {
			struct histree_interval interval = bench_model_interval(model, place, i);
			assert_int_equal(interval.start, next);
			assert_true(interval.end >= interval.start);
			assert_int_equal(interval.quark, model->quarks[place]);
			if (i > 0 && i + 1 < STATES)
				assert_int_equal(interval.end - interval.start + 1, model->length);
			next = interval.end + 1;
		}
		assert_int_equal(next, model->end + 1);
		assert_false(seen[model->quarks[place]]);
		seen[model->quarks[place]] = true;
	}
}

TEST_WITH(intervals_come_by_start_and_by_end, set_up, tear_down)
{
	const struct bench_model *model = *state;
	histree_time start = 0, end = 0;
	for (uint32_t i = 0; i < STATES; i++) {
		for (uint32_t place = 0; place < ATTRIBUTES; place++) {
			struct histree_interval interval = bench_model_interval(model, place, i);
			assert_true(interval.start >= start && interval.end >= end);
			start = interval.start;
			end = interval.end;
		}
	}
}

/* ---- the answers ------------------------------------------------------------------------------------------ */

static bool is_asked_for(const struct histree_region *question, const struct histree_interval *interval)
{
	bool has_quark = question->quarks == NULL, has_time = question->times == NULL &&
							      interval->start <= question->to &&
							      interval->end >= question->from;
	for (size_t i = 0; i < question->quark_count && !has_quark; i++)
		has_quark = question->quarks[i] == interval->quark;
	for (size_t i = 0; i < question->time_count && !has_time; i++)
		has_time = question->times[i] >= interval->start && question->times[i] <= interval->end;
	return has_quark && has_time;
}

/* As an engine, and from the last interval to the first: the order must not matter. */
static enum histree_status search(void *self, enum bench_shape shape, const struct histree_region *question,
				  struct bench_answer *answer, struct histree_error *error)
{
	(void)shape;
	(void)error;
	for (uint32_t place = ATTRIBUTES; place-- > 0;) {
		for (uint32_t i = STATES; i-- > 0;) {
			struct histree_interval interval = bench_model_interval(self, place, i);
			if (is_asked_for(question, &interval))
				bench_answer_add(answer, &interval);
		}
	}
	return HISTREE_OK;
}

/* It gives the last state of the history twice, the second time with another value. */
static enum histree_status search_badly(void *self, enum bench_shape shape, const struct histree_region *question,
					struct bench_answer *answer, struct histree_error *error)
{
	enum histree_status status = search(self, shape, question, answer, error);
	struct histree_interval last = bench_model_interval(self, 0, STATES - 1);
	if (is_asked_for(question, &last)) {
		last.value = histree_int(last.value.int32 + 1);
		bench_answer_add(answer, &last);
	}
	return status;
}

TEST_WITH(closed_form_is_a_search, set_up, tear_down)
{
	struct bench_engine model = bench_model_engine(*state);
	const struct bench_engine searching = { .name = "search", .ask = search, .self = *state };
	const struct bench_engine failing = { .name = "bad", .ask = search_badly, .self = *state };
	struct bench_questions questions;
	assert_ok(bench_questions_init(&questions, ATTRIBUTES, 0, ((struct bench_model *)*state)->end, QUERIES, 3,
				       NULL));
	for (int shape = 0; shape < BENCH_SHAPE_COUNT; shape++) {
		struct bench_result result;
		size_t wrong;
		assert_ok(bench_measure(&model, &questions, (enum bench_shape)shape, &result, NULL));
		assert_int_equal(result.asked, shape == BENCH_SINGLE ? QUERIES : BENCH_LARGE_MIN);
		assert_ok(bench_compare(&searching, &questions, (enum bench_shape)shape, &result, &wrong, NULL));
		assert_int_equal(wrong, 0);
		bench_result_release(&result);
	}
	struct bench_result result;
	size_t wrong;
	assert_ok(bench_measure(&failing, &questions, BENCH_TIMES, &result, NULL));
	assert_ok(bench_compare(&model, &questions, BENCH_TIMES, &result, &wrong, NULL));
	assert_true(wrong > 0);
	bench_result_release(&result);
	bench_questions_release(&questions);
}

/* ---- the questions ---------------------------------------------------------------------------------------- */

TEST_WITH(questions_are_legal, set_up, tear_down)
{
	const struct bench_model *model = *state;
	struct bench_questions questions;
	assert_ok(bench_questions_init(&questions, ATTRIBUTES, 0, model->end, QUERIES, 5, NULL));
	for (int shape = 0; shape < BENCH_SHAPE_COUNT; shape++) {
		for (size_t i = 0; i < questions.count[shape]; i++) {
			const struct histree_region *question = &questions.of_shape[shape][i];
			for (size_t k = 0; k < question->quark_count; k++) {
				assert_true(question->quarks[k] < ATTRIBUTES);
				assert_true(k == 0 || question->quarks[k - 1] < question->quarks[k]);
			}
			for (size_t k = 1; k < question->time_count; k++)
				assert_true(question->times[k - 1] < question->times[k]);
			assert_true(question->from >= 0 && question->from <= question->to &&
				    question->to <= model->end);
		}
	}
	const struct histree_region *times = &questions.of_shape[BENCH_TIMES][0];
	assert_int_equal(times->quark_count, BENCH_KEYS);
	assert_int_equal(times->times[0], 0);
	assert_int_equal(times->times[times->time_count - 1], model->end);
	bench_questions_release(&questions);
}
