// SPDX-License-Identifier: MIT
/*
 * The rows of `dump` and `query`: every interval of the attributes that covers one of the times, once, sorted by
 * path and start, and the same however little memory there is for them at a time.
 *
 * The oracle is the list of intervals that the states were made from, searched linearly.
 */
#include "base/search.h"
#include "cli/answer.h"
#include "histree/history.h"
#include "support/data.h"
#include "support/test.h"

enum { ATTRIBUTES = 40, CHANGES = 60, START = 1000, END = 200000 };

struct expected {
	char path[32];
	histree_time start, end;
	int32_t number; /* -1: null */
};

struct world {
	struct histree_history *history;
	struct expected intervals[ATTRIBUTES * (CHANGES + 1)];
	size_t count;
	char folder[32], file[48];
};

static uint64_t random_state = 20260731;

static uint64_t any_below(uint64_t bound)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % bound;
}

COMPARE(compare_expected, struct expected, BY_TEXT(path) BY(start))

/*
 * Changes of all attributes in the order of time; strings and numbers, so that bytes are copied too.  Names like
 * "a-1" and "a/1" tell an order by bytes of the path from one by components.
 */
static void fill(struct world *world, struct histree_state_system *system)
{
	histree_quark quarks[ATTRIBUTES];
	struct expected *last[ATTRIBUTES];
	for (int i = 0; i < ATTRIBUTES; i++) {
		struct expected *first = last[i] = &world->intervals[world->count++];
		snprintf(first->path, sizeof(first->path), i % 2 == 0 ? "a%d/s%d" : "a%d-s%d", i % 7, i);
		first->start = START;
		first->number = -1;
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, first->path, &quarks[i], NULL));
	}
	histree_time now = START;
	for (int32_t change = 0; change < ATTRIBUTES * CHANGES; change++) {
		int which = (int)any_below(ATTRIBUTES);
		char text[32];
		now += (histree_time)any_below(80) + 1;
		snprintf(text, sizeof(text), "value %d", change);
		assert_ok(histree_state_modify(system, now, quarks[which], histree_string(text), NULL));
		last[which]->end = now - 1;
		struct expected *next = &world->intervals[world->count++];
		*next = *last[which];
		next->start = now;
		next->number = change;
		last[which] = next;
	}
	assert_true(now < END);
	for (int i = 0; i < ATTRIBUTES; i++)
		last[i]->end = END;
}

static int make_world(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	struct histree_state_system *system;
	struct histree_error error = { 0 };
	assert_non_null(world);
	scratch_folder(world->folder, sizeof(world->folder));
	snprintf(world->file, sizeof(world->file), "%s/history", world->folder);
	const struct histree_history_options options = {
		.path = world->file,
		.provider = "test",
		.provider_version = 1,
		.start = START,
		.tree = { .node_size = 4096, .fan_out = 4 },
	};
	assert_ok(histree_state_create(&options, &system, &error));
	fill(world, system);
	assert_ok(histree_state_close(system, END, &error));
	histree_state_free(system);
	assert_ok(histree_history_open(world->file, NULL, &world->history, &error));
	qsort(world->intervals, world->count, sizeof(world->intervals[0]), compare_expected);
	*state = world;
	return 0;
}

static int end_world(void **state)
{
	struct world *world = *state;
	histree_history_close(world->history);
	unlink(world->file);
	rmdir(world->folder);
	free(world);
	return 0;
}

/* Checks each row against the next expected one. */
struct checking {
	const struct world *world;
	const struct answer_question *question;
	size_t next, taken;
};

static bool covers(const struct expected *interval, const struct answer_question *question)
{
	if (question->times == NULL)
		return interval->start <= question->to && interval->end >= question->from;
	for (size_t i = 0; i < question->time_count; i++)
		if (interval->start <= question->times[i] && interval->end >= question->times[i])
			return true;
	return false;
}

static bool is_asked(const struct expected *interval, const struct answer_question *question)
{
	for (size_t i = 0; i < question->attributes->count; i++)
		if (strcmp(question->attributes->attributes[i].path, interval->path) == 0)
			return covers(interval, question);
	return false;
}

static const struct expected *next_expected(struct checking *checking)
{
	while (checking->next < checking->world->count) {
		const struct expected *interval = &checking->world->intervals[checking->next++];
		if (is_asked(interval, checking->question))
			return interval;
	}
	return NULL;
}

static void take(void *context, const struct listed_attribute *attribute, const struct histree_interval *interval)
{
	struct checking *checking = context;
	const struct expected *expected = next_expected(checking);
	assert_non_null(expected);
	assert_string_equal(attribute->path, expected->path);
	assert_int_equal(interval->start, expected->start);
	assert_int_equal(interval->end, expected->end);
	char text[32];
	int size = snprintf(text, sizeof(text), "value %d", expected->number);
	if (expected->number < 0) {
		assert_int_equal(interval->value.type, HISTREE_NULL);
	} else {
		assert_int_equal(interval->value.size, size);
		assert_memory_equal(interval->value.bytes, text, size);
	}
	checking->taken++;
}

/* All rows, or the first ones. */
static void check_limited(struct world *world, const struct answer_question *question, size_t bytes_max,
			  uint64_t row_max)
{
	struct answer_question asked = *question;
	struct checking checking = { .world = world, .question = &asked };
	struct answer_stats stats;
	struct histree_error error = { 0 };
	asked.history = world->history;
	asked.bytes_max = bytes_max;
	asked.row_max = row_max;
	if (answer(&asked, take, &checking, &stats, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	if (row_max == 0 || checking.taken < row_max)
		assert_null(next_expected(&checking));
	else
		assert_int_equal(checking.taken, row_max);
	assert_true(stats.query.rows >= checking.taken);
}

static void check(struct world *world, const struct answer_question *question)
{
	/* One row, a few, some, all at a time. */
	static const size_t bytes[] = { 1, 8192, 20000, ANSWER_BYTES };
	static const uint64_t rows[] = { 0, 1, 7, 300 };
	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++)
		for (size_t j = 0; j < sizeof(rows) / sizeof(rows[0]); j++)
			check_limited(world, question, bytes[i], rows[j]);
}

static void list_all(struct world *world, struct attribute_list *list)
{
	char *const patterns[] = { (char[]){ "*s*" }, (char[]){ "*/*" } };
	*list = (struct attribute_list){ 0 };
	assert_int_equal(attribute_list_match(list, world->history, patterns, 2, ALL_ATTRIBUTES), CLI_OK);
	assert_int_equal(list->count, ATTRIBUTES);
}

TEST(a_dump_is_everything_in_order)
{
	struct world *world = *state;
	struct attribute_list list;
	list_all(world, &list);
	check(world, &(struct answer_question){ .attributes = &list, .from = START, .to = END });
	attribute_list_release(&list);
}

TEST(ranges_and_times_are_cut_without_loss)
{
	struct world *world = *state;
	struct attribute_list list;
	list_all(world, &list);
	for (int i = 0; i < 8; i++) {
		struct attribute_list some = list;
		histree_time times[20], time = START;
		some.attributes += any_below(ATTRIBUTES);
		some.count = 1 + any_below(ATTRIBUTES - (uint64_t)(some.attributes - list.attributes));
		histree_time from = START + (histree_time)any_below(END - START);
		histree_time to = from + (histree_time)any_below((uint64_t)(END - from) + 1);
		check(world, &(struct answer_question){ .attributes = &some, .from = from, .to = to });
		check(world, &(struct answer_question){ .attributes = &some, .from = from, .to = from });
		for (int j = 0; j < 20; j++)
			times[j] = time += 1 + (histree_time)any_below((END - START) / 20 - 1);
		check(world, &(struct answer_question){ .attributes = &some, .times = times, .time_count = 20 });
	}
	attribute_list_release(&list);
}

TEST(doubles_are_listed_once)
{
	struct world *world = *state;
	struct attribute_list list = { 0 };
	char *const patterns[] = { (char[]){ "**" }, (char[]){ "a0" }, (char[]){ "a0/*" } };
	assert_int_equal(attribute_list_match(&list, world->history, patterns, 3, ALL_ATTRIBUTES), CLI_OK);
	assert_int_equal(list.count, histree_attributes_count(histree_history_attributes(world->history)));
	attribute_list_release(&list);
}

TEST(no_attributes_no_rows)
{
	struct world *world = *state;
	struct attribute_list none = { 0 };
	check(world, &(struct answer_question){ .attributes = &none, .from = START, .to = END });
}

TEST_FILE(make_world, end_world)
