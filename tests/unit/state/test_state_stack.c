// SPDX-License-Identifier: MIT
/*
 * test_state_stack.c - stacks and queues in the attribute tree: each operation changes all of its attributes or
 * none.
 */
#include "interval_recorder.h"
#include "support/test.h"

TEST(a_stack_keeps_depth_and_values)
{
	struct recorder recorder;
	struct histree_state_system *system = create(&recorder);
	histree_quark stack = attribute(system, "stack");
	struct histree_value value = histree_int(7);
	assert_int_equal(histree_state_pop(system, 1010, stack, &value, NULL), HISTREE_NOT_FOUND);
	assert_int_equal(value.type, HISTREE_NULL);
	assert_int_equal(histree_state_top(system, stack, &value, NULL), HISTREE_NOT_FOUND);

	assert_ok(histree_state_push(system, 1010, stack, histree_string("main"), NULL));
	assert_ok(histree_state_push(system, 1020, stack, histree_string("work"), NULL));
	histree_quark first = attribute(system, "stack/1");
	histree_quark second = attribute(system, "stack/2");
	assert_int_equal(second, stack + 2);
	assert_ongoing(system, stack, histree_int(2), 1020);
	assert_ongoing(system, first, histree_string("main"), 1010);
	assert_ongoing(system, second, histree_string("work"), 1020);
	assert_ok(histree_state_top(system, stack, &value, NULL));
	assert_true(histree_value_equal(
		&value, &(struct histree_value){ .type = HISTREE_STRING, .size = 4, .bytes = "work" }));

	assert_ok(histree_state_pop(system, 1030, stack, &value, NULL));
	assert_int_equal(value.size, 4);
	assert_memory_equal(value.bytes, "work", 4);
	assert_ongoing(system, stack, histree_int(1), 1030);
	assert_ongoing(system, second, histree_null(), 1030);
	assert_ok(histree_state_pop(system, 1040, stack, NULL, NULL));
	assert_ongoing(system, stack, histree_int(0), 1040);
	assert_ongoing(system, first, histree_null(), 1040);
	assert_int_equal(histree_state_pop(system, 1050, stack, &value, NULL), HISTREE_NOT_FOUND);
	assert_ongoing(system, stack, histree_int(0), 1040);

	/* The places are used again; a null is a value like others. */
	assert_ok(histree_state_push(system, 1060, stack, histree_null(), NULL));
	assert_ongoing(system, stack, histree_int(1), 1060);
	assert_ok(histree_state_top(system, stack, &value, NULL));
	assert_int_equal(value.type, HISTREE_NULL);
	assert_int_equal(histree_attributes_count(histree_state_attributes(system)), 3);
	release(system, &recorder);
}

TEST(a_refused_push_or_pop_changes_neither_attribute)
{
	struct recorder recorder;
	struct histree_state_system *system = create(&recorder);
	histree_quark stack = attribute(system, "stack");
	assert_ok(histree_state_push(system, 1010, stack, histree_int(5), NULL));
	histree_quark first = attribute(system, "stack/1");
	assert_ok(histree_state_pop(system, 1020, stack, NULL, NULL));
	assert_refused(&recorder, histree_state_push(system, 1030, stack, histree_string("x"), &error),
		       HISTREE_ERR_TYPE);
	assert_refused(&recorder, histree_state_push(system, 1019, stack, histree_int(6), &error),
		       HISTREE_ERR_TIME_BACKWARDS);
	assert_ok(histree_state_modify(system, 1050, first, histree_int(1), NULL));
	assert_refused(&recorder, histree_state_push(system, 1040, stack, histree_int(6), &error),
		       HISTREE_ERR_TIME_BACKWARDS);
	assert_ongoing(system, stack, histree_int(0), 1020);
	assert_ongoing(system, first, histree_int(1), 1050);

	assert_ok(histree_state_push(system, 1060, stack, histree_int(6), NULL));
	assert_ok(histree_state_modify(system, 1080, first, histree_int(7), NULL));
	assert_refused(&recorder, histree_state_pop(system, 1070, stack, NULL, &error), HISTREE_ERR_TIME_BACKWARDS);
	assert_ongoing(system, stack, histree_int(1), 1060);
	/* What hangs below the top goes with it, and has to agree. */
	histree_quark below = attribute(system, "stack/1/below");
	assert_ok(histree_state_modify(system, 1100, below, histree_int(8), NULL));
	assert_refused(&recorder, histree_state_pop(system, 1090, stack, NULL, &error), HISTREE_ERR_TIME_BACKWARDS);
	assert_ongoing(system, stack, histree_int(1), 1060);
	assert_ok(histree_state_pop(system, 1100, stack, NULL, NULL));
	assert_ongoing(system, below, histree_null(), 1100);
	release(system, &recorder);
}

TEST(what_is_no_stack_is_refused)
{
	struct recorder recorder;
	struct histree_state_system *system = create(&recorder);
	struct histree_value value;
	histree_quark text = attribute(system, "text");
	assert_ok(histree_state_modify(system, 1010, text, histree_string("3"), NULL));
	assert_refused(&recorder, histree_state_push(system, 1020, text, histree_int(1), &error), HISTREE_ERR_TYPE);
	assert_refused(&recorder, histree_state_pop(system, 1020, text, &value, &error), HISTREE_ERR_TYPE);
	assert_refused(&recorder, histree_state_top(system, text, &value, &error), HISTREE_ERR_TYPE);
	assert_ok(histree_state_modify(system, 1020, text, histree_null(), NULL));
	assert_refused(&recorder, histree_state_push(system, 1030, text, histree_int(1), &error), HISTREE_ERR_TYPE);

	histree_quark number = attribute(system, "number");
	assert_ok(histree_state_modify(system, 1010, number, histree_int(-1), NULL));
	assert_refused(&recorder, histree_state_push(system, 1020, number, histree_int(1), &error),
		       HISTREE_ERR_ARGUMENT);
	assert_ok(histree_state_modify(system, 1020, number, histree_int(4), NULL));
	assert_refused(&recorder, histree_state_pop(system, 1030, number, &value, &error), HISTREE_ERR_ARGUMENT);
	assert_refused(&recorder, histree_state_top(system, number, &value, &error), HISTREE_ERR_ARGUMENT);
	assert_refused(&recorder, histree_state_queue_poll(system, 1030, number, &value, &error),
		       HISTREE_ERR_ARGUMENT);
	assert_ok(histree_state_modify(system, 1040, number, histree_int(INT32_MAX), NULL));
	assert_refused(&recorder, histree_state_push(system, 1050, number, histree_int(1), &error),
		       HISTREE_ERR_TOO_LARGE);
	assert_int_equal(histree_attributes_count(histree_state_attributes(system)), 2);
	release(system, &recorder);
}

TEST(a_queue_gives_back_in_order)
{
	struct recorder recorder;
	struct histree_state_system *system = create(&recorder);
	histree_quark queue = attribute(system, "queue");
	struct histree_value value;
	assert_int_equal(histree_state_queue_poll(system, 1005, queue, &value, NULL), HISTREE_NOT_FOUND);
	assert_int_equal(histree_state_queue_peek(system, queue, &value, NULL), HISTREE_NOT_FOUND);
	static const char *const names[] = { "one", "two", "three" };
	for (size_t i = 0; i < 3; i++)
		assert_ok(histree_state_queue_offer(system, 1010, queue, histree_string(names[i]), NULL));
	for (size_t i = 0; i < 3; i++) {
		assert_ok(histree_state_queue_peek(system, queue, &value, NULL));
		assert_memory_equal(value.bytes, names[i], value.size);
		assert_ok(histree_state_queue_poll(system, 1020 + 10 * (histree_time)i, queue, &value, NULL));
		assert_int_equal(value.size, strlen(names[i]));
		assert_memory_equal(value.bytes, names[i], value.size);
		if (i == 0) {
			assert_ongoing(system, attribute(system, "queue/1"), histree_string("two"), 1020);
			assert_ongoing(system, attribute(system, "queue/2"), histree_string("three"), 1020);
			assert_ongoing(system, attribute(system, "queue/3"), histree_null(), 1020);
		}
	}
	assert_ongoing(system, queue, histree_int(0), 1040);
	assert_int_equal(histree_state_queue_poll(system, 1050, queue, NULL, NULL), HISTREE_NOT_FOUND);

	/* Of two types only one fits the place of the first. */
	histree_quark mixed = attribute(system, "mixed");
	assert_ok(histree_state_queue_offer(system, 1060, mixed, histree_int(1), NULL));
	assert_ok(histree_state_queue_offer(system, 1060, mixed, histree_string("x"), NULL));
	assert_refused(&recorder, histree_state_queue_poll(system, 1070, mixed, &value, &error), HISTREE_ERR_TYPE);
	assert_ongoing(system, mixed, histree_int(2), 1060);
	release(system, &recorder);
}

/* By option, as the code of Trace Compass has it. */
TEST(an_emptied_stack_may_be_null)
{
	struct recorder recorder;
	struct histree_state_system *system = create(&recorder);
	system->null_empty_stacks = true;
	histree_quark stack = attribute(system, "stack"), queue = attribute(system, "queue");
	struct histree_value value;
	for (int i = 0; i < 2; i++) {
		assert_ok(histree_state_push(system, 1010, stack, histree_int(1), NULL));
		assert_ok(histree_state_queue_offer(system, 1010, queue, histree_int(1), NULL));
	}
	assert_ok(histree_state_pop(system, 1020, stack, NULL, NULL));
	assert_ok(histree_state_queue_poll(system, 1020, queue, NULL, NULL));
	assert_ongoing(system, stack, histree_int(1), 1020);
	assert_ongoing(system, queue, histree_int(1), 1020);
	assert_ok(histree_state_pop(system, 1030, stack, NULL, NULL));
	assert_ok(histree_state_queue_poll(system, 1030, queue, NULL, NULL));
	assert_ongoing(system, stack, histree_null(), 1030);
	assert_ongoing(system, queue, histree_null(), 1030);
	assert_int_equal(histree_state_pop(system, 1040, stack, NULL, NULL), HISTREE_NOT_FOUND);
	assert_int_equal(histree_state_top(system, stack, &value, NULL), HISTREE_NOT_FOUND);
	assert_ok(histree_state_push(system, 1050, stack, histree_int(2), NULL));
	assert_ongoing(system, stack, histree_int(1), 1050);
	release(system, &recorder);
}
