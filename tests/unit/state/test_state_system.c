// SPDX-License-Identifier: MIT
/*
 * test_state_system.c - the rules of a state change, one by one, against a sink that records the intervals.
 */
#include <math.h>

#include "interval_recorder.h"
#include "support/test.h"

TEST(a_change_ends_the_state_before_it)
{
	struct recorder recorder;
	struct histree_state_system *system = create(&recorder);
	histree_quark quark = attribute(system, "a");
	assert_ongoing(system, quark, histree_null(), START);
	assert_int_equal(histree_state_start(system), START);
	assert_int_equal(histree_state_current_end(system), START);

	assert_ok(histree_state_modify(system, 1010, quark, histree_int(1), NULL));
	assert_record(&recorder, 0, quark, START, 1009, histree_null());
	assert_ok(histree_state_modify(system, 1020, quark, histree_int(2), NULL));
	assert_record(&recorder, 1, quark, 1010, 1019, histree_int(1));
	assert_ongoing(system, quark, histree_int(2), 1020);
	assert_int_equal(histree_state_current_end(system), 1020);
	assert_ok(histree_state_modify(system, 1021, quark, histree_null(), NULL));
	assert_record(&recorder, 2, quark, 1020, 1020, histree_int(2));
	assert_int_equal(recorder.count, 3);
	release(system, &recorder);
}

TEST(a_new_attribute_is_null_from_the_start_of_the_history)
{
	struct recorder recorder;
	struct histree_state_system *system = create(&recorder);
	histree_quark early = attribute(system, "early");
	assert_ok(histree_state_modify(system, 5000, early, histree_int(1), NULL));
	histree_quark late = attribute(system, "late");
	assert_ongoing(system, late, histree_null(), START);
	assert_ok(histree_state_modify(system, START, late, histree_int(1), NULL));
	assert_int_equal(recorder.count, 1); /* at the start of the history: nothing came before */
	assert_ongoing(system, late, histree_int(1), START);
	release(system, &recorder);
}

TEST(the_same_value_changes_nothing)
{
	struct recorder recorder;
	struct histree_state_system *system = create(&recorder);
	static const char text[] = "text";
	const struct histree_value values[] = {
		histree_null(),       histree_int(-1),         histree_long(INT64_MIN),
		histree_double(NAN),  histree_double(-0.0),    histree_bool(true),
		histree_string(text), histree_string_n("", 0), histree_custom("\0", 1),
	};
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		char name[8];
		snprintf(name, sizeof(name), "%zu", i);
		histree_quark quark = attribute(system, name);
		assert_ok(histree_state_modify(system, 2000, quark, values[i], NULL));
		size_t count = recorder.count;
		assert_ok(histree_state_modify(system, 3000, quark, values[i], NULL));
		/* Not even a time before its start matters then. */
		assert_ok(histree_state_modify(system, 1500, quark, values[i], NULL));
		assert_int_equal(recorder.count, count);
		assert_ongoing(system, quark, values[i], i == 0 ? START : 2000);
	}
	assert_int_equal(histree_state_current_end(system), 2000);

	histree_quark quark = attribute(system, "zero");
	assert_ok(histree_state_modify(system, 2000, quark, histree_double(0.0), NULL));
	assert_ok(histree_state_modify(system, 2001, quark, histree_double(-0.0), NULL));
	assert_ongoing(system, quark, histree_double(-0.0), 2001); /* bits decide, not == */
	release(system, &recorder);
}

TEST(a_change_at_the_start_of_a_state_replaces_it)
{
	struct recorder recorder;
	struct histree_state_system *system = create(&recorder);
	histree_quark quark = attribute(system, "a");
	assert_ok(histree_state_modify(system, 1010, quark, histree_int(1), NULL));
	assert_ok(histree_state_modify(system, 1020, quark, histree_int(2), NULL));
	assert_ok(histree_state_modify(system, 1020, quark, histree_int(1), NULL));
	assert_ongoing(system, quark, histree_int(1), 1020);
	assert_ok(histree_state_close(system, 1030, NULL));
	/* The two equal states stay two. */
	assert_int_equal(recorder.count, 3);
	assert_record(&recorder, 1, quark, 1010, 1019, histree_int(1));
	assert_record(&recorder, 2, quark, 1020, 1030, histree_int(1));
	release(system, &recorder);
}

TEST(times_out_of_order_are_refused)
{
	struct recorder recorder;
	struct histree_state_system *system = create(&recorder);
	histree_quark quark = attribute(system, "a");
	assert_refused(&recorder, histree_state_modify(system, START - 1, quark, histree_int(1), &error),
		       HISTREE_ERR_TIME_RANGE);
	assert_refused(&recorder, histree_state_modify(system, START - 1, quark, histree_null(), &error),
		       HISTREE_ERR_TIME_RANGE);
	assert_ok(histree_state_modify(system, 1010, quark, histree_int(1), NULL));
	assert_refused(&recorder, histree_state_modify(system, 1009, quark, histree_int(2), &error),
		       HISTREE_ERR_TIME_BACKWARDS);
	assert_ongoing(system, quark, histree_int(1), 1010);
	/* Another attribute has a time of its own. */
	histree_quark other = attribute(system, "b");
	assert_ok(histree_state_modify(system, 1005, other, histree_int(2), NULL));
	assert_int_equal(histree_state_current_end(system), 1010);
	release(system, &recorder);
}

TEST(times_reach_the_ends_of_the_numbers)
{
	struct recorder recorder = { 0 };
	const struct interval_sink sink = { .add = record_add,
					    .finish = record_finish,
					    .free = record_free,
					    .context = &recorder,
					    .value_size_max = VALUE_SIZE_MAX };
	struct histree_state_system *system;
	assert_ok(state_system_create(INT64_MIN, &sink, &system, NULL));
	histree_quark quark = attribute(system, "a");
	assert_ok(histree_state_modify(system, INT64_MIN, quark, histree_int(1), NULL));
	assert_ok(histree_state_modify(system, INT64_MAX, quark, histree_int(2), NULL));
	assert_ok(histree_state_close(system, INT64_MAX, NULL));
	assert_record(&recorder, 0, quark, INT64_MIN, INT64_MAX - 1, histree_int(1));
	assert_record(&recorder, 1, quark, INT64_MAX, INT64_MAX, histree_int(2));
	release(system, &recorder);
}

TEST(the_first_value_fixes_the_type)
{
	struct recorder recorder;
	struct histree_state_system *system = create(&recorder);
	const struct histree_value values[] = {
		histree_int(1),     histree_long(1),     histree_double(1),
		histree_bool(true), histree_string("1"), histree_custom("1", 1),
	};
	enum { COUNT = sizeof(values) / sizeof(values[0]) };
	for (size_t i = 0; i < COUNT; i++) {
		char name[8];
		snprintf(name, sizeof(name), "%zu", i);
		histree_quark quark = attribute(system, name);
		assert_ok(histree_state_modify(system, 1010, quark, values[i], NULL));
		for (size_t j = 0; j < COUNT; j++) {
			if (j == i)
				continue;
			assert_refused(&recorder, histree_state_modify(system, 1020, quark, values[j], &error),
				       HISTREE_ERR_TYPE);
			assert_refused(&recorder, histree_state_update(system, quark, values[j], &error),
				       HISTREE_ERR_TYPE);
		}
		/* Null fits all, and does not set the type free. */
		assert_ok(histree_state_modify(system, 1030, quark, histree_null(), NULL));
		assert_refused(&recorder,
			       histree_state_modify(system, 1040, quark, values[(i + 1) % COUNT], &error),
			       HISTREE_ERR_TYPE);
		assert_ongoing(system, quark, histree_null(), 1030);
	}
	release(system, &recorder);
}

TEST(messages_name_the_attribute)
{
	struct recorder recorder;
	struct histree_state_system *system = create(&recorder);
	histree_quark quark = attribute(system, "Threads/42");
	struct histree_error error;
	assert_ok(histree_state_modify(system, 1010, quark, histree_int(1), &error));
	assert_int_equal(histree_state_modify(system, 1020, quark, histree_string("x"), &error), HISTREE_ERR_TYPE);
	assert_string_equal(error.message, "attribute 'Threads/42': a value of type string, but it holds int");
	assert_int_equal(histree_state_modify(system, 1005, quark, histree_int(2), &error),
			 HISTREE_ERR_TIME_BACKWARDS);
	assert_string_equal(error.message,
			    "attribute 'Threads/42': a change at 1005, but its ongoing state began at 1010");
	release(system, &recorder);
}

TEST(values_must_be_values_and_fit)
{
	struct recorder recorder;
	struct histree_state_system *system = create(&recorder);
	histree_quark quark = attribute(system, "a");
	char text[VALUE_SIZE_MAX + 1];
	memset(text, 'x', sizeof(text));
	const struct histree_value too_long = histree_string_n(text, VALUE_SIZE_MAX + 1);
	const struct histree_value no_bytes = { .type = HISTREE_CUSTOM, .size = 1 };
	const struct histree_value no_type = { .type = (enum histree_type)HISTREE_TYPE_COUNT };
	assert_refused(&recorder, histree_state_modify(system, 1010, quark, too_long, &error),
		       HISTREE_ERR_TOO_LARGE);
	assert_refused(&recorder, histree_state_update(system, quark, too_long, &error), HISTREE_ERR_TOO_LARGE);
	assert_refused(&recorder, histree_state_push(system, 1010, quark, too_long, &error), HISTREE_ERR_TOO_LARGE);
	assert_refused(&recorder, histree_state_modify(system, 1010, quark, no_bytes, &error),
		       HISTREE_ERR_ARGUMENT);
	assert_refused(&recorder, histree_state_modify(system, 1010, quark, no_type, &error), HISTREE_ERR_ARGUMENT);
	assert_refused(&recorder, histree_state_update(system, quark, no_type, &error), HISTREE_ERR_ARGUMENT);
	assert_refused(&recorder, histree_state_push(system, 1010, quark, no_type, &error), HISTREE_ERR_ARGUMENT);
	assert_refused(&recorder, histree_state_increment(system, 1010, quark, no_type, &error),
		       HISTREE_ERR_ARGUMENT);
	assert_int_equal(histree_attributes_count(histree_state_attributes(system)), 1);
	assert_ongoing(system, quark, histree_null(), START);
	assert_ok(histree_state_modify(system, 1010, quark, histree_string_n(text, VALUE_SIZE_MAX), NULL));
	/* Nor is it compared with one of the same size. */
	histree_quark custom = attribute(system, "b");
	assert_ok(histree_state_modify(system, 1010, custom, histree_custom("y", 1), NULL));
	assert_refused(&recorder, histree_state_modify(system, 1020, custom, no_bytes, &error),
		       HISTREE_ERR_ARGUMENT);
	release(system, &recorder);
}

TEST(unknown_quarks_are_refused)
{
	struct recorder recorder;
	struct histree_state_system *system = create(&recorder);
	attribute(system, "a");
	const histree_quark unknown[] = { 1, HISTREE_ROOT };
	for (size_t i = 0; i < 2; i++) {
		histree_quark quark = unknown[i];
		struct histree_value value;
		assert_refused(&recorder, histree_state_modify(system, 1010, quark, histree_int(1), &error),
			       HISTREE_ERR_QUARK);
		assert_refused(&recorder, histree_state_update(system, quark, histree_int(1), &error),
			       HISTREE_ERR_QUARK);
		assert_refused(&recorder, histree_state_push(system, 1010, quark, histree_int(1), &error),
			       HISTREE_ERR_QUARK);
		assert_refused(&recorder, histree_state_pop(system, 1010, quark, &value, &error),
			       HISTREE_ERR_QUARK);
		assert_refused(&recorder, histree_state_top(system, quark, &value, &error), HISTREE_ERR_QUARK);
		assert_refused(&recorder, histree_state_queue_poll(system, 1010, quark, &value, &error),
			       HISTREE_ERR_QUARK);
		assert_refused(&recorder, histree_state_queue_peek(system, quark, &value, &error),
			       HISTREE_ERR_QUARK);
		assert_refused(&recorder, histree_state_remove(system, 1010, quark, &error), HISTREE_ERR_QUARK);
		assert_refused(&recorder, histree_state_increment(system, 1010, quark, histree_int(1), &error),
			       HISTREE_ERR_QUARK);
		assert_refused(&recorder, histree_state_ongoing(system, quark, NULL, NULL, &error),
			       HISTREE_ERR_QUARK);
	}
	histree_quark quark;
	assert_refused(&recorder, histree_state_attribute(system, 7, "b", &quark, &error), HISTREE_ERR_QUARK);
	assert_refused(&recorder, histree_state_child(system, 7, "b", 1, &quark, &error), HISTREE_ERR_QUARK);
	assert_refused(&recorder, histree_state_attribute(system, 0, "b//c", &quark, &error), HISTREE_ERR_ARGUMENT);
	assert_refused(&recorder, histree_state_child(system, 0, "", 0, &quark, &error), HISTREE_ERR_ARGUMENT);
	assert_int_equal(histree_attributes_count(histree_state_attributes(system)), 1);
	release(system, &recorder);
}

/* Whole intervals give what two changes each give, whatever was there before. */
TEST(inserting_is_changing_twice)
{
	struct recorder inserted, changed;
	struct histree_state_system *one = create(&inserted), *other = create(&changed);
	const histree_quark a = attribute(one, "a"), b = attribute(one, "b");
	attribute(other, "a");
	attribute(other, "b");
	assert_ok(histree_state_modify(one, 1005, b, histree_string("before"), NULL));
	assert_ok(histree_state_modify(other, 1005, b, histree_string("before"), NULL));
	const struct histree_interval intervals[] = {
		{ .start = START, .end = 1009, .quark = a, .value = histree_int(1) },
		{ .start = 1010, .end = 1010, .quark = a, .value = histree_int(1) },
		{ .start = 1010, .end = 1030, .quark = b, .value = histree_string("before") },
		{ .start = 1020, .end = 1029, .quark = a, .value = histree_int(-7) },
		{ .start = 1030, .end = 1034, .quark = a, .value = histree_null() },
		{ .start = 1031, .end = 1040, .quark = b, .value = histree_string("after") },
		{ .start = 1035, .end = 1040, .quark = a, .value = histree_int(2) },
	};
	enum { COUNT = sizeof(intervals) / sizeof(*intervals) };
	size_t count;
	assert_ok(histree_state_insert(one, intervals, COUNT, &count, NULL));
	assert_int_equal(count, COUNT);
	assert_int_equal(histree_state_current_end(one), 1040);
	for (size_t i = 0; i < COUNT; i++) {
		histree_quark quark = intervals[i].quark;
		assert_ok(histree_state_modify(other, intervals[i].start, quark, intervals[i].value, NULL));
		assert_ok(histree_state_modify(other, intervals[i].end + 1, quark, histree_null(), NULL));
	}
	assert_int_equal(inserted.count, changed.count);
	for (size_t i = 0; i < changed.count; i++) {
		const struct record *record = &changed.records[i];
		assert_record(&inserted, i, record->quark, record->start, record->end, record->value.value);
	}
	assert_ongoing(one, a, histree_null(), 1041);
	/* Nothing is behind what reaches the end. */
	assert_ok(histree_state_close(one, 1040, NULL));
	assert_int_equal(inserted.count, changed.count);
	release(one, &inserted);
	release(other, &changed);
}

TEST(intervals_that_do_not_follow_are_refused)
{
	struct recorder recorder;
	struct histree_state_system *system = create(&recorder);
	histree_quark a = attribute(system, "a"), b = attribute(system, "b");
	const struct histree_interval first = { .start = 1010, .end = 1020, .quark = a, .value = histree_int(1) };
	assert_ok(histree_state_modify(system, 1050, b, histree_int(4), NULL));
	const struct {
		struct histree_interval interval;
		enum histree_status status;
	} wrong[] = {
		{ { .start = 1020, .end = 1030, .quark = a, .value = histree_int(2) }, HISTREE_ERR_TIME_BACKWARDS },
		{ { .start = 1030, .end = 1029, .quark = a, .value = histree_int(2) }, HISTREE_ERR_TIME_RANGE },
		{ { .start = 1030, .end = INT64_MAX, .quark = a, .value = histree_int(2) },
		  HISTREE_ERR_TIME_RANGE },
		{ { .start = START - 1, .end = 1030, .quark = a, .value = histree_null() },
		  HISTREE_ERR_TIME_RANGE },
		{ { .start = 1030, .end = 1040, .quark = a, .value = histree_long(2) }, HISTREE_ERR_TYPE },
		{ { .start = 1030, .end = 1040, .quark = b + 1, .value = histree_int(2) }, HISTREE_ERR_QUARK },
		/* The value that is ongoing, but before it began. */
		{ { .start = 1010, .end = 1020, .quark = b, .value = histree_int(4) }, HISTREE_ERR_TIME_BACKWARDS },
	};
	size_t count;
	assert_ok(histree_state_insert(system, &first, 1, &count, NULL));
	size_t records = recorder.count;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct histree_error error = { 0 };
		assert_int_equal(histree_state_insert(system, &wrong[i].interval, 1, &count, &error),
				 wrong[i].status);
		assert_int_equal(error.status, wrong[i].status);
		assert_int_equal(count, 0);
		assert_int_equal(recorder.count, records);
	}
	/* Those before the wrong one are there. */
	const struct histree_interval mixed[] = {
		{ .start = 1021, .end = 1030, .quark = a, .value = histree_int(3) },
		wrong[0].interval,
		{ .start = 1031, .end = 1040, .quark = a, .value = histree_int(4) },
	};
	assert_int_equal(histree_state_insert(system, mixed, 3, &count, NULL), HISTREE_ERR_TIME_BACKWARDS);
	assert_int_equal(count, 1);
	assert_ongoing(system, a, histree_null(), 1031);
	release(system, &recorder);
}

TEST(updating_rewrites_the_ongoing_state)
{
	struct recorder recorder;
	struct histree_state_system *system = create(&recorder);
	histree_quark quark = attribute(system, "a");
	assert_ok(histree_state_update(system, quark, histree_string("open"), NULL));
	assert_ongoing(system, quark, histree_string("open"), START);
	assert_refused(&recorder, histree_state_modify(system, 1010, quark, histree_int(1), &error),
		       HISTREE_ERR_TYPE);
	assert_ok(histree_state_modify(system, 1010, quark, histree_string("read"), NULL));
	assert_record(&recorder, 0, quark, START, 1009, histree_string("open"));
	assert_ok(histree_state_update(system, quark, histree_string("read = 3"), NULL));
	assert_ok(histree_state_modify(system, 1020, quark, histree_null(), NULL));
	assert_record(&recorder, 1, quark, 1010, 1019, histree_string("read = 3"));
	assert_ok(histree_state_modify(system, 1030, quark, histree_string("x"), NULL));
	assert_ok(histree_state_update(system, quark, histree_null(), NULL));
	assert_ongoing(system, quark, histree_null(), 1030);
	assert_int_equal(recorder.count, 3);
	assert_int_equal(histree_state_current_end(system), 1030);
	release(system, &recorder);
}

TEST(removing_makes_everything_below_null)
{
	struct recorder recorder;
	struct histree_state_system *system = create(&recorder);
	histree_quark top = attribute(system, "a");
	histree_quark low = attribute(system, "a/b/c");
	histree_quark beside = attribute(system, "ab");
	assert_ok(histree_state_modify(system, 1010, top, histree_int(1), NULL));
	assert_ok(histree_state_modify(system, 1020, low, histree_int(2), NULL));
	assert_ok(histree_state_modify(system, 1030, beside, histree_int(3), NULL));
	assert_refused(&recorder, histree_state_remove(system, 1015, top, &error), HISTREE_ERR_TIME_BACKWARDS);
	assert_refused(&recorder, histree_state_remove(system, START - 1, top, &error), HISTREE_ERR_TIME_RANGE);
	assert_ongoing(system, top, histree_int(1), 1010);
	assert_ok(histree_state_remove(system, 1025, top, NULL));
	assert_ongoing(system, top, histree_null(), 1025);
	assert_ongoing(system, attribute(system, "a/b"), histree_null(), START);
	assert_ongoing(system, low, histree_null(), 1025);
	assert_ongoing(system, beside, histree_int(3), 1030);
	size_t count = recorder.count;
	assert_ok(histree_state_remove(system, 1015, top, NULL)); /* null already: nothing to refuse */
	assert_int_equal(recorder.count, count);
	release(system, &recorder);
}

TEST(removal_does_not_recurse)
{
	enum { LEVELS = 300000 };
	struct recorder recorder;
	struct histree_state_system *system = create(&recorder);
	histree_quark quark = HISTREE_ROOT;
	for (unsigned level = 0; level < LEVELS; level++) {
		assert_ok(histree_state_child(system, quark, "d", 1, &quark, NULL));
		assert_ok(histree_state_update(system, quark, histree_int(1), NULL));
	}
	assert_ok(histree_state_remove(system, 1010, 0, NULL));
	assert_int_equal(recorder.count, LEVELS);
	assert_ongoing(system, quark, histree_null(), 1010);
	release(system, &recorder);
}

TEST(increments_add_to_numbers)
{
	struct recorder recorder;
	struct histree_state_system *system = create(&recorder);
	histree_quark count = attribute(system, "int");
	histree_quark bytes = attribute(system, "long");
	histree_quark share = attribute(system, "double");
	histree_quark name = attribute(system, "string");
	assert_ok(histree_state_increment(system, 1010, count, histree_int(3), NULL));
	assert_ok(histree_state_increment(system, 1020, count, histree_int(-5), NULL));
	assert_ongoing(system, count, histree_int(-2), 1020);
	assert_ok(histree_state_increment(system, 1010, bytes, histree_long(INT64_MAX), NULL));
	assert_refused(&recorder, histree_state_increment(system, 1020, bytes, histree_long(1), &error),
		       HISTREE_ERR_ARGUMENT);
	assert_refused(&recorder, histree_state_increment(system, 1020, count, histree_int(INT32_MIN), &error),
		       HISTREE_ERR_ARGUMENT);
	assert_ongoing(system, bytes, histree_long(INT64_MAX), 1010);
	assert_ok(histree_state_increment(system, 1010, share, histree_double(0.5), NULL));
	assert_ok(histree_state_increment(system, 1020, share, histree_double(0.25), NULL));
	assert_ongoing(system, share, histree_double(0.75), 1020);
	assert_refused(&recorder, histree_state_increment(system, 1030, share, histree_int(1), &error),
		       HISTREE_ERR_TYPE);
	assert_refused(&recorder, histree_state_increment(system, 1030, name, histree_string("1"), &error),
		       HISTREE_ERR_TYPE);
	assert_refused(&recorder, histree_state_increment(system, 1030, name, histree_null(), &error),
		       HISTREE_ERR_TYPE);
	assert_refused(&recorder, histree_state_increment(system, 1030, name, histree_bool(true), &error),
		       HISTREE_ERR_TYPE);
	assert_refused(&recorder, histree_state_increment(system, 1015, count, histree_int(1), &error),
		       HISTREE_ERR_TIME_BACKWARDS);
	/* After null it starts from zero again, and only its own type. */
	assert_ok(histree_state_modify(system, 1030, count, histree_null(), NULL));
	assert_refused(&recorder, histree_state_increment(system, 1040, count, histree_long(1), &error),
		       HISTREE_ERR_TYPE);
	assert_ok(histree_state_increment(system, 1040, count, histree_int(4), NULL));
	assert_ongoing(system, count, histree_int(4), 1040);
	release(system, &recorder);
}

TEST(closing_ends_every_state)
{
	struct recorder recorder;
	struct histree_state_system *system = create(&recorder);
	histree_quark quark = attribute(system, "a");
	histree_quark never = attribute(system, "never");
	assert_ok(histree_state_modify(system, 1010, quark, histree_int(1), NULL));
	assert_refused(&recorder, histree_state_close(system, 1009, &error), HISTREE_ERR_TIME_RANGE);
	assert_false(recorder.finished);
	assert_ok(histree_state_modify(system, 1020, quark, histree_int(2), NULL)); /* still open */

	assert_ok(histree_state_close(system, 1020, NULL));
	assert_true(recorder.finished);
	assert_int_equal(recorder.end, 1020);
	assert_int_equal(recorder.count, 4);
	assert_record(&recorder, 2, quark, 1020, 1020, histree_int(2));
	assert_record(&recorder, 3, never, START, 1020, histree_null());
	assert_int_equal(histree_state_current_end(system), 1020);

	struct histree_value value;
	histree_quark created;
	assert_refused(&recorder, histree_state_close(system, 1030, &error), HISTREE_ERR_CLOSED);
	assert_refused(&recorder, histree_state_modify(system, 1030, quark, histree_int(2), &error),
		       HISTREE_ERR_CLOSED);
	assert_refused(&recorder, histree_state_update(system, quark, histree_int(3), &error), HISTREE_ERR_CLOSED);
	assert_refused(&recorder, histree_state_push(system, 1030, never, histree_int(3), &error),
		       HISTREE_ERR_CLOSED);
	assert_refused(&recorder, histree_state_pop(system, 1030, quark, &value, &error), HISTREE_ERR_CLOSED);
	assert_refused(&recorder, histree_state_queue_offer(system, 1030, never, histree_int(3), &error),
		       HISTREE_ERR_CLOSED);
	assert_refused(&recorder, histree_state_queue_poll(system, 1030, never, &value, &error),
		       HISTREE_ERR_CLOSED);
	assert_refused(&recorder, histree_state_remove(system, 1030, quark, &error), HISTREE_ERR_CLOSED);
	assert_refused(&recorder, histree_state_increment(system, 1030, quark, histree_int(3), &error),
		       HISTREE_ERR_CLOSED);
	assert_refused(&recorder, histree_state_attribute(system, HISTREE_ROOT, "new", &created, &error),
		       HISTREE_ERR_CLOSED);
	assert_refused(&recorder, histree_state_child(system, HISTREE_ROOT, "new", 3, &created, &error),
		       HISTREE_ERR_CLOSED);
	/* What is known can still be asked. */
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "a", &created, NULL));
	assert_ok(histree_state_child(system, HISTREE_ROOT, "a", 1, &created, NULL));
	assert_int_equal(created, quark);
	assert_ongoing(system, quark, histree_int(2), 1020);
	release(system, &recorder);
}

TEST(an_empty_history_can_be_closed)
{
	struct recorder recorder;
	struct histree_state_system *system = create(&recorder);
	assert_refused(&recorder, histree_state_close(system, START - 1, &error), HISTREE_ERR_TIME_RANGE);
	assert_ok(histree_state_close(system, START, NULL));
	assert_int_equal(recorder.count, 0);
	assert_true(recorder.finished);
	release(system, &recorder);
	histree_state_free(NULL);
}

/* Whichever interval cannot be written: it ends the history, with its own status, and nothing after it counts. */
TEST(a_failing_sink_ends_the_history)
{
	for (size_t fail_at = 1;; fail_at++) {
		struct recorder recorder;
		struct histree_state_system *system = create(&recorder);
		recorder.fail_at = fail_at;
		histree_quark stack = attribute(system, "stack");
		enum histree_status status = HISTREE_OK;
		for (histree_time t = 1010; t < 1015 && status == HISTREE_OK; t++)
			status = histree_state_push(system, t, stack, histree_string("text"), NULL);
		for (histree_time t = 1015; t < 1018 && status == HISTREE_OK; t++)
			status = histree_state_queue_poll(system, t, stack, NULL, NULL);
		if (status == HISTREE_OK)
			status = histree_state_remove(system, 1020, stack, NULL);
		if (status == HISTREE_OK)
			status = histree_state_close(system, 1030, NULL);
		bool done = status == HISTREE_OK;
		if (!done) {
			assert_int_equal(status, HISTREE_ERR_IO);
			assert_int_equal(recorder.count, fail_at - 1);
			recorder.fail_at = 0;
			assert_refused(&recorder, histree_state_modify(system, 9999, 0, histree_int(1), &error),
				       HISTREE_ERR_IO);
			assert_refused(&recorder, histree_state_close(system, 9999, &error), HISTREE_ERR_IO);
			assert_false(recorder.finished);
		}
		release(system, &recorder);
		if (done)
			break;
	}
	struct recorder recorder;
	struct histree_state_system *system = create(&recorder);
	recorder.fail_finish = true;
	assert_int_equal(histree_state_close(system, 2000, NULL), HISTREE_ERR_IO);
	recorder.fail_finish = false;
	assert_refused(&recorder, histree_state_close(system, 2000, &error), HISTREE_ERR_IO);
	release(system, &recorder);
}
