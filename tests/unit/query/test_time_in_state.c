// SPDX-License-Identifier: MIT
/*
 * test_time_in_state.c - for how long attributes had each value, and comparisons of that, with an overview of
 * sums and without one, of one history and of several hosts, against an array with an entry for each nanosecond.
 */
#include <math.h>

#include "base/hash_index.h"
#include "histree/histree.h"
#include "overview/overview_writer.h"
#include "state/history.h"
#include "support/effort.h"
#include "support/history_file.h"
#include "support/test.h"

enum { HOSTS = 2, ATTRIBUTES = 5, LENGTH = 3000, START = 1000, VALUES = 6, UNKNOWN_VALUE = 5, NO_VALUE = -1 };

/* One host begins 300 ns after the other. */
struct world {
	char paths[HOSTS][64];
	int values[HOSTS][ATTRIBUTES][LENGTH];
	struct histree_history *histories[HOSTS];
};

static const struct histree_label names[] = {
	{ .first = 1, .last = 1, .is_code = true, .style = { "ONE", "is one", 1, 1, 1 } },
	{ .first = 2, .last = 3, .is_code = true, .style = { "TWO", "is two or three", 2, 2, 1 } },
};
static const char *const patterns[] = { "a/*", NULL };
static const struct histree_label_table table = {
	.name = "what it is", .patterns = patterns, .labels = names, .label_count = 2
};

static histree_time start_of(int host)
{
	return START + 300 * host;
}

static struct histree_value value_of(int value, bool is_text)
{
	static const char *const texts[] = { "", "one", "two", "three", "and a longer text" };
	if (value == NO_VALUE)
		return histree_null();
	if (value == UNKNOWN_VALUE)
		return histree_unknown();
	return is_text ? histree_string(texts[value]) : histree_int(value);
}

static void fill(struct random *random, struct histree_state_system *system, const char *path, int values[LENGTH],
		 histree_time start)
{
	const uint64_t step = 1 + random_below(random, 60);
	histree_quark quark;
	int now = NO_VALUE, until = 0;
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, path, &quark, NULL));
	for (int t = 0; t < LENGTH; t++) {
		if (t == until) {
			now = (int)random_below(random, VALUES + 1) - 1;
			until = t + 1 + (int)random_below(random, random_percent(random, 5) ? 20 * step : step);
			assert_ok(histree_state_modify(system, start + t, quark, value_of(now, path[0] == 'b'),
						       NULL));
		}
		values[t] = now;
	}
}

/* Attributes a/0 to a/3 have labels, and b/4 has texts.  Their quarks are 1 to 4, and 6. */
static histree_quark quark_of(int attribute)
{
	return (histree_quark)(attribute < 4 ? attribute + 1 : 6);
}

static void make_host(struct world *world, int host, struct random *random)
{
	struct histree_state_system *system;
	char *path = world->paths[host];
	snprintf(path, sizeof(world->paths[host]), "test_time_in_state.%ld.%d.sht", (long)getpid(), host);
	unlink(path);
	const struct histree_history_options options = { .path = path,
							 .provider = "test",
							 .start = start_of(host),
							 .tree = { .node_size = 4096, .threads = 1 } };
	assert_ok(histree_state_create(&options, &system, NULL));
	assert_ok(histree_state_labels(system, &table, 1, NULL));
	for (int i = 0; i < ATTRIBUTES; i++) {
		char name[16];
		snprintf(name, sizeof(name), "%s/%d", i < 4 ? "a" : "b", i);
		fill(random, system, name, world->values[host][i], options.start);
	}
	assert_ok(histree_state_close(system, options.start + LENGTH - 1, NULL));
	histree_state_free(system);
}

static void open_host(struct world *world, int host, bool no_overviews)
{
	const struct histree_open_options options = { .no_overviews = no_overviews };
	assert_ok(histree_history_open(world->paths[host], &options, &world->histories[host], NULL));
}

static void sum_up(const struct world *world, int host, struct random *random)
{
	const struct overview_options options = {
		.history_states_min = 1,
		.states_in_window = 1 + (uint32_t)random_below(random, 400),
		.percent_max = 100000,
		.sums_percent_max = 100000,
		.sum_states_min = 1 + (uint32_t)random_below(random, 100),
		.threads = 1,
	};
	struct histree_error error = { 0 };
	if (overviews_write(&io_posix, world->paths[host], &options, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
}

static void remove_world(struct world *world)
{
	for (int host = 0; host < HOSTS; host++)
		history_files_remove(world->paths[host]);
}

/* ---- asking ------------------------------------------------------------------------------------------------- */

struct times_found {
	uint64_t ns[ATTRIBUTES][VALUES + 1]; /* null is the last one */
	size_t parts;
};

static int index_of(const struct histree_value *value, bool is_text)
{
	for (int i = 0; i < VALUES; i++) {
		const struct histree_value known = value_of(i, is_text);
		if (value->type == known.type &&
		    (known.type == HISTREE_UNKNOWN || histree_value_equal(value, &known)))
			return i;
	}
	assert_int_equal(value->type, HISTREE_NULL);
	return VALUES;
}

/* Of some attributes of a host, of which the history calls the first one `first`. */
static void ask(struct histree_history *history, histree_quark first, unsigned which, histree_time from,
		histree_time to, size_t room, struct times_found *answer)
{
	histree_quark quarks[ATTRIBUTES];
	struct histree_region region = { .quarks = quarks, .from = from, .to = to };
	struct histree_cursor *times;
	struct histree_error error = { 0 };
	enum histree_status status;
	size_t count;
	memset(answer, 0, sizeof(*answer));
	for (int i = 0; i < ATTRIBUTES; i++)
		if (which & 1U << i)
			quarks[region.quark_count++] = first + quark_of(i);
	assert_ok(histree_time_in_state_create(history, &times, &error));
	if (histree_time_in_state_start(times, &region, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	while ((status = histree_cursor_read(times, room, &count, &error)) == HISTREE_OK) {
		const struct histree_state_time *parts = histree_cursor_state_time(times);
		assert_true(count > 0 && count <= room);
		for (size_t i = 0; i < count; i++, answer->parts++) {
			int attribute = 0;
			while (attribute < ATTRIBUTES && first + quark_of(attribute) != parts[i].quark)
				attribute++;
			assert_true(attribute < ATTRIBUTES && (which & 1U << attribute) != 0 && parts[i].ns > 0);
			answer->ns[attribute][index_of(&parts[i].value, attribute == 4)] += parts[i].ns;
		}
	}
	assert_int_equal(status, HISTREE_END);
	assert_false(histree_cursor_loss(times).nodes > 0);
	histree_cursor_free(times);
}

static void expect(const struct world *world, int host, unsigned which, histree_time from, histree_time to,
		   const struct times_found *answer)
{
	for (int i = 0; i < ATTRIBUTES; i++) {
		uint64_t ns[VALUES + 1] = { 0 };
		for (histree_time t = from; t <= to && (which & 1U << i) != 0; t++) {
			const int64_t at = t - start_of(host);
			const int value = at < 0 || at >= LENGTH ? NO_VALUE : world->values[host][i][at];
			ns[value == NO_VALUE ? VALUES : value]++;
		}
		assert_memory_equal(answer->ns[i], ns, sizeof(ns));
	}
}

static void draw_range(struct random *random, histree_time first, int length, histree_time *from, histree_time *to)
{
	const histree_time one = first + (histree_time)random_below(random, (uint64_t)length);
	const histree_time other = first + (histree_time)random_below(random, (uint64_t)length);
	*from = one < other ? one : other;
	*to = one < other ? other : one;
	if (random_percent(random, 10))
		*from = first, *to = first + length - 1;
}

TEST(sums_say_what_the_states_do)
{
	static struct world world;
	struct random random = { test_seed() };
	unsigned fewer = 0;
	for (uint64_t round = test_effort(40, 10) * test_rounds(); round > 0; round--) {
		make_host(&world, 0, &random);
		for (int summed = 0; summed < 2; summed++) {
			struct times_found answer;
			histree_time from, to;
			if (summed)
				sum_up(&world, 0, &random);
			open_host(&world, 0, false);
			for (int i = 0; i < 30; i++) {
				const unsigned which = (unsigned)random_below(&random, 1 << ATTRIBUTES);
				draw_range(&random, START, LENGTH, &from, &to);
				ask(world.histories[0], 0, which, from, to, 1 + random_below(&random, 16), &answer);
				expect(&world, 0, which, from, to, &answer);
			}
			ask(world.histories[0], 0, 1, START, START + LENGTH - 1, 16, &answer);
			fewer += summed && answer.parts <= VALUES + 1;
			histree_history_close(world.histories[0]);
		}
		remove_world(&world);
	}
	assert_true(fewer > 0); /* they were used */
}

/* Each host has cells of its own, or no overview; both are read as one history. */
TEST(of_several_hosts)
{
	static struct world world;
	struct random random = { test_seed() + 1 };
	for (uint64_t round = test_effort(20, 5) * test_rounds(); round > 0; round--) {
		struct histree_history_part parts[HOSTS] = { { .name = "left" }, { .name = "right" } };
		struct histree_history *joined;
		struct histree_error error = { 0 };
		size_t count;
		for (int host = 0; host < HOSTS; host++) {
			make_host(&world, host, &random);
			if (random_percent(&random, 80))
				sum_up(&world, host, &random);
			open_host(&world, host, false);
			parts[host].history = world.histories[host];
		}
		if (histree_history_unite(parts, HOSTS, &joined, &error) != HISTREE_OK)
			fail_msg("%s", error.message);
		const struct histree_history_info *info = histree_history_info(joined);
		const struct histree_history_host *hosts = histree_history_hosts(joined, &count);
		assert_int_equal(count, HOSTS);
		for (int i = 0; i < 30; i++) {
			const unsigned which = (unsigned)random_below(&random, 1 << ATTRIBUTES);
			struct times_found answer;
			histree_time from, to;
			draw_range(&random, info->start, (int)(info->end - info->start + 1), &from, &to);
			for (int host = 0; host < HOSTS; host++) {
				ask(joined, hosts[host].folder + 1, which, from, to, 16, &answer);
				expect(&world, host, which, from, to, &answer);
			}
		}
		/* All attributes of all hosts, of which all have states at all times. */
		struct histree_cursor *times;
		const struct histree_region region = { .from = info->start, .to = info->end };
		uint64_t sum = 0;
		enum histree_status status;
		assert_ok(histree_time_in_state_create(joined, &times, NULL));
		assert_ok(histree_time_in_state_start(times, &region, NULL));
		while ((status = histree_cursor_read(times, 16, &count, NULL)) == HISTREE_OK)
			for (size_t i = 0; i < count; i++)
				sum += histree_cursor_state_time(times)[i].ns;
		assert_int_equal(status, HISTREE_END);
		assert_int_equal(sum, info->attribute_count * (uint64_t)(info->end - info->start + 1));
		histree_cursor_free(times);
		histree_history_close(joined);
		remove_world(&world);
	}
}

/* ---- comparisons ---------------------------------------------------------------------------------------- */

static struct histree_state_comparison *compare(struct histree_history *history, const histree_time times[4],
						bool has_all)
{
	struct histree_selection selections[2];
	struct histree_state_comparison *comparison;
	struct histree_error error = { 0 };
	for (int i = 0; i < 2; i++) {
		histree_selection_begin(&selections[i], history);
		selections[i].window.from = times[2 * i];
		selections[i].window.to = times[2 * i + 1];
		if (has_all)
			continue;
		histree_selection_none(&selections[i]);
		assert_ok(histree_selection_add_pattern(&selections[i], "*/*", &error));
	}
	if (histree_state_comparison_create(&selections[0], &selections[1], (struct histree_work){ 0 }, &comparison,
					    &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	for (int i = 0; i < 2; i++)
		histree_selection_release(&selections[i]);
	return comparison;
}

TEST(comparisons_do_not_depend_on_sums)
{
	static struct world world;
	struct random random = { test_seed() + 2 };
	for (uint64_t round = test_effort(20, 5) * test_rounds(); round > 0; round--) {
		make_host(&world, 0, &random);
		sum_up(&world, 0, &random);
		open_host(&world, 0, false);
		memcpy(world.paths[1], world.paths[0], sizeof(world.paths[1]));
		open_host(&world, 1, true);
		for (int i = 0; i < 20; i++) {
			const struct histree_state_difference *with, *without;
			struct histree_state_comparison *summed, *plain;
			histree_time times[4];
			draw_range(&random, START, LENGTH, &times[0], &times[1]);
			draw_range(&random, START, LENGTH, &times[2], &times[3]);
			summed = compare(world.histories[0], times, i % 2 == 0);
			plain = compare(world.histories[1], times, i % 2 == 0);
			for (size_t k = 0;; k++) {
				with = histree_state_comparison_state(summed, k);
				without = histree_state_comparison_state(plain, k);
				assert_true((with == NULL) == (without == NULL));
				if (with == NULL)
					break;
				assert_string_equal(with->kind, without->kind);
				assert_true(histree_value_equal(&with->value, &without->value) ||
					    with->value.type == HISTREE_UNKNOWN);
				assert_true(with->a_ns == without->a_ns && with->b_ns == without->b_ns);
				assert_memory_equal(&with->noise, &without->noise, sizeof(with->noise));
				assert_memory_equal(&with->a_share, &without->a_share, sizeof(with->a_share));
				assert_memory_equal(&with->b_share, &without->b_share, sizeof(with->b_share));
			}
			histree_state_comparison_free(summed);
			histree_state_comparison_free(plain);
		}
		histree_history_close(world.histories[0]);
		histree_history_close(world.histories[1]);
		remove_world(&world);
	}
}

TEST(wrong_questions_are_refused)
{
	static struct world world;
	struct random random = { 3 };
	struct histree_cursor *times;
	struct histree_error error = { 0 };
	const histree_time list[] = { START, START + 1 };
	const histree_quark wrong[] = { 2, 1 };
	size_t count;
	make_host(&world, 0, &random);
	sum_up(&world, 0, &random);
	open_host(&world, 0, false);
	assert_ok(histree_time_in_state_create(world.histories[0], &times, &error));
	struct histree_region region = { .times = list, .time_count = 2 };
	assert_int_equal(histree_time_in_state_start(times, &region, &error), HISTREE_ERR_ARGUMENT);
	region = (struct histree_region){ .quarks = wrong, .quark_count = 2, .from = START, .to = START + 9 };
	assert_int_equal(histree_time_in_state_start(times, &region, &error), HISTREE_ERR_ARGUMENT);
	assert_int_equal(histree_cursor_read(times, 1, &count, &error), HISTREE_END);
	assert_int_equal(histree_cursor_read(times, 0, &count, &error), HISTREE_ERR_ARGUMENT);
	histree_cursor_free(times);
	histree_cursor_free(NULL);
	histree_history_close(world.histories[0]);
	remove_world(&world);
}
