// SPDX-License-Identifier: MIT
/*
 * test_state_filter.c - which attributes and times expressions leave: no more than can be known from them.  That no
 * state is lost, tests/property says.
 */
#include "histree/states.h"
#include "support/history_file.h"
#include "support/test.h"

enum { KEYS = 50, ALL = -1 };

struct fixture {
	struct histree_history *history;
	histree_quark quarks[KEYS];
	histree_time start, end;
};

static int set_up(void **state)
{
	static const struct workload_kind kind = { "any", KEYS, 2000, 1000, 50, 10, CHOOSE_ANY, 0, 0 };
	static struct fixture fixture;
	const struct histree_tree_options options = { 0 };
	struct workload workload;
	*state = &fixture;
	if (!workload_make(&workload, &kind, 1))
		return -1;
	enum histree_status status = history_in_memory(&options, &workload, fixture.quarks, &fixture.history, NULL);
	fixture.start = workload.start;
	fixture.end = workload.end;
	workload_release(&workload);
	return status == HISTREE_OK ? 0 : -1;
}

static int tear_down(void **state)
{
	histree_history_close(((struct fixture *)*state)->history);
	return 0;
}

/* Returns how many attributes are left, ALL, or 0 where there is nothing to ask for. */
static int select_by(const struct fixture *fixture, const char *text, struct histree_selection *selection,
		     struct histree_region *region)
{
	struct histree_state_filter *filter;
	struct histree_error error = { 0 };
	if (histree_state_filter_create(fixture->history, text, &filter, &error) != HISTREE_OK)
		fail_msg("%s: %s", text, error.message);
	assert_ok(histree_state_filter_select(filter, selection, NULL));
	histree_state_filter_free(filter);
	if (!histree_selection_region(selection, region))
		return 0;
	return region->quarks == NULL ? ALL : (int)region->quark_count;
}

static int attributes_left(const struct fixture *fixture, const char *text)
{
	struct histree_selection selection;
	struct histree_region region;
	histree_selection_begin(&selection, fixture->history);
	int count = select_by(fixture, text, &selection, &region);
	histree_selection_release(&selection);
	return count;
}

TEST(attributes_that_can_pass_are_left)
{
	const struct fixture *fixture = *state;
	assert_int_equal(attributes_left(fixture, "value == 3"), ALL);
	assert_int_equal(attributes_left(fixture, "path == Group/1/1"), 1);
	assert_int_equal(attributes_left(fixture, "path == Group/1/1 && value == 3"), 1);
	assert_int_equal(attributes_left(fixture, "path == Group/1/1 || path == 'Group/2/2'"), 2);
	assert_int_equal(attributes_left(fixture, "(path == Group/1/1 || quark == 3) && type == int"), 2);
	assert_int_equal(attributes_left(fixture, "path == Group/1/1 && path == Group/2/2"), 0);
	assert_int_equal(attributes_left(fixture, "path == Nobody"), 0);
	assert_int_equal(attributes_left(fixture, "!(path contains Group)"), 0);
	/* 1, 8, 15, ... are below Group/1, which is an attribute too. */
	assert_int_equal(attributes_left(fixture, "path matches '^Group/1(/|$)'"), 8);
	assert_int_equal(attributes_left(fixture, "!!(path matches '^Group/1/') && !(path == Group/1/8)"), 6);
	assert_int_equal(attributes_left(fixture, "quark < 5"), 5);
	/* Whatever the path is, the value may be. */
	assert_int_equal(attributes_left(fixture, "path == Group/1/1 || value == 3"), KEYS + 8);
}

TEST(times_that_can_pass_are_left)
{
	const struct fixture *fixture = *state;
	struct histree_selection selection;
	struct histree_region region;
	char text[200];
	histree_time at = fixture->start + (fixture->end - fixture->start) / 2;
	histree_selection_begin(&selection, fixture->history);

	snprintf(text, sizeof(text), "start <= %lld && end >= %lld", (long long)at, (long long)at);
	assert_int_equal(select_by(fixture, text, &selection, &region), ALL);
	assert_true(region.from == at && region.to == at);

	histree_selection_all(&selection);
	snprintf(text, sizeof(text), "start > %lld && value == 3 && end < %lld", (long long)at,
		 (long long)at + 100);
	assert_int_equal(select_by(fixture, text, &selection, &region), ALL);
	assert_true(region.from == at + 1 && region.to == at + 99);

	histree_selection_all(&selection);
	assert_int_equal(select_by(fixture, "start > +1h", &selection, &region), 0);
	histree_selection_release(&selection);
}

TEST(a_pattern_is_narrowed)
{
	const struct fixture *fixture = *state;
	struct histree_selection selection;
	struct histree_region region;
	histree_selection_begin(&selection, fixture->history);
	histree_selection_none(&selection);
	assert_ok(histree_selection_add_pattern(&selection, "Group/1/*", NULL));
	assert_ok(histree_selection_add_pattern(&selection, "Group/2/*", NULL));
	assert_ok(histree_selection_add_path(&selection, "Group/1/8", NULL)); /* once more */
	assert_int_equal(select_by(fixture, "path contains 8 || path == Group/3/3", &selection, &region), 1);
	assert_int_equal(region.quarks[0], fixture->quarks[8]);
	histree_selection_release(&selection);
}

TEST(what_is_wrong_is_said)
{
	const struct fixture *fixture = *state;
	struct histree_state_filter *filter;
	struct histree_error error = { 0 };
	assert_int_equal(histree_state_filter_create(fixture->history, "vlaue == 3", &filter, &error),
			 HISTREE_ERR_ARGUMENT);
	assert_non_null(strstr(error.message, "'value'"));
	assert_null(filter);
}

TEST_FILE(set_up, tear_down)
