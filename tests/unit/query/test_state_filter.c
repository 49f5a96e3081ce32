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

/* ---- threads ------------------------------------------------------------------------------------------------ */

enum { BORN = 1000, GONE = 2000, BACK = 2500, LAST = 3999 };

/* Number 5 is "sh" of process 3, and then "cc" of process 5; number 6 is "cc" of process 5 all the time. */
static const struct {
	histree_time time;
	const char *path, *text; /* NULL: the number, or null if that is 0 */
	int32_t number;
} thread_changes[] = {
	{ BORN, "Threads/5", NULL, 2 },
	{ BORN, "Threads/5/Exec_name", "sh", 0 },
	{ BORN, "Threads/5/PID", NULL, 3 },
	{ BORN, "Threads/6", NULL, 1 },
	{ BORN, "Threads/6/Exec_name", "cc", 0 },
	{ BORN, "Threads/6/PID", NULL, 5 },
	{ BORN, "CPUs/0", NULL, 5 },
	{ BORN, "Threads/0_0", NULL, 2 },
	{ GONE, "Threads/5", NULL, 0 },
	{ GONE, "Threads/5/Exec_name", NULL, 0 },
	{ GONE, "Threads/5/PID", NULL, 0 },
	{ BACK, "Threads/5", NULL, 3 },
	{ BACK, "Threads/5/Exec_name", "cc", 0 },
	{ BACK, "Threads/5/PID", NULL, 5 },
};

static struct histree_history *history_of_threads(const char *provider, const char *path)
{
	const struct histree_history_options options = { .path = path, .provider = provider, .start = BORN };
	struct histree_state_system *system;
	struct histree_history *history;
	unlink(path);
	assert_ok(histree_state_create(&options, &system, NULL));
	for (size_t i = 0; i < sizeof(thread_changes) / sizeof(*thread_changes); i++) {
		const char *text = thread_changes[i].text;
		histree_quark quark;
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, thread_changes[i].path, &quark, NULL));
		assert_ok(histree_state_modify(system, thread_changes[i].time, quark,
					       text != NULL ? histree_string(text)
					       : thread_changes[i].number > 0
						       ? histree_int(thread_changes[i].number)
						       : histree_null(),
					       NULL));
	}
	assert_ok(histree_state_close(system, LAST, NULL));
	histree_state_free(system);
	assert_ok(histree_history_open(path, NULL, &history, NULL));
	return history;
}

struct passed {
	int rows, states; /* that are left to ask, and of these those that pass */
};

static struct passed pass(struct histree_history *history, const char *text, histree_time from, histree_time to)
{
	struct histree_state_filter *filter;
	struct histree_selection selection;
	struct histree_region region;
	struct histree_cursor *query;
	struct passed passed = { 0 };
	assert_ok(histree_state_filter_create(history, text, &filter, NULL));
	histree_selection_begin(&selection, history);
	selection.window = (struct histree_window){ .from = from, .to = to };
	assert_ok(histree_state_filter_select(filter, &selection, NULL));
	assert_ok(histree_query_create(history, &query, NULL));
	if (histree_selection_region(&selection, &region)) {
		passed.rows = (int)region.quark_count;
		assert_ok(histree_query_start(query, &region, NULL));
		while (histree_cursor_next(query, NULL) == HISTREE_OK)
			passed.states += histree_state_filter_match(filter, histree_cursor_interval(query));
	}
	histree_cursor_free(query);
	histree_selection_release(&selection);
	histree_state_filter_free(filter);
	return passed;
}

static void assert_passed(struct histree_history *history, const char *text, int rows, int states)
{
	const struct passed passed = pass(history, text, BORN, LAST);
	assert_int_equal(passed.rows, rows);
	assert_int_equal(passed.states, states);
}

TEST(states_are_chosen_by_their_threads)
{
	const char *path = "test_state_filter.sht";
	struct histree_history *history = history_of_threads("kernel", path);
	struct histree_state_filter *filter;
	struct passed then;
	assert_passed(history, "thread == 6", 3, 3);
	assert_passed(history, "thread == 0", 0, 0); /* an idle loop is no thread */
	assert_passed(history, "thread == 6 && path matches '^Threads/[0-9]+$'", 1, 1);
	/* Its first life has one state a row; the second has a null, which parts them, and one more. */
	assert_passed(history, "name == sh", 3, 3);
	assert_passed(history, "name == sh && process == 3", 3, 3);
	assert_passed(history, "name == sh && process == 5", 0, 0);
	assert_passed(history, "name == cc", 6, 9);
	assert_passed(history, "process == 5 && thread == 5 && !(type == null)", 3, 3);
	assert_passed(history, "!(name present) && value == 5", 4, 1); /* and folders */
	/* Of a range, only who lived in it. */
	then = pass(history, "name == sh", BACK + 1, LAST);
	assert_int_equal(then.rows + then.states, 0);
	then = pass(history, "name == cc", BORN, GONE - 1);
	assert_int_equal(then.rows, 3);
	/* What is about rows alone, and what is not. */
	assert_ok(histree_state_filter_create(history, "thread == 5 || name == cc", &filter, NULL));
	assert_true(histree_state_filter_is_of_rows(filter));
	assert_false(histree_state_filter_lacks_threads(filter));
	histree_state_filter_free(filter);
	assert_ok(histree_state_filter_create(history, "thread == 5 && value == 3", &filter, NULL));
	assert_false(histree_state_filter_is_of_rows(filter));
	histree_state_filter_free(filter);
	histree_history_close(history);
	unlink(path);
}

TEST(threads_are_lent_to_a_history_without_names)
{
	const struct fixture *fixture = *state;
	struct histree_history *kernel = history_of_threads("kernel", "test_state_filter.sht");
	struct histree_state_filter *filter;
	struct histree_selection selection;
	struct histree_error error = { 0 };
	assert_ok(histree_state_filter_create(fixture->history, "name == cc", &filter, NULL));
	assert_true(histree_state_filter_lacks_threads(filter));
	histree_selection_begin(&selection, fixture->history);
	assert_int_equal(histree_state_filter_select(filter, &selection, &error), HISTREE_ERR_ARGUMENT);
	assert_non_null(strstr(error.message, "states of the kernel"));
	histree_state_filter_take_threads(filter, kernel);
	assert_ok(histree_state_filter_select(filter, &selection, NULL));
	histree_selection_release(&selection);
	histree_state_filter_free(filter);
	/* A text that is looked for everywhere asks for nothing that is not there. */
	assert_int_equal(attributes_left(fixture, "cc"), KEYS + 8);
	histree_history_close(kernel);
	unlink("test_state_filter.sht");
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
