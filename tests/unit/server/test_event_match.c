// SPDX-License-Identifier: MIT
/*
 * Which lines of events match, against what a reader would say; and expressions that are refused.
 */
#include "server/model/event_list.h"
#include "support/test.h"

static const struct event_line line = {
	.number = 7,
	.time = 1332170682440133097,
	.cpu = 3,
	.type = "sched_switch",
	.contents = "prev_comm=bash, prev_tid=42, next_comm=swapper/3",
};

TEST(test_cells)
{
	static const char *const expected[EVENT_COLUMNS] = {
		[EVENT_CLOCK] = "15:24:42.440133097",
		[EVENT_CPU] = "3",
		[EVENT_TYPE] = "sched_switch",
		[EVENT_CONTENTS] = "prev_comm=bash, prev_tid=42, next_comm=swapper/3",
		[EVENT_TIME] = "1332170682440133097",
		[EVENT_HOST] = "",
	};
	struct event_line shown = line;
	for (unsigned i = 0; i < EVENT_COLUMNS; i++)
		assert_string_equal(event_line_cell(&shown, i), expected[i]);
	struct event_line nowhere = line;
	nowhere.cpu = -1;
	assert_string_equal(event_line_cell(&nowhere, EVENT_CPU), "");
	nowhere.host = "VM1";
	assert_string_equal(event_line_cell(&nowhere, EVENT_HOST), "VM1");
}

/* Whether the line matches these expressions, all or any of them. */
static bool matches(bool any, enum event_column first, const char *one, enum event_column second, const char *other)
{
	struct cell_match match = { .any = any };
	struct histree_error error = { 0 };
	assert_ok(cell_match_add(&match, first, one, &error));
	if (other != NULL)
		assert_ok(cell_match_add(&match, second, other, &error));
	struct event_line shown = line;
	bool found = cell_match_line(&match, event_line_cell, &shown);
	cell_match_release(&match);
	return found;
}

TEST(test_one_column)
{
	static const struct {
		enum event_column column;
		const char *expression;
		bool found;
	} cases[] = {
		{ EVENT_TYPE, "switch", true },
		{ EVENT_TYPE, "^switch", false },
		{ EVENT_TYPE, "^sched_.*h$", true },
		{ EVENT_TYPE, "SWITCH", false },
		{ EVENT_TYPE, "irq|switch", true },
		{ EVENT_CPU, "^3$", true },
		{ EVENT_CPU, "4", false },
		{ EVENT_CONTENTS, "tid=4[0-9],", true },
		{ EVENT_CONTENTS, "tid=5", false },
		{ EVENT_TIME, "097$", true },
		{ EVENT_CLOCK, "^15:24:", true },
		{ EVENT_CLOCK, "^16:", false },
		{ EVENT_TYPE, "", true },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int any = 0; any <= 1; any++)
			assert_int_equal(matches(any != 0, cases[i].column, cases[i].expression, 0, NULL),
					 cases[i].found);
}

TEST(test_several_columns)
{
	static const struct {
		const char *type, *contents;
		bool all, any;
	} cases[] = {
		{ "switch", "bash", true, true },
		{ "switch", "zsh", false, true },
		{ "wakeup", "bash", false, true },
		{ "wakeup", "zsh", false, false },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(matches(false, EVENT_TYPE, cases[i].type, EVENT_CONTENTS, cases[i].contents),
				 cases[i].all);
		assert_int_equal(matches(true, EVENT_TYPE, cases[i].type, EVENT_CONTENTS, cases[i].contents),
				 cases[i].any);
	}
	struct cell_match none = { 0 };
	struct event_line shown = line;
	assert_true(cell_match_line(&none, event_line_cell, &shown));
}

/* What could take memory or time without bound, or is no expression, is refused with the reason. */
TEST(test_refused)
{
	char longest[PATTERN_SIZE_MAX + 2];
	memset(longest, 'a', sizeof(longest));
	longest[PATTERN_SIZE_MAX + 1] = '\0';
	const char *const bad[] = { "(", "[a", "*a(", "a{2}", "a{1,1000}", "(a)\\1", longest };
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct cell_match match = { 0 };
		struct histree_error error = { 0 };
		assert_int_equal(cell_match_add(&match, EVENT_TYPE, bad[i], &error), HISTREE_ERR_ARGUMENT);
		assert_true(error.message[0] != '\0');
		assert_null(match.patterns[EVENT_TYPE]);
		cell_match_release(&match);
	}
	longest[PATTERN_SIZE_MAX] = '\0';
	assert_false(matches(false, EVENT_TYPE, longest, 0, NULL));
}
