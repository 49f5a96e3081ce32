// SPDX-License-Identifier: MIT
/*
 * test_lookup.c - tops of stacks against plain arrays, windows of changes that must be cut, also where there is
 * damage, and what is refused.
 */
#include "base/hash_index.h"
#include "histree/history.h"
#include "histree/states.h"
#include "support/test.h"

static char path[64];

static struct histree_state_system *begin(histree_time start)
{
	struct histree_state_system *system;
	snprintf(path, sizeof(path), "test_lookup.%ld.sht", (long)getpid());
	unlink(path);
	const struct histree_history_options options = { .path = path, .start = start };
	assert_ok(histree_state_create(&options, &system, NULL));
	return system;
}

static struct histree_cursor *finish(struct histree_state_system *system, histree_time end)
{
	struct histree_history *history;
	struct histree_cursor *query;
	assert_ok(histree_state_close(system, end, NULL));
	histree_state_free(system);
	assert_ok(histree_history_open(path, NULL, &history, NULL));
	assert_ok(histree_query_create(history, &query, NULL));
	return query;
}

static void end(struct histree_cursor *query)
{
	struct histree_history *history = histree_query_history(query);
	histree_cursor_free(query);
	histree_history_close(history);
	unlink(path);
}

/* ---- stacks ------------------------------------------------------------------------------------------ */

enum { STACK_END = 3000, STACK_DEPTH_MAX = 6 };

/* At each time, the top that a plain array says there is, 0 for none, and since when. */
TEST(tops_are_those_of_an_array)
{
	static int32_t top_at[STACK_END + 1];
	struct random random = { 9 };
	struct histree_state_system *system = begin(0);
	histree_quark stack;
	int32_t plain[STACK_DEPTH_MAX], depth = 0;
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "stack", &stack, NULL));
	for (histree_time t = 0; t <= STACK_END; t++) {
		unsigned act = (unsigned)random_below(&random, 6);
		if (act == 0 && depth < STACK_DEPTH_MAX) {
			plain[depth++] = (int32_t)t + 1;
			assert_ok(histree_state_push(system, t, stack, histree_int((int32_t)t + 1), NULL));
		} else if (act == 1 && depth > 0) {
			depth--;
			assert_ok(histree_state_pop(system, t, stack, NULL, NULL));
		}
		top_at[t] = depth > 0 ? plain[depth - 1] : 0;
	}
	struct histree_cursor *query = finish(system, STACK_END);
	for (histree_time t = 0; t <= STACK_END; t++) {
		struct histree_interval top;
		enum histree_status status = histree_lookup_stack_top(query, stack, t, &top, NULL);
		assert_int_equal(status, top_at[t] == 0 ? HISTREE_NOT_FOUND : HISTREE_OK);
		if (status != HISTREE_OK)
			continue;
		assert_int_equal(top.value.int32, top_at[t]);
		assert_true(top.start <= t && t <= top.end);
		/* A value is its time of pushing plus one. */
		assert_int_equal(top.start, top_at[t] - 1);
	}
	end(query);
}

TEST(what_is_no_stack_is_refused)
{
	struct histree_state_system *system = begin(0);
	struct histree_interval top;
	histree_quark text, number, lost, below;
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "text", &text, NULL));
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "number", &number, NULL));
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "lost", &lost, NULL));
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "number/-1", &below, NULL));
	assert_ok(histree_state_modify(system, 10, text, histree_string("a"), NULL));
	assert_ok(histree_state_modify(system, 10, number, histree_int(1), NULL));
	assert_ok(histree_state_modify(system, 20, number, histree_int(-1), NULL));
	assert_ok(histree_state_modify(system, 10, lost, histree_unknown(), NULL));
	struct histree_cursor *query = finish(system, 100);
	assert_int_equal(histree_lookup_stack_top(query, text, 9, &top, NULL), HISTREE_NOT_FOUND);
	assert_int_equal(histree_lookup_stack_top(query, text, 10, &top, NULL), HISTREE_ERR_TYPE);
	assert_int_equal(histree_lookup_stack_top(query, number, 10, &top, NULL), HISTREE_ERR_ARGUMENT);
	assert_int_equal(histree_lookup_stack_top(query, number, 20, &top, NULL), HISTREE_ERR_ARGUMENT);
	assert_ok(histree_lookup_stack_top(query, lost, 50, &top, NULL));
	assert_int_equal(top.value.type, HISTREE_UNKNOWN);
	assert_int_equal(histree_lookup_stack_top(query, 99, 50, &top, NULL), HISTREE_ERR_QUARK);
	assert_int_equal(histree_lookup_stack_top(query, lost, 101, &top, NULL), HISTREE_ERR_TIME_RANGE);
	end(query);
}

/* ---- ranges ------------------------------------------------------------------------------------------ */

TEST(wrong_ranges_are_refused)
{
	struct histree_state_system *system = begin(10);
	struct histree_interval found;
	struct histree_numbers numbers;
	struct histree_cursor *changes;
	histree_quark quark;
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "a", &quark, NULL));
	struct histree_cursor *query = finish(system, 100);
	assert_int_equal(histree_lookup_first_value(query, quark, 60, 50, &found, NULL), HISTREE_ERR_ARGUMENT);
	assert_int_equal(histree_lookup_first_value(query, quark, 50, 101, &found, NULL), HISTREE_ERR_TIME_RANGE);
	assert_int_equal(histree_lookup_first_value(query, quark, 9, 50, &found, NULL), HISTREE_ERR_TIME_RANGE);
	assert_int_equal(histree_lookup_first_value(query, 1, 10, 50, &found, NULL), HISTREE_ERR_QUARK);
	assert_int_equal(histree_lookup_numbers(query, quark, 60, 50, &numbers, NULL), HISTREE_ERR_ARGUMENT);
	assert_int_equal(histree_lookup_numbers(query, 1, 50, 60, &numbers, NULL), HISTREE_ERR_QUARK);
	assert_ok(histree_changes_create(histree_query_history(query), &changes, NULL));
	assert_int_equal(histree_cursor_next(changes, NULL), HISTREE_END);
	assert_int_equal(
		histree_changes_start(changes, &(struct histree_changes_region){ .from = 9, .to = 10 }, NULL),
		HISTREE_ERR_TIME_RANGE);
	assert_int_equal(histree_cursor_next(changes, NULL), HISTREE_END);
	histree_cursor_free(changes);
	histree_cursor_free(NULL);
	end(query);
}

/* ---- windows ----------------------------------------------------------------------------------------- */

enum { CROWD = 70000, CROWD_TIME = 5000, CROWD_END = 1000000 };

/*
 * More changes at one time than a window keeps, and before and after them some each ns: every window is cut, and
 * what is of one time comes whole.
 */
TEST(a_crowd_of_changes_comes_whole)
{
	struct histree_state_system *system = begin(0);
	for (histree_quark i = 0; i < CROWD; i++) {
		char name[16];
		histree_quark quark;
		snprintf(name, sizeof(name), "a%u", i);
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, name, &quark, NULL));
	}
	for (histree_time t = 1; t <= 200000; t++) {
		if (t != CROWD_TIME)
			assert_ok(histree_state_modify(system, t, (histree_quark)(t % 100), histree_int((int32_t)t),
						       NULL));
		else
			for (histree_quark i = 0; i < CROWD; i++)
				assert_int_equal(
					histree_state_modify(system, t, i, histree_long(7) /* any */, NULL),
					i < 100 ? HISTREE_ERR_TYPE : HISTREE_OK);
	}
	struct histree_cursor *query = finish(system, CROWD_END);
	struct histree_cursor *changes;
	assert_ok(histree_changes_create(histree_query_history(query), &changes, NULL));
	for (int backwards = 0; backwards < 2; backwards++) {
		struct histree_change change;
		histree_time expected = backwards == 1 ? 200000 : 1;
		assert_ok(histree_changes_start(
			changes,
			&(struct histree_changes_region){ .from = 1, .to = CROWD_END, .backwards = backwards },
			NULL));
		while (histree_cursor_next(changes, NULL) == HISTREE_OK) {
			change = *histree_cursor_change(changes);
			assert_int_equal(change.time, expected);
			assert_int_equal(change.count, change.time == CROWD_TIME ? CROWD - 100 : 1);
			expected += backwards == 1 ? -1 : 1;
		}
		assert_int_equal(expected, backwards == 1 ? 0 : 200001);
	}
	histree_cursor_free(changes);
	end(query);
}

enum { TEXTS = 3000, TEXT_SIZE = 20000 };

/* 60 MB of bytes, which no window keeps. */
TEST(long_texts_come_whole)
{
	static char text[TEXT_SIZE];
	struct histree_state_system *system = begin(0);
	histree_quark quark;
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "a", &quark, NULL));
	for (int i = 1; i <= TEXTS; i++) {
		memset(text, 'a' + i % 26, sizeof(text));
		assert_ok(histree_state_modify(system, i, quark, histree_string_n(text, sizeof(text)), NULL));
	}
	struct histree_cursor *query = finish(system, TEXTS);
	struct histree_cursor *changes;
	struct histree_change change;
	int expected = 0;
	assert_ok(histree_changes_create(histree_query_history(query), &changes, NULL));
	assert_ok(histree_changes_start(changes, &(struct histree_changes_region){ .to = TEXTS }, NULL));
	for (; histree_cursor_next(changes, NULL) == HISTREE_OK; expected++) {
		change = *histree_cursor_change(changes);
		assert_int_equal(change.time, expected);
		assert_int_equal(change.count, 1);
		if (expected > 0) {
			memset(text, 'a' + expected % 26, sizeof(text));
			assert_int_equal(change.intervals[0].value.size, sizeof(text));
			assert_memory_equal(change.intervals[0].value.bytes, text, sizeof(text));
		}
	}
	assert_int_equal(expected, TEXTS + 1);
	histree_cursor_free(changes);
	end(query);
}

/* ---- damage ------------------------------------------------------------------------------------------ */

enum { DAMAGED_TIMES = 200000, DAMAGED_ATTRIBUTES = 20 };

static struct histree_cursor *damage(struct histree_cursor *query)
{
	struct histree_history *history = histree_query_history(query);
	uint64_t size = histree_history_info(history)->file_bytes;
	histree_cursor_free(query);
	histree_history_close(history);
	FILE *file = fopen(path, "r+");
	for (int part = 1; part < 4; part++) {
		fseek(file, (long)(size / 4) * part, SEEK_SET);
		int byte = fgetc(file);
		fseek(file, -1, SEEK_CUR);
		fputc(byte ^ 1, file);
	}
	assert_int_equal(fclose(file), 0);
	assert_ok(histree_history_open(path, NULL, &history, NULL));
	assert_ok(histree_query_create(history, &query, NULL));
	return query;
}

static int by_start(const void *one, const void *other)
{
	const struct histree_interval *a = one, *b = other;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->quark < b->quark ? -1 : 1;
}

/* All intervals that a query of the range finds, but those that begin before it. */
static size_t search(struct histree_cursor *query, histree_time from, histree_time to, struct histree_interval *out)
{
	struct histree_interval interval;
	size_t count = 0;
	assert_ok(histree_query_start(query, &(struct histree_region){ .from = from, .to = to }, NULL));
	while (histree_cursor_next(query, NULL) == HISTREE_OK) {
		interval = *histree_cursor_interval(query);
		if (interval.start >= from)
			out[count++] = interval;
	}
	assert_true(histree_cursor_loss(query).nodes > 0);
	qsort(out, count, sizeof(*out), by_start);
	return count;
}

/* What is lost is unknown from where it is lost on, wherever windows are cut. */
TEST(damage_does_not_depend_on_windows)
{
	struct random random = { 4 };
	struct histree_state_system *system = begin(0);
	for (int i = 0; i < DAMAGED_ATTRIBUTES; i++) {
		char name[16];
		histree_quark quark;
		snprintf(name, sizeof(name), "a%d", i);
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, name, &quark, NULL));
	}
	for (histree_time t = 1; t < DAMAGED_TIMES; t++)
		assert_ok(histree_state_modify(system, t, (histree_quark)random_below(&random, DAMAGED_ATTRIBUTES),
					       histree_int((int32_t)t), NULL));
	struct histree_cursor *query = damage(finish(system, DAMAGED_TIMES));
	struct histree_interval *plain = calloc(2 * DAMAGED_TIMES, sizeof(*plain));
	struct histree_cursor *changes;
	assert_ok(histree_changes_create(histree_query_history(query), &changes, NULL));
	for (int i = 0; i < 4; i++) {
		struct histree_changes_region region = { .from = i < 2 ? 0 : 777,
							 .to = DAMAGED_TIMES - (i < 2 ? 0 : 99999),
							 .backwards = i % 2 == 1 };
		size_t count = search(query, region.from, region.to, plain), at = 0;
		struct histree_change change;
		assert_ok(histree_changes_start(changes, &region, NULL));
		assert_false(histree_cursor_loss(changes).nodes > 0);
		for (; histree_cursor_next(changes, NULL) == HISTREE_OK; at += change.count) {
			change = *histree_cursor_change(changes);
			for (size_t k = 0; k < change.count; k++) {
				size_t place = region.backwards ? count - at - change.count + k : at + k;
				const struct histree_interval *wanted = &plain[place],
							      *found = &change.intervals[k];
				assert_true(place < count);
				assert_int_equal(found->quark, wanted->quark);
				assert_int_equal(found->start, wanted->start);
				assert_int_equal(found->end, wanted->end);
				assert_int_equal(found->value.type, wanted->value.type);
			}
		}
		assert_int_equal(at, count);
		assert_true(histree_cursor_loss(changes).nodes > 0);
	}
	histree_cursor_free(changes);
	free(plain);
	end(query);
}
