// SPDX-License-Identifier: MIT
/*
 * test_query.c - the public queries: what they refuse, that they can be used again and stopped at any point.
 */
#include "histree/history.h"
#include "histree/states.h"
#include "support/test.h"

enum { START = 1000, END = 9999, KEYS = 50 };

struct fixture {
	char path[64];
	struct histree_history *history;
	struct histree_cursor *query;
};

/* Attribute q is null to 1000 + 10 q - 1, then counts up every 500 ns. */
static int set_up(void **state)
{
	static struct fixture fixture;
	struct histree_state_system *system;
	snprintf(fixture.path, sizeof(fixture.path), "test_query.%ld.sht", (long)getpid());
	unlink(fixture.path);
	const struct histree_history_options options = { .path = fixture.path,
							 .start = START,
							 .tree = { .node_size = 4096, .fan_out = 2 } };
	assert_ok(histree_state_create(&options, &system, NULL));
	for (histree_quark q = 0; q < KEYS; q++) {
		char name[16];
		histree_quark quark;
		snprintf(name, sizeof(name), "a%u", q);
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, name, &quark, NULL));
		assert_int_equal(quark, q);
	}
	for (int32_t turn = 0; turn < 17; turn++)
		for (histree_quark q = 0; q < KEYS; q++)
			assert_ok(histree_state_modify(system, START + 10 * (histree_time)q + 500 * turn + (q == 0),
						       q, histree_int(turn), NULL));
	assert_ok(histree_state_close(system, END, NULL));
	histree_state_free(system);
	assert_ok(histree_history_open(fixture.path, NULL, &fixture.history, NULL));
	assert_ok(histree_query_create(fixture.history, &fixture.query, NULL));
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	histree_cursor_free(fixture->query);
	histree_cursor_free(NULL);
	histree_history_close(fixture->history);
	return unlink(fixture->path);
}

static size_t count_rest(struct histree_cursor *query)
{
	enum histree_status status;
	size_t count = 0;
	while ((status = histree_cursor_next(query, NULL)) == HISTREE_OK)
		count++;
	assert_int_equal(status, HISTREE_END);
	assert_int_equal(histree_cursor_next(query, NULL), HISTREE_END);
	return count;
}

static void assert_refused(struct fixture *fixture, const struct histree_region *region, enum histree_status status,
			   const char *reason)
{
	struct histree_error error = { 0 };
	assert_int_equal(histree_query_start(fixture->query, region, &error), status);
	assert_string_equal(error.message, reason);
	assert_int_equal(histree_cursor_next(fixture->query, NULL), HISTREE_END);
	assert_int_equal(histree_query_start(fixture->query, region, NULL), status);
}

TEST_WITH(wrong_arguments_are_refused, set_up, tear_down)
{
	struct fixture *fixture = *state;
	static const histree_quark unsorted[] = { 3, 2 }, twice[] = { 3, 3 }, unknown[] = { 3, KEYS };
	static const histree_time backwards[] = { 2000, 1999 }, early[] = { 999, 2000 }, late[] = { 2000, 10000 };
	assert_refused(fixture, &(struct histree_region){ .from = 2000, .to = 1999 }, HISTREE_ERR_ARGUMENT,
		       "a range from 2000 to 1999");
	assert_refused(fixture, &(struct histree_region){ .from = 999, .to = 2000 }, HISTREE_ERR_TIME_RANGE,
		       "time 999 is outside the history, from 1000 to 9999");
	assert_refused(fixture, &(struct histree_region){ .from = 2000, .to = 10000 }, HISTREE_ERR_TIME_RANGE,
		       "time 10000 is outside the history, from 1000 to 9999");
	assert_refused(fixture, &(struct histree_region){ .times = early, .time_count = 2 }, HISTREE_ERR_TIME_RANGE,
		       "time 999 is outside the history, from 1000 to 9999");
	assert_refused(fixture, &(struct histree_region){ .times = late, .time_count = 2 }, HISTREE_ERR_TIME_RANGE,
		       "time 10000 is outside the history, from 1000 to 9999");
	assert_refused(fixture, &(struct histree_region){ .times = backwards, .time_count = 2 },
		       HISTREE_ERR_ARGUMENT, "the list of times is not sorted");
	assert_refused(fixture,
		       &(struct histree_region){ .quarks = unsorted, .quark_count = 2, .from = START, .to = END },
		       HISTREE_ERR_ARGUMENT, "the list of attributes is not sorted");
	assert_refused(fixture,
		       &(struct histree_region){ .quarks = twice, .quark_count = 2, .from = START, .to = END },
		       HISTREE_ERR_ARGUMENT, "the list of attributes is not sorted");
	assert_refused(fixture,
		       &(struct histree_region){ .quarks = unknown, .quark_count = 2, .from = START, .to = END },
		       HISTREE_ERR_QUARK, "there is no attribute 50; the history has 50");
	struct histree_interval interval;
	assert_int_equal(histree_query_single(fixture->query, KEYS, 2000, &interval, NULL), HISTREE_ERR_QUARK);
	assert_int_equal(histree_query_single(fixture->query, 0, 999, &interval, NULL), HISTREE_ERR_TIME_RANGE);
	assert_int_equal(histree_query_single(fixture->query, 0, 10000, &interval, NULL), HISTREE_ERR_TIME_RANGE);
}

/* A failed or an empty start lets go of what was there before. */
TEST_WITH(an_empty_list_finds_nothing, set_up, tear_down)
{
	struct fixture *fixture = *state;
	static const histree_quark none[1];
	static const histree_time never[1];
	assert_ok(histree_query_start(fixture->query, &(struct histree_region){ .from = START, .to = END }, NULL));
	assert_true(count_rest(fixture->query) > 0);
	assert_true(histree_cursor_statistics(fixture->query).nodes_visited > 0);
	assert_ok(histree_query_start(fixture->query,
				      &(struct histree_region){ .quarks = none, .from = START, .to = END }, NULL));
	assert_int_equal(count_rest(fixture->query), 0);
	assert_int_equal(histree_cursor_statistics(fixture->query).nodes_visited, 0);
	assert_ok(histree_query_start(fixture->query, &(struct histree_region){ .times = never }, NULL));
	assert_int_equal(count_rest(fixture->query), 0);
}

TEST_WITH(each_kind_of_query_finds_what_it_should, set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct histree_interval interval;
	assert_ok(histree_query_start(fixture->query, &(struct histree_region){ .from = 4242, .to = 4242 }, NULL));
	assert_int_equal(count_rest(fixture->query), KEYS);

	assert_ok(histree_query_single(fixture->query, 7, 1069, &interval, NULL));
	assert_int_equal(interval.value.type, HISTREE_NULL);
	assert_int_equal(interval.start, START);
	assert_int_equal(interval.end, 1069);
	assert_ok(histree_query_single(fixture->query, 7, 1070, &interval, NULL));
	assert_int_equal(interval.value.int32, 0);
	assert_int_equal(interval.end, 1569);
	assert_ok(histree_query_single(fixture->query, 7, END, &interval, NULL));
	assert_int_equal(interval.value.int32, 16);
	assert_int_equal(interval.end, END);

	static const histree_quark two[] = { 7, 9 };
	static const histree_time times[] = { 1000, 1070, 1071, 1071, 9999 };
	assert_ok(histree_query_start(
		fixture->query,
		&(struct histree_region){ .quarks = two, .quark_count = 2, .times = times, .time_count = 5 },
		NULL));
	assert_int_equal(count_rest(fixture->query), 3 + 2);
	assert_ok(histree_query_start(
		fixture->query,
		&(struct histree_region){ .quarks = two, .quark_count = 2, .from = 1070, .to = 1570 }, NULL));
	assert_int_equal(count_rest(fixture->query), 2 + 2);
}

TEST_WITH(a_query_can_be_stopped_at_any_point, set_up, tear_down)
{
	struct fixture *fixture = *state;
	const struct histree_region all = { .from = START, .to = END };
	const struct histree_history_info *info = histree_history_info(fixture->history);
	for (size_t stop = 0; stop <= info->interval_count; stop += 13) {
		assert_ok(histree_query_start(fixture->query, &all, NULL));
		for (size_t i = 0; i < stop; i++)
			assert_ok(histree_cursor_next(fixture->query, NULL));
		assert_int_equal(histree_cursor_statistics(fixture->query).rows, stop);
	}
	assert_ok(histree_query_start(fixture->query, &all, NULL));
	assert_int_equal(count_rest(fixture->query), info->interval_count);
	assert_int_equal(histree_cursor_statistics(fixture->query).nodes_visited, info->node_count);
}

/* One by one or many at once, in turns: the same intervals in the same order. */
TEST_WITH(intervals_can_be_read_many_at_once, set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct histree_cursor *other;
	const struct histree_region all = { .from = START, .to = END };
	static const size_t rooms[] = { 1, 2, 3, 64, 100, 500 };
	assert_ok(histree_query_create(fixture->history, &other, NULL));
	for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++) {
		struct histree_interval one;
		size_t count, turn = 0;
		enum histree_status status;
		assert_ok(histree_query_start(fixture->query, &all, NULL));
		assert_ok(histree_query_start(other, &all, NULL));
		do {
			count = 1;
			status = turn++ % 3 == 2 ? histree_cursor_next(other, NULL)
						 : histree_cursor_read(other, rooms[i], &count, NULL);
			const struct histree_interval *many = histree_cursor_interval(other);
			assert_true(status != HISTREE_OK || (count >= 1 && count <= rooms[i]));
			for (size_t k = 0; status == HISTREE_OK && k < count; k++) {
				assert_ok(histree_cursor_next(fixture->query, NULL));
				one = *histree_cursor_interval(fixture->query);
				assert_int_equal(many[k].quark, one.quark);
				assert_true(many[k].start == one.start && many[k].end == one.end);
				assert_true(histree_value_equal(&many[k].value, &one.value));
			}
			assert_int_equal(histree_cursor_statistics(other).rows,
					 histree_cursor_statistics(fixture->query).rows);
		} while (status == HISTREE_OK);
		assert_int_equal(status, HISTREE_END);
		assert_int_equal(histree_cursor_next(fixture->query, NULL), HISTREE_END);
		assert_int_equal(histree_cursor_read(other, rooms[i], &count, NULL), HISTREE_END);
		assert_int_equal(count, 0);
	}
	size_t count;
	assert_int_equal(histree_cursor_read(other, 0, &count, NULL), HISTREE_ERR_ARGUMENT);
	histree_cursor_free(other);
}

/* Each at its own pace, on one history. */
TEST_WITH(a_query_may_have_threads_of_its_own, set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct histree_error error;
	const struct histree_region all = { .from = START, .to = END };
	assert_ok(histree_query_start(fixture->query, &all, NULL));
	size_t count = count_rest(fixture->query);
	for (unsigned threads = 4; threads > 0; threads--) {
		assert_ok(histree_query_start(fixture->query, &all, NULL));
		assert_ok(histree_query_set_threads(fixture->query, threads, NULL));
		assert_int_equal(count_rest(fixture->query), 0); /* it was dropped */
		assert_ok(histree_query_start(fixture->query, &all, NULL));
		assert_int_equal(count_rest(fixture->query), count);
	}
	assert_int_equal(histree_query_set_threads(fixture->query, 0, &error), HISTREE_ERR_ARGUMENT);
	assert_string_equal(error.message, "0 threads for a query: it may have 1 to 64");
	assert_int_equal(histree_query_set_threads(fixture->query, 65, &error), HISTREE_ERR_ARGUMENT);
}

TEST_WITH(queries_do_not_disturb_each_other, set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct histree_cursor *other;
	struct histree_interval interval;
	const struct histree_region all = { .from = START, .to = END };
	assert_ok(histree_query_create(fixture->history, &other, NULL));
	assert_ok(histree_query_start(fixture->query, &all, NULL));
	size_t count = 0;
	while (histree_cursor_next(fixture->query, NULL) == HISTREE_OK) {
		interval = *histree_cursor_interval(fixture->query);
		struct histree_interval single;
		count++;
		assert_ok(histree_query_single(other, interval.quark, interval.end, &single, NULL));
		assert_int_equal(single.start, interval.start);
		assert_true(histree_value_equal(&single.value, &interval.value));
	}
	assert_int_equal(count, histree_history_info(fixture->history)->interval_count);
	histree_cursor_free(other);
}

/* ---- what is read ----------------------------------------------------------------------------------------- */

enum { THREADS = 3000, THREAD_LIFE = 20 };

/* Attribute 0 changes all the time; the others are born one after the other, and soon gone. */
static void build_short_lives(const char *path)
{
	struct histree_state_system *system;
	const struct histree_history_options options = { .path = path, .tree = { .node_size = 4096 } };
	histree_quark quark;
	unlink(path);
	assert_ok(histree_state_create(&options, &system, NULL));
	for (int32_t t = 0; t < THREADS + THREAD_LIFE; t++) {
		char name[16];
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, "all", &quark, NULL));
		assert_ok(histree_state_modify(system, t, quark, histree_int(t), NULL));
		for (int32_t age = 0; age <= THREAD_LIFE && age <= t; age++) {
			struct histree_value value = age < THREAD_LIFE ? histree_int(age) : histree_null();
			if (t - age >= THREADS)
				continue;
			snprintf(name, sizeof(name), "%d", (int)(t - age));
			assert_ok(histree_state_attribute(system, HISTREE_ROOT, name, &quark, NULL));
			assert_int_equal(quark, t - age + 1);
			assert_ok(histree_state_modify(system, t, quark, value, NULL));
		}
	}
	assert_ok(histree_state_close(system, THREADS + THREAD_LIFE, NULL));
	histree_state_free(system);
}

/* The bounds of nodes hold the one that is always there and the youngest: only lives tell what they have not. */
TEST(nodes_outside_the_life_of_an_attribute_are_not_read)
{
	struct histree_history *history;
	struct histree_cursor *query;
	char path[64];
	snprintf(path, sizeof(path), "test_query_lives.%ld.sht", (long)getpid());
	build_short_lives(path);
	assert_ok(histree_history_open(path, NULL, &history, NULL));
	assert_ok(histree_query_create(history, &query, NULL));
	const struct histree_history_info *info = histree_history_info(history);
	const histree_quark always = 0, some[] = { 100, 101, 102 };
	const struct histree_region all = { .quarks = &always, .quark_count = 1, .to = info->end };
	const struct histree_region few = { .quarks = some, .quark_count = 3, .to = info->end };
	assert_ok(histree_query_start(query, &all, NULL));
	count_rest(query);
	uint64_t visited = histree_cursor_statistics(query).nodes_visited;
	assert_ok(histree_query_start(query, &few, NULL));
	assert_int_equal(count_rest(query), 3 * (1 + THREAD_LIFE + 1)); /* null, states, null */
	assert_true(histree_cursor_statistics(query).nodes_visited * 5 < visited);
	histree_cursor_free(query);
	histree_history_close(history);
	assert_int_equal(unlink(path), 0);
}
